"""The productions of expressions, conditions, aggregates, window calls and relations, as text.

Slots: {int} an expression of a family, {=int} a literal, {int.} a bare column; {F} one family, the same in all of a
production ({=F} {F.} likewise); {1:int} an expression that is repeated wherever {1:…} stands; {cond} a condition;
{any.} any column; {table} {alias} {correlated} {inner.…} a sub-query's relation; {cast:int} the type of a family."""

ANY = (
    "coalesce({F}, {=F})", "CASE WHEN {cond} THEN {F} ELSE {F} END", "CASE WHEN {cond} THEN {F} END",
    "nullif({F}, {=F})", "CASE {F} WHEN {=F} THEN {F} WHEN {=F} THEN {F} END", "(SELECT {F})",
    "(SELECT {F} WHERE {cond})", "(SELECT v.x FROM (VALUES ({F}), ({=F})) AS v(x) LIMIT 1)",
    "({F})::{cast:F}", "CAST({F} AS {cast:F})",
)
# Of families with an order, that arrays can hold.
ANY_SCALAR = ("greatest({F}, {F})", "least({F}, {=F})", "(ARRAY[{F}, {=F}])[1]", "(ARRAY[{F}, {F}])[{=small}]")
ARRAYS = ("ints", "texts")

EXPRESSIONS = {
    "fold": (),
    "text": (
        "upper({text})", "lower({text})", "initcap({text})", "({text} || {text})", "left({text}, 3)",
        "right({text}, -1)",
        "({int})::text", "md5({text})", "to_char({date}, 'YYYY-MM')", "to_char({ts}, 'HH24:MI')", "({enum})::text",
        "substring({text} from 2 for 2)", "substring({text} from '[a-z]+')", "trim({text})",
        "trim(both 'N' from {text})", "overlay({text} placing 'x' from 1 for 1)", "replace({text}, 'e', 'E')",
        "concat({text}, {int})", "concat_ws('-', {text}, {text})", "concat(VARIADIC {texts}::text[])",
        "lpad({text}, 6, '.')", "reverse({text})",
        "split_part({text}, 'o', 1)", "regexp_replace({text}, '[aeiou]', '*', 'g')", "quote_literal({text})",
        "translate({text}, 'abc', 'xyz')", "repeat({text}, 2)", "format('%s/%s', {text}, {int})", "({json})::text",
        "({json} ->> 'a')", "array_to_string({texts}, ',')", "({text} COLLATE \"C\")",
        "({text} COLLATE \"und-x-icu\")",
        "encode({bytes}, 'hex')", "host({inet})", "({uuid})::text", "({days})::text", "({bool})::text",
        "row_to_json(ROW({text}, {int}))::text", "ROW({text}, {int}, {date})::text", "to_json({text})::text",
        "json_build_object('k', {text}, 'v', {int})::text", "json_build_array({F}, {int})::text",
        "xmlelement(name e, {text})::text", "xmlelement(name e, xmlattributes({text} AS a), {int})::text",
        "xmlforest({text} AS a, {int} AS b)::text", "xmlconcat(xmlelement(name a, {text}), xmlelement(name b))::text",
        "xmlserialize(content xmlelement(name e, {text}) AS text)",
        "xmlserialize(document xmlelement(name e, {text}) AS text)", "xmlparse(content xmlelement(name e, {text})::text)::text",
        "xmlparse(document xmlelement(name e, {text})::text preserve whitespace)::text", "xmlpi(name p, 'x')::text",
        "xmlroot(xmlelement(name e, {text}), version '1.0', standalone yes)::text", "to_tsvector('simple', {text})::text",
        "convert_from(convert_to({text}, 'UTF8'), 'UTF8')", "(SELECT string_agg(s.x, '+' ORDER BY s.x) "
        "FROM regexp_split_to_table({text}, 'o') AS s(x))", "(ARRAY(SELECT {=text} UNION ALL SELECT {text}))[2]"),
    "int": (
        "({int} + {int})", "({int} - {=small})", "({int} * 2)", "({int} / 3)", "({int} % 7)", "length({text})",
        "char_length({text})", "octet_length({text})", "extract(year from {date})::integer",
        "date_part('month', {ts})::integer", "abs({int})", "sign({int})::integer", "{scalar_subquery}",
        "position('e' in {text})", "strpos({text}, 'o')", "(- {int})", "(+ {int})", "({date} - {date})",
        "ascii({text})", "cardinality({ints})", "array_length({ints}, 1)", "({ints})[1]", "({ints})[{=small}]",
        "coalesce(array_position({texts}, {text}), 0)", "floor({num})::integer", "trunc({float})::integer",
        "({bool})::integer", "num_nulls({text}, {int})", "width_bucket({int}, 0, 40, 5)",
        "jsonb_array_length(jsonb_build_array({int}))",
        "(B'101')::integer + {int}", "bit_length({text})",
        "mod({int}, 5)", "({int} # 3)", "({int} & 7)", "(~ {int})", "({int} << 1)", "extract(dow from {ts})::integer",
        "extract(epoch from {time})::integer", "masklen({inet})",
        "(SELECT count(*) FROM generate_series(1, abs({int4}) % 5))::integer"),
    "num": (
        "trim_scale({num} * 2)", "trim_scale(round({num}, 1))", "({int})::numeric", "trim_scale({num} + {int})",
        "trim_scale({num} + 1.25)", "abs({num})", "trunc({num})", "ceil({num})", "(- {num})",
        "trim_scale(({float})::numeric)",
        "div({num}, 3)", "trim_scale({num} - {num})"),
    "float": ("({float} * 2)", "({float} + 0.5)", "abs({float})", "({int})::float8", "floor({float})",
        "({float} - {float} + 1)"),
    "date": ("({date} + 3)", "date_trunc('month', {date})::date", "({ts})::date", "({date} - 30)",
        "make_date(2000, 1, 1 + abs({int4}) % 28)"),
    "ts": ("date_trunc('day', {ts})::timestamp", "({date})::timestamp", "({ts} + interval '1 day')::timestamp",
           "({date} + {time})", "(({ts})::timestamptz AT TIME ZONE 'UTC')", "(({ts}) - {=days})::timestamp"),
    "time": ("({ts})::time", "({time} + interval '1 hour')", "date_trunc('hour', {time})::time"),
    "bool": ("{cond}", "({cond})", "starts_with({text}, 'N')", "isfinite({date})", "(({json}) ? 'a')"),
    "enum": (),
    "uuid": ("md5({text})::uuid",),
    "mac": ("trunc({mac})",),
    "days": ("make_interval(days => 1 + abs({int4}) % 9)",
        "(date_trunc('day', {ts})::timestamp - timestamp '1999-01-01')"),
    "ints": ("({ints} || {int4})", "array_remove({ints}, 3)", "ARRAY[{int4}, {int4}]", "({ints})[1:2]",
        "array_append({ints}, {int4})",
             "(SELECT array_agg(u.x ORDER BY u.x) FROM unnest({ints}) AS u(x))", "ARRAY(SELECT {int4})"),
    "texts": ("string_to_array({text}, 'o')", "ARRAY[{text}, {text}]", "({texts} || {text})",
        "ARRAY[{text}]::text[]"),
    "json": ("to_jsonb({text})", "to_jsonb({int})", "jsonb_build_object('a', {F}, 'b', {int})",
        "jsonb_build_array({text}, {F})",
             "({json} -> 'a')", "({json})['a']", "coalesce({json} #> '{a,b}', '1')", "jsonb_strip_nulls({json})",
             "jsonb_path_query_first({json}, '$.a')", "to_jsonb(ROW({int}, {text}))"),
    "bytes": ("({bytes} || '\\x00'::bytea)", "sha256({bytes})", "convert_to({text}, 'UTF8')",
        "substring({bytes} from 1 for 1)"),
    "inet": ("network({inet})::inet", "set_masklen({inet}, 16)"),
}

CONDITIONS = (
    "{F} {compare} {F}", "{F} = {=F}", "{F.} = {=F}", "{F.} <> {=F}", "{=F} = {F.}", "{F.} IN ({=F}, {=F})",
    "{F} IN ({=F}, {F})",
    "{F} NOT IN ({=F}, {=F})", "{F} IS NOT DISTINCT FROM {F}", "{F} IS DISTINCT FROM {=F}",
    "{F} BETWEEN {=F} AND {=F}",
    "{F} NOT BETWEEN SYMMETRIC {=F} AND {F}", "{F} = ANY (ARRAY[{=F}, {=F}])", "{F} <> ALL (ARRAY[{=F}, {F}])",
    "{any.} IS NULL", "{any.} IS NOT NULL", "({F}) ISNULL", "{text} LIKE '%{letter}%'", "{text} NOT LIKE '{letter}%'",
    "{text} ILIKE '%{letter}%'", "{text} LIKE '100\\%' ESCAPE '\\'", "{text} ~ '^[A-N]'", "{text} !~* 'e$'",
    "{text} SIMILAR TO '%(a|e)%'", "({cond} AND {cond})", "({cond} OR {cond})", "({cond} AND {cond} AND {cond})",
    "NOT ({cond})", "{exists}", "{membership}", "({cond}) IS {truth}", "({F}, {int}) = ({F}, {=int})",
    "({F}, {int}) < ({F}, {=int})", "ROW({F}, {int}) IS DISTINCT FROM ROW({=F}, {int})",
    "({F}, {int}) IN (({=F}, 1), ({F}, 2))",
    "ROW({F}, {text}) IS NOT NULL", "{int} = ANY ({ints}::integer[])", "{ints} @> ARRAY[{int4}]",
    "{ints} && {ints}", "{json} @> '{{\"a\": 1}}'",
    "{json} ? 'a'", "({date}, {date}) OVERLAPS ({date}, {date})", "{date} < current_date", "{ts} < CURRENT_TIMESTAMP",
    "{ts} <= LOCALTIMESTAMP", "{ts} < LOCALTIMESTAMP(0)", "{ts} <> CURRENT_TIMESTAMP(3)", "CURRENT_TIME IS NULL",
    "{time} IS DISTINCT FROM LOCALTIME(0)", "CURRENT_TIME(2) IS NOT NULL", "LOCALTIME IS NOT NULL",
    "{F} BETWEEN SYMMETRIC {=F} AND {F}", "current_catalog = 'x'", "current_schema = {text}",
    "xmlelement(name e, {text}) IS DOCUMENT", "{inet} << '10.0.0.0/8'",
    "{text} IS NORMALIZED",
    "{int} = (SELECT max({inner.int}) FROM {table} WHERE {correlated})",
    "{text} = ANY (SELECT {inner.text} FROM {table})",
    "{int} > ALL (SELECT {inner.int} FROM {table} WHERE {correlated})",
    "{F} = SOME (SELECT {inner.F} FROM {table} WHERE {correlated})",
    "({int}, {text}) IN (SELECT {inner.int}, {inner.text} FROM {table})", "{int} OPERATOR(pg_catalog.<) {int}",
    "({int}, {text}) = (SELECT {inner.int}, {inner.text} FROM {table} ORDER BY 1, 2 LIMIT 1)",
    "int4range(0, abs({int4})) @> {=small}", "to_tsvector('simple', {text}) @@ to_tsquery('simple', 'nurse')",
    "{bool}", "true",
)

# Sums of floats are exact here: all values are small multiples of a quarter.
AGGREGATES = (
    "count(*)", "count({any.})", "count(DISTINCT {any.})", "sum({int})", "avg({int})", "min({F_min})", "max({F_max})",
    "bool_or({cond})", "bool_and({cond})", "every({cond})", "string_agg({1:text}, ',' ORDER BY {1:text})",
    "string_agg(DISTINCT {1:text}, ',' ORDER BY {1:text} DESC)", "array_agg({1:text} ORDER BY {1:text})",
    "array_agg({1:int} ORDER BY {1:int} NULLS FIRST)", "count(*) FILTER (WHERE {cond})",
    "sum({int}) FILTER (WHERE {cond})",
    "trim_scale(sum({num}))", "mode() WITHIN GROUP (ORDER BY {text})",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY {int})",
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY {int})",
    "percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY {date})",
    "rank(3) WITHIN GROUP (ORDER BY {int})", "dense_rank({=text}) WITHIN GROUP (ORDER BY {text})",
    "jsonb_agg({1:text} ORDER BY {1:text})",
    "json_agg({1:int} ORDER BY {1:int})::text",
    "jsonb_object_agg(coalesce({1:text}, '-'), {2:int} ORDER BY {1:text}, {2:int})",
    "xmlagg(xmlelement(name e, {1:text}) ORDER BY {1:text})::text", "sum({float})", "bit_and({int})",
    "bit_or({int})", "stddev({int})",
    "variance({int})", "max({time})", "min({days})", "count(DISTINCT ({text}, {int}))",
    "regr_count({float}, {float})",
    "range_agg(int4range(0, 1 + abs({int4}) % 9))::text",
)

# {key.} is any column, {frame} a frame clause that the function may have.
WINDOWS = (
    "row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "lag({any.})",
    "lead({any.}, 2)",
    "lag({1:text}, 1, {=text})", "first_value({any.}) {frame}", "last_value({any.}) {frame}",
    "nth_value({any.}, 2) {frame}",
    "count({any.}) {frame}", "sum({int}) {frame}", "min({int}) {frame}", "count(*) FILTER (WHERE {cond}) {frame}",
)
FRAMES = (
    "", "", "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "RANGE UNBOUNDED PRECEDING",
    "GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW",
    "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES",
)

"""Random queries from a small grammar over the tables of tables.py. A query that is ordered is ordered by all of its
output, so that its rows come in one order only; LIMIT occurs only in such queries."""
import dataclasses
import re

from tables import ENUM, ENUM_LABELS, TYPES, WORDS

FAMILY_TYPE = {family: types[0] for family, types in TYPES.items()}


@dataclasses.dataclass
class Query:
    sql: str
    parameters: list           # texts for $1, $2, …; the types are written in the SQL
    is_ordered: bool
    result_format: int = 0
    is_extended: bool = False


def renumbered(sql, parameters):
    """Numbers the parameters that the text really uses from 1 on: not every piece that was made is part of it."""
    used = []

    def number(match):
        used.append(parameters[int(match[1]) - 1])
        return f"${len(used)}::"
    return re.sub(r"\$(\d+)::", number, sql), used


@dataclasses.dataclass
class Source:
    """A relation in scope: an alias and its (name, family) columns."""
    alias: str
    columns: list


class Generator:
    def __init__(self, random, tables):
        self.random = random
        self.tables = tables
        self.aliases = 0
        self.parameters = None

    def query(self):
        """One statement."""
        random, self.aliases = self.random, 0
        is_extended = random.random() < 0.5
        self.parameters = [] if is_extended and random.random() < 0.6 else None
        sql, ordered = random.choices(
            (self.plain, self.grouped, self.windowed, self.set_operation, self.distinct_on, self.with_query,
             self.whole_row, self.failing, self.recursive, self.statement_form),
            (30, 22, 10, 10, 5, 10, 5, 4, 2, 3))[0]()
        sql, used = renumbered(sql, self.parameters or [])
        return Query(sql, used, ordered, random.choice((0, 1)) if is_extended else 0, is_extended)

    # -- small pieces
    def alias(self):
        self.aliases += 1
        return f"a{self.aliases}"

    def literal(self, family):
        random = self.random
        text = {
            "text": lambda: random.choice(WORDS), "int": lambda: str(random.randint(-3, 40)),
            "num": lambda: f"{random.randint(-300, 900)}", "bool": lambda: random.choice(("t", "f")),
            "date": lambda: f"{random.choice((1969, 1999, 2000))}-0{random.randint(1, 9)}-15",
            "enum": lambda: random.choice(ENUM_LABELS)}[family]()
        if self.parameters is not None and family != "enum" and random.random() < 0.5:
            self.parameters.append(text)
            return f"${len(self.parameters)}::{FAMILY_TYPE[family]}"
        if family == "int":
            return text if not text.startswith("-") else f"({text})"
        if family == "bool":
            return "true" if text == "t" else "false"
        if family == "enum" and random.random() < 0.9:
            return f"'{text}'"
        escaped = text.replace("'", "''")
        return f"'{escaped}'::{FAMILY_TYPE[family]}" if family != "text" or random.random() < 0.5 else f"'{escaped}'"

    def column(self, scope, family):
        found = [f"{source.alias}.{name}" for source in scope for name, kind in source.columns if kind == family]
        return self.random.choice(found) if found else None

    def any_column(self, scope):
        source = self.random.choice(scope)
        name, family = self.random.choice(source.columns)
        return f"{source.alias}.{name}", family

    # -- expressions
    def expression(self, scope, family, depth=2):
        random = self.random
        if depth <= 0 or random.random() < 0.35:
            return (random.random() < 0.8 and self.column(scope, family)) or self.literal(family)
        deeper = lambda kind: self.expression(scope, kind, depth - 1)  # noqa: E731
        common = [
            lambda: f"coalesce({deeper(family)}, {self.literal(family)})",
            lambda: f"CASE WHEN {self.condition(scope, depth - 1)} THEN {deeper(family)} ELSE {deeper(family)} END",
            lambda: f"CASE WHEN {self.condition(scope, depth - 1)} THEN {deeper(family)} END",
            lambda: f"nullif({deeper(family)}, {self.literal(family)})",
            lambda: f"greatest({deeper(family)}, {deeper(family)})" if family != "bool" else deeper(family)]
        special = {
            "text": [lambda: f"upper({deeper('text')})", lambda: f"({deeper('text')} || {deeper('text')})",
                     lambda: f"left({deeper('text')}, 3)", lambda: f"({deeper('int')})::text",
                     lambda: f"md5({deeper('text')})", lambda: f"to_char({deeper('date')}, 'YYYY-MM')",
                     lambda: f"({deeper('enum')})::text", lambda: f"substring({deeper('text')} from 2 for 2)",
                     lambda: f"trim({deeper('text')})", lambda: f"replace({deeper('text')}, 'e', 'E')",
                     lambda: f"concat({deeper('text')}, {deeper('int')})"],
            "int": [lambda: f"({deeper('int')} + {deeper('int')})", lambda: f"length({deeper('text')})",
                    lambda: f"extract(year from {deeper('date')})::integer", lambda: f"abs({deeper('int')})",
                    lambda: self.scalar_subquery(scope), lambda: f"position('e' in {deeper('text')})",
                    lambda: f"(- {deeper('int')})", lambda: f"({deeper('date')} - {deeper('date')})"],
            "num": [lambda: f"({deeper('num')} * 2)", lambda: f"round({deeper('num')}, 1)",
                    lambda: f"({deeper('int')})::numeric", lambda: f"({deeper('num')} + {deeper('int')})"],
            "date": [lambda: f"({deeper('date')} + 3)", lambda: f"date_trunc('month', {deeper('date')})::date"],
            "bool": [lambda: self.condition(scope, depth - 1)],
            "enum": []}[family]
        return random.choice(common + special * 2)()

    def condition(self, scope, depth=2):
        random = self.random
        if depth <= 0:
            name, _ = self.any_column(scope)
            return random.choice((f"{name} IS NULL", f"{name} IS NOT NULL"))
        family = random.choice(list(FAMILY_TYPE))
        left = lambda: self.expression(scope, family, depth - 1)  # noqa: E731
        text = lambda: self.expression(scope, "text", depth - 1)  # noqa: E731
        forms = [
            lambda: f"{left()} {random.choice(('=', '<>', '<', '>=')) if family != 'bool' else '='} {left()}",
            lambda: f"{left()} = {self.literal(family)}",
            lambda: f"{left()} IN ({self.literal(family)}, {self.literal(family)})",
            lambda: f"{left()} NOT IN ({self.literal(family)}, {self.literal(family)})",
            lambda: f"{left()} IS NOT DISTINCT FROM {left()}",
            lambda: f"{left()} BETWEEN {self.literal(family)} AND {self.literal(family)}",
            lambda: f"{left()} = ANY (ARRAY[{self.literal(family)}, {self.literal(family)}])",
            lambda: f"{text()} LIKE '%{random.choice('aeNx_')}%'", lambda: f"{text()} ~ '^[A-N]'",
            lambda: f"({self.condition(scope, depth - 1)} AND {self.condition(scope, depth - 1)})",
            lambda: f"({self.condition(scope, depth - 1)} OR {self.condition(scope, depth - 1)})",
            lambda: f"NOT ({self.condition(scope, depth - 1)})",
            lambda: self.exists(scope, depth), lambda: self.membership(scope, depth),
            lambda: f"({self.condition(scope, depth - 1)}) IS {random.choice(('TRUE', 'NOT TRUE', 'UNKNOWN'))}",
            lambda: f"({left()}, {self.expression(scope, 'int', 0)}) = ({left()}, {self.literal('int')})"]
        return random.choice(forms)()

    def correlation(self, outer, inner):
        family = self.random.choice(("int", "text", "bool"))
        mine, theirs = self.column([inner], family), self.column(outer, family)
        return f"{mine} = {theirs}" if mine and theirs else f"{inner.alias}.{inner.columns[0][0]} IS NOT NULL"

    def scalar_subquery(self, scope):
        sql, inner = self.table_source()
        name, _ = self.any_column([inner])
        what = self.random.choice((f"count({name})", "count(*)", f"count(DISTINCT {name})"))
        return f"(SELECT {what} FROM {sql} WHERE {self.correlation(scope, inner)})::integer"

    def exists(self, scope, depth):
        sql, inner = self.table_source()
        word = self.random.choice(("EXISTS", "NOT EXISTS"))
        return (f"{word} (SELECT 1 FROM {sql} WHERE {self.correlation(scope, inner)} "
                f"AND {self.condition([inner], min(1, depth - 1))})")

    def membership(self, scope, depth):
        sql, inner = self.table_source()
        name, family = self.any_column([inner])
        word = self.random.choice(("IN", "NOT IN"))
        return (f"{self.expression(scope, family, 1)} {word} (SELECT {name} FROM {sql} "
                f"WHERE {self.condition([inner], min(1, depth - 1))})")

    # -- relations
    def table_source(self, table=None, may_rename=True):
        table, alias, random = table or self.random.choice(self.tables), self.alias(), self.random
        name = random.choice((table.name, table.name, f"public.{table.name}", f'"{table.name}"'))
        columns = [(column.name, column.family) for column in table.columns]
        if may_rename and random.random() < 0.1:
            renamed = [(f"r{number}", family) for number, (_, family) in enumerate(columns)]
            return f"{name} AS {alias}({', '.join(name for name, _ in renamed)})", Source(alias, renamed)
        return f"{name} {random.choice(('', 'AS '))}{alias}", Source(alias, columns)

    def source(self):
        """A table or a derived table."""
        if self.random.random() < 0.8:
            return self.table_source()
        sql, inner = self.table_source()
        alias = self.alias()
        picked = self.random.sample(inner.columns, self.random.randint(1, len(inner.columns)))
        items = ", ".join(f"{inner.alias}.{name}" for name, _ in picked)
        where = f" WHERE {self.condition([inner], 1)}" if self.random.random() < 0.5 else ""
        return f"(SELECT {items} FROM {sql}{where}) AS {alias}", Source(alias, picked)

    def from_clause(self):
        random = self.random
        sql, first = self.source()
        scope = [first]
        for _ in range(random.choices((0, 1, 2), (60, 32, 8))[0]):
            # Often the same table again, because self joins are where masks meet each other.
            more, other = self.source() if random.random() < 0.7 else self.table_source(
                next((t for t in self.tables if f"{t.name} " in sql), None))
            sql = self.join(sql, scope, more, other)
            scope.append(other)
        return sql, scope

    def join(self, left_sql, scope, right_sql, other):
        random = self.random
        equal = self.correlation(scope, other)
        if " = " not in equal:
            return f"{left_sql} LEFT JOIN {right_sql} ON {equal} AND {other.alias}.{other.columns[0][0]} IS NULL"
        shared = [name for name, family in other.columns if name == "id"
                  and any(("id", family) in source.columns for source in scope)]
        if shared and len(scope) == 1 and random.random() < 0.3:
            return f"{left_sql} {random.choice(('JOIN', 'LEFT JOIN', 'FULL JOIN'))} {right_sql} USING (id)"
        kind = random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        extra = f" AND {self.condition([other], 1)}" if kind in ("JOIN", "LEFT JOIN") and random.random() < 0.4 else ""
        return f"{left_sql} {kind} {right_sql} ON {equal}{extra}"

    def where(self, scope, share=0.6):
        return f" WHERE {self.condition(scope)}" if self.random.random() < share else ""

    # -- statements: → (sql, is ordered)
    def finish(self, sql, width):
        """Maybe ORDER BY all output columns, and then maybe LIMIT."""
        random = self.random
        if random.random() < 0.5:
            return sql, False
        order = ", ".join(f"{number + 1}{random.choice(('', '', ' DESC', ' NULLS FIRST'))}" for number in range(width))
        sql += f" ORDER BY {order}"
        if random.random() < 0.3:
            sql += f" LIMIT {random.randint(0, 12)}" + random.choice(("", f" OFFSET {random.randint(0, 5)}"))
        return sql, True

    def items(self, scope, count):
        families = [self.random.choice(list(FAMILY_TYPE)) for _ in range(count)]
        items = [self.any_column(scope)[0] if self.random.random() < 0.4 else self.expression(scope, family)
                 for family in families]
        return [f"{item} AS x{number}" if self.random.random() < 0.5 else item for number, item in enumerate(items)]

    def plain(self):
        random = self.random
        sql, scope = self.from_clause()
        if random.random() < 0.2:
            width = sum(len(source.columns) for source in scope)
            if "USING" in sql:
                width -= 1
            return self.finish(f"SELECT * FROM {sql}{self.where(scope)}", width)
        items = self.items(scope, random.randint(1, 4))
        distinct = random.choice(("", "", "DISTINCT "))
        return self.finish(f"SELECT {distinct}{', '.join(items)} FROM {sql}{self.where(scope)}", len(items))

    def aggregate(self, scope):
        random = self.random
        text = self.expression(scope, "text", 1)
        forms = [
            "count(*)", f"count({self.any_column(scope)[0]})", f"count(DISTINCT {self.any_column(scope)[0]})",
            f"sum({self.expression(scope, 'int', 1)})", f"avg({self.expression(scope, 'int', 1)})",
            f"min({self.expression(scope, random.choice(('text', 'int', 'date', 'num')), 1)})",
            f"max({self.expression(scope, random.choice(('text', 'int', 'date', 'enum')), 1)})",
            f"bool_or({self.condition(scope, 1)})", f"bool_and({self.condition(scope, 1)})",
            f"string_agg({text}, ',' ORDER BY {text})", f"array_agg({text} ORDER BY {text})",
            f"count(*) FILTER (WHERE {self.condition(scope, 1)})", f"sum({self.expression(scope, 'num', 1)})",
            f"mode() WITHIN GROUP (ORDER BY {self.expression(scope, 'text', 0)})",
            f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {self.expression(scope, 'int', 0)})",
            f"jsonb_agg({text} ORDER BY {text})"]
        return random.choice(forms)

    def grouped(self):
        random = self.random
        sql, scope = self.from_clause()
        keys = [self.any_column(scope)[0] if random.random() < 0.7
                else self.expression(scope, random.choice(("text", "int", "bool")), 1)
                for _ in range(random.randint(0, 2))]
        # A bare literal as a grouping key would be read as a position.
        keys = [key for key in keys if "." in key]
        values = [self.aggregate(scope) for _ in range(random.randint(1, 3))]
        text = f"SELECT {', '.join(keys + values)} FROM {sql}{self.where(scope, 0.4)}"
        if keys:
            positions = ", ".join(str(number + 1) for number in range(len(keys)))
            names = ", ".join(keys) if "$" not in "".join(keys) else positions
            text += " GROUP BY " + random.choice((positions, names, f"ROLLUP ({names})", f"CUBE ({names})",
                                                  f"GROUPING SETS (({names}), ())"))
        if random.random() < 0.3:
            text += f" HAVING count(*) {random.choice(('>', '<='))} {random.randint(1, 5)}"
        return self.finish(text, len(keys) + len(values))

    def windowed(self):
        random = self.random
        sql, scope = self.from_clause()
        every = ", ".join(f"{source.alias}.{name}" for source in scope for name, _ in source.columns)
        key = self.any_column(scope)[0]
        partition = f"PARTITION BY {self.any_column(scope)[0]} " if random.random() < 0.6 else ""
        function = random.choice((
            "row_number()", "rank()", "dense_rank()", f"lag({key})", f"lead({key}, 2)", f"first_value({key})",
            f"count({key})", "ntile(3)", f"sum({self.expression(scope, 'int', 1)})", f"last_value({key})"))
        frame = "" if function.endswith("()") or "l" == function[0] else random.choice(
            ("", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " RANGE UNBOUNDED PRECEDING"))
        if random.random() < 0.4:
            text = f"SELECT {key}, {function} OVER w FROM {sql}{self.where(scope)} WINDOW w AS ({partition}ORDER BY {every})"
        else:
            text = f"SELECT {key}, {function} OVER ({partition}ORDER BY {every}{frame}) FROM {sql}{self.where(scope)}"
        return self.finish(text, 2)

    def set_operation(self):
        random = self.random
        families = [random.choice(("text", "int", "num", "date", "bool")) for _ in range(random.randint(1, 3))]
        arms = []
        for _ in range(random.choice((2, 2, 3))):
            sql, scope = self.from_clause()
            items = [f"({self.expression(scope, family, 1)})::{FAMILY_TYPE[family]}" for family in families]
            arms.append(f"SELECT {', '.join(items)} FROM {sql}{self.where(scope)}")
        text = arms[0]
        for arm in arms[1:]:
            text += f" {random.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL'))} {arm}"
        return self.finish(text, len(families))

    def distinct_on(self):
        sql, scope = self.from_clause()
        key = self.any_column(scope)[0]
        every = ", ".join(f"{source.alias}.{name}" for source in scope for name, _ in source.columns)
        return f"SELECT DISTINCT ON ({key}) {key}, {every} FROM {sql}{self.where(scope)} ORDER BY {key}, {every}", True

    def with_query(self):
        random = self.random
        names = random.sample(("cte1", "cte2", self.tables[0].name), random.randint(1, 2))
        definitions, ctes = [], []
        for name in names:
            sql, inner = self.table_source()
            items = ", ".join(f"{inner.alias}.{column}" for column, _ in inner.columns)
            option = random.choice(("", "", "MATERIALIZED ", "NOT MATERIALIZED "))
            definitions.append(f"{name} AS {option}(SELECT {items} FROM {sql}{self.where([inner], 0.4)})")
            ctes.append((name, inner.columns))
        name, columns = random.choice(ctes)
        alias = self.alias()
        scope = [Source(alias, columns)]
        from_sql = f"{name} {alias}"
        if random.random() < 0.4:
            more, other = self.source()
            from_sql = self.join(from_sql, scope, more, other)
            scope.append(other)
        items = self.items(scope, random.randint(1, 3))
        return self.finish(f"WITH {', '.join(definitions)} SELECT {', '.join(items)} FROM {from_sql}"
                           f"{self.where(scope)}", len(items))

    def whole_row(self):
        """Without a list of column aliases: PostgreSQL's JSON of a table's row ignores that list, of a sub-select's row
        (which a masked table is) it does not."""
        sql, source = self.table_source(may_rename=False)
        alias = source.alias
        item = self.random.choice((
            f"{alias}", f"{alias}::text", f"row_to_json({alias})::text", f"to_jsonb({alias})", f"({alias}).*",
            f"count({alias})", f"count(DISTINCT {alias}::text)", f"{alias} IS NULL", f"ROW({alias}.*)::text",
            f"jsonb_agg({alias} ORDER BY {alias}::text)", f"num_nulls({alias}.*)", f"{alias}.*, {alias}.id"))
        return f"SELECT {item} FROM {sql}{self.where([source], 0.4)}", False

    def failing(self):
        """An error of PostgreSQL's: its SQLSTATE must be the masked table's, whatever the hidden cells hold."""
        random = self.random
        sql, source = self.table_source()
        number, text = self.column([source], "int"), self.column([source], "text")
        forms = [f"SELECT 1 / ({number} - {random.randint(1, 20)}) FROM {sql}",
                 f"SELECT {source.alias}.no_such_column FROM {sql}", f"SELECT FROM WHERE {sql}",
                 f"SELECT (SELECT {source.alias}.id FROM {sql}) AS one",
                 f"SELECT upper({number}) FROM {sql}", f"SELECT {number} FROM {sql} GROUP BY 1 HAVING {number} + 'a' > 1",
                 f"SELECT repeat('x', {number} - {number})::date FROM {sql}",
                 f"SELECT {number} FROM {sql} UNION SELECT 'word'", f"SELECT sum({number}), {number} FROM {sql}"]
        if text:
            forms += [f"SELECT {text}::integer FROM {sql}", f"SELECT {text}::date FROM {sql}",
                      f"SELECT count(*) FROM {sql} WHERE {text} ~ '('", f"SELECT {text}::{ENUM} FROM {sql}"]
        return random.choice(forms), False

    def recursive(self):
        table = self.random.choice(self.tables)
        return (f"WITH RECURSIVE chain(id, step) AS (SELECT id, 1 FROM {table.name} WHERE id <= 3 UNION ALL "
                f"SELECT t.id, chain.step + 1 FROM chain JOIN {table.name} t ON t.id = chain.id + 3 "
                f"WHERE chain.step < 6) SELECT id, step FROM chain ORDER BY 1, 2", True)

    def statement_form(self):
        random = self.random
        table = random.choice(self.tables)
        columns = ", ".join(column.name for column in table.columns)
        self.parameters = None
        forms = (f"TABLE {table.name}", f"VALUES (1, 'a'), (2, (SELECT max({table.columns[0].name}::text) "
                 f"FROM {table.name}))", f"COPY (SELECT {columns} FROM {table.name} ORDER BY {columns}) TO STDOUT CSV",
                 f"SELECT * FROM ONLY {table.name}", f"SELECT FROM {table.name}",
                 f"SELECT id FROM {table.name} ORDER BY id FETCH FIRST 3 ROWS ONLY")
        return random.choice(forms), False

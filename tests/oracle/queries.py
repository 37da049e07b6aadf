"""Random statements over the tables of tables.py, each with the way it is sent (conversations.py)."""
import contextlib
import dataclasses
import re

from expressions import Source, every_column
from families import ENUM
from selects import Selects

WAYS = (
    "simple",
    "extended",
    "binary",
    "prepared",
    "named",
    "portal",
    "cursor",
    "copy",
    "several",
    "settings",
    "path",
)
WEIGHTS = (42, 14, 10, 5, 4, 4, 7, 4, 4, 4, 5)
WITH_PARAMETERS = ("extended", "binary", "prepared", "named", "portal")


@dataclasses.dataclass
class Query:
    sql: str
    parameters: list           # (family, text) for $1, $2, …; the types are written in the SQL
    is_ordered: bool
    way: str = "simple"
    choice: float = 0.0        # decides what a way leaves open


def renumbered(sql, parameters):
    """Numbers the parameters that the text really uses from 1 on: not every piece that was made is part of
    it."""
    used = []

    def number(match):
        used.append(parameters[int(match[1]) - 1])
        return f"${len(used)}::"
    return re.sub(r"\$(\d+)::", number, sql), used


class Generator(Selects):
    def __init__(self, random, tables, shadowed=()):
        self.random = random
        self.shadowed = shadowed   # names of tables that another schema has, too
        self.tables = tables
        self.open_tables = [table for table in tables if table.policy is None and not table.is_view]
        self.stored = [table for table in tables if not table.is_view]
        self.views = [table for table in tables if table.is_view]
        self.aliases = 0
        self.parameters = None

    def query(self):
        """One statement."""
        random, self.aliases = self.random, 0
        way = random.choices(WAYS, WEIGHTS)[0]
        self.parameters = [] if way in WITH_PARAMETERS and random.random() < 0.7 else None
        sql, ordered = random.choices(
            (self.plain, self.grouped, self.windowed, self.set_operation, self.distinct_on, self.with_query,
             self.whole_row, self.failing, self.recursive, self.statement_form, self.session_form),
            (30, 22, 10, 10, 5, 10, 5, 3, 4, 3, 3))[0]()
        sql, used = renumbered(sql, self.parameters or [])
        if not re.match(r"(SELECT|WITH|VALUES|TABLE|\()", sql):
            way = "simple"
        return Query(sql, used, ordered, way, random.random())

    def rare_queries(self):
        """What the dice give too seldom for a short run."""
        return [Query(sql, [], True) for sql in self.session_forms()]

    # -- statements: → (sql, is ordered)
    def with_query(self):
        random = self.random
        names = random.sample(("cte1", "cte2", self.tables[0].name), random.randint(1, 2))
        definitions, ctes = [], []
        for name in names:
            sql, inner = self.table_source()
            items = ", ".join(f"{inner.alias}.{column}" for column, _ in inner.columns)
            option = random.choice(("", "", "MATERIALIZED ", "NOT MATERIALIZED "))
            columns, renamed = inner.columns, ""
            if random.random() < 0.2:
                columns = [(f"k{number}", family) for number, (_, family) in enumerate(inner.columns)]
                renamed = f"({', '.join(column for column, _ in columns)})"
            definitions.append(
                f"{name}{renamed} AS {option}(SELECT {items} FROM {sql}{self.where([inner], 0.4)})"
            )
            ctes.append((name, columns))
        with self.without(names):
            return self.select_from_one_of(ctes, definitions)

    @contextlib.contextmanager
    def without(self, names):
        """These names mean common table expressions here, which have other columns than the tables of the
        same name."""
        tables = self.tables
        self.tables = [table for table in tables if table.name not in names]
        try:
            yield
        finally:
            self.tables = tables

    def select_from_one_of(self, ctes, definitions):
        random = self.random
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
        """Without a list of column aliases: PostgreSQL's JSON of a table's row ignores that list, of a
        sub-select's row (which a masked table is) it does not."""
        sql, source = self.table_source(may_rename=False)
        alias = source.alias
        item = self.random.choice(
            (
                f"{alias}",
                f"{alias}::text",
                f"row_to_json({alias})::text",
                f"to_jsonb({alias})",
                f"({alias}).*",
                f"count({alias})",
                f"count(DISTINCT {alias}::text)",
                f"{alias} IS NULL",
                f"ROW({alias}.*)::text",
                f"jsonb_agg({alias} ORDER BY {alias}::text)",
                f"num_nulls({alias}.*)",
                f"{alias}.*, {alias}.id",
                f"({alias}).id",
                f"{alias} = {alias}",
                f"{alias} IS NOT DISTINCT FROM {alias}",
                f"max(({alias}).id)",
                f"json_agg({alias}.* ORDER BY {alias}.id)::text",
            )
        )
        return f"SELECT {item} FROM {sql}{self.where([source], 0.4)}", False

    def failing(self):
        """An error of PostgreSQL's: its SQLSTATE must be the masked table's, whatever the hidden cells
        hold."""
        random = self.random
        sql, source = self.table_source()
        number, text = self.column([source], "int") or "7", self.column([source], "text")
        forms = [
            f"SELECT 1 / ({number} - {random.randint(1, 20)}) FROM {sql}",
            f"SELECT {source.alias}.no_such_column FROM {sql}",
            f"SELECT FROM WHERE {sql}",
            f"SELECT (SELECT {source.alias}.id FROM {sql}) AS one",
            f"SELECT upper({number}) FROM {sql}",
            f"SELECT {number} FROM {sql} GROUP BY 1 HAVING {number} + 'a' > 1",
            f"SELECT repeat('x', ({number} - {number})::integer)::date FROM {sql}",
            f"SELECT {number} FROM {sql} UNION SELECT 'word'",
            f"SELECT sum({number}), {number} FROM {sql}",
            f"SELECT count(*) OVER (ORDER BY nothing) FROM {sql}",
            f"SELECT max({number}) FROM {sql} WHERE max({number}) > 1",
            f"SELECT 2147483647 + {number}::integer FROM {sql}",
            f"SELECT sqrt(-abs({number}) - 1) FROM {sql}",
        ]
        if text:
            forms += [f"SELECT {text}::integer FROM {sql}", f"SELECT {text}::date FROM {sql}",
                      f"SELECT count(*) FROM {sql} WHERE {text} ~ '('", f"SELECT {text}::{ENUM} FROM {sql}",
                      f"SELECT {text}::jsonb FROM {sql}", f"SELECT chr(ascii({text}) - 78) FROM {sql}"]
        return random.choice(forms), False

    def recursive(self):
        random = self.random
        table = random.choice(self.stored)
        step = (
            f"SELECT id, 1 FROM {table.name} WHERE id <= 3 UNION ALL SELECT t.id, chain.step + 1 FROM chain "
            f"JOIN {table.name} t ON t.id = chain.id + 3 WHERE chain.step < 6"
        )
        extra, columns = random.choice(
            (
                ("", "id, step"),
                ("", "id, step"),
                (" SEARCH DEPTH FIRST BY id SET ordering", "id, step, ordering::text"),
                (" SEARCH BREADTH FIRST BY step, id SET ordering", "id, ordering::text"),
                (" CYCLE id SET is_cycle USING path", "id, is_cycle, path::text"),
                (" CYCLE id SET is_cycle TO 'y' DEFAULT 'n' USING path", "id, is_cycle"),
            )
        )
        order = ", ".join(str(number + 1) for number in range(columns.count(",") + 1))
        return (
            f"WITH RECURSIVE chain(id, step) AS ({step}){extra} SELECT {columns} FROM chain ORDER BY {order}",
            True,
        )

    def statement_form(self):
        random = self.random
        if self.views and random.random() < 0.3:
            return self.view_form()
        table = random.choice(self.stored)
        names = [column.name for column in table.columns]
        columns = ", ".join(names)
        self.parameters = None
        return random.choice(
            (
                (f"TABLE {table.name}", True),
                (f"(TABLE {table.name})", True),
                (f"VALUES (1, 'a'), (2, (SELECT max({names[0]}::text) FROM {table.name})), (3, NULL)", True),
                (f"COPY (SELECT {columns} FROM {table.name}) TO STDOUT", True),
                (
                    (f"COPY {table.name} TO STDOUT", True)
                    if not table.partitions
                    else (f"SELECT FROM {table.name}", True)
                ),
                (
                    (
                        f"COPY {table.name} ({names[-1]}, {names[0]}) TO STDOUT (FORMAT csv, HEADER true, NULL '~')",
                        True,
                    )
                    if not table.partitions
                    else (f"SELECT id FROM {table.name} LIMIT 0", True)
                ),
                (
                    f"COPY (TABLE {table.name}) TO STDOUT WITH (FORMAT csv, FORCE_QUOTE *, DELIMITER ';')",
                    True,
                ),
                (f"COPY (SELECT id FROM {table.name}) TO STDOUT (FORMAT binary)", True),
                (
                    (f"SELECT * FROM ONLY {table.name}", False)
                    if not table.partitions
                    else (f"TABLE {table.name}", True)
                ),
                (f"SELECT id FROM {table.name} TABLESAMPLE BERNOULLI (100)", True),
                (f"SELECT count(*) FROM {table.name} s TABLESAMPLE BERNOULLI (0)", True),
                (f"SELECT FROM {table.name}", True),
                (f"SELECT {table.name}.{names[0]} FROM public.{table.name}", True),
                (f"SELECT public.{table.name}.{names[0]} FROM public.{table.name}", True),
                (
                    f"SELECT id FROM {table.name} NATURAL JOIN (SELECT id FROM {table.name}) AS other ORDER BY 1",
                    True,
                ),
                (
                    f"SELECT joined.id, l.id FROM {table.name} l FULL JOIN {table.name} r USING (id) AS joined ORDER BY 1, 2",
                    True,
                ),
                (f"SELECT j.id FROM ({table.name} l CROSS JOIN (SELECT 1 AS one) r) AS j ORDER BY 1", True),
                (f"SELECT id FROM {table.name} WHERE B'101' = X'5'::bit(3) ORDER BY id", True),
            )
        )

    def view_form(self):
        view, stored = self.random.choice(self.views), self.random.choice(self.stored)
        self.parameters = None
        first = view.columns[0].name
        return self.random.choice(
            (
                (f"TABLE {view.name}", view.is_scan),
                (f"SELECT * FROM ONLY {view.name}", view.is_scan),
                (f"COPY (TABLE {view.name}) TO STDOUT (FORMAT csv)", view.is_scan),
                (f"COPY {view.name} TO STDOUT", True),
                (f"COPY {view.name} ({first}) TO STDOUT", True),
                (f"SELECT id FROM {view.name} TABLESAMPLE BERNOULLI (50)", True),
                (f"SELECT public.{view.name}.{first} FROM public.{view.name}", view.is_scan),
                (f"SELECT {view.name} FROM {view.name}", view.is_scan),
                (f"SELECT {first}({view.name}) FROM {view.name}", False),
                (
                    f"SELECT {view.name}.* FROM {view.name} NATURAL JOIN (SELECT id FROM {stored.name}) s ORDER BY id",
                    False,
                ),
                (f"WITH {view.name} AS (SELECT 7 AS id) SELECT id FROM {view.name}", True),
                (
                    f"WITH {stored.name} AS (SELECT 7 AS id) SELECT v.* FROM {view.name} v, {stored.name} s",
                    False,
                ),
                (f"WITH {view.name} AS (SELECT * FROM {view.name}) TABLE {view.name}", view.is_scan),
                (f"SELECT (SELECT count(*) FROM {view.name} WHERE id < o.id) FROM {stored.name} o", True),
                (
                    f"SELECT o.id, l.* FROM {stored.name} o, LATERAL (SELECT * FROM {view.name} v WHERE v.id = o.id) l ORDER BY 1",
                    False,
                ),
                (f"SELECT count(*) FROM {view.name} a JOIN {view.name} b USING (id)", True),
            )
        )

    def session_form(self):
        """Statements that read no table, or only open ones."""
        return self.random.choice(self.session_forms()), True

    def session_forms(self):
        return (
            "SHOW TimeZone",
            "SHOW DateStyle",
            "SHOW extra_float_digits",
            "SELECT current_setting('DateStyle')",
            "SELECT 1",
            "SELECT",
            "",
            ";",
            "-- nothing",
            "DISCARD PLANS",
            "UNLISTEN *",
            "DEALLOCATE ALL",
            "CLOSE ALL",
            "EXPLAIN (COSTS OFF) SELECT g FROM generate_series(1, 3) AS g WHERE g = 3",
            "BEGIN; COMMIT",
            "BEGIN READ ONLY; ROLLBACK",
            "BEGIN; SAVEPOINT s; SELECT 1; ROLLBACK TO s; RELEASE s; COMMIT",
            "COMMIT",
            "EXECUTE nothing",
            "FETCH nothing",
            "START TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 2; END",
            "SELECT date '2024-02-30'",
            "DISCARD ALL",
            "SELECT current_schema(), pg_typeof(1.5), 1e3, 9999999999, B'11', X'1F', U&'\\0061', E'\\t', $$x$$",
            "BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY; COMMIT AND CHAIN; SELECT 3; ROLLBACK",
            "RESET ALL",
            "RESET TimeZone",
            "SET TimeZone TO DEFAULT",
        )

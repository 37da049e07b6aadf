"""Random views over random tables and over each other, from a seed. All of them keep a unique `id`, so that
their rows have one order by all columns."""
import dataclasses

import tables
from expressions import Source
from families import FAMILIES
from queries import Generator


@dataclasses.dataclass
class View(tables.Table):
    query: str = ""
    options: str = ""
    is_scan: bool = False
    is_view = True

    def create_sql(self):
        names = ", ".join(column.name for column in self.columns)
        return f"CREATE VIEW {self.full_name()} ({names}){self.options} AS {self.query};\n"


class Definitions:
    """Each form: → (query, columns as (name, family), is it a plain scan)."""

    def __init__(self, random, some_tables):
        self.random, self.tables = random, some_tables
        self.generator = Generator(random, some_tables)
        self.generator.aliases = 0
        self.generator.parameters = None

    def table(self):
        return self.random.choice(self.tables)

    def picked(self, table, without=()):
        """Some columns, not `id`."""
        found = [(c.name, c.family) for c in table.columns if c.name != "id" and c.family not in without]
        return self.random.sample(found, min(len(found), self.random.randint(1, 3)))

    def column(self, table, without=()):
        return self.random.choice(self.picked(table, without) or [("id", "int")])

    def projection(self):
        table = self.table()
        columns = self.picked(table)
        items = "".join(f", a.{name}" for name, _ in columns)
        scope = [Source("a", [(column.name, column.family) for column in table.columns])]
        where = f" WHERE {self.generator.condition(scope, 1)}" if self.random.random() < 0.6 else ""
        return f"SELECT a.id{items} FROM {table.name} a{where}", [("id", "int"), *columns], table.is_scan

    def joined(self):
        left, right = self.table(), self.table()
        mine, (its, its_family) = self.picked(left), self.column(right)
        kind = self.random.choice(
            ("LEFT JOIN {} b ON a.id = b.id", "JOIN {} b USING (id)", "LEFT JOIN {} b USING (id)")
        )
        items = ", ".join(f"a.{name}" for name, _ in mine)
        return (f"SELECT a.id, {items}, b.{its} AS other FROM {left.name} a {kind.format(right.name)}",
                [("id", "int"), *mine, ("other", its_family)], False)

    def grouped(self):
        table = self.table()
        name, family = self.column(table, ("fold", "json"))
        having = self.random.choice(("", " HAVING count(*) > 2"))
        return (
            f"SELECT min(a.id) AS id, a.{name} AS g, count(*)::integer AS n FROM {table.name} a GROUP BY a.{name}{having}",
            [("id", "int"), ("g", family), ("n", "int")],
            False,
        )

    def limited(self):
        table = self.table()
        columns = self.picked(table)
        items = ", ".join(name for name, _ in columns)
        tail = self.random.choice(("DESC LIMIT 9", "LIMIT 12 OFFSET 2", "FETCH FIRST 8 ROWS WITH TIES"))
        return f"SELECT id, {items} FROM {table.name} ORDER BY id {tail}", [("id", "int"), *columns], True

    def union(self):
        table = self.table()
        columns = self.picked(table)
        items = ", ".join(name for name, _ in columns)
        return (
            f"SELECT id, {items} FROM {table.name} UNION ALL SELECT id + 1000, {items} FROM {table.name} WHERE id > 5",
            [("id", "int"), *columns],
            False,
        )

    def windowed(self):
        table = self.table()
        name, family = self.column(table)
        return (
            f"SELECT id, {name}, row_number() OVER (ORDER BY id DESC) AS n, lag(id) OVER w AS before FROM {table.name} "
            f"WINDOW w AS (ORDER BY id)",
            [("id", "int"), (name, family), ("n", "int"), ("before", "int")],
            False,
        )

    def distinct(self):
        table = self.table()
        name, family = self.column(table, ("json",))
        return (
            f"SELECT DISTINCT ON (a.{name}) a.{name} AS d, a.id FROM {table.name} a ORDER BY a.{name}, a.id",
            [("d", family), ("id", "int")],
            False,
        )

    def shadowing(self):
        """Its own common tables are named like tables that statements read."""
        table, other = self.table(), self.tables[0].name
        name, family = self.column(table)
        return (
            f"WITH {other} AS (SELECT id, {name} FROM {table.name}), cte1 AS (SELECT id AS k, {name} FROM {other}) "
            f"SELECT k AS id, {name} FROM cte1",
            [("id", "int"), (name, family)],
            False,
        )

    def whole_row(self):
        table = self.table()
        return (f"SELECT a.id, row_to_json(a.*)::text AS w, a.* IS NULL AS e FROM {table.name} a",
                [("id", "int"), ("w", "text"), ("e", "bool")], False)

    def correlated(self):
        left, right = self.table(), self.table()
        name, family = self.column(right)
        return (
            f"SELECT a.id, (SELECT max(b.id) FROM {right.name} b WHERE b.id < a.id) AS n, l.{name} FROM {left.name} a "
            f"LEFT JOIN LATERAL (SELECT x.{name} FROM {right.name} x WHERE x.id = a.id) l ON true",
            [("id", "int"), ("n", "int"), (name, family)],
            False,
        )

    def forms(self):
        return (
            self.projection,
            self.projection,
            self.joined,
            self.joined,
            self.grouped,
            self.limited,
            self.union,
            self.windowed,
            self.distinct,
            self.shadowing,
            self.whole_row,
            self.correlated,
        )


def named(random, columns):
    """The view's own names, of which no two are equal."""
    out = []
    for name, family in columns:
        taken = {column.name for column in out}
        if name != "id" and (random.random() < 0.3 or name in taken):
            name = f"{name}_{len(out)}"
        while name in taken:
            name += "_"
        out.append(tables.Column(name, family, FAMILIES[family].types[0], None))
    return out


def random_views(random, some_tables, count):
    """Later ones may read earlier ones."""
    made, known = [], list(some_tables)
    for number in range(count):
        query, columns, is_scan = random.choice(Definitions(random, known).forms())()
        made.append(
            View(
                f"view{number}",
                named(random, columns),
                [],
                None,
                query=query,
                is_scan=is_scan,
                options=random.choice(("", "", "", " WITH (security_barrier)", " WITH (security_invoker)")),
            )
        )
        known.append(made[-1])
    return made

"""Random tables, rows and policies from a seed: skewed columns of many types, NULLs, rare values, unit
columns, partitions."""
import dataclasses

import families
import naive
from families import ENUM, FAMILIES

SHADOW_SCHEMA = "alt"


@dataclasses.dataclass
class Column:
    name: str
    family: str
    sql_type: str
    column_class: str | None   # None: the policy does not list it


@dataclasses.dataclass
class Table:
    name: str
    columns: list
    rows: list
    policy: naive.Policy | None  # None: an open table
    partitions: int = 0          # by hash of `id`; 0: a plain table
    schema: str = "public"
    is_scan = True               # without ORDER BY its rows come in their physical order
    is_view = False

    def full_name(self):
        return f"{self.schema}.{self.name}"

    def columns_sql(self):
        return ", ".join(f"{column.name} {column.sql_type}" for column in self.columns)

    def create_sql(self):
        sql = f"CREATE TABLE {self.full_name()} ({self.columns_sql()})"
        if not self.partitions:
            return sql + ";\n"
        return sql + " PARTITION BY HASH (id);\n" + "".join(
            f"CREATE TABLE public.{self.name}_part{number} PARTITION OF public.{self.name} FOR VALUES "
            f"WITH (MODULUS {self.partitions}, REMAINDER {number});\n" for number in range(self.partitions))

    def indexes_sql(self):
        """On masked columns, some with a hidden column behind them: their order must not show."""
        if self.policy is None or self.partitions:
            return ""
        hidden = next((column.name for column in self.columns if column.column_class in (None, "identifier")
                       and FAMILIES[column.family].can_be_compared), None)
        masked = [column.name for column in self.columns if column.column_class == "quasi_identifier"]
        return "".join(
            f"CREATE INDEX ON {self.full_name()} ({name}{f', {hidden}' if hidden and number % 2 else ''});\n"
            for number, name in enumerate(masked)
        )

    def flat_sql(self):
        """A partitioned table again, as one heap: rows whose key is masked have no partition."""
        return f"DROP TABLE public.{self.name};\nCREATE TABLE public.{self.name} ({self.columns_sql()});\n"


def respell(random, text, sql_type):
    """numeric without a scale keeps how a number was written: 1, 1.0, 1.00 are equal. So are -0 and 0."""
    if sql_type in ("double precision", "real") and text == "0":
        return random.choice(("0", "-0"))
    if sql_type != "numeric" or random.random() < 0.5:
        return text
    return text + ("0" if "." in text else ".0")


def fill(random, column, count):
    pool = families.values(random, column.family, column.sql_type, random.randint(2, 6))
    weights = [1.0 / (1 + rank) for rank in range(len(pool))]
    null_share, rare_share = random.choice((0, 0.05, 0.2)), random.choice((0, 0.05))
    is_compared = column.column_class == "quasi_identifier"
    cells = []
    for _ in range(count):
        chance = random.random()
        if chance < null_share:
            cells.append(None)
        elif chance < null_share + rare_share and (cell := families.rare(random, column.family)):
            cells.append(cell)
        else:
            cell = random.choices(pool, weights)[0]
            cells.append(respell(random, cell, column.sql_type) if is_compared
                         else naive.canonical(cell, column.sql_type))
    return cells


def random_column(random, name, column_class):
    family = random.choice(families.COMPARABLE if column_class == "quasi_identifier" else list(FAMILIES))
    return Column(name, family, random.choice(FAMILIES[family].types), column_class)


def random_columns(random, quasi_identifiers):
    classes = ["quasi_identifier"] * quasi_identifiers + ["insensitive", "sensitive", "identifier", None]
    random.shuffle(classes)
    columns = [
        random_column(random, f"c{number}", column_class) for number, column_class in enumerate(classes)
    ]
    columns.insert(random.randint(0, len(columns)), Column("id", "int", "integer", "insensitive"))
    return columns


# Per type, what levels it can have: from fine to coarse, and whether a column of the same type can show their
# starts.
LEVELS = {
    **dict.fromkeys(
        ("integer", "bigint"),
        ((("width", ("5", "0")), ("width", ("20", "0")), ("bounds", ("0", "20"))), True),
    ),
    "smallint": ((("bounds", ("-2", "3", "20")), ("bounds", ("3",))), False),
    "numeric": ((("width", ("0.5", "0.25")), ("bounds", ("-1.25", "2.75", "100.25"))), True),
    "numeric(8,2)": ((("width", ("1.5", "0")), ("width", ("3", "0"))), False),
    "date": ((("period", ("month",)), ("period", ("quarter",)), ("period", ("decade",))), True),
    **dict.fromkeys(
        ("timestamp", "timestamptz", "timestamp(0)"), ((("period", ("day",)), ("period", ("week",))), False)
    ),
    **dict.fromkeys(
        ("text", 'text COLLATE "C"', "varchar(12)"), ((("prefix", ("2",)), ("prefix", ("1",))), False)
    ),
}


def add_levels(random, columns):
    """Levels of some quasi-identifiers: in their own place, or in columns of their own. → column name ->
    Level"""
    found = {}
    for column in [column for column in columns if column.column_class == "quasi_identifier"]:
        methods, has_starts = LEVELS.get(column.sql_type, ((), False))
        chosen = sorted(random.sample(range(len(methods)), random.randint(0, min(2, len(methods)))))
        if random.random() < 0.4 or not chosen:
            continue
        is_text = column.sql_type in ("text", 'text COLLATE "C"')
        if len(chosen) == 1 and (has_starts or is_text) and random.random() < 0.3:
            found[column.name] = naive.Level(
                column.name, 1, *methods[chosen[0]], "label" if is_text else "start"
            )
            continue
        for step, number in enumerate(chosen, 1):
            name = f"{column.name}_{step}"
            show = random.choice(("label", "start")) if has_starts else "label"
            family, sql_type = ("text", "text") if show == "label" else (column.family, column.sql_type)
            columns.insert(
                random.randint(0, len(columns)), Column(name, family, sql_type, "quasi_identifier")
            )
            found[name] = naive.Level(column.name, step, *methods[number], show)
    return found


def add_words(random, columns, levels):
    """What some owners say comes first: an order of some columns, or weights."""
    names = [
        column.name
        for column in columns
        if column.column_class == "quasi_identifier"
        and (column.name not in levels or levels[column.name].source == column.name)
    ]
    chosen = random.sample(names, random.randint(0, min(2, len(names))))
    if not chosen:
        return {}
    if random.random() < 0.5:
        return {"priority": tuple(chosen)}
    return {"weights": {name: random.randint(1, 5) for name in chosen}}


def random_table(random, name):
    columns = random_columns(random, random.randint(1, 5))
    levels = add_levels(
        type(random)(repr(columns)), columns
    )  # tables without levels are drawn as they were before
    k = random.randint(2, 6)
    count = random.choice((k, 20, 40, 60, 90))
    unit = None
    if random.random() < 0.35:
        columns.append(Column("person", "int", "integer", random.choice(("identifier", None))))
        unit = "person"
    cells = {column.name: fill(random, column, count) for column in columns}
    order = list(range(1, count + 1))
    random.shuffle(order)
    cells["id"] = [str(number) for number in order]
    if unit:
        cells["person"] = [None if random.random() < 0.05 else str(random.randint(1, max(k, count // 2)))
                           for _ in range(count)]
        cells["person"][:k] = [str(10000 + number) for number in range(k)]  # the root holds k units
    policy = naive.Policy(
        f"{name}_policy", f"public.{name}", k,
        {column.name: column.column_class for column in columns if column.column_class}, unit=unit,
        strategy=random.choice(("greedy", "thorough")), levels=levels,
        **add_words(type(random)(repr(cells)), columns, levels))
    rows = [list(row) for row in zip(*(cells[column.name] for column in columns))]
    return Table(name, columns, rows, policy, random.choice((0, 0, 0, 2, 3)))


def open_table(random, name):
    columns = [Column("id", "int", "integer", None), Column("word", "text", "text", None),
               Column("flag", "bool", "boolean", None), Column("mood", "enum", ENUM, None)]
    columns += [random_column(random, f"o{number}", None) for number in range(3)]
    count = 15
    cells = {column.name: fill(random, column, count) for column in columns}
    cells["id"] = [str(number) for number in range(1, count + 1)]
    rows = [list(row) for row in zip(*(cells[column.name] for column in columns))]
    return Table(name, columns, rows, None)


def random_tables(random, count):
    return [random_table(random, f"t{number}") for number in range(count)] + [open_table(random, "open1")]


def shadow(random, table):
    """An open table of the same name and columns in another schema: SET search_path decides which one is
    meant."""
    rows = [list(row) for row in zip(*(fill(random, column, 12) for column in table.columns))]
    columns = [dataclasses.replace(column, column_class=None) for column in table.columns]
    return Table(table.name, columns, rows, None, schema=SHADOW_SCHEMA)


def prefer_indexes(database):
    """Tables of an oracle fit on a page or two, where PostgreSQL would read no index. For both databases:
    beside a scan that is priced out, a sort and a hash cost the same, and which of two equal numbers (0, 0.0)
    DISTINCT keeps depends on that."""
    return f"ALTER DATABASE {database} SET enable_seqscan = off;\nALTER DATABASE {database} SET enable_indexonlyscan = off;\n"


def create_script(some_tables):
    labels = ", ".join(f"'{label}'" for label in families.ENUM_LABELS)
    extensions = "".join(f"CREATE EXTENSION {name} SCHEMA public;\n" for name in families.EXTENSIONS)
    return (
        extensions + f"CREATE TYPE {ENUM} AS ENUM ({labels});\n"
        f"CREATE COLLATION {families.FOLDING} (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
        f"CREATE SCHEMA {SHADOW_SCHEMA};\nGRANT USAGE ON SCHEMA {SHADOW_SCHEMA} TO pgveil_query, pgveil_admin;\n"
        + "".join(table.create_sql() for table in some_tables)
        + f"GRANT SELECT ON ALL TABLES IN SCHEMA public, {SHADOW_SCHEMA} TO pgveil_query, pgveil_admin;\n"
    )

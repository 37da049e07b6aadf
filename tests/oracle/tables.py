"""Random tables, rows and policies from a seed: skewed columns of many types, NULLs, rare values, unit columns."""
import dataclasses

import naive

ENUM = "public.mood"
ENUM_LABELS = ("calm", "glad", "grim", "odd one")

# family → the SQL types that are compared, added, … alike in the query grammar
TYPES = {
    "text": ("text", 'text COLLATE "C"', "varchar(12)"),
    "int": ("integer", "bigint", "smallint"),
    "num": ("numeric", "numeric(8,2)"),
    "date": ("date",),
    "bool": ("boolean",),
    "enum": (ENUM,),
}

WORDS = ("Nurse", "Baker", "Pilot", "O'Brien", "", "a\\b", "Ünïcode", "two words", "100%", "nurse", "Falconer", "null",
         "x_y", "Zoë", "tab\there", "{1,2}", "(a,b)", '"q"')


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

    def create_sql(self):
        columns = ", ".join(f"{column.name} {column.sql_type}" for column in self.columns)
        return f"CREATE TABLE public.{self.name} ({columns});\n"


def value_pool(random, family, sql_type):
    """The values of one column, most frequent first."""
    size = random.randint(2, 6)
    if family == "text":
        return random.sample(WORDS, size)
    if family == "int":
        return [str(number) for number in random.sample(range(-5, 40), size)]
    if family == "num":
        scale = 2 if "," in sql_type else random.randint(0, 3)
        return [f"{random.randint(-300, 900) / 100:.{scale}f}" for _ in range(size)]
    if family == "date":
        return [f"{random.choice((1969, 1999, 2000, 2024))}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
                for _ in range(size)]
    if family == "bool":
        return ["t", "f"]
    return random.sample(ENUM_LABELS, min(size, len(ENUM_LABELS)))


def rare_value(random, family):
    return {"text": f"rare{random.randint(0, 10**6)}", "int": str(random.randint(1000, 30000)),
            "num": f"{random.randint(10**4, 10**5)}", "date": f"1800-01-{random.randint(1, 28):02}",
            "bool": "t", "enum": "odd one"}[family]


def respell(random, text, sql_type):
    """numeric without a scale keeps how a number was written: 1, 1.0, 1.00 are equal."""
    if sql_type != "numeric" or random.random() < 0.5:
        return text
    return text + ("0" if "." in text else ".0")


def fill(random, column, count):
    pool = value_pool(random, column.family, column.sql_type)
    weights = [1.0 / (1 + rank) for rank in range(len(pool))]
    null_share, rare_share = random.choice((0, 0.05, 0.2)), random.choice((0, 0.05))
    cells = []
    for _ in range(count):
        chance = random.random()
        if chance < null_share:
            cells.append(None)
        elif chance < null_share + rare_share:
            cells.append(rare_value(random, column.family))
        else:
            cell = random.choices(pool, weights)[0]
            cells.append(respell(random, cell, column.sql_type)
                         if column.column_class == "quasi_identifier" else naive.canonical(cell, column.sql_type))
    return cells


def random_columns(random, quasi_identifiers):
    classes = ["quasi_identifier"] * quasi_identifiers + ["insensitive", "sensitive", "identifier", None]
    random.shuffle(classes)
    columns = []
    for number, column_class in enumerate(classes):
        family = random.choice(list(TYPES))
        columns.append(Column(f"c{number}", family, random.choice(TYPES[family]), column_class))
    columns.insert(random.randint(0, len(columns)), Column("id", "int", "integer", "insensitive"))
    return columns


def random_table(random, name):
    columns = random_columns(random, random.randint(1, 4))
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
        {column.name: column.column_class for column in columns if column.column_class}, unit=unit)
    rows = [list(row) for row in zip(*(cells[column.name] for column in columns))]
    return Table(name, columns, rows, policy)


def open_table(random, name):
    columns = [Column("id", "int", "integer", None), Column("word", "text", "text", None),
               Column("flag", "bool", "boolean", None), Column("mood", "enum", ENUM, None)]
    rows = [[str(number), random.choice(WORDS), random.choice(("t", "f", None)), random.choice(ENUM_LABELS)]
            for number in range(1, 16)]
    return Table(name, columns, rows, None)


def random_tables(random, count):
    return [random_table(random, f"t{number}") for number in range(count)] + [open_table(random, "open1")]

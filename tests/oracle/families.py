"""The families of types that the grammar knows. Types of one family mix freely in an expression; equal values
of one column have one spelling, so that DISTINCT, GROUP BY and set operations give one answer whatever plan
is chosen."""
import dataclasses

ENUM = "public.mood"
ENUM_LABELS = ("calm", "glad", "grim", "odd one")
FOLDING = "public.folding"  # a collation that calls 'Nurse' and 'nurse' equal

WORDS = (
    "Nurse",
    "Baker",
    "Pilot",
    "O'Brien",
    "",
    "a\\b",
    "Ünïcode",
    "two words",
    "100%",
    "nurse",
    "Falconer",
    "null",
    "x_y",
    "Zoë",
    "tab\there",
    "{1,2}",
    "(a,b)",
    '"q"',
)
# No two of them are equal under FOLDING or as char(9).
PLAIN_WORDS = ("Oak", "Elm", "Ash", "Fir", "Yew", "Box", "Ünder", "O'K", "x_y")
UUIDS = tuple(f"0000000{n}-1111-4222-8333-44444444444{n}" for n in range(8))
MACS = tuple(f"08:00:2b:01:02:0{n}" for n in range(8))


@dataclasses.dataclass(frozen=True)
class Family:
    types: tuple               # the column types
    cast: str                  # the type of literals, parameters and casts
    oid: int                   # of `cast`; 0: let the server find out
    can_be_compared: bool = True   # its types can be quasi-identifiers


FAMILIES = {
    "text": Family(("text", 'text COLLATE "C"', "varchar(12)", "char(9)", "name"), "text", 25),
    "fold": Family(
        (f"text COLLATE {FOLDING}",), "text", 25, False
    ),  # 0A000 from many functions, so only compared
    "int": Family(("integer", "bigint", "smallint"), "integer", 23),
    "num": Family(("numeric", "numeric(8,2)"), "numeric", 1700),
    "float": Family(("double precision", "real"), "float8", 701),
    "date": Family(("date",), "date", 1082),
    "ts": Family(("timestamp", "timestamptz", "timestamp(0)"), "timestamp", 1114),
    "time": Family(("time",), "time", 1083),
    "bool": Family(("boolean",), "boolean", 16),
    "enum": Family((ENUM,), ENUM, 0),
    "uuid": Family(("uuid",), "uuid", 2950),
    "mac": Family(("macaddr",), "macaddr", 829),
    "days": Family(("interval",), "interval", 1186, False),
    "ints": Family(("integer[]",), "integer[]", 1007, False),
    "texts": Family(("text[]",), "text[]", 1009, False),
    "json": Family(("jsonb",), "jsonb", 3802, False),
    "bytes": Family(("bytea",), "bytea", 17, False),
    "inet": Family(("inet",), "inet", 869, False),
    "citext": Family(("public.citext",), "public.citext", 0, False),
    "hstore": Family(("public.hstore",), "public.hstore", 0, False),
    "ltree": Family(("public.ltree",), "public.ltree", 0, False),
}
EXTENSIONS = ("citext", "hstore", "ltree", "intarray", "pg_trgm")
COMPARABLE = [name for name, family in FAMILIES.items() if family.can_be_compared]


def values(random, family, sql_type, count):
    """Up to `count` different values, as PostgreSQL writes them."""
    pick = {
        "text": lambda: random.sample(PLAIN_WORDS if sql_type == "char(9)" else WORDS, count),
        "fold": lambda: random.sample(PLAIN_WORDS, count),
        "int": lambda: [str(number) for number in random.sample(range(-5, 40), count)],
        "num": lambda: [number(random, sql_type) for _ in range(count)],
        "float": lambda: [f"{random.randint(-12, 40) / 4:g}" for _ in range(count)],
        "date": lambda: [day(random) for _ in range(count)],
        "ts": lambda: [
            f"{day(random)} {random.randint(0, 23):02}:30:00{'+00' if 'tz' in sql_type else ''}"
            for _ in range(count)
        ],
        "time": lambda: [f"{random.randint(0, 23):02}:15:00" for _ in range(count)],
        "bool": lambda: ["t", "f"],
        "enum": lambda: random.sample(ENUM_LABELS, min(count, len(ENUM_LABELS))),
        "uuid": lambda: random.sample(UUIDS, count),
        "mac": lambda: random.sample(MACS, count),
        "days": lambda: [f"{n} days" for n in random.sample(range(2, 29), count)],
        "ints": lambda: [
            "{" + ",".join(str(random.randint(0, 9)) for _ in range(random.randint(0, 4))) + "}"
            for _ in range(count)
        ],
        "texts": lambda: [
            "{" + ",".join(random.sample(("Oak", "Elm", "NULL", '""'), 2)) + "}" for _ in range(count)
        ],
        "json": lambda: random.sample(
            ('{"a": 1}', '{"a": "x", "b": [1, 2]}', "[]", "null", '"word"', "7", "{}"), count
        ),
        "bytes": lambda: ["\\x" + format(random.randint(0, 65535), "04x") for _ in range(count)],
        "inet": lambda: [f"10.0.{n}.1" for n in random.sample(range(9), count)],
        "citext": lambda: random.sample(PLAIN_WORDS, count),
        "hstore": lambda: [f'"{random.choice("abc")}"=>"{n}"' for n in random.sample(range(9), count)],
        "ltree": lambda: random.sample(("top", "top.a", "top.a.b", "top.c", "Top.a", "other", "other.a"), count),
    }
    return list(dict.fromkeys(pick[family]()))


def rare(random, family):
    """A value that hardly any other row has."""
    return {
        "text": lambda: f"rare{random.randint(0, 9999)}",
        "int": lambda: str(random.randint(1000, 4000)),
        "num": lambda: f"{random.randint(10**4, 10**5)}",
        "float": lambda: f"{random.randint(1000, 9000)}",
        "date": lambda: f"1800-01-{random.randint(1, 28):02}",
        "ts": lambda: f"1800-01-{random.randint(1, 28):02} 00:00:00",
        "time": lambda: f"00:{random.randint(10, 59)}:01",
        "bool": lambda: "t",
        "enum": lambda: "odd one",
        "uuid": lambda: f"{random.getrandbits(32):08x}-1111-4222-8333-555555555555",
        "mac": lambda: f"0a:00:00:00:{random.randint(16, 99)}:{random.randint(16, 99)}",
    }.get(family, lambda: None)()


def literal(random, family):
    """The text of a constant in a statement."""
    pick = {
        "text": lambda: random.choice(WORDS + PLAIN_WORDS),
        "int": lambda: str(random.randint(-3, 40)),
        "num": lambda: f"{random.randint(-300, 900)}",
        "float": lambda: f"{random.randint(-12, 40) / 4:g}",
        "days": lambda: f"{random.randint(2, 28)} days",
    }
    if family in pick:
        return pick[family]()
    return random.choice(values(random, family, FAMILIES[family].cast, 2))


def number(random, sql_type):
    scale = 2 if "," in sql_type else random.randint(0, 3)
    return f"{random.randint(-300, 900) / 100:.{scale}f}"


def day(random):
    return f"{random.choice((1969, 1999, 2000, 2024))}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"

#!/usr/bin/python3
"""What drivers and tools ask of the catalogs, as they really send it (recorded/*.sql), answers as the server
does."""
import pathlib
import re

from harness import world
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

RECORDED = pathlib.Path(__file__).parent / "recorded"

# Part of a statement: why it is refused.
REFUSED = {
    "pg_catalog.current_setting(s.name)": "a setting that is not named as a constant",
    "FROM pg_catalog.pg_prepared_statements": "they are kept with their masks",
}
# Part of a statement that the server refuses pgveil's role; here it is NULL.
ANSWERED_HERE = "pg_tablespace_size"
# Part of a statement that asks what the role may read: of pgveil fewer tables than its own role of the
# server.
ASKS_RIGHTS = "has_table_privilege("
UNREADABLE = {"diary", "unbuilt"}
# Relations of which the server shows other sessions, or the server itself: here they have fewer rows or none.
ASKS_OTHERS = re.compile(r"pg_(stat_activity|locks|stat_replication|settings|show_all_settings|shdepend|user)\b")
# Sorted by a key that several rows share: the plan decides which of them comes first.
HAS_TIES = "FROM pg_indexes\nJOIN pg_namespace ON (schemaname=nspname)"
# An index that quotes a value is left out.
LEFT_OUT = "people_juggler"
# A column that a mask may hide is nullable (attnotnull, is_nullable).
NULLABLE = re.compile(r"\b(attnotnull|is_nullable)\b|select \*\s+from \"?information_schema\"?\.\"?columns", re.IGNORECASE)
MADE_NULLABLE = (("f", "t"), ("t", "f"), ("YES", "NO"), ("1", "0"))
XMIN = re.compile(r"\bxmin\b")
# What a catalog shows of a table that was never analyzed.
UNKNOWN_SIZES = {None, "-1", "0"}


def statements(path):
    text = re.sub(r"(?m)\A--.*$", "", path.read_text())
    return [part.strip() for part in re.split(r";\n(?:\n|\Z)", text) if part.strip()]


def differences(ours, theirs, sql=""):
    """Cells that are neither equal nor hidden: a hidden cell is NULL, or unknown where it is a size, or the same
    for all rows where it is xmin."""
    if len(ours) != len(theirs):
        return [(len(ours), len(theirs))]
    may_differ = MADE_NULLABLE if NULLABLE.search(sql) else ()
    hidden = UNKNOWN_SIZES | ({"2"} if XMIN.search(sql) else set())
    pairs = [pair for rows in zip(ours, theirs) for pair in zip(*rows)]
    return [
        (a, b)
        for a, b in pairs
        if a != b and not (a in hidden or (a, b) in may_differ or b == "pgveil_query" and a == "analyst")
    ]


NOTE = re.compile(r" ?\(?masked by policy [a-z0-9_]+: [^)]*\)?$")


def without_notes(rows):
    """What readers are told of masks stands in comments (docs/analysts.md); PostgreSQL has none of it."""
    return [[cell and (NOTE.sub("", cell) or None) for cell in row] for row in rows]


def in_order_of(theirs, ours, sql):
    """Our rows, each in the place of one of theirs that it shows; those that show none come last."""
    left, found = list(ours), []
    for row in theirs:
        alike = next((each for each in left if not differences([each], [row], sql)), None)
        if alike is not None:
            left.remove(alike)
            found.append(alike)
    return found + left


class Recorded(StackCase):
    def play(self, name):
        answered, hidden = 0, 0
        path = RECORDED / f"{name}.sql"
        with self.pgveil.client() as ours, RawClient(
                self.postgres.port, "pgveil_query", "demo", password=world.QUERY_PASSWORD) as theirs:
            left_out = theirs.query(f"SELECT '{LEFT_OUT}'::regclass::oid").texts()[0][0]
            for sql in statements(path):
                with self.subTest(sql[:300]):
                    reply, expected = ours.query(sql), theirs.query(sql)
                    self.assert_no_hidden_value(reply.raw)
                    if any(part in sql for part in REFUSED):
                        self.assertEqual(reply.sqlstates(), ["42501"])
                        continue
                    if ANSWERED_HERE in sql:
                        self.assertEqual((reply.sqlstates(), expected.sqlstates()), ([], ["42501"]))
                        answered += 1
                        continue
                    self.assertEqual(reply.sqlstates(), expected.sqlstates())
                    shown = [
                        row for row in expected.texts() if ASKS_RIGHTS not in sql or not UNREADABLE & set(row)
                    ]
                    shown = [row for row in shown if not any(LEFT_OUT in (cell or "") or cell == left_out for cell in row)]
                    rows = without_notes(reply.texts())
                    if len(rows) > len(shown):  # PostgreSQL has no row for a table without a comment
                        rows = [row for row in rows if any(row)]
                    if len(shown) == len(expected.rows) == len(reply.rows):
                        self.assertEqual(reply.tags, expected.tags)
                    self.assertEqual([[c.shape() for c in d] for d in reply.descriptions],
                                     [[c.shape() for c in d] for d in expected.descriptions])
                    if not re.search(r"\border by\b", sql, re.IGNORECASE) or HAS_TIES in sql:  # the plan decides
                        rows = in_order_of(shown, rows, sql)
                    if ASKS_OTHERS.search(sql):
                        self.assertLessEqual(len(rows), len(shown))
                    else:
                        self.assertEqual(differences(rows, shown, sql), [])
                    answered += 1
                    hidden += reply.texts() != expected.texts()
        print(f"\n{name}: {answered} of {len(statements(path))} answered, {hidden} of them with hidden cells")
        self.assertGreater(answered, 0)

    def test_every_file_is_played(self):
        tests = [name.removeprefix("test_") for name in vars(Recorded) if name.startswith("test_")]
        self.assertEqual({path.stem for path in RECORDED.iterdir()}, set(tests) - {"every_file_is_played"})

    def test_psql(self):
        self.play("psql")

    def test_pgjdbc(self):
        self.play("pgjdbc")

    def test_psqlodbc(self):
        self.play("psqlodbc")

    def test_sqlalchemy(self):
        self.play("sqlalchemy")

    def test_asyncpg_psycopg(self):
        self.play("asyncpg_psycopg")

    def test_pgx(self):
        self.play("pgx")

    def test_node(self):
        self.play("node")

    def test_tools(self):
        self.play("tools")

    def test_adbc(self):
        self.play("adbc")

    def test_datagrip(self):
        self.play("datagrip")

    def test_django(self):
        self.play("django")

    def test_drizzle(self):
        self.play("drizzle")

    def test_duckdb(self):
        self.play("duckdb")

    def test_ibis(self):
        self.play("ibis")

    def test_metabase(self):
        self.play("metabase")

    def test_pgadmin(self):
        self.play("pgadmin")

    def test_pools(self):
        self.play("pools")

    def test_prisma(self):
        self.play("prisma")

    def test_rails(self):
        self.play("rails")

    def test_typeorm(self):
        self.play("typeorm")

    def test_datagrip_schema(self):
        self.play("datagrip_schema")

    def test_pgadmin_properties(self):
        self.play("pgadmin_properties")

    def test_orms(self):
        self.play("orms")


if __name__ == "__main__":
    main()

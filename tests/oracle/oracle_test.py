#!/usr/bin/python3
"""The oracle: random tables, policies and queries. What pgveil answers over the raw table must be what PostgreSQL
answers over the masked copy that the naive implementation made. A refusal is no answer and is counted apart.

PGVEIL_SEED picks the tables and queries, PGVEIL_LONG=1 runs many more of both. A difference prints the seed, the
query and how to see it again.
"""
import collections
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import comparison  # noqa: E402
import naive  # noqa: E402
import queries  # noqa: E402
import tables  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.postgres import Postgres  # noqa: E402
from harness.runner import Case, main  # noqa: E402
from harness.wire import RawClient  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
WORLDS = 10 if IS_LONG else 2
TABLES = 8 if IS_LONG else 6
QUERIES = 3000 if IS_LONG else 450
ANSWERED_SHARE = 0.80


def create_databases(postgres, some_tables, raw, masked):
    """Two databases with the same types and tables (and so the same OIDs): the raw rows, and the masked rows."""
    postgres.create_database(raw)
    labels = ", ".join(f"'{label}'" for label in tables.ENUM_LABELS)
    postgres.run(f"CREATE TYPE {tables.ENUM} AS ENUM ({labels});\n" + "".join(t.create_sql() for t in some_tables)
                 + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;", raw)
    postgres.create_database(masked, template=raw)
    for table in some_tables:
        naive.write_rows(postgres, raw, f"public.{table.name}", table.rows)
        if table.policy is None:
            naive.write_rows(postgres, masked, f"public.{table.name}", table.rows)
        else:
            naive.make_masked_copy(postgres, raw, masked, table.policy)


class World:
    """The databases of one seed and a pgveil in front of the raw one."""

    def __init__(self, postgres, seed):
        self.postgres, self.seed = postgres, seed
        self.unraised = 0
        self.random = random.Random(seed)
        self.tables = tables.random_tables(self.random, TABLES)
        self.raw, self.masked = f"raw_{seed}", f"masked_{seed}"
        create_databases(postgres, self.tables, self.raw, self.masked)
        policies = [table.policy for table in self.tables if table.policy]
        self.pgveil = Pgveil(postgres, policies, [f"public.{t.name}" for t in self.tables if not t.policy], self.raw)

    def start(self):
        self.pgveil.start()
        self.pgveil.build(*(table.policy.name for table in self.tables if table.policy))

    def queries(self, count):
        generator = queries.Generator(random.Random(self.seed + 1), self.tables)
        return [generator.query() for _ in range(count)]

    def clients(self, copy=None):
        return self.pgveil.client("analyst"), RawClient(self.postgres.port, "postgres", copy or self.masked)

    def compare(self, some_queries, copy=None):
        """→ (how many were answered, refusals, differences); copy: a database other than `masked`."""
        through, direct = self.clients(copy)
        refusals, differences = [], []
        with through, direct:
            for query in some_queries:
                got, expected = comparison.run(through, query), comparison.run(direct, query)
                if comparison.is_refusal(got) and not comparison.is_refusal(expected):
                    refusals.append((query, got.error.get("M")))
                    continue
                self.unraised += comparison.is_unraised(got, expected)
                if words := comparison.difference(query, got, expected):
                    differences.append((query, words))
        return len(some_queries) - len(refusals), refusals, differences


class OracleTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.worlds = []
        try:
            cls.postgres.run(world.ROLES)
            for number in range(WORLDS):
                cls.worlds.append(World(cls.postgres, SEED * 1000 + number))
                cls.worlds[-1].start()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        try:
            for each in cls.worlds:
                each.pgveil.stop()
        finally:
            cls.postgres.stop()

    def test_the_naive_implementation_reproduces_the_paper(self):
        columns = [naive.TableColumn(name, "text") for name in ("id", "occupation", "city", "state")]
        self.postgres.create_database("paper")
        self.postgres.run(world.SCHEMA + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query;" + world.ROWS,
                          "paper")
        rows = naive.read_rows(self.postgres, "paper", "public.people")
        release = naive.Release(world.PEOPLE, columns).build(rows)
        self.assertEqual(release.tree, (3, "OH", (2, "Hamlet", (1, "Farmer", None, None), None),
                                        (1, "Accountant", None, None)))
        self.assertEqual(release.mask(rows), world.MASKED_PEOPLE)
        later = [["12", "Accountant", "New York", "NY"], ["13", "President", "Washington", "DC"], [None] * 4]
        self.assertEqual(release.mask(later), [[None, "Accountant", None, None], [None] * 4, [None] * 4])

    def test_answers_equal_those_of_the_masked_copy(self):
        answered = total = 0
        reasons = collections.Counter()
        for each in self.worlds:
            some = each.queries(QUERIES)
            count, refusals, differences = each.compare(some)
            answered, total = answered + count, total + len(some)
            reasons.update(message for _, message in refusals)
            for query, words in differences[:5]:
                print(f"\nworld {each.seed}: {query}\n  {words}")
            self.assertEqual(len(differences), 0, f"differences in world {each.seed} (PGVEIL_SEED={SEED})")
        print(f"\noracle: {answered} of {total} statements answered, {total - answered} refused")
        for message, count in reasons.most_common(8):
            print(f"  refused {count} times: {message}")
        self.assertGreaterEqual(answered, ANSWERED_SHARE * total)
        self.assertLessEqual(sum(each.unraised for each in self.worlds), 0.005 * total)

    def test_every_cell_in_physical_order(self):
        for each in self.worlds:
            through, direct = each.clients()
            with through, direct:
                for table in each.tables:
                    sql = f"SELECT * FROM {table.name}"
                    self.assertEqual(through.query(sql).rows, direct.query(sql).rows, (each.seed, table.name))

    def test_no_visible_combination_has_fewer_than_k_units(self):
        """The attacker's counter (privacy.md R11): counted on the answers, with the units of the raw table."""
        for each in self.worlds:
            for table in each.tables:
                if table.policy:
                    self.assert_large_enough(each, table)

    def assert_large_enough(self, each, table):
        names = [c.name for c in table.columns if c.column_class == "quasi_identifier"]
        with each.pgveil.client("analyst") as client:
            shown = dict((row[0], tuple(row[1:])) for row in client.query(
                f"SELECT id, {', '.join(names)} FROM {table.name}").texts())
        number = [c.name for c in table.columns].index(table.policy.unit or "id")
        id_number = [c.name for c in table.columns].index("id")
        units = collections.defaultdict(set)
        for row in table.rows:
            if row[number] is not None:
                units[shown[row[id_number]]].add(row[number])
        self.assertGreaterEqual(min(map(len, units.values())), table.policy.k, (each.seed, table.name))

    def test_one_wrong_cell_in_the_copy_is_found(self):
        """The oracle can fail: a copy that hides, or shows, one cell too many makes a difference."""
        each = self.worlds[0]
        some = each.queries(QUERIES)
        for change in ("hide", "show"):
            with self.subTest(change=change):
                copy = f"{each.masked}_{change}"
                self.postgres.create_database(copy, template=each.masked)
                self.change_one_cell(each, copy, change)
                _, _, differences = each.compare(some, copy)
                self.assertGreater(len(differences), 0)

    def change_one_cell(self, each, copy, change):
        """Hides a shown cell of a quasi-identifier, or shows a value in a hidden one."""
        for table in each.tables:
            for column in table.columns:
                if column.column_class != "quasi_identifier" or column.family == "bool":
                    continue
                test = "IS NOT NULL" if change == "hide" else "IS NULL"
                found = self.postgres.rows(f"SELECT id FROM {table.name} WHERE {column.name} {test} LIMIT 1", copy)
                raw = self.postgres.rows(f"SELECT quote_literal({column.name}) FROM {table.name} "
                                         f"WHERE {column.name} IS NOT NULL LIMIT 1", each.raw)
                if found and raw:
                    value = "NULL" if change == "hide" else raw[0][0]
                    self.postgres.run(f"UPDATE {table.name} SET {column.name} = {value} WHERE id = {found[0][0]};", copy)
                    return
        self.fail("no cell to change")


if __name__ == "__main__":
    main()

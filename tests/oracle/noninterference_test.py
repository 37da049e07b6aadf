#!/usr/bin/python3
"""Non-interference: two raw databases with the same masked image give a masked user the same bytes in the
same order, and PostgreSQL the same work to do. This sees what a comparison of answers can't: order,
estimates, sizes, catalogs.

One dependence is inherent (docs/attack-model.md): PostgreSQL sizes the hash tables of GROUP BY and DISTINCT
by statistics of the raw columns below a mask. So each pair is tested twice: without statistics of masked
columns nothing at all may differ; with them only the order of rows that have none."""
import contextlib
import json
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import conversations  # noqa: E402
import naive  # noqa: E402
import pipeline  # noqa: E402
import queries  # noqa: E402
import tables  # noqa: E402
import twins  # noqa: E402
import views  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402
from harness.wire import RawClient  # noqa: E402
from queries import Query  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
PAIRS = 10 if IS_LONG else 2
STATEMENTS = 3000 if IS_LONG else 120
PLANS = 300 if IS_LONG else 50
SETTINGS = (
    {"TimeZone": "UTC", "DateStyle": "ISO, MDY"},
    {"TimeZone": "Asia/Kolkata", "DateStyle": "SQL, DMY"},
    {"TimeZone": "America/St_Johns", "DateStyle": "German, YMD"},
)

CATALOGS = (
    "SELECT relname, relkind, relpages, reltuples, relallvisible, relhasindex, relnatts FROM pg_class ORDER BY oid",
    "SELECT * FROM pg_attribute ORDER BY attrelid, attnum",
    "SELECT * FROM pg_type ORDER BY oid",
    "SELECT * FROM pg_constraint ORDER BY oid",
    "SELECT * FROM pg_index ORDER BY indexrelid",
    "SELECT * FROM pg_inherits ORDER BY 1, 2",
    "SELECT * FROM pg_tables",
    "SELECT * FROM pg_indexes",
    "SELECT * FROM information_schema.columns ORDER BY table_schema, table_name, ordinal_position",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_stats",
    "SELECT * FROM pg_stat_user_tables",
    "SELECT oid::regclass, pg_relation_size(oid), pg_table_size(oid), pg_indexes_size(oid), pg_total_relation_size(oid), "
    "pg_relation_size(oid, 'fsm') FROM pg_class ORDER BY oid",
    "SELECT oid, pg_relation_size(oid) FROM generate_series(1, 20000) oid",
    "SELECT pg_database_size(current_database()), pg_tablespace_size('pg_default')",
    "SELECT pg_get_expr(relpartbound, oid) FROM pg_class ORDER BY oid",
    "EXPLAIN SELECT * FROM t0",
    "EXPLAIN SELECT * FROM open1",
    "SELECT ctid, * FROM t0",
    "SELECT xmin FROM t0",
    "SELECT pg_column_size(t0.*) FROM t0",
    "SELECT pg_column_size(id) FROM t1",
    "SELECT count(*) FROM t0 TABLESAMPLE BERNOULLI (100)",
    "SELECT row_number() OVER (), * FROM t1",
    "SELECT t0, t1 FROM t0, t1 LIMIT 20",
    "SELECT hashtext(t0::text) FROM t0",
    "TABLE t0 LIMIT 5",
)

SHOWN = ("insensitive", "sensitive")

# What of a plan's node must be the same. Costs and estimates come from statistics of raw columns; they reach
# no client.
MEASURED = (
    "Node Type",
    "Actual Rows",
    "Actual Loops",
    "Rows Removed by Filter",
    "Shared Hit Blocks",
    "Shared Read Blocks",
)


class Pair:
    """Database raw, first with one content, then with the other: pgveil can't know that it was changed."""

    def __init__(self, postgres, seed, has_statistics):
        self.postgres, self.seed, self.has_statistics = postgres, seed, has_statistics
        source = random.Random(seed)
        self.tables = tables.random_tables(source, 4)
        self.views = views.random_views(random.Random(f"views/{seed}"), self.tables, 3)
        self.changed = 0
        for name in ("raw", "twin"):
            postgres.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        postgres.run("DROP DATABASE IF EXISTS empty WITH (FORCE)")
        postgres.create_database("empty")
        views_script = "".join(view.create_sql() for view in self.views)
        postgres.run(
            tables.create_script(self.tables)
            + "".join(table.indexes_sql() for table in self.tables)
            + views_script
            + ("" if has_statistics else self.no_statistics()),
            "empty",
        )
        for name in ("raw", "twin"):  # the same OIDs and files
            postgres.create_database(name, template="empty")
            postgres.run(tables.prefer_indexes(name), name)
        for table in self.tables:
            self.fill(source, table)
        self.pgveil = Pgveil(postgres, [table.policy for table in self.tables if table.policy],
                             ["public.open1", *(view.full_name() for view in self.views)], "raw")

    def no_statistics(self):
        """Of the columns that a mask reads or hides."""
        return "".join(
            f"ALTER TABLE {table.name} ALTER {column.name} SET STATISTICS 0;\n"
            for table in self.tables
            for column in table.columns
            if table.policy and column.column_class not in SHOWN
        )

    def fill(self, source, table):
        rows = table.rows
        if table.policy:
            rows, changed = twins.hidden_twin(source, table)
            self.changed += changed
        self.postgres.run(naive.copy_script(f"public.{table.name}", table.rows), "raw")
        self.postgres.run(naive.copy_script(f"public.{table.name}", rows), "twin")

    def exchange(self):
        self.pgveil.halt()
        self.postgres.run("ALTER DATABASE raw RENAME TO other;\nALTER DATABASE twin RENAME TO raw;\n"
                          "ALTER DATABASE other RENAME TO twin;")
        self.pgveil.start()

    def battery(self, count):
        generator = queries.Generator(random.Random(f"pair/{self.seed}"), self.tables + self.views)
        return [generator.query() for _ in range(count)] + [Query(sql, [], False) for sql in CATALOGS]

    def bytes_of(self, battery):
        """Every message of every answer, under each of the settings."""
        found = []
        for settings in SETTINGS:
            client = pipeline.Pipeline(
                self.pgveil.port, "analyst", "raw", {**settings, "statement_timeout": "20s"}
            )
            try:
                found += [
                    answer for _, (answer,) in pipeline.answers([client], battery, conversations.segments)
                ]
            finally:
                client.close()
        return found

    def rewritten(self, sql):
        """What pgveil sends for it; None: it is refused, or not one statement."""
        quoted = sql.replace("'", "''")
        reply = self.pgveil.console(f"EXPLAIN POLICY FOR ROLE analyst FULL '{quoted}'")
        texts = [dict(zip([column.name for column in reply.columns], row)) for row in reply.texts()]
        return texts[0]["text"] if len(texts) == 1 and not reply.errors else None

    def plans(self, texts, database):
        found = []
        with RawClient(
            self.postgres.port, "postgres", database, {"search_path": "pg_catalog, public"}
        ) as client:
            for sql in texts:
                explained = f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql}"
                client.query(explained)  # fills the caches
                reply = client.query(explained)
                found.append(
                    reply.sqlstate() if reply.errors else measures(json.loads(reply.rows[0][0])[0]["Plan"])
                )
        return found


def measures(plan):
    if is_look_up(plan):
        return ["look-up"]
    names = [name for name in MEASURED if "Blocks" not in name or not holds_look_up(plan)]
    return [[plan.get(name) for name in names], [measures(child) for child in plan.get("Plans", [])]]


def is_look_up(plan):
    """What is behind its fence reads the rows that have a released value, hidden ones included
    (docs/attack-model.md): how many is no secret of the plan. What comes out of it is."""
    return any("ctid" in str(child.get("Sort Key")) for child in plan.get("Plans", ()))


def holds_look_up(plan):
    return is_look_up(plan) or any(holds_look_up(child) for child in plan.get("Plans", ()))


class NonInterferenceTest(ServerCase):
    test_seconds = 3600 if IS_LONG else 600
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)

    def test_hidden_cells_change_no_byte_and_no_work(self):
        answers, reordered, plans, changed = self.compare_pairs(has_statistics=False)
        self.assertEqual(reordered, 0)
        print(
            f"\nnon-interference: {PAIRS} pairs with {changed} other hidden cells, {answers} answers equal to the byte, "
            f"{plans} plans with the same rows and blocks"
        )

    def test_statistics_of_hidden_values_change_no_more_than_the_order_of_groups(self):
        answers, reordered, plans, changed = self.compare_pairs(has_statistics=True)
        print(
            f"\nnon-interference with statistics: {PAIRS} pairs with {changed} other hidden cells, {answers} answers, "
            f"{reordered} of them in another order; {plans} plans with the same rows and blocks"
        )
        self.assertLess(reordered, 0.05 * answers)

    def test_a_shown_cell_changes_bytes(self):
        """The comparison can fail."""
        with self.running(Pair(self.postgres, SEED * 10000, False)) as pair:
            table = next(table for table in pair.tables if table.policy and not table.partitions)
            self.postgres.run(f"UPDATE {table.name} SET id = id + 1000 WHERE id = 1;", "twin")
            self.assertGreater(len(self.unequal_answers(pair, pair.battery(STATEMENTS))), 0)

    @contextlib.contextmanager
    def running(self, pair):
        pair.pgveil.start()
        try:
            pair.pgveil.build(*(table.policy.name for table in pair.tables if table.policy))
            yield pair
        finally:
            pair.pgveil.stop()

    def compare_pairs(self, has_statistics):
        """→ how many answers, how many of them in another order, how many plans, how many hidden cells
        differed"""
        totals = [0, 0, 0, 0]
        for number in range(PAIRS):
            with self.running(Pair(self.postgres, SEED * 10000 + number, has_statistics)) as pair:
                self.assertGreater(pair.changed, 10)
                battery = pair.battery(STATEMENTS)
                unequal = self.unequal_answers(pair, battery)
                worse = [each for each in unequal if not (has_statistics and is_order_only(*each))]
                for query, settings, first, second in worse[:5]:
                    print(f"\nDIFFERENCE pair {pair.seed} {settings} {query}\n  {different(first, second)}")
                self.assertEqual(len(worse), 0)
                plans = self.compare_plans(pair)
                for place, count in enumerate(
                    (len(SETTINGS) * len(battery), len(unequal), plans, pair.changed)
                ):
                    totals[place] += count
        return totals

    def unequal_answers(self, pair, battery):
        first = pair.bytes_of(battery)
        pair.exchange()
        second = pair.bytes_of(battery)
        return [(battery[number % len(battery)], SETTINGS[number // len(battery)], *both)
                for number, both in enumerate(zip(first, second)) if both[0] != both[1]]

    def compare_plans(self, pair):
        """→ how many had the same numbers; without statistics all must."""
        texts = [
            text
            for query in pair.battery(PLANS)
            if query.way == "simple"
            and (text := pair.rewritten(query.sql))
            and text.startswith(("SELECT", "WITH", "(", "VALUES"))
        ]
        self.assertGreater(len(texts), PLANS // 5)
        both = [pair.plans(texts, database) for database in ("raw", "twin")]
        unequal = [number for number in range(len(texts)) if both[0][number] != both[1][number]]
        if not pair.has_statistics:
            for number in unequal[:3]:
                print(
                    f"\nDIFFERENCE pair {pair.seed} {texts[number]}\n  {both[0][number]}\n  {both[1][number]}"
                )
            self.assertEqual(len(unequal), 0, f"of {len(texts)} plans")
        return len(texts) - len(unequal)


def is_order_only(query, _, first, second):
    return not query.is_ordered and sorted(first) == sorted(second)


def different(some, others):
    return [pair for pair in zip(some, others) if pair[0] != pair[1]][:4] or (len(some), len(others))


if __name__ == "__main__":
    main()

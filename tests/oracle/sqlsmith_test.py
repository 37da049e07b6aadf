#!/usr/bin/python3
"""SQLsmith as a second source of statements: it knows PostgreSQL's catalogs and nothing of our grammar. What
pgveil answers of its statements must be what PostgreSQL answers over the masked copy; it calls every function
there is, so most are refused."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import comparison  # noqa: E402
import conversations  # noqa: E402
import pipeline  # noqa: E402
import worlds  # noqa: E402
from harness import world  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402
from queries import Query  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
STATEMENTS = int(os.environ.get("PGVEIL_STATEMENTS", "50000" if IS_LONG else "1500"))
FEWEST_ANSWERED = 0.05

# Where rows are cut off without an order, each plan may keep others. A single table's scan has one order.
CUT = re.compile(r"\s+limit \d+(?!\d| *offset)")
# Each session has another of these.
CLOCK = re.compile(r"pg_catalog\.(transaction_timestamp|statement_timestamp|clock_timestamp|now)\(\)")
# The two databases that are compared have different names.
DATABASE = re.compile(r"pg_catalog\.current_database\(\)")
UNSTABLE = re.compile(
    r"pg_catalog\.(random|timeofday|pg_backend_pid|inet_\w+|gen_random_uuid|pg_postmaster\w+"
    # What tells about the server, other sessions or hidden rows is NULL to masked users. So are definitions.
    r"|pg_stat_get_\w+|pg_(current|last|snapshot|safe_snapshot)_\w+|txid_\w+|pg_blocking_pids"
    r"|pg_conf_load_time|pg_\w+_size|pg_get_\w+|pg_is_wal_replay_paused"
    r"|pg_notification_queue_usage|pg_sequence_last_value|pg_tablespace_location"
    r"|pg_advisory_unlock\w*|pg_xact_commit_timestamp)\("
)
SAMPLED = re.compile(r"tablesample (system|bernoulli) \([\d.]+\)")


def statements(postgres, database, seed, count):
    """What SQLsmith makes for the tables of a database, without running it."""
    target = f"host=127.0.0.1 port={postgres.port} dbname={database} user=postgres"
    done = subprocess.run(
        [
            "sqlsmith",
            f"--target={target}",
            "--exclude-catalog",
            "--dry-run",
            f"--seed={seed}",
            f"--max-queries={count}",
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    texts = [CUT.sub("", SAMPLED.sub("", text.strip())) for text in done.stdout.split(";\n") if text.strip()]
    return [DATABASE.sub("pg_catalog.name 'demo'", CLOCK.sub("timestamptz '2024-02-29 12:00:00+00'", text))
            for text in texts]


class SqlsmithTest(ServerCase):
    test_seconds = 7200 if IS_LONG else 600
    is_logging = False

    @classmethod
    def setUpClass(cls):
        if shutil.which("sqlsmith") is None:
            cls.skipTest(cls, "sqlsmith is not installed")
        super().setUpClass()

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES + "CREATE ROLE analyst LOGIN;")
        cls.world = cls.kept(worlds.World(cls.postgres, SEED * 1000 + 7)).start()
        cls.postgres.run("GRANT USAGE ON SCHEMA alt TO analyst;\n"
                         "GRANT SELECT ON ALL TABLES IN SCHEMA public, alt TO analyst;", cls.world.masked)

    def test_answers_equal_those_of_the_masked_copy(self):
        texts = statements(self.postgres, self.world.masked, SEED, STATEMENTS)
        self.assertGreater(len(texts), STATEMENTS * 0.9)
        answered, reasons = self.through_proxy(texts)
        failed, unraised, differences = 0, 0, []
        for query, mine, theirs in self.on_masked(answered):
            failed += bool(comparison.states(mine))
            unraised += bool(comparison.states(theirs)) and not comparison.states(mine)
            if words := comparison.difference(query, mine, theirs, comparison.states(theirs)):
                differences.append((query, words))
        print(f"\nsqlsmith: {len(texts)} statements, {len(answered)} answered ({failed} with an error, "
              f"{unraised} without an error that PostgreSQL raises), "
              f"{len(differences)} differences")
        for words, times in reasons.most_common(12):
            print(f"  refused {times} times: {words}")
        for query, words in differences[:5]:
            print(f"\nDIFFERENCE {self.world.show(query)}\n  → {words}")
        self.assertEqual(len(differences), 0)
        self.assertLessEqual(unraised, 0.02 * len(answered))
        self.assertGreaterEqual(len(answered) - failed, FEWEST_ANSWERED * len(texts))

    def through_proxy(self, texts):
        """→ the queries that were not refused with their answers, and the reasons of the others."""
        queries = [Query(text, [], False) for text in texts]
        through = pipeline.Pipeline(
            self.world.pgveil.port, "analyst", self.world.raw, {"statement_timeout": "5s"}
        )
        answered, reasons = [], collections.Counter()
        try:
            for query, (mine,) in pipeline.answers([through], queries, conversations.segments):
                if words := comparison.refusal(mine, []):
                    reasons[words] += 1
                elif not UNSTABLE.search(query.sql):
                    answered.append((query, mine))
        finally:
            through.close()
        return answered, reasons

    def on_masked(self, answered):
        """Only what pgveil let through is run there, by a role that may do nothing but read."""
        direct = pipeline.Pipeline(self.postgres.port, "analyst", self.world.masked,
                                   {"statement_timeout": "5s", "default_transaction_read_only": "on"})
        try:
            for (query, mine), (theirs,) in pipeline.answers([direct], answered,
                                                             lambda each: conversations.segments(each[0])):
                yield query, mine, theirs
        finally:
            direct.close()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""pgveil in front of a Citus cluster (docs/larger.md). A table that is distributed is closed, a masked copy on
the coordinator is answered, and nothing of Citus' own can be reached. Debian has no package of Citus, so
PGVEIL_CITUS_BIN names the programs of a PostgreSQL into which Citus was installed."""
import dataclasses
import os
import pathlib
import unittest

from harness import world
from harness.pgveil import Pgveil
from harness.postgres import Postgres
from harness.runner import main
from harness.stack import StackCase

BIN = os.environ.get("PGVEIL_CITUS_BIN")

# The materialized view is made while nobody can write, so its rows are of one moment.
DISTRIBUTED = """
SELECT create_distributed_table('public.people', 'id', shard_count => 4);
SELECT create_reference_table('public.towns');
BEGIN;
LOCK TABLE public.people IN SHARE MODE;
CREATE MATERIALIZED VIEW public.people_here AS SELECT * FROM public.people;
COMMIT;
GRANT SELECT ON public.people_here TO pgveil_query, pgveil_admin;
"""
COPIED = dataclasses.replace(world.PEOPLE, name="here_k2", enforcement="copy")

NOT_REACHED = (
    "SELECT * FROM master_run_on_worker(ARRAY['127.0.0.1'], ARRAY[{worker}], ARRAY['SELECT max(city) FROM public.people'], false)",
    "SELECT run_command_on_workers('SELECT max(city) FROM public.people')",
    "SELECT citus_version()", "SELECT shard_name('towns', 102004, true)", "SELECT 'x'::pg_catalog.cluster_clock",
    "SELECT * FROM pg_dist_shard", "SELECT * FROM citus_shards", "SELECT * FROM people_102008",
    "SET citus.override_table_visibility = off", "SHOW citus.version", "SET client_min_messages = debug4",
    "SELECT citus_table_size('people')",
)


class Node(Postgres):
    """A server of the cluster. Workers let query_role in from the coordinator without a password."""

    def __init__(self, is_worker):
        self._is_worker = is_worker
        super().__init__(programs=pathlib.Path(BIN))

    def _prepare(self):
        super()._prepare()
        data = self.directory / "data"
        with open(data / "postgresql.conf", "a") as conf:
            conf.write("shared_preload_libraries = 'citus'\n")
        if self._is_worker:
            (data / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 trust\n")


@unittest.skipUnless(BIN, "no Citus here: PGVEIL_CITUS_BIN names the programs of a PostgreSQL with it")
class InFrontOfCitus(StackCase):
    @classmethod
    def setUpClass(cls):
        cls.workers = [cls.kept(Node(is_worker=True)) for _ in range(2)]
        cls.postgres = cls.kept(Node(is_worker=False))
        for node in (*cls.workers, cls.postgres):
            node.create_database("demo")
            node.run("CREATE EXTENSION citus", "demo")
        cls.postgres.run(
            f"SELECT citus_set_coordinator_host('127.0.0.1', {cls.postgres.port});"
            + "".join(f"SELECT citus_add_node('127.0.0.1', {node.port});" for node in cls.workers), "demo")
        cls.postgres.run(world.ROLES, "demo")  # Citus repeats it on the workers
        cls.postgres.run(world.SCHEMA + world.ROWS + DISTRIBUTED, "demo")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE, COPIED), ("public.towns",),
                                     more='open_functions: ["extension:citus"]'))
        text = cls.pgveil.policy_path.read_text()
        head, tail = text.split("  - name: here_k2")
        tail = tail.replace("table: public.people", "source: public.people_here").replace("    exempt_roles: [dpo]\n", "")
        cls.pgveil.policy_path.write_text(head + "  - name: here_k2" + tail)
        cls.postgres.run("SET citus.multi_shard_modify_mode = 'sequential';" + cls.pgveil.setup_sql(), "demo")
        cls.pgveil.start()

    def asked(self, sql):
        with self.pgveil.client() as client:
            return client.query(sql)

    def current_copy(self):
        return self.postgres.rows("SELECT document::json->'copy'->>'name' FROM pgveil.version "
                                  "WHERE policy = 'here_k2'", "demo")[0][0]

    def test_a_distributed_table_is_closed(self):
        error = self.pgveil.console("BUILD POLICY people_k2").errors[0]
        self.assertIn("no common snapshot", error["M"])
        reply = self.asked("SELECT * FROM people")
        self.assertEqual((reply.sqlstate(), reply.rows), ("42501", []))

    def test_a_copy_of_rows_of_one_moment_is_answered(self):
        self.pgveil.build("here_k2")
        self.assertEqual(sorted(map(str, self.texts("SELECT * FROM people_here"))),
                         sorted(map(str, world.MASKED_PEOPLE)))
        self.assertEqual(self.texts("SELECT count(*) FROM people_here WHERE state = 'OH' AND city <> 'x'"), [["4"]])
        self.assertEqual(self.texts("SELECT size FROM towns WHERE town = 'Aber'"), [["100"]])

    def test_nothing_of_citus_is_reached(self):
        for sql in NOT_REACHED:
            with self.subTest(sql):
                reply = self.asked(sql.format(worker=self.workers[0].port))
                self.assertIsNotNone(reply.sqlstate(), reply.rows)
                self.assert_no_hidden_value(reply.raw)
        done = self.pgveil.command("check", "--all", "--config", str(self.pgveil.config_path))
        self.assertIn("open_functions names extension:citus, which reaches more than its arguments",
                      done.stdout + done.stderr)
        self.assertNotIn("added-builtin", done.stdout + done.stderr)

    def test_a_copy_that_somebody_distributes_is_closed_until_the_next_build(self):
        self.pgveil.build("here_k2")
        copy = f'pgveil."{self.current_copy()}"'
        # No column of this copy is known to have a value in each row, so the one below is given one.
        self.postgres.run(f"UPDATE {copy} SET id = 1; SELECT create_distributed_table('{copy}', 'id')", "demo")
        reply = self.asked("SELECT * FROM people_here")
        self.assertEqual((reply.sqlstate(), reply.rows), ("42501", []), reply.errors)
        self.pgveil.console("RELOAD")
        self.assertEqual(self.asked("SELECT * FROM people_here").sqlstate(), "42501")
        self.pgveil.build("here_k2")
        self.assertEqual(len(self.texts("SELECT * FROM people_here")), 11)


if __name__ == "__main__":
    main()

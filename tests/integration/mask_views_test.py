#!/usr/bin/python3
"""With backend.mask_views the query role reads views of masks that another role owns: answers are the same, and the role
itself can't read a table that has a policy, whatever the proxy lets through."""
from harness import world
from harness.pgveil import Pgveil
from harness.postgres import Postgres
from harness.runner import Case, main
from harness.wire import RawClient

VIEWS = "SELECT relname FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace AND relkind = 'v' ORDER BY 1"
NOTED = "SELECT name FROM pgveil.mask_view ORDER BY 1"


class MaskViews(Case):
    @classmethod
    def setUpClass(cls):
        cls.postgres, cls.pgveil = Postgres(), None
        try:
            cls.postgres.create_database("demo")
            rows = "\n".join(line for line in world.ROWS.splitlines() if not line.startswith("GRANT"))
            cls.postgres.run(world.SCHEMA + rows, "demo")
            cls.pgveil = Pgveil(cls.postgres, (world.PEOPLE, world.STAFF), world.OPEN_TABLES, query_password="",
                                accept_excess=(), mask_views=True, catalog_check_every="1s")
            cls.setup = cls.pgveil.setup_sql()
            for _ in range(2):
                cls.postgres.run(cls.setup, "demo")
            cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{world.ADMIN_PASSWORD}'")
            cls.pgveil.start()
            cls.pgveil.build("people_k2", "staff_k3")
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        try:
            if cls.pgveil is not None:
                cls.pgveil.stop()
        finally:
            cls.postgres.stop()

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def names(self, query=VIEWS):
        return [row[0] for row in self.postgres.rows(query, "demo")]

    def current(self, policy="people_k2"):
        number = self.postgres.rows(f"SELECT number FROM pgveil.version WHERE policy = '{policy}'", "demo")[0][0]
        return next(name for name in self.names() if name.startswith(f"{policy}.{number}."))

    def as_query_role(self, sql):
        with RawClient(self.postgres.port, "pgveil_query", "demo") as client:
            client.query("SET default_transaction_read_only = off")  # anybody may
            return client.query(sql)

    def test_answers_are_those_of_spliced_masks(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
        received = "".join(self.postgres.received(since))
        self.assertIn(f'pgveil."{self.current()}"', received)
        self.assertNotIn("public.people", received)

    def test_what_needs_the_table_is_refused(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people TABLESAMPLE BERNOULLI (50)").sqlstate(), "42501")
            self.assertEqual(client.query(f'SELECT * FROM pgveil."{self.current()}"').sqlstate(), "42501")
            self.assertEqual(client.query("SELECT * FROM pgveil.mask_view").sqlstate(), "42501")

    def test_the_query_role_itself_reads_no_raw_row(self):
        for sql in ("SELECT * FROM people", "SELECT id FROM people", "TABLE staff", "SELECT mask FROM pgveil.mask_view",
                    "SET ROLE pgveil_masks", f'DROP VIEW pgveil."{self.current()}"'):
            self.assertEqual(self.as_query_role(sql).sqlstate(), "42501", sql)
        reply = self.as_query_role(f'SELECT * FROM pgveil."{self.current()}"')
        self.assertEqual(reply.texts(), world.MASKED_PEOPLE)

    def test_the_view_of_an_old_version_answers_nothing(self):
        old = self.current()
        self.pgveil.build("people_k2")
        self.assertNotEqual(self.current(), old)
        self.assertEqual(self.as_query_role(f'SELECT * FROM pgveil."{old}"').sqlstate(), "PV001")
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)

    def test_an_old_snapshot_does_not_meet_a_new_version(self):
        with self.pgveil.client() as client:
            client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
            self.pgveil.build("people_k2")
            self.assertEqual(client.query("SELECT count(*) FROM people").sqlstate(), "40001")
            client.query("ROLLBACK")
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])

    def test_older_views_are_dropped_but_for_the_last(self):
        for _ in range(3):
            self.pgveil.build("people_k2")
        views = self.names()
        self.assertEqual(len([name for name in views if name.startswith("people_k2.")]), 2)
        self.assertEqual(self.names(NOTED), views)

    def test_a_view_in_use_is_not_waited_for(self):
        before = self.current()
        with RawClient(self.postgres.port, "pgveil_query", "demo") as holder:
            holder.query(f'BEGIN; SELECT count(*) FROM pgveil."{before}"')
            for _ in range(2):
                self.pgveil.build("people_k2")
            self.assertIn(before, self.names())
            holder.query("ROLLBACK")
        self.pgveil.build("people_k2")
        self.assertNotIn(before, self.names())

    def test_setup_again_takes_nothing_from_the_views(self):
        self.postgres.run(self.setup, "demo")
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)

    def test_a_forged_view_is_made_anew(self):
        for forgery in ("CREATE OR REPLACE VIEW pgveil.{0} WITH (security_barrier = true) AS SELECT * FROM people",
                        "ALTER VIEW pgveil.{0} RESET (security_barrier)", "DROP VIEW pgveil.{0}",
                        "GRANT SELECT ON pgveil.{0} TO PUBLIC", "REVOKE SELECT ON pgveil.{0} FROM pgveil_query",
                        "UPDATE pgveil.mask_view SET mask = 'SELECT 1'"):
            name = self.current()
            quoted = f'"{name}"'
            self.postgres.run(forgery.format(quoted), "demo")
            reply = self.pgveil.console("RELOAD")
            self.assertFalse(reply.errors, forgery)
            self.assertIn(name, self.names())
            self.assertEqual(self.as_query_role(f"SELECT * FROM pgveil.{quoted}").texts(), world.MASKED_PEOPLE, forgery)

    def test_a_raw_right_keeps_pgveil_from_starting(self):
        for grant, revoke in (("GRANT SELECT ON people TO pgveil_query", "REVOKE SELECT ON people FROM pgveil_query"),
                              ("GRANT SELECT (id) ON people TO PUBLIC", "REVOKE SELECT (id) ON people FROM PUBLIC"),
                              ("GRANT pgveil_masks TO pgveil_query", "REVOKE pgveil_masks FROM pgveil_query"),
                              ("GRANT pg_read_all_data TO pgveil_query", "REVOKE pg_read_all_data FROM pgveil_query"),
                              ("ALTER ROLE pgveil_masks LOGIN", "ALTER ROLE pgveil_masks NOLOGIN")):
            self.postgres.run(grant, "demo")
            try:
                done = self.check()
                self.assertNotEqual(done.returncode, 0, grant)
                self.assertIn("backend.mask_views: ", done.stdout + done.stderr, grant)
            finally:
                self.postgres.run(revoke, "demo")
        self.assertNotIn("backend.mask_views: ", self.check().stdout)


if __name__ == "__main__":
    main()

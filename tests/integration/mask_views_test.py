#!/usr/bin/python3
"""With backend.mask_views the query role reads views of masks that another role owns: answers are the same,
and the role itself can't read a table that has a policy, whatever the proxy lets through."""
import time

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient, scram_verifier

VIEWS = "SELECT relname FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace AND relkind = 'v' AND relname <> 'current_version' ORDER BY 1"
NOTED = "SELECT name FROM pgveil.mask_view ORDER BY 1"


QUERY_ROLE = "view_reader"  # pg_hba.conf asks pgveil_query for a password


class MaskViews(ServerCase):
    @classmethod
    def start(cls):
        cls.postgres.create_database("demo")
        rows = "\n".join(line for line in world.ROWS.splitlines() if not line.startswith("GRANT"))
        cls.postgres.run(world.SCHEMA + rows, "demo")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE, world.STAFF), world.OPEN_TABLES,
                                     query_user=QUERY_ROLE, query_password="",
                                     accept_excess=(), mask_views=True, catalog_check_every="1s"))
        cls.setup = cls.pgveil.setup_sql()
        for _ in range(2):
            cls.postgres.run(cls.setup, "demo")
        cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{scram_verifier(world.ADMIN_PASSWORD, 1)}'")
        cls.pgveil.start()
        cls.pgveil.build("people_k2", "staff_k3")

    def test_what_the_owner_alters_stops_the_next_statement(self):
        """PostgreSQL refuses another type of a column that a view reads; row-level security is for the
        guard."""
        with RawClient(self.postgres.port, "postgres", "demo") as owner:
            self.assertEqual(
                owner.query("ALTER TABLE people ALTER city TYPE text COLLATE \"C\"").sqlstate(), "0A000"
            )
            self.assertEqual(owner.query("ALTER TABLE people ENABLE ROW LEVEL SECURITY").errors, [])
            try:
                with self.pgveil.client() as client:
                    reply = client.query("SELECT * FROM people")
                    # Without a policy no row is visible, and PostgreSQL 18 then asks no guard. The next look
                    # at the catalog closes the table.
                    said = {"42501", None} if self.postgres.major >= 18 else {"42501"}
                    self.assertIn(reply.sqlstate(), said)
                    self.assertEqual(reply.rows, [])
            finally:
                self.assertEqual(owner.query("ALTER TABLE people DISABLE ROW LEVEL SECURITY").errors, [])
        self.wait_for(None, "the table stays closed")

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def names(self, query=VIEWS):
        return [row[0] for row in self.postgres.rows(query, "demo")]

    def current(self, policy="people_k2"):
        number = self.postgres.rows(f"SELECT number FROM pgveil.version WHERE policy = '{policy}'", "demo")[
            0
        ][0]
        return next(name for name in self.names() if name.startswith(f"{policy}.{number}."))

    def wait_for(self, state, why):
        """Until a statement over people ends in this SQLSTATE; None: is answered. The watch looks every
        second."""
        with self.pgveil.client() as client:
            for _ in range(600):
                if self.pgveil.console("RELOAD").errors:
                    break
                if client.query("SELECT count(*) FROM people").sqlstate() == state:
                    return
                time.sleep(0.1)
        self.fail(why)

    def as_query_role(self, sql):
        with RawClient(self.postgres.port, QUERY_ROLE, "demo") as client:
            client.query("SET default_transaction_read_only = off")  # anybody may
            return client.query(sql)

    def test_answers_are_those_of_spliced_masks(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
        received = "".join(self.postgres.received(since, QUERY_ROLE))
        self.assertIn(f'pgveil."{self.current()}"', received)
        self.assertNotIn("public.people", received)

    def test_what_needs_the_table_is_refused(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people TABLESAMPLE SYSTEM (50)").sqlstate(), "42501")
            self.assertEqual(
                client.query("SELECT count(*) FROM people TABLESAMPLE BERNOULLI (100)").texts(), [["11"]]
            )
            self.assertEqual(client.query(f'SELECT * FROM pgveil."{self.current()}"').sqlstate(), "42501")
            self.assertEqual(client.query("SELECT * FROM pgveil.mask_view").sqlstate(), "42501")

    def test_the_query_role_itself_reads_no_raw_row(self):
        for sql in (
            "CREATE TABLE public.t (id integer REFERENCES people)",
            "CREATE TEMP TABLE t (id integer REFERENCES people)",
            "INSERT INTO people DEFAULT VALUES",
            "SELECT * FROM people FOR KEY SHARE",
            "SELECT * FROM people",
            "SELECT id FROM people",
            "TABLE staff",
            "SELECT mask FROM pgveil.mask_view",
            "SET ROLE pgveil_masks",
            f'DROP VIEW pgveil."{self.current()}"',
        ):
            self.assertEqual(self.as_query_role(sql).sqlstate(), "42501", sql)
        reply = self.as_query_role(f'SELECT * FROM pgveil."{self.current()}"')
        self.assertEqual(reply.texts(), world.MASKED_PEOPLE)

    def test_clients_see_the_tables_in_the_catalogs(self):
        listed = "SELECT count(*) FROM information_schema.{} WHERE table_schema = 'public' AND table_name = 'staff'"
        with self.pgveil.client() as client:
            self.assertEqual(client.query(listed.format("tables")).texts(), [["1"]])
            self.assertEqual(client.query(listed.format("columns")).texts(), [["12"]])
            for where in (
                "pg_views WHERE schemaname = 'pgveil'",
                "pg_class WHERE relname LIKE 'people_k2%'",
                "pg_namespace WHERE nspname = 'pgveil'",
                "information_schema.views WHERE table_schema = 'pgveil'",
            ):
                self.assertEqual(client.query(f"SELECT * FROM {where}").texts(), [], where)

    def test_exempt_roles_are_refused(self):
        with self.pgveil.client("dpo") as client:
            reply = client.query("SELECT * FROM people")
            self.assertEqual(reply.sqlstates(), ["42501"])
            self.assertIn("exempt roles", reply.errors[0]["M"])

    def test_a_prepared_statement_outlives_its_view(self):
        with self.pgveil.client() as client:
            client.parse("SELECT count(*) FROM people", "s")
            self.assertEqual(client.sync().errors, [])
            before = self.current()
            for _ in range(3):
                self.pgveil.build("people_k2")
            self.assertNotIn(before, self.names())
            client.bind((), "s")
            client.execute()
            reply = client.sync()
            self.assertEqual(
                (reply.sqlstate(), reply.texts()), (None, [["11"]])
            )  # prepared again, on the view of now
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])

    def test_commands_that_look_make_no_view(self):
        self.pgveil.halt()
        try:
            name = self.current()
            self.postgres.run(f'DROP VIEW pgveil."{name}"', "demo")
            shown = self.pgveil.command(
                "rewrite",
                "--config",
                str(self.pgveil.config_path),
                "--role",
                "analyst",
                "--full",
                "SELECT city FROM people",
            )
            self.assertIn(f'pgveil."{name}"', shown.stdout)
            self.assertIn("the mask view of its version is missing or was changed", self.check().stdout)
            self.assertNotIn(name, self.names())
        finally:
            self.pgveil.start()
        self.assertIn(name, self.names())
        self.assertNotIn("the mask view of its version", self.check().stdout)

    def test_a_view_that_is_not_ours_to_replace_closes_its_policy(self):
        """Another role's view, and a name that is noted for another policy, are left as they are."""
        quoted = f'pgveil."{self.current()}"'
        note = "UPDATE pgveil.mask_view SET policy = '{}', mask = mask || ' ' WHERE policy = '{}'"
        for change, back in (
            (f"ALTER VIEW {quoted} OWNER TO postgres", f"ALTER VIEW {quoted} OWNER TO pgveil_masks"),
            (note.format("other", "people_k2"), note.format("people_k2", "other")),
        ):
            self.postgres.run(change, "demo")
            try:
                self.wait_for("42501", change)
                with self.pgveil.client() as client:
                    self.assertEqual(client.query("SELECT count(*) FROM staff").texts(), [["60"]])
            finally:
                self.postgres.run(back, "demo")
            self.wait_for(None, back)

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
            self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])
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
        with RawClient(self.postgres.port, QUERY_ROLE, "demo") as holder:
            holder.query(f'BEGIN; SELECT count(*) FROM pgveil."{before}"')
            for _ in range(2):
                self.pgveil.build("people_k2")
            self.assertIn(before, self.names())
            holder.query("ROLLBACK")
        self.pgveil.build("people_k2")
        self.assertNotIn(before, self.names())

    def test_other_rights_on_a_table_are_still_too_many(self):
        self.postgres.run(f"GRANT TRIGGER ON people TO {QUERY_ROLE}", "demo")
        try:
            self.assertIn("write:public.people", self.check().stderr)
        finally:
            self.postgres.run(f"REVOKE TRIGGER ON people FROM {QUERY_ROLE}", "demo")

    def test_setup_again_takes_nothing_from_the_views(self):
        self.postgres.run(self.setup, "demo")
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)

    def test_a_forged_view_is_made_anew(self):
        for forgery in (
            "CREATE OR REPLACE VIEW pgveil.{0} WITH (security_barrier = true) AS SELECT * FROM people",
            "ALTER VIEW pgveil.{0} RESET (security_barrier)",
            "DROP VIEW pgveil.{0}",
            "GRANT SELECT ON pgveil.{0} TO PUBLIC",
            "GRANT SELECT (id) ON pgveil.{0} TO pgveil_admin",
            "CREATE RULE also AS ON INSERT TO pgveil.{0} DO INSTEAD NOTHING",
            f"REVOKE SELECT ON pgveil.{{0}} FROM {QUERY_ROLE}",
            "UPDATE pgveil.mask_view SET mask = 'SELECT 1'",
        ):
            name = self.current()
            quoted = f'"{name}"'
            self.postgres.run(forgery.format(quoted), "demo")
            reply = self.pgveil.console("RELOAD")
            self.assertFalse(reply.errors, forgery)
            self.assertIn(name, self.names())
            self.assertEqual(
                self.as_query_role(f"SELECT * FROM pgveil.{quoted}").texts(), world.MASKED_PEOPLE, forgery
            )

    REPLACE = (
        "CREATE OR REPLACE VIEW pgveil.{0} WITH (security_barrier = true) AS SELECT * FROM people",
        "SET ROLE pgveil_masks; BEGIN; DROP VIEW pgveil.{0}; CREATE VIEW pgveil.{0} WITH (security_barrier = true) AS "
        "SELECT * FROM people; GRANT SELECT ON pgveil.{0} TO view_reader; COMMIT",
    )

    def answers(self, client, ask):
        """→ what ask() is told of a replaced view until pgveil has made it anew: never a raw row."""
        refused = 0
        for _ in range(1200):
            reply = ask(client)
            if not reply.errors:
                self.assertEqual(reply.texts(), world.MASKED_PEOPLE)
                return refused
            told = (reply.sqlstate(), reply.rows)
            self.assertEqual(told, ("40001", []), f"{reply.errors}\n{self.pgveil.log()[-3000:]}")
            refused += 1
            time.sleep(0.05)
        self.fail("the view is not made anew")

    def assert_refused(self, client, ask, replace):
        """The watch looks every second. When it makes the view anew before anybody has asked, the view is
        replaced once more."""
        for _ in range(30):
            self.postgres.run(replace.format(f'"{self.current()}"'), "demo")
            if self.answers(client, ask) > 0:
                return
        self.fail("no statement was refused")

    def test_a_replaced_view_stops_the_next_statement(self):
        def simple(client):
            return client.query("SELECT * FROM people")

        def extended(client):
            client.parse("SELECT * FROM people")
            client.bind()
            client.execute()
            return client.sync()

        def copied(client):
            reply = client.query("COPY (SELECT * FROM people) TO STDOUT")
            lines = reply.copied.decode().splitlines()
            reply.rows = lines
            reply.texts = lambda: [
                [None if cell == "\\N" else cell for cell in line.split("\t")] for line in lines
            ]
            return reply

        for replace in self.REPLACE:
            for ask in (simple, extended, copied):
                with self.subTest(f"{replace[:30]} {ask.__name__}"), self.pgveil.client() as client:
                    self.assertEqual(simple(client).texts(), world.MASKED_PEOPLE)
                    self.assert_refused(client, ask, replace)

    def test_a_replaced_view_stops_what_is_prepared(self):
        for replace in self.REPLACE:
            with self.subTest(replace[:30]), self.pgveil.client() as client:
                client.parse("SELECT * FROM people", "named")
                self.assertEqual(client.sync().errors, [])
                self.assertEqual(client.query("PREPARE kept AS SELECT * FROM people").errors, [])

                def bound(client):
                    client.bind((), "named")
                    client.execute()
                    return client.sync()

                def executed(client):
                    return client.query("EXECUTE kept")

                for ask in (bound, executed):
                    self.assertEqual(ask(client).texts(), world.MASKED_PEOPLE)
                    self.assertEqual(ask(client).texts(), world.MASKED_PEOPLE)
                    self.assert_refused(client, ask, replace)

    def test_a_transaction_older_than_the_replacement_reads_nothing(self):
        """Its snapshot has the old text of the view, but the server runs the new one."""
        for replace in self.REPLACE:
            with self.subTest(replace[:30]), self.pgveil.client() as client:
                client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
                self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])
                self.postgres.run(replace.format(f'"{self.current()}"'), "demo")
                reply = client.query("SELECT * FROM people")
                self.assertEqual((reply.sqlstate(), reply.rows), ("40001", []))
                client.query("ROLLBACK")
                self.answers(client, lambda client: client.query("SELECT * FROM people"))

    def test_an_open_cursor_shows_what_it_was_opened_on(self):
        with self.pgveil.client() as client:
            client.query("BEGIN")
            client.query("DECLARE c CURSOR FOR SELECT * FROM people")
            first = client.query("FETCH 1 FROM c").texts()
            with RawClient(self.postgres.port, "postgres", "demo") as owner:
                owner.query("SET lock_timeout = '200ms'")
                reply = owner.query(self.REPLACE[0].format(f'"{self.current()}"'))
                self.assertEqual(reply.sqlstate(), "55P03")  # the cursor holds the view's lock
            self.assertEqual(first + client.query("FETCH ALL FROM c").texts(), world.MASKED_PEOPLE)
            client.query("COMMIT")

    def test_a_replacement_that_was_rolled_back_is_mended(self):
        name = f'"{self.current()}"'
        self.postgres.run(f"BEGIN; {self.REPLACE[0].format(name)}; ROLLBACK", "demo")
        with self.pgveil.client() as client:
            self.answers(client, lambda client: client.query("SELECT * FROM people"))

    def test_a_replaced_view_shows_the_query_role_what_its_author_wrote(self):
        """is_mask is asked by the statement, for nothing in a view can vouch for the view."""
        name = f'"{self.current()}"'
        for _ in range(30):  # the watch may make the view anew before is_mask is asked
            self.postgres.run(self.REPLACE[0].format(name), "demo")
            asked = self.as_query_role(f"SELECT pgveil.is_mask('{self.current()}')")
            if asked.texts() == [["f"]]:
                break
        self.assertEqual(asked.texts(), [["f"]])
        with self.pgveil.client() as client:
            self.answers(client, lambda client: client.query("SELECT * FROM people"))
        self.assertEqual(self.as_query_role(f"SELECT pgveil.is_mask('{self.current()}')").texts(), [["t"]])

    def test_a_raw_right_keeps_pgveil_from_starting(self):
        for grant, revoke in (
            (f"GRANT SELECT ON people TO {QUERY_ROLE}", f"REVOKE SELECT ON people FROM {QUERY_ROLE}"),
            ("GRANT SELECT (id) ON people TO PUBLIC", "REVOKE SELECT (id) ON people FROM PUBLIC"),
            (f"GRANT pgveil_masks TO {QUERY_ROLE}", f"REVOKE pgveil_masks FROM {QUERY_ROLE}"),
            (f"GRANT pg_read_all_data TO {QUERY_ROLE}", f"REVOKE pg_read_all_data FROM {QUERY_ROLE}"),
            ("ALTER ROLE pgveil_masks LOGIN", "ALTER ROLE pgveil_masks NOLOGIN"),
        ):
            self.postgres.run(grant, "demo")
            try:
                done = self.check()
                self.assertNotEqual(done.returncode, 0, grant)
                self.assertIn("backend.mask_views: ", done.stdout + done.stderr, grant)
            finally:
                self.postgres.run(revoke, "demo")
        self.assertNotIn("backend.mask_views: ", self.check().stdout)
        self.wait_until_answered()

    def wait_until_answered(self, is_answered=True):
        """Until pgveil has looked for itself, which it does every second."""
        for _ in range(600):
            with self.pgveil.client() as client:
                if client.query("SELECT count(*) FROM people").errors == [] and is_answered:
                    return
                if not is_answered and client.query("SELECT count(*) FROM people").errors:
                    return
            time.sleep(0.1)
        self.fail("the database stays " + ("closed" if is_answered else "open"))

    def test_a_database_that_a_membership_closed_is_answered_again(self):
        self.postgres.run(f"GRANT pgveil_masks TO {QUERY_ROLE}", "demo")
        try:
            self.postgres.run("CREATE TABLE news (id int)", "demo")  # so pgveil reads the catalog again
            self.wait_until_answered(False)
            time.sleep(2.5)  # it looks twice more, and has nothing new to say
        finally:
            self.postgres.run(f"DROP TABLE IF EXISTS news; REVOKE pgveil_masks FROM {QUERY_ROLE}", "demo")
        self.wait_until_answered()
        with self.pgveil.client() as client:
            self.answers(client, lambda client: client.query("SELECT * FROM people"))
        self.assertEqual(self.pgveil.log().count("closed in part: "), 1)
        self.assertIn("is answered again", self.pgveil.log())


if __name__ == "__main__":
    main()

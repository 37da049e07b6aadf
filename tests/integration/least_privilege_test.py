#!/usr/bin/python3
"""What setup-sql prints runs on a real server, twice, and is enough to serve with; anything more that the
query role may do keeps pgveil from starting unless the configuration names it."""
from harness import world
from harness.pgveil import Pgveil
from harness.psql import psql
from harness.runner import main
from harness.server import ServerCase
from harness.stack import StackCase
from harness.wire import RawClient

QUERY_ROLE = "Odd-Query Role"
ROLE = f'"{QUERY_ROLE}"'

# A right too many: how it is granted, its word, how it is taken back.
EXCESSES = (
    (f"ALTER ROLE {ROLE} REPLICATION", "replication", f"ALTER ROLE {ROLE} NOREPLICATION"),
    (f"ALTER ROLE {ROLE} BYPASSRLS", "bypassrls", f"ALTER ROLE {ROLE} NOBYPASSRLS"),
    (f"ALTER ROLE {ROLE} CREATEROLE", "createrole", f"ALTER ROLE {ROLE} NOCREATEROLE"),
    (f"ALTER ROLE {ROLE} CREATEDB", "createdb", f"ALTER ROLE {ROLE} NOCREATEDB"),
    (f"GRANT pg_read_all_data TO {ROLE}", "member:pg_read_all_data", f"REVOKE pg_read_all_data FROM {ROLE}"),
    (f"GRANT TEMP ON DATABASE demo TO {ROLE}", "temp", f"REVOKE TEMP ON DATABASE demo FROM {ROLE}"),
    ("GRANT TEMP ON DATABASE demo TO PUBLIC", "temp", "REVOKE TEMP ON DATABASE demo FROM PUBLIC"),
    (f"GRANT CREATE ON DATABASE demo TO {ROLE}", "create", f"REVOKE CREATE ON DATABASE demo FROM {ROLE}"),
    (
        "GRANT CREATE ON SCHEMA public TO PUBLIC",
        "create:public",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    ),
    (f"GRANT SELECT ON diary TO {ROLE}", "select:public.diary", f"REVOKE SELECT ON diary FROM {ROLE}"),
    ("GRANT SELECT ON diary TO PUBLIC", "select:public.diary", "REVOKE SELECT ON diary FROM PUBLIC"),
    (
        f"GRANT SELECT (secret) ON diary TO {ROLE}",
        "select:public.diary",
        f"REVOKE SELECT (secret) ON diary FROM {ROLE}",
    ),
    (
        f"GRANT SELECT ON v_people TO {ROLE}",
        "select:public.v_people",
        f"REVOKE SELECT ON v_people FROM {ROLE}",
    ),
    (f"GRANT UPDATE ON people TO {ROLE}", "write:public.people", f"REVOKE UPDATE ON people FROM {ROLE}"),
    (
        f"GRANT SELECT ON pg_authid TO {ROLE}",
        "select:pg_catalog.pg_authid",
        f"REVOKE SELECT ON pg_authid FROM {ROLE}",
    ),
    (f"ALTER FUNCTION peek() OWNER TO {ROLE}", "own", "ALTER FUNCTION peek() OWNER TO postgres"),
    (
        f"GRANT SET ON PARAMETER log_statement TO {ROLE}",
        "set:log_statement",
        f"REVOKE SET ON PARAMETER log_statement FROM {ROLE}",
    ),
    (f"ALTER ROLE {ROLE} SUPERUSER", "superuser", f"ALTER ROLE {ROLE} NOSUPERUSER"),
)

# What masks of staff_k3 read.
READ = "id, job, town, born, grade, mood, is_active, pay, seen, badge"
# A right too few: how it is taken, what is said of it, and what the GRANT of the message is; undo: of what that
# does not put back.
MISSING = (
    (
        f"REVOKE SELECT ON people FROM {ROLE}",
        'policy people_k2: query_role "Odd-Query Role" may not read "public"."people"',
        'GRANT SELECT ON "public"."people" TO "Odd-Query Role"',
        "",
    ),
    (
        f"REVOKE SELECT ON staff FROM {ROLE}; GRANT SELECT ({READ.replace('grade, ', '')}) ON staff TO {ROLE}",
        'policy staff_k3: query_role "Odd-Query Role" may not read "grade" of "public"."staff"',
        'GRANT SELECT ON "public"."staff" TO "Odd-Query Role"',
        "",
    ),
    (
        f"REVOKE SELECT ON staff FROM {ROLE}; GRANT SELECT ({READ}) ON staff TO {ROLE}; "
        "CREATE INDEX staff_job ON staff (job)",
        'policy staff_k3: query_role "Odd-Query Role" may not read ctid of "public"."staff"',
        'GRANT SELECT ON "public"."staff" TO "Odd-Query Role"',
        "DROP INDEX staff_job",
    ),
    (
        f"REVOKE SELECT ON towns FROM {ROLE}",
        'open_tables: query_role "Odd-Query Role" may not read "public"."towns"',
        'GRANT SELECT ON "public"."towns" TO "Odd-Query Role"',
        "",
    ),
    (
        f"REVOKE USAGE ON SCHEMA public FROM PUBLIC, {ROLE}",
        'policy people_k2: query_role "Odd-Query Role" may not use schema "public"',
        'GRANT USAGE ON SCHEMA "public" TO "Odd-Query Role"',
        "GRANT USAGE ON SCHEMA public TO PUBLIC",
    ),
)

# What the role could do on a fresh server, and what answers now.
CLOSED = (
    ("CREATE TEMP TABLE t (x int)", "42501"),
    ("CREATE TABLE t (x int)", "42501"),
    ("CREATE SCHEMA s", "42501"),
    ("SELECT * FROM diary", "42501"),
    ("SELECT * FROM v_people", "42501"),
    ("SELECT * FROM pg_stats", "42501"),
    ("SELECT query_to_xml('SELECT 1', true, true, '')", "42501"),
    ("SELECT pg_advisory_lock(1)", "42501"),
    ("SELECT pg_sleep(0)", "42501"),
    ("SELECT lo_creat(1)", "42501"),
    ("SELECT pg_notify('a', 'b')", "42501"),
    ("SELECT pg_export_snapshot()", "42501"),
    ("UPDATE pg_settings SET setting = 'x'", "42501"),
    ("DELETE FROM people", "42501"),
    ("SELECT document FROM pgveil.version", "42501"),
)


class LeastPrivilege(ServerCase):
    @classmethod
    def start(cls):
        cls.postgres.create_database("demo")
        # Tables and rows without the harness's grants: all rights come from setup-sql.
        rows = "\n".join(line for line in world.ROWS.splitlines() if not line.startswith("GRANT"))
        cls.postgres.run(world.SCHEMA + rows, "demo")
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                (world.PEOPLE, world.STAFF),
                world.OPEN_TABLES,
                query_user=QUERY_ROLE,
                query_password="",
                accept_excess=(),
            )
        )
        cls.before = cls.pgveil.command("check", "--config", str(cls.pgveil.config_path))
        cls.setup = cls.pgveil.setup_sql()
        for _ in range(2):
            cls.postgres.run(cls.setup, "demo")
        cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{world.ADMIN_PASSWORD}'")
        cls.pgveil.start()
        cls.pgveil.build("people_k2", "staff_k3")

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def test_it_serves_with_exactly_that(self):
        self.assertEqual(self.before.returncode, 1)  # there was no such role
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            self.assertEqual(client.query("SELECT count(*) FROM towns JOIN staff USING (town)").errors, [])
        checked = self.check()
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)
        self.assertNotIn("query_role", checked.stdout)
        self.assertNotIn(
            "pgveil_", "\n".join(line for line in checked.stdout.splitlines() if "warning" in line)
        )

    def test_the_role_itself_can_do_little(self):
        for sql, state in CLOSED:
            with self.subTest(sql), RawClient(self.postgres.port, QUERY_ROLE, "demo") as client:
                self.assertEqual(client.query("CREATE TABLE t (x int)").sqlstate(), "25006")
                client.query("SET default_transaction_read_only = off")  # anybody may
                self.assertEqual(client.query(sql).sqlstate(), state)
        settings = dict(
            self.postgres.rows(
                "SELECT split_part(line, '=', 1), split_part(line, '=', 2) FROM pg_db_role_setting s, unnest(setconfig) line "
                f"JOIN pg_roles r ON r.rolname = '{QUERY_ROLE}' WHERE s.setrole = r.oid",
                "demo",
            )
        )
        self.assertEqual(settings["default_transaction_read_only"], "on")
        self.assertEqual(
            set(settings),
            {
                "default_transaction_read_only",
                "statement_timeout",
                "work_mem",
                "temp_file_limit",
                "idle_in_transaction_session_timeout",
            },
        )
        self.assertEqual(self.postgres.rows(
            f"SELECT rolconnlimit FROM pg_roles WHERE rolname = '{QUERY_ROLE}'"), [["510"]])

    def test_a_value_that_the_operator_chose_is_kept(self):
        self.postgres.run(
            f"ALTER ROLE {ROLE} IN DATABASE demo SET statement_timeout = '7min'; " + self.setup, "demo"
        )
        with RawClient(self.postgres.port, QUERY_ROLE, "demo") as client:
            self.assertEqual(client.query("SHOW statement_timeout").texts(), [["7min"]])

    def test_the_side_door_is_printed_as_comments(self):
        lines = [line for line in self.setup.splitlines() if "reject" in line]
        self.assertTrue(lines)
        self.assertTrue(all(line.startswith("--") for line in lines))
        self.assertIn('"analyst","bi"', self.setup)
        self.assertNotIn(world.ADMIN_PASSWORD, self.setup)

    def test_each_right_too_many_is_named_and_can_be_accepted(self):
        text = self.pgveil.config_path.read_text()
        self.assertIn("accept_excess: []", text)
        for grant, word, undo in EXCESSES:
            with self.subTest(grant):
                self.postgres.run(grant, "demo")
                try:
                    refused = self.check()
                    self.assertEqual(refused.returncode, 1)
                    self.assertIn(f'add "{word}" to backend.accept_excess', refused.stderr)
                    if word in (
                        "superuser",
                        "own",
                    ):  # may change schema pgveil, or is no single statement's to mend
                        continue
                    self.pgveil.config_path.write_text(
                        text.replace("accept_excess: []", f'accept_excess: ["{word}"]')
                    )
                    accepted = self.check()
                    self.assertEqual((accepted.returncode, accepted.stderr), (0, ""))
                    # The SQL of the message mends it.
                    mend = refused.stderr.split(": run ", 1)[1].split(", or add ", 1)[0]
                    self.postgres.run(mend, "demo")
                    self.assertIn("remove the word", self.check().stdout)
                finally:
                    self.pgveil.config_path.write_text(text)
                    self.postgres.run(undo, "demo")
        self.assertEqual(self.check().returncode, 0)

    def test_each_right_too_few_is_named_with_its_grant(self):
        for take, said, grant, undo in MISSING:
            with self.subTest(take):
                self.postgres.run(take, "demo")
                try:
                    missing = self.check()
                    self.assertEqual(missing.returncode, 1)
                    self.assertIn(f"database demo: {said}", missing.stderr)
                    self.assertIn(f": run {grant}\n", missing.stderr)
                    since = len(self.pgveil.log())
                    self.assertEqual(self.pgveil.console("RELOAD").errors, [])  # it serves what it can
                    self.assertIn(said, self.pgveil.log()[since:])
                    with self.pgveil.client() as client:
                        self.assertEqual(client.query("SELECT count(*) FROM numbers").errors != [],
                                         "SCHEMA" in take)
                    self.postgres.run(grant, "demo")
                    self.assertEqual(self.check().returncode, 0)
                finally:
                    self.postgres.run(undo + ";" + self.setup, "demo")
        self.assertEqual(self.check().returncode, 0)

    def test_single_columns_do_for_masks(self):
        self.postgres.run(f"REVOKE SELECT ON staff FROM {ROLE}; GRANT SELECT ({READ}) ON staff TO {ROLE}", "demo")
        try:
            self.assertEqual(self.check().returncode, 0)
            with self.pgveil.client() as client:
                self.assertEqual(client.query("SELECT * FROM staff").errors, [])
        finally:
            self.postgres.run(self.setup, "demo")

    def test_serve_refuses_to_start(self):
        self.postgres.run(f"GRANT SELECT ON diary TO {ROLE}", "demo")
        try:
            done = self.pgveil.command("serve", "--config", str(self.pgveil.config_path))
            self.assertEqual(done.returncode, 1)
            self.assertIn("select:public.diary", done.stderr)
        finally:
            self.postgres.run(f"REVOKE SELECT ON diary FROM {ROLE}", "demo")

    def test_reload_refuses_it_too_and_changes_nothing(self):
        def outcomes():
            return {row[0]: row[1] for row in self.pgveil.console("RELOAD").texts()}
        self.postgres.run(f"GRANT SELECT ON diary TO {ROLE}", "demo")
        try:
            reply = self.pgveil.console("RELOAD")
            self.assertIn("select:public.diary", str(reply.texts()))
            self.assertEqual(outcomes()["query_role in database demo"], "error")
            with self.pgveil.client() as client:
                self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
        finally:
            self.postgres.run(f"REVOKE SELECT ON diary FROM {ROLE}", "demo")
        self.assertEqual(set(outcomes().values()), {"ok"})

    def test_an_unknown_word_is_an_error_of_the_configuration(self):
        text = self.pgveil.config_path.read_text()
        for word in ("everything", "select:people", "select:", "member:", "write:public."):
            self.pgveil.config_path.write_text(
                text.replace("accept_excess: []", f'accept_excess: ["{word}"]')
            )
            refused = self.check()
            self.assertEqual(refused.returncode, 1, word)
            self.assertIn("names no right", refused.stderr)
        self.pgveil.config_path.write_text(text)

    def test_without_an_admin_role_there_is_no_schema(self):
        text = self.pgveil.config_path.read_text()
        lines = [line for line in text.splitlines() if "admin_role" not in line]
        self.pgveil.config_path.write_text("\n".join(lines) + "\n")
        try:
            self.assertNotIn("CREATE SCHEMA", self.pgveil.setup_sql())
            refused = self.check()
            self.assertEqual(refused.returncode, 1)
            self.assertIn("name an admin_role", refused.stderr)
        finally:
            self.pgveil.config_path.write_text(text)

    def test_psql_sees_the_worked_example(self):
        done = psql(self.pgveil.port, "demo", "analyst",
                    "SELECT occupation, state, count(*) FROM people GROUP BY 1, 2", options=("-t",))
        self.assertEqual(sorted(done.stdout.splitlines()), sorted([
            "<null>|<null>|2", "<null>|OH|4", "Farmer|OH|2", "Accountant|<null>|3"]))


class TheAdminRoleMakesTheSchema(StackCase):
    """No setup-sql: admin_role may create schemas in the database, and serve makes pgveil by itself."""

    @classmethod
    def prepare(cls):
        cls.postgres.run("GRANT CREATE ON DATABASE demo TO pgveil_admin", "demo")

    def test_versions_are_in_it_and_statements_ask_it(self):
        self.assertEqual(
            self.postgres.rows(
                "SELECT DISTINCT n.nspowner::regrole, c.relowner::regrole, p.proowner::regrole FROM pg_namespace n "
                "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'version' "
                "JOIN pg_proc p ON p.pronamespace = n.oid WHERE n.nspname = 'pgveil'",
                "demo",
            ),
            [["pgveil_admin"] * 3],
        )
        self.assertEqual(
            self.postgres.rows("SELECT policy FROM pgveil.version WHERE is_current ORDER BY 1", "demo"),
            [["people_k2"], ["staff_k3"]],
        )
        self.assertEqual(list((self.pgveil.directory / "state").rglob("*.json")), [])
        explained = self.pgveil.console(
            "EXPLAIN POLICY FOR ROLE analyst FULL 'SELECT city FROM people'"
        ).texts()
        self.assertIn("pgveil.guard('people_k2'", explained[0][1])
        self.assertEqual(self.texts("SELECT * FROM people"), world.MASKED_PEOPLE)

    def test_the_query_role_may_call_the_guard_and_nothing_else(self):
        with self.direct("demo") as client:
            client.query("SET ROLE pgveil_query")
            reply = client.query("SELECT pgveil.guard('people_k2', 1)")
            self.assertEqual((reply.errors, reply.texts()), ([], [["t"]]))
            for sql in (
                "SELECT * FROM pgveil.version",
                "UPDATE pgveil.version SET number = 2",
                "CREATE TABLE pgveil.x (i int)",
            ):
                self.assertIn(client.query(sql).sqlstate(), ("42501", "25006"), sql)

    def test_a_withdrawn_version_closes_its_table_at_once(self):
        self.postgres.run("UPDATE pgveil.version SET is_current = false WHERE policy = 'staff_k3'", "demo")
        try:
            with self.pgveil.client() as client:
                self.assertEqual(client.query("SELECT job FROM staff").sqlstate(), "42501")
        finally:
            self.pgveil.build("staff_k3")
        self.assertEqual(self.texts("SELECT count(*) FROM staff"), [["60"]])


if __name__ == "__main__":
    main()

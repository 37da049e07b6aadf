#!/usr/bin/python3
"""What setup-sql prints runs on a real server, twice, and is enough to serve with; anything more that the
query role may do keeps pgveil from starting unless the configuration names it."""
from harness import world
from harness.pgveil import Pgveil
from harness.psql import psql
from harness.runner import main
from harness.server import ServerCase
from harness.stack import StackCase
from harness.wire import RawClient, scram_verifier

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
# A right too few: how it is taken, what is said of it, and what the GRANT of the message is. undo is for what
# that GRANT does not put back.
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
    test_seconds = 600  # one of them runs check some sixty times
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
        cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{scram_verifier(world.ADMIN_PASSWORD, 1)}'")
        cls.pgveil.start()
        cls.pgveil.build("people_k2", "staff_k3")

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def test_it_serves_with_exactly_that(self):
        self.assertEqual(self.before.returncode, 1)  # there was no such role
        self.assertIn("what pgveil setup-sql prints makes the role", self.before.stderr)
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
                    self.assertNotIn("NOSUPERUSER", refused.stderr)
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

    def test_a_user_mapping_is_no_object_of_its_own(self):
        self.postgres.run(f"CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER far FOREIGN DATA WRAPPER nothing; "
                          f"CREATE USER MAPPING FOR {ROLE} SERVER far", "demo")
        try:
            checked = self.check()
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        finally:
            self.postgres.run("DROP FOREIGN DATA WRAPPER nothing CASCADE", "demo")

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


class SetupSqlAndRolesOfOthers(ServerCase):
    """setup-sql changes no role that it did not make, whatever the configuration names."""

    SETTINGS = ("default_transaction_read_only=on idle_in_transaction_session_timeout=10min "
                "statement_timeout=5min temp_file_limit=10GB work_mem=64MB").split()

    @classmethod
    def start(cls):
        for database in ("demo", "second"):
            cls.postgres.create_database(database)
            cls.postgres.run(world.SCHEMA, database)
        cls.postgres.run("CREATE ROLE app LOGIN CREATEDB; GRANT app TO CURRENT_USER; CREATE ROLE ruler LOGIN SUPERUSER; "
                         "CREATE ROLE maker LOGIN; CREATE ROLE by_hand LOGIN")
        cls.postgres.run("GRANT SELECT, INSERT ON diary TO app; ALTER TABLE towns OWNER TO maker", "demo")

    def pgveil(self, query_user="own_query", **options):
        made = Pgveil(self.postgres, (world.PEOPLE,), (), query_user=query_user, query_password="", **options)
        self.addCleanup(made.stop)
        return made

    def script(self, **names):
        made = self.pgveil(names.get("query", "own_query"))
        text = made.config_path.read_text()
        admin = names.get("admin", "own_admin")
        made.config_path.write_text(text.replace("user: pgveil_admin", f"user: {admin}"))
        self.assertIn(f"user: {admin}", made.config_path.read_text())
        return made.setup_sql()

    def state(self):
        """All that a script could change of roles and of rights."""
        return [self.postgres.rows(query, "demo") for query in (
            "SELECT * FROM pg_authid ORDER BY oid", "SELECT * FROM pg_auth_members ORDER BY 1, 2",
            "SELECT * FROM pg_db_role_setting ORDER BY 1, 2", "SELECT * FROM pg_shdescription ORDER BY 1, 2",
            "SELECT oid, relacl FROM pg_class ORDER BY oid", "SELECT oid, nspacl FROM pg_namespace ORDER BY oid",
            "SELECT oid, datacl FROM pg_database ORDER BY oid", "SELECT oid, proacl FROM pg_proc ORDER BY oid")]

    def test_a_role_of_others_stops_it_before_anything_changes(self):
        before = self.state()
        for names, words in (
            ({"query": "app"}, "backend.query_role names role app, which setup-sql did not make: nothing was changed"),
            ({"query": "ruler"}, "names role ruler, which setup-sql did not make and which is a superuser"),
            ({"admin": "ruler"}, "backend.admin_role names role ruler, .* and which is a superuser"),
            ({"admin": "maker"}, "backend.admin_role names role maker, .* and which owns objects"),
            ({"query": "by_hand"}, "COMMENT ON ROLE by_hand IS 'pgveil: for pgveil alone'"),
        ):
            with self.subTest(str(names)):
                with self.assertRaisesRegex(RuntimeError, words):
                    self.postgres.run(self.script(**names), "demo")
                self.assertEqual(self.state(), before)

    def test_a_superuser_is_refused_with_and_without_the_comment(self):
        self.postgres.run("COMMENT ON ROLE postgres IS 'pgveil: mine'")
        try:
            script = self.script().replace("'own_admin'", "'postgres'")
            with self.assertRaisesRegex(RuntimeError, "names role postgres, .* is a superuser"):
                self.postgres.run(script, "demo")
        finally:
            self.postgres.run("COMMENT ON ROLE postgres IS NULL")

    def test_the_command_refuses_the_servers_own_roles(self):
        made = self.pgveil("pg_read_all_data")
        done = made.command("setup-sql", "--config", str(made.config_path))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn('backend.query_role is "pg_read_all_data", a role of PostgreSQL\'s own', done.stderr)
        self.assertIn("name a role for pgveil alone", done.stderr)
        made.config_path.write_text(
            made.config_path.read_text().replace("user: pgveil_admin", "user: postgres")
            .replace("pg_read_all_data", "own_query"))
        done = made.command("setup-sql", "--config", str(made.config_path))
        self.assertIn('backend.admin_role is "postgres"', done.stderr)

    def test_a_role_that_is_handed_over_is_taken(self):
        self.postgres.run("CREATE ROLE handed LOGIN CREATEDB; COMMENT ON ROLE handed IS 'pgveil: for pgveil alone'")
        self.postgres.run(self.script(query="handed", admin="handed_admin"), "demo")
        self.assertEqual(self.postgres.rows("SELECT rolcreatedb FROM pg_roles WHERE rolname = 'handed'"), [["f"]])

    def test_it_needs_no_password(self):
        made = self.pgveil()
        text = made.config_path.read_text()
        made.config_path.write_text(text.replace("user: own_query", "user: own_query, password_env: NOT_THERE")
                                    .replace("password_file: ", "password_file: no/such/"))
        self.assertNotEqual(text, made.config_path.read_text())
        self.assertIn('CREATE ROLE', made.setup_sql())
        self.assertIn("NOT_THERE", made.command("check", "--config", str(made.config_path)).stderr)

    def test_the_second_database_has_the_settings_too(self):
        made = self.pgveil("two_query", more="")
        made.config_path.write_text(made.config_path.read_text().replace("databases: [demo]", "databases: [demo, second]"))
        for database in ("demo", "second"):
            done = made.command("setup-sql", "--database", database, "--config", str(made.config_path))
            self.assertEqual(done.stderr, "")
            self.postgres.run(done.stdout, database)
        self.assertEqual(
            self.postgres.rows("SELECT d.datname, ARRAY(SELECT unnest(s.setconfig) ORDER BY 1) FROM pg_db_role_setting s "
                               "JOIN pg_database d ON d.oid = s.setdatabase JOIN pg_roles r ON r.oid = s.setrole "
                               "WHERE r.rolname = 'two_query' ORDER BY 1"),
            [[name, "{" + ",".join(self.SETTINGS) + "}"] for name in ("demo", "second")])
        # A value for all databases is kept, too.
        self.postgres.run("ALTER ROLE two_query IN DATABASE second RESET work_mem; ALTER ROLE two_query SET work_mem = '8MB'")
        self.postgres.run(done.stdout, "second")
        with RawClient(self.postgres.port, "two_query", "second") as client:
            self.assertEqual(client.query("SHOW work_mem").texts(), [["8MB"]])

    def test_a_superuser_as_admin_role_is_a_warning_of_check(self):
        made = self.pgveil("warned_query")
        self.postgres.run(made.setup_sql().replace("pgveil_admin", "warned_admin"), "demo")
        text = made.config_path.read_text()
        made.config_path.write_text(text.replace("user: pgveil_admin", "user: ruler"))
        checked = made.command("check", "--config", str(made.config_path))
        self.assertIn('warning: database demo: admin_role "ruler" is a superuser', checked.stdout)
        # And nobody is told to take a superuser's rights away.
        made.config_path.write_text(text.replace("user: warned_query", "user: ruler"))
        checked = made.command("check", "--config", str(made.config_path))
        self.assertIn('query_role "ruler" is a superuser: name a role for pgveil alone', checked.stderr)
        self.assertNotIn("NOSUPERUSER", checked.stderr)


class WhatExtensionsBring(ServerCase):
    """Views and catalogs of extensions never keep pgveil from starting; setup-sql closes what it may close."""

    @classmethod
    def start(cls):
        cls.postgres.create_database("demo")
        cls.postgres.run(world.SCHEMA, "demo")
        cls.postgres.run("CREATE EXTENSION pg_stat_statements; CREATE ROLE watcher LOGIN IN ROLE pg_monitor; "
                         "CREATE ROLE app LOGIN; CREATE ROLE \"Odd, one\" LOGIN", "demo")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE,), ("public.towns",), accept_excess=(),
                                     query_user="ext_query", query_password=""))
        cls.before = cls.pgveil.command("setup-sql", "--who-loses", "--config", str(cls.pgveil.config_path)).stdout
        cls.setup = cls.pgveil.setup_sql()
        cls.postgres.run(cls.setup, "demo")
        cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{scram_verifier(world.ADMIN_PASSWORD, 1)}'")

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def may(self, role, relation):
        return self.postgres.rows(f"SELECT has_table_privilege('{role}', '{relation}', 'SELECT')", "demo")[0][0] == "t"

    def test_setup_sql_closes_statistics_but_for_who_watches(self):
        self.assertEqual([self.may(role, "pg_stat_statements") for role in ("ext_query", "app", "watcher")],
                         [False, False, True])
        self.assertNotIn("pg_stat_statements", self.check().stdout)

    def test_a_view_that_is_left_is_a_warning_and_a_word_accepts_it(self):
        self.postgres.run("GRANT SELECT ON pg_stat_statements TO PUBLIC", "demo")
        text = self.pgveil.config_path.read_text()
        try:
            checked = self.check()
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            self.assertIn('query_role "ext_query" may read "public"."pg_stat_statements" of extension pg_stat_statements: '
                          'run REVOKE ALL ON "public"."pg_stat_statements" FROM "ext_query", PUBLIC', checked.stdout)
            self.pgveil.config_path.write_text(text.replace(
                "accept_excess: []", 'accept_excess: ["select:public.pg_stat_statements"]'))
            self.assertNotIn("pg_stat_statements", self.check().stdout)
            self.pgveil.config_path.write_text(text)
            self.postgres.run(self.setup, "demo")
            self.assertFalse(self.may("ext_query", "pg_stat_statements"))
        finally:
            self.pgveil.config_path.write_text(text)
            self.postgres.run(self.setup, "demo")

    def test_postgis_keeps_what_it_needs(self):
        if not self.postgres.rows("SELECT FROM pg_available_extensions WHERE name = 'postgis'"):
            self.skipTest("PostGIS is not installed")
        self.postgres.run("CREATE EXTENSION postgis; " + self.setup, "demo")
        checked = self.check()
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        for name in ("spatial_ref_sys", "geometry_columns", "geography_columns"):
            self.assertNotIn(name, checked.stdout)
        self.assertTrue(self.may("app", "spatial_ref_sys"))
        self.pgveil.start()
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM spatial_ref_sys").sqlstate(), "42501")
            self.assertEqual(client.query("SELECT count(*) FROM towns").errors, [])

    def test_a_table_of_an_extension_and_a_view_of_it_still_stop_it(self):
        """An extension can be a company's own, with persons in it."""
        self.postgres.run("CREATE TABLE members (name text); CREATE VIEW v_members AS SELECT * FROM members; "
                          "ALTER EXTENSION pg_stat_statements ADD TABLE members; "
                          "ALTER EXTENSION pg_stat_statements ADD VIEW v_members; "
                          "GRANT SELECT ON members, v_members TO PUBLIC", "demo")
        try:
            for relation in ("members", "v_members"):
                self.assertIn(f'may read "public"."{relation}", which no policy', self.check().stderr)
            self.postgres.run(self.setup, "demo")  # but it closes them
            self.assertEqual((self.check().returncode, self.check().stderr), (0, ""))
        finally:
            self.postgres.run("ALTER EXTENSION pg_stat_statements DROP TABLE members; "
                              "ALTER EXTENSION pg_stat_statements DROP VIEW v_members; DROP TABLE members CASCADE", "demo")

    def test_who_loses_is_told_beforehand_and_its_output_keeps_the_rights(self):
        self.postgres.create_database("again")
        self.postgres.run(world.SCHEMA + "GRANT SELECT, INSERT ON people TO PUBLIC; GRANT SELECT ON people TO \"Odd, one\"; "
                          "CREATE EXTENSION pg_stat_statements; GRANT ALL ON SCHEMA public TO PUBLIC", "again")
        rights = ("SELECT r.rolname, has_database_privilege(r.oid, 'again', 'TEMP'), has_schema_privilege(r.oid, 'public', 'CREATE'), "
                  "has_table_privilege(r.oid, 'public.people', 'SELECT'), has_table_privilege(r.oid, 'public.people', 'INSERT'), "
                  "has_table_privilege(r.oid, 'pg_stats', 'SELECT'), has_function_privilege(r.oid, 'pg_advisory_lock(bigint)', 'EXECUTE'), "
                  "has_function_privilege(r.oid, 'lo_creat(integer)', 'EXECUTE'), has_table_privilege(r.oid, 'pg_stat_statements', 'SELECT') "
                  "FROM pg_roles r WHERE rolname IN ('app', 'Odd, one', 'watcher') ORDER BY 1")
        had = self.postgres.rows(rights, "again")
        self.assertEqual({right for row in had for right in row[1:]}, {"t"})
        state = self.postgres.rows("SELECT oid, relacl FROM pg_class ORDER BY 1", "again")
        told = psql(self.postgres.port, "again", "postgres", stdin=self.before)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        done = told.stdout
        self.assertEqual(self.postgres.rows("SELECT oid, relacl FROM pg_class ORDER BY 1", "again"), state)
        self.assertIn("-- TEMPORARY on database again: only through PUBLIC by \"Odd, one\", app, watcher\n"
                      "GRANT TEMPORARY ON DATABASE again TO \"Odd, one\", app, watcher;", done)
        self.assertIn("-- SELECT on public.people: only through PUBLIC by app, watcher\n", done)
        self.assertIn("-- INSERT on public.people: only through PUBLIC by \"Odd, one\", app, watcher\n", done)
        self.assertEqual(done.count("-- EXECUTE on advisory locks"), 1)
        self.assertNotIn("ext_query", done)
        self.assertNotIn("postgres", done.replace("pg_", ""))
        self.postgres.run(self.setup.replace("DATABASE \"demo\"", "DATABASE \"again\"").replace("'demo'", "'again'"), "again")
        lost = self.postgres.rows(rights, "again")
        self.assertEqual([row[1] for row in lost], ["f", "f", "f"])
        self.postgres.run(done, "again")
        self.assertEqual(self.postgres.rows(rights, "again"), had)


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

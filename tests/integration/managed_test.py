#!/usr/bin/python3
"""setup-sql --managed on a server whose best role is no superuser: the owner of the database and its tables,
who may create roles and databases. It runs as that role, and everything up to masked answers follows."""
from harness import world
from harness.pgveil import Pgveil
from harness.psql import psql
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient, scram_verifier

LANDLORD = "landlord"
# What services make beside it. anon is Supabase's; its default privileges are for all that landlord makes.
SERVICE = f"""
CREATE ROLE {LANDLORD} LOGIN NOSUPERUSER CREATEROLE CREATEDB;
CREATE ROLE neon_superuser NOLOGIN CREATEROLE CREATEDB BYPASSRLS;
GRANT pg_read_all_data, pg_write_all_data TO neon_superuser;
CREATE ROLE rds_iam NOLOGIN;
CREATE ROLE anon NOLOGIN;
GRANT rds_iam TO {LANDLORD} WITH ADMIN OPTION;
CREATE DATABASE demo OWNER {LANDLORD};
"""
DEFAULTS = f"""
ALTER DEFAULT PRIVILEGES FOR ROLE {LANDLORD} GRANT ALL ON TABLES TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE {LANDLORD} GRANT ALL ON FUNCTIONS TO anon;
ALTER DEFAULT PRIVILEGES FOR ROLE {LANDLORD} GRANT ALL ON SCHEMAS TO anon;
"""
# The proxy is not asked: what query_role itself gets.
RAW = ("SELECT * FROM people", "SELECT query_to_xml('SELECT * FROM people', true, true, '')")


class Rented(ServerCase):
    mask_views = False
    service = "generic"

    @classmethod
    def start(cls):
        cls.postgres.run(SERVICE)
        cls.postgres.run(DEFAULTS, "demo")
        rows = "\n".join(line for line in world.ROWS.splitlines() if not line.startswith("GRANT"))
        cls.postgres.run(world.SCHEMA + rows, "demo", LANDLORD)
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE, world.STAFF), world.OPEN_TABLES,
                                     accept_excess=(), mask_views=cls.mask_views))
        cls.setup = cls.script()
        for _ in range(2):
            cls.postgres.run(cls.setup, "demo", LANDLORD)
        query, admin = (scram_verifier(text, 1) for text in (world.QUERY_PASSWORD, world.ADMIN_PASSWORD))
        passwords = f"ALTER ROLE pgveil_query PASSWORD '{query}'; ALTER ROLE pgveil_admin PASSWORD '{admin}'"
        cls.postgres.run(passwords, "demo", LANDLORD)
        cls.pgveil.start()
        cls.pgveil.build("people_k2", "staff_k3")

    @classmethod
    def script(cls, *more):
        done = cls.pgveil.command("setup-sql", "--managed", cls.service, *more, "--config",
                                  str(cls.pgveil.config_path))
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def check(self):
        return self.pgveil.command("check", "--config", str(self.pgveil.config_path))

    def as_query_role(self, sql):
        with RawClient(self.postgres.port, "pgveil_query", "demo", password=world.QUERY_PASSWORD) as client:
            return client.query(sql)

    def test_it_serves_masked_answers(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            self.assertEqual(client.query("SELECT count(*) FROM towns JOIN staff USING (town)").errors, [])
        self.assertEqual(self.postgres.rows(f"SELECT rolsuper FROM pg_roles WHERE rolname = '{LANDLORD}'"),
                         [["f"]])

    def test_check_finds_no_error_and_names_the_missing_line(self):
        checked = self.check()
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)
        self.assertIn("functions that run SQL", checked.stdout)
        self.assertIn("on a rented server it stays", checked.stdout)
        self.assertEqual("backend.mask_views: true is the line of defense" in checked.stdout,
                         not self.mask_views)

    def test_the_script_says_which_line_is_missing(self):
        self.assertIn("One line of defense is missing", self.setup)
        self.assertEqual("Set backend.mask_views: true" in self.setup, not self.mask_views)
        self.assertNotIn("REVOKE EXECUTE", self.setup)
        self.assertNotIn("  reject", self.setup)
        self.assertNotIn(world.ADMIN_PASSWORD, self.setup)

    def test_what_the_missing_line_shows(self):
        """Functions that run SQL stay, but they can't read more than the role may."""
        for sql in RAW:
            reply = self.as_query_role(sql)
            self.assertEqual(reply.sqlstate(), "42501" if self.mask_views else None, sql)
        for sql in ("SELECT * FROM diary", "SELECT document FROM pgveil.version", "CREATE TABLE t (x int)"):
            self.assertIn(self.as_query_role(sql).sqlstate(), ("42501", "25006"), sql)

    def test_default_privileges_reach_nothing_of_pgveil(self):
        for kind, sql in {
            "tables": "SELECT c.relname FROM pg_class c, aclexplode(c.relacl) a WHERE "
                      "c.relnamespace = 'pgveil'::regnamespace AND a.grantee = 'anon'::regrole",
            "functions": "SELECT p.proname FROM pg_proc p, aclexplode(p.proacl) a WHERE "
                         "p.pronamespace = 'pgveil'::regnamespace AND a.grantee = 'anon'::regrole",
            "schema": "SELECT 1 FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'pgveil' "
                      "AND a.grantee = 'anon'::regrole",
        }.items():
            self.assertEqual(self.postgres.rows(sql, "demo"), [], kind)

    def test_it_tells_who_else_reads_the_tables(self):
        done = psql(self.postgres.port, "demo", LANDLORD, options=("-t",), stdin=self.setup)
        self.assertIn("past pgveil: anon may read public.people", done.stdout)
        self.assertIn("default privileges of landlord give anon rights on new tables", done.stdout)
        self.assertNotIn("pgveil_query may read", done.stdout)

    def test_a_role_made_in_the_console_is_refused(self):
        """Neon makes roles so, and landlord can't change it."""
        self.postgres.run("GRANT neon_superuser TO pgveil_query")
        try:
            with self.assertRaisesRegex(RuntimeError, "make the role by SQL, not in the console"):
                self.postgres.run(self.setup, "demo", LANDLORD)
            checked = self.check()
            self.assertEqual(checked.returncode, 1)
            self.assertIn('is a member of "neon_superuser"', checked.stderr)
            self.assertIn("make query_role by SQL, not in the console (pgveil setup-sql --managed neon",
                          checked.stderr)
        finally:
            self.postgres.run("REVOKE neon_superuser FROM pgveil_query")
        self.postgres.run("GRANT neon_superuser TO pgveil_admin")
        try:
            checked = self.check()
            self.assertIn('admin_role "pgveil_admin" is a member of "neon_superuser"', checked.stdout)
        finally:
            self.postgres.run("REVOKE neon_superuser FROM pgveil_admin")
        self.assertEqual(self.check().returncode, 0)

    def test_the_role_of_token_logins_is_kept(self):
        """rds_iam has no rights; a role of that name that has some is found."""
        self.postgres.run("GRANT rds_iam TO pgveil_query", "demo", LANDLORD)
        try:
            self.postgres.run(self.setup, "demo", LANDLORD)
            self.assertEqual(self.postgres.rows("SELECT pg_has_role('pgveil_query', 'rds_iam', 'MEMBER')"),
                             [["t"]])
            self.assertEqual(self.check().returncode, 0)
            self.postgres.run("GRANT SELECT ON people TO rds_iam", "demo")
            self.assertIn('"member:rds_iam"', self.check().stderr)
        finally:
            self.postgres.run("REVOKE ALL ON people FROM rds_iam; REVOKE rds_iam FROM pgveil_query", "demo")

    def test_a_role_that_is_somebody_elses_is_left_alone(self):
        self.postgres.run("COMMENT ON ROLE pgveil_query IS NULL")
        try:
            with self.assertRaisesRegex(RuntimeError, "which setup-sql did not make"):
                self.postgres.run(self.setup, "demo", LANDLORD)
        finally:
            self.postgres.run("COMMENT ON ROLE pgveil_query IS 'pgveil: for pgveil alone'")

    def test_who_loses_leaves_out_what_stays(self):
        self.assertIn("EXECUTE", self.pgveil.command("setup-sql", "--who-loses", "--config",
                                                     str(self.pgveil.config_path)).stdout)
        done = psql(self.postgres.port, "demo", LANDLORD, stdin=self.script("--who-loses"))
        self.assertNotIn("EXECUTE on", done.stdout)

    def test_each_service_has_a_script_that_runs(self):
        for service in ("rds", "cloudsql", "azure", "neon", "supabase"):
            with self.subTest(service):
                script = self.pgveil.command("setup-sql", "--managed", service, "--config",
                                             str(self.pgveil.config_path)).stdout
                self.postgres.run(script, "demo", LANDLORD)
                self.assertEqual(self.check().returncode, 0)
        refused = self.pgveil.command("setup-sql", "--managed", "oracle", "--config",
                                      str(self.pgveil.config_path))
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("use rds, cloudsql, azure, neon, supabase, generic", refused.stderr)


class RentedWithViews(Rented):
    mask_views = True
    service = "supabase"


if __name__ == "__main__":
    main()

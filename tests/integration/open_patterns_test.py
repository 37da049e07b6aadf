#!/usr/bin/python3
"""Patterns of open_tables: what they open, what stays closed under them, and what appears later."""
import time

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.wire import scram_verifier

WORLD = """
CREATE TABLE public.fruit (fruit text PRIMARY KEY, weight integer);
CREATE TABLE public.secrets (secret text);
CREATE TABLE public.log_1 (line text);
CREATE TABLE public.orders (amount integer, person integer REFERENCES public.people);
CREATE TABLE public.contacts (email text);
CREATE TABLE public.guarded (a integer);
ALTER TABLE public.guarded ENABLE ROW LEVEL SECURITY;
CREATE TABLE public.parted (a integer) PARTITION BY LIST (a);
CREATE TABLE public.part_1 PARTITION OF public.parted FOR VALUES IN (1);
CREATE MATERIALIZED VIEW public.m_people AS SELECT * FROM public.people;
CREATE VIEW public.v_cities AS SELECT city, count(*) FROM public.people GROUP BY city;
CREATE SCHEMA hr;
CREATE TABLE hr.grade_a (a integer);
CREATE TABLE hr.other (a integer);
INSERT INTO public.fruit VALUES ('apple', 3);
INSERT INTO public.secrets VALUES ('raw secret');
INSERT INTO public.orders VALUES (4711, 1);
"""
PATTERNS = ('{table: "public.*", except: [secrets, "log_*"]}', '{table: "hr.grade_*", readers: [bi]}', "public.diary")


class OpenPatterns(ServerCase):
    @classmethod
    def start(cls):
        cls.postgres.create_database("demo")
        rows = "\n".join(line for line in world.ROWS.splitlines() if not line.startswith("GRANT"))
        cls.postgres.run(world.SCHEMA + rows + WORLD, "demo")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE,), PATTERNS, query_user="pattern_query",
                                     query_password="", accept_excess=(), catalog_check_every="1s"))
        cls.setup = cls.pgveil.setup_sql()
        for _ in range(2):
            cls.postgres.run(cls.setup, "demo")
        cls.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{scram_verifier(world.ADMIN_PASSWORD, 1)}'")
        cls.pgveil.start()
        cls.pgveil.build("people_k2")

    def state(self, table, user="analyst"):
        with self.pgveil.client(user) as client:
            return client.query(f"SELECT * FROM {table}").sqlstate()

    def check(self, *more):
        return self.pgveil.command("check", "--quick", *more, "--config", str(self.pgveil.config_path))

    def test_ordinary_tables_are_open_and_masks_stay(self):
        for table in ("fruit", "numbers", "parted", "v_cities", "diary"):
            self.assertIsNone(self.state(table), table)
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            self.assertEqual(client.query("SELECT * FROM fruit").texts(), [["apple", "3"]])

    def test_what_is_dangerous_or_excepted_is_closed(self):
        for table in ("secrets", "log_1", "orders", "contacts", "guarded", "m_people", "part_1", "hr.other"):
            self.assertEqual(self.state(table), "42501", table)
        checked = self.check("--all")
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        for name, why in (("orders", "references public.people"), ("contacts", "table of persons"),
                          ("guarded", "row-level security"), ("m_people", "materialized view")):
            self.assertRegex(checked.stdout, f"note: kept-closed: public.{name} stays closed under public.*: .*{why}")
        for name in ("secrets", "log_1", "part_1"):
            self.assertNotIn(f"{name} stays closed", checked.stdout)

    def test_a_pattern_may_be_for_some_readers(self):
        self.assertIsNone(self.state("hr.grade_a", "bi"))
        self.assertEqual(self.state("hr.grade_a"), "42501")

    def test_setup_sql_grants_no_more_than_the_patterns(self):
        readable = self.postgres.rows(
            "SELECT c.oid::regclass::text FROM pg_class c WHERE relnamespace::regnamespace::text IN ('public', 'hr') "
            "AND relkind IN ('r', 'p', 'v', 'm') AND has_table_privilege('pattern_query', c.oid, 'SELECT') ORDER BY 1", "demo")
        names = [row[0] for row in readable]
        for name in ("fruit", "parted", "people", "hr.grade_a", "diary"):
            self.assertIn(name, names)
        for name in ("secrets", "log_1", "guarded", "m_people", "v_people", "hr.other"):
            self.assertNotIn(name, names)

    def test_zz_a_table_that_appears_is_closed_until_reload(self):
        self.postgres.run("CREATE TABLE public.newcomer (a integer); GRANT SELECT ON public.newcomer TO pattern_query", "demo")
        # The watch sees it; nobody has looked at it.
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            self.assertEqual(self.state("newcomer"), "42501")
            time.sleep(0.2)
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.assertIsNone(self.state("newcomer"))
        # What is open and becomes dangerous closes by itself, alone.
        self.postgres.run("ALTER TABLE public.newcomer ADD p public.people", "demo")
        deadline = time.monotonic() + 60
        while self.state("newcomer") is None and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.state("newcomer"), "42501")
        self.assertIsNone(self.state("fruit"))
        self.postgres.run("DROP TABLE public.newcomer", "demo")
        self.assertIsNone(self.state("fruit"))

    def test_zz_a_trigger_that_begins_to_copy_closes_its_table(self):
        self.postgres.run(
            "CREATE TABLE public.kept (line text); GRANT SELECT ON public.kept TO pattern_query; "
            "CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN INSERT INTO public.kept VALUES (NEW::text); RETURN NEW; END $$", "demo")
        try:
            self.assertEqual(self.pgveil.console("RELOAD").errors, [])
            self.assertIsNone(self.state("kept"))
            self.postgres.run(
                "CREATE TRIGGER keep AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION public.keep()",
                "demo")
            self.until(lambda: self.state("kept") == "42501", "the table of the trigger stays open")
            self.assertIsNone(self.state("fruit"))
        finally:
            self.postgres.run("DROP FUNCTION public.keep() CASCADE; DROP TABLE public.kept", "demo")

    def test_zzz_a_table_whose_policy_is_gone_is_not_opened_by_the_pattern(self):
        text = self.pgveil.policy_path.read_text()
        self.pgveil.write_policies((world.STAFF,))  # a list of policies has one at least
        try:
            self.assertEqual(self.pgveil.console("RELOAD").errors, [])
            self.assertEqual(self.state("people"), "42501")
            self.pgveil.restart()
            self.assertEqual(self.state("people"), "42501")
            self.assertIsNone(self.state("fruit"))
        finally:
            self.pgveil.policy_path.write_text(text)
            self.pgveil.console("RELOAD")


if __name__ == "__main__":
    main()

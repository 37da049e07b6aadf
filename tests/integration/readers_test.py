#!/usr/bin/python3
"""Who may read what: readers of open tables and views, access: from_database, and how fast a REVOKE
counts."""
import time

from harness import world
from harness.runner import main
from harness.stack import StackCase

ROLES = """
CREATE ROLE analyst; CREATE ROLE bi; CREATE ROLE member; CREATE ROLE stranger; CREATE ROLE root SUPERUSER; CREATE ROLE noschema;
CREATE ROLE readers_group; GRANT readers_group TO member;
"""
OBJECTS = """
CREATE SCHEMA closed;
CREATE TABLE closed.t (a integer);
INSERT INTO closed.t VALUES (1);
CREATE TABLE public.wards (ward text, beds integer);
INSERT INTO public.wards VALUES ('north', 10);
CREATE TABLE public.budget (year integer, amount integer, note text);
INSERT INTO public.budget VALUES (2024, 5, 'x');
CREATE VIEW public.v_budget AS SELECT year FROM public.budget;
GRANT SELECT ON public.budget TO readers_group;
GRANT SELECT (year, amount) ON public.budget TO bi;
GRANT SELECT ON public.v_budget TO bi;
GRANT SELECT ON closed.t TO PUBLIC;
GRANT USAGE ON SCHEMA closed TO pgveil_query, pgveil_admin, bi;
GRANT SELECT ON ALL TABLES IN SCHEMA public, closed TO pgveil_query, pgveil_admin;
GRANT SELECT (occupation, city, state) ON public.people TO bi;
GRANT SELECT (occupation, city) ON public.people TO member;
GRANT SELECT ON public.people TO analyst;
"""
OPEN = ("public.towns", "{table: public.wards, readers: [bi, nobody_in_the_database]}",
        "{table: public.budget, access: from_database}", "{table: public.v_budget, access: from_database}",
        "{table: closed.t, access: from_database}")
PATIENCE = 60


class Readers(StackCase):
    policies = (world.PEOPLE,)
    open_tables = OPEN
    options = {"catalog_check_every": "1s", "accept_excess": ("temp", "select:public.*", "select:closed.*")}

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.postgres.run(ROLES)
        cls.postgres.run(OBJECTS, "demo")
        from harness.pgveil import Pgveil
        cls.pgveil = cls.kept(Pgveil(cls.postgres, cls.policies, cls.open_tables, **cls.options))
        text = cls.pgveil.policy_path.read_text()
        changed = text.replace("readers: [analyst, bi]", "access: from_database")
        assert text != changed
        cls.pgveil.policy_path.write_text(changed)
        cls.pgveil.start()
        cls.pgveil.build("people_k2")

    def ask(self, role, sql):
        with self.pgveil.client(role) as client:
            reply = client.query(sql)
        return reply.sqlstate() or reply.texts()

    def assert_readers(self, sql, answer, readers, others):
        for role in readers:
            self.assertEqual(self.ask(role, sql), answer, role)
        for role in others:
            self.assertEqual(self.ask(role, sql), "42501", role)

    def test_a_list_of_readers(self):
        self.assert_readers("SELECT beds FROM wards", [["10"]], ("bi", "nobody_in_the_database"),
                            ("analyst", "root", "member", "missing", "dpo"))
        self.assert_readers("SELECT count(*) FROM towns", [["4"]], ("bi", "analyst", "missing"), ())

    def test_who_may_not_read_can_not_tell_that_it_is_there(self):
        with self.pgveil.client("analyst") as client:
            there, missing = client.query("SELECT * FROM wards"), client.query("SELECT * FROM wardz")
        self.assertEqual({**there.errors[0], "M": ""}, {**missing.errors[0], "M": ""})
        self.assertEqual(there.errors[0]["M"].replace("wards", "wardz"), missing.errors[0]["M"])

    def test_grants_of_the_database(self):
        self.assert_readers(
            "SELECT amount FROM budget",
            [["5"]],
            ("member", "readers_group", "root", "postgres"),
            ("bi", "analyst", "stranger", "missing", "dpo"),
        )
        self.assert_readers("SELECT year FROM v_budget", "42501", (), ("analyst", "missing"))

    def test_the_refusal_is_postgresqls(self):
        with self.pgveil.client("stranger") as client:
            error = client.query("SELECT 1 FROM budget").errors[0]
        self.assertEqual((error["C"], error["M"]), ("42501", "permission denied for table budget"))
        try:
            self.postgres.rows("SELECT 1 FROM public.budget", "demo", "stranger")
        except RuntimeError as direct:
            self.assertIn("permission denied for table budget", str(direct))
        with self.pgveil.client("stranger") as client:
            self.assertEqual(
                client.query("SELECT 1 FROM v_budget").errors[0]["M"], "permission denied for view v_budget"
            )

    def test_a_view_needs_its_own_grant_and_what_it_reads_too(self):
        self.assertEqual(self.ask("bi", "SELECT year FROM v_budget"), "42501")  # budget is not bi's whole
        self.assertEqual(self.ask("root", "SELECT year FROM v_budget"), [["2024"]])
        self.assertEqual(self.ask("member", "SELECT year FROM v_budget"), "42501")  # budget, but not the view

    def test_the_schema_counts(self):
        self.assert_readers(
            "SELECT a FROM closed.t", [["1"]], ("bi", "root"), ("analyst", "member", "stranger", "missing")
        )

    def test_columns_that_can_be_shown_need_a_grant(self):
        self.assert_readers(
            "SELECT count(city), count(id) FROM people",
            [["4", "0"]],
            ("bi", "analyst", "root"),
            ("member", "stranger", "missing"),
        )
        self.assert_readers(
            "SELECT count(id) FROM people", [["11"]], ("dpo",), ()
        )  # exempt by name, asks nobody

    def wait_for(self, question, wanted):
        deadline = time.monotonic() + PATIENCE
        while (got := question()) != wanted and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(got, wanted)

    def test_grant_and_revoke_are_noticed(self):
        self.postgres.run("CREATE ROLE late")
        self.assertEqual(self.ask("late", "SELECT amount FROM budget"), "42501")
        for grant, revoke in (("GRANT SELECT ON budget TO late", "REVOKE SELECT ON budget FROM late"),
                              ("GRANT readers_group TO late", "REVOKE readers_group FROM late"),
                              ("ALTER ROLE late SUPERUSER", "ALTER ROLE late NOSUPERUSER"),
                              ("GRANT SELECT (year), SELECT (amount), SELECT (note) ON budget TO late",
                               "REVOKE SELECT (note) ON budget FROM late")):
            self.postgres.run(grant, "demo")
            self.wait_for(lambda: self.ask("late", "SELECT amount FROM budget"), [["5"]])
            self.postgres.run(revoke, "demo")
            self.wait_for(lambda: self.ask("late", "SELECT amount FROM budget"), "42501")
        self.postgres.run(
            "REVOKE ALL ON budget FROM late; REVOKE ALL (year, amount) ON budget FROM late; DROP ROLE late",
            "demo",
        )
        self.wait_for(lambda: self.ask("late", "SELECT amount FROM budget"), "42501")

    def test_a_prepared_statement_is_closed_by_a_revoke_and_opened_by_a_grant(self):
        self.postgres.run("CREATE ROLE later; GRANT SELECT ON budget, people TO later", "demo")
        self.wait_for(lambda: self.ask("later", "SELECT count(city) FROM people"), [["4"]])
        client = self.pgveil.client("later")
        self.addCleanup(client.close)
        client.parse("SELECT amount FROM budget", "open")
        client.parse("SELECT count(city) FROM people", "masked")
        self.assertEqual(client.sync().errors, [])

        def run(statement):
            client.bind((), statement)
            client.describe()
            client.execute()
            reply = client.sync()
            return reply.sqlstate() or reply.texts()
        self.assertEqual((run("open"), run("masked")), ([["5"]], [["4"]]))
        self.postgres.run("REVOKE SELECT ON budget, people FROM later", "demo")
        self.wait_for(lambda: run("open"), "42501")
        self.wait_for(lambda: run("masked"), "42501")
        self.assertEqual(client.query("SELECT 1").texts(), [["1"]])
        self.postgres.run("GRANT SELECT ON budget, people TO later", "demo")
        self.wait_for(lambda: run("open"), [["5"]])
        self.wait_for(lambda: run("masked"), [["4"]])

    def test_what_sql_prepared_and_declared_is_closed_by_a_revoke_too(self):
        self.postgres.run("CREATE ROLE still; GRANT SELECT ON budget, people TO still", "demo")
        self.wait_for(lambda: self.ask("still", "SELECT count(city) FROM people"), [["4"]])
        client, cursor = self.pgveil.client("still"), self.pgveil.client("still")
        self.addCleanup(client.close)
        self.addCleanup(cursor.close)

        def run(sql):
            reply = client.query(sql)
            return reply.sqlstate() or reply.texts()
        client.query(
            "PREPARE open AS SELECT amount FROM budget; PREPARE masked AS SELECT count(city) FROM people"
        )
        client.query("DECLARE held CURSOR WITH HOLD FOR SELECT amount FROM budget, generate_series(1, 1000)")
        cursor.query("BEGIN; DECLARE c CURSOR FOR SELECT amount FROM budget, generate_series(1, 1000)")
        self.assertEqual(
            (run("EXECUTE open"), run("EXECUTE masked"), run("FETCH held")), ([["5"]], [["4"]], [["5"]])
        )
        self.assertEqual(cursor.query("FETCH c").texts(), [["5"]])
        self.postgres.run("REVOKE SELECT ON budget, people FROM still", "demo")
        for sql in ("EXECUTE open", "EXECUTE masked", "FETCH held"):
            self.wait_for(lambda sql=sql: run(sql), "42501")
        reply = cursor.query("FETCH c")
        self.assertEqual(
            (reply.sqlstate(), reply.errors[0]["M"]), ("42501", "permission denied for table budget")
        )

    def test_explain_policy_and_the_console_know_it(self):
        refused = self.pgveil.console("EXPLAIN POLICY FOR ROLE stranger 'SELECT * FROM budget'")
        self.assertIn("permission denied for table budget", str(refused.texts()))


class Wrong(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def test_mistakes_in_the_configuration(self):
        path = self.pgveil.config_path
        text = path.read_text()
        for entry, words in (
            ("{table: public.diary}", "readers or access is required, but not both"),
            ("{readers: [bi]}", "the entry has no table"),
            ("{table: public.diary, readers: []}", "nobody may read it"),
            ("{table: public.diary, access: everybody}", "access can only be from_database"),
            ("{table: public.diary, readers: [bi], access: from_database}", "readers or access is required"),
            ("{table: public.towns, readers: [bi]}", "is listed twice"),
            ("{table: public.diary, reader: [bi]}", "unknown key"),
            ("{table: diary, readers: [bi]}", "is no table"),
        ):
            path.write_text(text.replace('"public.towns"', f'"public.towns", {entry}'))
            try:
                reply = self.pgveil.console("RELOAD")
                self.assertIn(words, str(reply.texts()) + str(reply.errors), entry)
            finally:
                path.write_text(text)


if __name__ == "__main__":
    main()

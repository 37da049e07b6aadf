#!/usr/bin/python3
"""Policies with `source`: a view, a materialized view, a foreign table or a SELECT is evaluated once in each
BUILD, with the rights of query_role, and its rows are one masked copy, in which k counts persons. What is
wrong with a source is refused with its name, and a build that fails leaves what readers have."""
import collections
import re
import time

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase

K = 5
SECONDS = 60

# Each form has tables of its own, because two sources over one table are two releases of the same persons.
# Person 7 alone was on the ward "attic", ten times; everything else is shared by many.
TABLES = """
CREATE TABLE patients_{form} (id integer PRIMARY KEY, name text, city text);
CREATE TABLE visits_{form} (id integer PRIMARY KEY, patient_id integer REFERENCES patients_{form}, ward text,
  admitted date, cost integer, share integer NOT NULL DEFAULT 1);
INSERT INTO patients_{form} SELECT i, 'name-' || i, (ARRAY['Aber', 'Bree', 'Cork'])[1 + i % 3] FROM generate_series(1, 60) i;
INSERT INTO visits_{form}
  SELECT i * 10 + j, i, (ARRAY['north', 'south'])[1 + j % 2], date '2024-01-15' + 31 * (i % 4), i + j
    FROM generate_series(1, 60) i, generate_series(1, 1 + i % 3) j
  UNION ALL SELECT 10000 + j, 7, 'attic', date '2024-02-01' + j, j FROM generate_series(1, 10) j;
"""
JOINED = """SELECT v.id AS line, v.patient_id, p.city, v.ward, v.admitted, NULL::text AS month, v.cost
FROM public.visits_{form} v JOIN public.patients_{form} p ON p.id = v.patient_id"""
VIEWS = f"""
CREATE VIEW visit_report AS {JOINED.format(form='view')};
CREATE MATERIALIZED VIEW visit_store AS {JOINED.format(form='stored')};
"""
FOREIGN = f"""
CREATE EXTENSION postgres_fdw;
CREATE VIEW visit_there AS {JOINED.format(form='far')};
GRANT SELECT ON visit_there TO pgveil_query;
CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{{port}}', dbname 'demo');
CREATE USER MAPPING FOR PUBLIC SERVER loopback OPTIONS (user 'pgveil_query', password '{world.QUERY_PASSWORD}');
CREATE FOREIGN TABLE visit_far (line integer, patient_id integer, city text, ward text, admitted date, month text,
  cost integer) SERVER loopback OPTIONS (schema_name 'public', table_name 'visit_there');
GRANT SELECT ON visit_far TO pgveil_query, pgveil_admin;
"""
COLUMNS = """\
    columns:
      line:       {class: insensitive}
      city:       {class: quasi_identifier}
      ward:       {class: quasi_identifier}
      admitted:   {class: quasi_identifier, generalize: [{period: month, column: month}]}
      cost:       {class: sensitive}
"""
VISIBLE = ("city", "ward", "admitted", "month")
# What readers find, and under which policy. The SELECT is found with the schema and without.
FORMS = {
    "view": ("visit_report", "report", "public.visit_report"),
    "stored": ("visit_store", "store", "public.visit_store"),
    "select": ("visit_facts", "visit_facts", JOINED.format(form="select")),
}


def policy(name, source, unit="patient_id", more="", columns=COLUMNS):
    text = "|\n      " + source.strip().replace("\n", "\n      ") if "SELECT" in source else source
    return f"""\
  - name: {name}
    database: demo
    source: {text}
    k: {K}
    unit: {unit}
    enforcement: copy
    readers: [analyst]
{more}{columns}"""


def over_table(name, table, unit, more=""):
    return f"""\
  - name: {name}
    database: demo
    table: public.{table}
    k: {K}
    unit: {unit}
    readers: [analyst]
{more}    columns:
      ward: {{class: quasi_identifier}}
"""


class Sources(ServerCase):
    """A database with sources of all forms, and a pgveil that serves them."""
    forms = ("view", "stored", "select", "far")

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("demo")
        for form in (*cls.forms, "spare"):
            cls.postgres.run(TABLES.format(form=form), "demo")
        cls.postgres.run(VIEWS + "CREATE FUNCTION peek() RETURNS integer LANGUAGE sql AS 'SELECT 1';"
                         "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin", "demo")
        cls.found = dict(FORMS)
        if cls.postgres.rows("SELECT FROM pg_available_extensions WHERE name = 'postgres_fdw'"):
            cls.postgres.run(FOREIGN.format(port=cls.postgres.port), "demo")
            cls.found["far"] = ("visit_far", "far", "public.visit_far")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (), catalog_check_every="1s", accept_excess=(
            "temp", "select:public.*")))
        cls.write(cls.sound())
        cls.postgres.run(cls.pgveil.setup_sql(), "demo")
        # setup-sql takes the query role's rights on tables that no policy names yet.
        cls.postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query", "demo")
        cls.pgveil.start()
        for _, name, _ in cls.found.values():
            cls.build(name)

    @classmethod
    def sound(cls):
        return "".join(policy(name, source) for _, name, source in cls.found.values())

    @classmethod
    def write(cls, policies):
        cls.pgveil.policy_path.write_text("version: 1\npolicies:\n" + policies)

    # -- what the tests do
    @classmethod
    def command(cls, *words):
        return cls.pgveil.command(*words, "--config", str(cls.pgveil.config_path), timeout=SECONDS)

    @classmethod
    def build(cls, name):
        """By the command line; then waits until the running pgveil has taken the version up."""
        done = cls.command("policy", "build", name)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        number = cls.postgres.rows(
            f"SELECT max(number) FROM pgveil.version WHERE policy = '{name}' AND is_current", "demo")[0][0]
        cls.wait_for(lambda: cls.shown(name)["version"] == number and cls.shown(name)["state"] == "open",
                     f"version {number} of {name} is not served")

    @classmethod
    def wait_for(cls, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            if time.monotonic() > end:
                raise AssertionError(f"{what}\n{cls.pgveil.log()[-3000:]}")
            time.sleep(0.1)

    @classmethod
    def shown(cls, name):
        """Its row of SHOW POLICIES."""
        reply = cls.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        return next(dict(zip(names, row)) for row in reply.texts() if row[0] == name)

    def reply(self, sql, user="analyst"):
        """Asked again while a version is taken up."""
        while True:
            with self.pgveil.client(user) as client:
                reply = client.query(sql)
            if reply.sqlstate() != "40001":
                return reply

    def texts(self, sql, user="analyst"):
        reply = self.reply(sql, user)
        self.assertEqual(reply.errors, [], sql)
        return reply.texts()

    def raw(self, sql):
        return self.postgres.rows(sql, "demo")


class Forms(Sources):
    def test_readers_find_each_under_its_name(self):
        for form, (name, _, _) in self.found.items():
            schema = "pgveil" if form == "select" else "public"
            count = self.raw(f"SELECT count(*) FROM ({JOINED.format(form=form)}) AS r")
            for said in (name, f"{schema}.{name}", f'"{schema}"."{name}"'):
                with self.subTest(said):
                    self.assertEqual(self.texts(f"SELECT count(*) FROM {said}"), count)
            self.assertEqual(self.texts(f"SELECT count(patient_id) FROM {name}"), [["0"]])

    def test_columns_are_those_of_the_source(self):
        expected = ["line", "patient_id", "city", "ward", "admitted", "month", "cost"]
        for form, (name, _, _) in self.found.items():
            with self.subTest(name):
                reply = self.reply(f"SELECT * FROM {name} LIMIT 1")
                self.assertEqual([column.name for column in reply.columns], expected)
                listed = self.texts("SELECT attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                                    f"WHERE relname = '{name}' AND attnum > 0 ORDER BY attnum")
                # The catalogs hide the schema pgveil, so tools do not list what a SELECT publishes.
                is_listed = form != "select"
                self.assertEqual([row[0] for row in listed], expected if is_listed else [])

    def test_each_visible_combination_belongs_to_k_persons(self):
        for form, (name, _, _) in self.found.items():
            with self.subTest(name):
                whose = dict(self.raw(f"SELECT id, patient_id FROM visits_{form}"))
                persons = collections.defaultdict(set)
                for line, *cells in self.texts(f"SELECT line, {', '.join(VISIBLE)} FROM {name}"):
                    persons[tuple(cells)].add(whose[line])
                self.assertGreaterEqual(min(map(len, persons.values())), K)
                self.assertGreater(len(persons), 1, "nothing is shown at all")

    def test_many_rows_of_one_person_are_one_person(self):
        for form, (name, _, _) in self.found.items():
            with self.subTest(name):
                self.assertEqual(self.raw(f"SELECT count(*) FROM visits_{form} WHERE ward = 'attic'"), [["10"]])
                self.assertEqual(self.texts(f"SELECT count(*) FROM {name} WHERE ward = 'attic'"), [["0"]])
                self.assertEqual(self.texts(f"SELECT DISTINCT ward FROM {name} WHERE ward IS NOT NULL ORDER BY 1"),
                                 [["north"], ["south"]])

    def test_what_is_shown_is_true(self):
        for form, (name, _, _) in self.found.items():
            raw = {line: row for line, *row in self.raw(
                f"SELECT line, city, ward, admitted, to_char(admitted, 'YYYY-MM') FROM ({JOINED.format(form=form)}) r")}
            for line, *row in self.texts(f"SELECT line, {', '.join(VISIBLE)} FROM {name}"):
                for shown, true in zip(row, raw[line]):
                    self.assertIn(shown, (None, true))

    def test_when_it_was_built(self):
        for _, name, _ in self.found.values():
            rows = self.texts(f"SELECT state, k, enforcement, built_at FROM pgveil.policies WHERE policy = '{name}'")
            self.assertEqual(rows[0][:3], ["open", str(K), "copy"])
            self.assertTrue(rows[0][3])
            self.assertTrue(self.shown(name)["built_at"])

    def test_only_readers_read(self):
        for name, _, _ in self.found.values():
            self.assertEqual(self.reply(f"SELECT * FROM {name}", user="stranger").sqlstate(), "42501")
        self.assertEqual(self.reply("SELECT * FROM visits_select").sqlstate(), "42501")

    def test_joined_with_another_statement(self):
        for sql in (
            "SELECT count(*) FROM visit_facts f WHERE EXISTS (SELECT FROM visit_report r WHERE r.city = f.city)",
            "WITH visit_report AS (SELECT 1 AS one) SELECT count(*) FROM visit_report, visit_facts",
            "COPY (SELECT city FROM pgveil.visit_facts) TO STDOUT",
            "SELECT date_trunc('month', admitted), month, count(*) FROM visit_facts GROUP BY 1, 2",
            "SELECT row_to_json(f) FROM visit_facts f LIMIT 1",
        ):
            with self.subTest(sql):
                self.assertEqual(self.reply(sql).errors, [])

    def test_no_raw_rows_stay_behind(self):
        self.assertEqual(self.raw("SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'"), [["0"]])
        self.assertEqual(self.raw("SELECT count(*) FROM pgveil.visit_facts"), [["0"]])


class Rebuilt(Sources):
    forms = ("view", "stored", "select", "far")

    def add_rows(self, form):
        self.postgres.run(
            f"INSERT INTO patients_{form} SELECT i, 'name-' || i, 'Dale' FROM generate_series(101, 112) i;"
            f"INSERT INTO visits_{form} SELECT 20000 + i, i, 'east', date '2024-06-01', 1 FROM generate_series(101, 112) i",
            "demo")

    def test_rows_show_after_the_next_build(self):
        for form, (name, policy_name, _) in self.found.items():
            with self.subTest(form):
                before = self.texts(f"SELECT * FROM {name} ORDER BY line")
                self.add_rows(form)
                if form == "stored":
                    self.postgres.run("REFRESH MATERIALIZED VIEW visit_store", "demo")
                self.assertEqual(self.texts(f"SELECT * FROM {name} ORDER BY line"), before)
                self.assertEqual(self.shown(policy_name)["state"], "open")
                self.build(policy_name)
                self.assertEqual(self.texts(f"SELECT count(*) FROM {name} WHERE city = 'Dale'"), [["12"]])

    def test_a_build_that_fails_leaves_the_last_version(self):
        divided = JOINED.format(form="spare").replace("v.cost", "v.cost / v.share AS cost")
        more = "    rebuild_every: 1s\n"
        self.addCleanup(self.reload, self.sound())
        self.reload(self.sound() + policy("divided", divided))
        self.build("divided")
        before = self.texts("SELECT * FROM divided ORDER BY line")
        copies = self.raw("SELECT count(*) FROM pg_class WHERE relname LIKE 'divided.copy.%'")
        self.postgres.run("UPDATE visits_spare SET share = 0 WHERE id = 11", "demo")
        done = self.command("policy", "build", "divided")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("RuntimeError", done.stderr)
        self.assertEqual(self.texts("SELECT * FROM divided ORDER BY line"), before)
        self.assertEqual(self.shown("divided")["state"], "open")
        self.assertEqual(self.raw("SELECT count(*) FROM pg_class WHERE relname LIKE 'divided.copy.%'"), copies)
        # The running pgveil tries by itself, says so, and goes on with what it has.
        self.reload(self.sound() + policy("divided", divided, more=more))
        self.wait_for(lambda: "rebuild of policy divided" in self.pgveil.log(), "nobody said that it failed")
        self.assertEqual(self.texts("SELECT * FROM divided ORDER BY line"), before)
        self.assertEqual(self.shown("divided")["state"], "open")

    def reload(self, policies):
        self.write(policies)
        reply = self.pgveil.console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())

    def test_a_source_without_rows(self):
        self.addCleanup(self.reload, self.sound())
        for name, limit, words in (("empty", "WHERE false", "has no rows"), ("few", "WHERE v.patient_id < 5", "")):
            self.reload(self.sound() + policy(name, JOINED.format(form="spare") + f"\n{limit}"))
            done = self.command("policy", "build", name)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(words, done.stderr)
            self.assertIn(name, done.stderr)
            self.assertEqual(self.reply(f"SELECT * FROM {name}").sqlstate(), "42501")

    def test_a_view_with_other_columns_closes(self):
        self.postgres.run("DROP VIEW visit_report; CREATE VIEW visit_report AS "
                          + JOINED.format(form="view").replace("p.city", "p.city::varchar(20) AS city")
                          + "; GRANT SELECT ON visit_report TO pgveil_query, pgveil_admin", "demo")
        self.wait_for(lambda: self.shown("report")["state"] == "closed", "it stays open")
        self.assertRegex(self.shown("report")["closed_because"],
                         r'the columns of view "public.visit_report" changed since version \d+ was built: build needed')
        self.assertEqual(self.reply("SELECT * FROM visit_report").sqlstate(), "42501")
        self.build("report")
        self.assertEqual(self.reply("SELECT city FROM visit_report").errors, [])

    def test_a_view_that_is_gone_closes(self):
        if "far" not in self.found:
            self.skipTest("there is no postgres_fdw here")
        self.postgres.run("ALTER TABLE visit_far RENAME TO visit_away", "demo")
        self.addCleanup(self.postgres.run, "ALTER TABLE visit_away RENAME TO visit_far", "demo")
        self.wait_for(lambda: self.shown("far")["state"] == "closed", "it stays open")
        self.assertIn("public.visit_far", self.shown("far")["closed_because"])

    def test_what_query_role_may_not_read(self):
        """Also not through a view, because its definition is what is evaluated."""
        for table, name in (("visits_select", "visit_facts"), ("patients_view", "report")):
            with self.subTest(table):
                self.postgres.run(f"REVOKE SELECT ON {table} FROM pgveil_query", "demo")
                self.addCleanup(self.postgres.run, f"GRANT SELECT ON {table} TO pgveil_query", "demo")
                done = self.command("policy", "build", name)
                self.assertEqual(done.returncode, 1)
                self.assertIn(table, done.stderr)
                self.assertEqual(self.shown(name)["state"], "open", "the last version needs no right to the table")


class Refused(Sources):
    forms = ("view", "stored", "select", "far")
    SPARE = JOINED.format(form="spare")

    # What is wrong with the SELECT, and what `pgveil check` says of it.
    SELECTS = {
        "chance": (SPARE.replace("v.cost", "(random() * v.cost)::integer AS cost"), "random"),
        "the moment": (SPARE + "\nWHERE v.admitted < now()", "now"),
        "the moment as a word": (SPARE + "\nWHERE v.admitted < 'today'::date", "'today' as a date"),
        "a sample": (SPARE.replace("visits_spare v", "visits_spare v TABLESAMPLE BERNOULLI (50)"), "TABLESAMPLE"),
        "a function of users": (SPARE.replace("v.cost", "public.peek() AS cost"), 'function "peek" is not on the list'),
        "a function that runs SQL": (SPARE.replace("v.cost", "query_to_xml('x', true, true, '')::text::int AS cost"),
                                     "query_to_xml"),
        "two columns of one name": (SPARE.replace("v.ward,", "v.ward, p.name AS ward,"), 'two of its columns have the name "ward"'),
        "a column is missing": (SPARE.replace("v.ward, ", ""), 'has no column "ward"'),
        "a level is missing": (SPARE.replace("NULL::text AS month, ", ""), "month"),
        "the unit is missing": (SPARE.replace("v.patient_id, ", ""), 'has no column "patient_id"'),
        "two statements": (SPARE + ";\nSELECT 1 AS one", "single SELECT"),
        "a write": ("WITH gone AS (DELETE FROM public.visits_spare RETURNING *) SELECT * FROM gone", "source of policy"),
        "nothing there": ("SELECT * FROM public.nothing_there", "nothing_there"),
        "a system catalog": ("SELECT * FROM pg_catalog.pg_authid", "pg_authid"),
        "pgveil's own": ("SELECT * FROM pgveil.version", "version"),
    }

    def check(self, policies):
        self.write(policies)
        self.addCleanup(self.write, self.sound())
        return self.command("check", "--quick")

    def test_selects(self):
        for what, (select, words) in self.SELECTS.items():
            with self.subTest(what):
                policies = policy("spare", select)
                done = self.check(policies)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1, said)
                self.assertIn(words, said)
                self.assertIn("spare", said)
                built = self.command("policy", "build", "spare")
                self.assertEqual(built.returncode, 1, "BUILD takes what check refuses")

    def test_keys_of_the_policy(self):
        spare = policy("spare", self.SPARE)
        for what, (text, words) in {
            "not a copy": (spare.replace("enforcement: copy", "enforcement: query"), "source without enforcement: copy"),
            "nothing said": (spare.replace("    enforcement: copy\n", ""), "source without enforcement: copy"),
            "table and source": (spare.replace("    k:", "    table: public.visits_spare\n    k:"),
                                 "table and source are both given"),
            "neither": (re.sub(r"    source:.*?    k:", "    k:", spare, flags=re.S), "a policy without \"table\""),
            "not a SELECT": (policy("spare", "DELETE FROM public.visits_spare -- SELECT"), "not a SELECT"),
            "exempt roles": (spare.replace("    readers:", "    exempt_roles: [dpo]\n    readers:"), "exempt_roles"),
            "a name of pgveil's": (spare.replace("name: spare", "name: policies"), "pgveil uses itself"),
        }.items():
            with self.subTest(what):
                done = self.check(text)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(words, done.stdout + done.stderr)
                self.assertRegex(done.stdout + done.stderr, r"policies\.yaml:\d+:\d+: ")

    def test_a_view_needs_source(self):
        for name, kind in (("visit_report", "a view"), ("visit_store", "a materialized view")):
            done = self.check(over_table("spare", name, "patient_id"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(kind, done.stdout + done.stderr)
            self.assertIn("source", done.stdout + done.stderr)

    def test_a_table_that_has_a_policy_of_its_own(self):
        for unit, more in (("id", ""), ("patient_id", "")):
            with self.subTest(unit):
                text = over_table("own", "visits_spare", unit, more) + policy("spare", self.SPARE)
                done = self.check(text)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1, said)
                for word in ("own", "spare", "accept_joint_release", *(("id", "patient_id") if unit == "id" else ())):
                    self.assertIn(word, said)
                built = self.command("policy", "build", "spare")
                self.assertEqual(built.returncode, 1, "BUILD takes what check refuses")
        accepted = policy("spare", self.SPARE, more='    accept_joint_release: "one team"\n')
        done = self.check(over_table("own", "visits_spare", "patient_id") + accepted)
        self.assertNotIn("accept_joint_release:", done.stderr)

    def test_a_table_behind_a_materialized_view(self):
        """The rows of the materialized view are of the persons in the tables that it was made of."""
        text = over_table("own", "visits_stored", "patient_id") + policy("store", "public.visit_store")
        done = self.check(text)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        for word in ("own", "store", "public.visits_stored", "accept_joint_release"):
            self.assertIn(word, said)
        self.assertEqual(self.command("policy", "build", "store").returncode, 1, "BUILD takes what check refuses")

    def test_a_table_that_another_source_reads(self):
        done = self.check(policy("spare", self.SPARE) + policy("again", self.SPARE))
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        for word in ("spare", "again", "accept_joint_release"):
            self.assertIn(word, said)

    def test_sound_ones_are_not_refused(self):
        done = self.check(self.sound())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_setup_sql_gives_the_rights(self):
        self.write(self.sound())
        sql = self.pgveil.setup_sql()
        for words in ("GRANT TEMPORARY ON DATABASE", 'GRANT "pgveil_query" TO "pgveil_admin"', "visits_select",
                      "patients_select"):
            self.assertIn(words, sql)


if __name__ == "__main__":
    main()

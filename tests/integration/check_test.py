#!/usr/bin/python3
"""pgveil check: what it says of a server and a database around the policies, what serve and BUILD refuse
because of it, and that a clean database has no finding."""
import dataclasses
import re
import socket
import struct
import subprocess
import threading

from harness import pgveil as harness
from harness import world
from harness.pgveil import Pgveil
from harness.runner import REPOSITORY, main, shared_folder
from harness.server import ServerCase
from naive import Policy

CODES = set(re.findall(r'return "([a-z-]+)";', (REPOSITORY / "common" / "finding.cpp").read_text())) - {
    "note", "warning", "error"}
LINE = re.compile(r"^(?:pgveil: )?database (\w+): (note|warning|error): ([a-z-]+): (.*)$", re.M)

# Sixty persons in no order that anything hidden follows; nothing else in the database.
CLEAN = """
CREATE TABLE public.persons (person integer, sex text, town text, visits integer);
INSERT INTO public.persons
  SELECT g, (ARRAY['f', 'm'])[1 + g % 2], (ARRAY['Aber', 'Bree', 'Cork'])[1 + g / 2 % 3], g / 6 % 2
    FROM generate_series(0, 59) g ORDER BY md5(g::text);
REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;
ANALYZE;
"""
COLUMNS = {
    "person": "identifier",
    "sex": "quasi_identifier",
    "town": "quasi_identifier",
    "visits": "insensitive",
}
PERSONS = Policy("persons_k3", "public.persons", 3, COLUMNS, unit="person")

REACHING = "CREATE MATERIALIZED VIEW public.copy AS SELECT * FROM public.persons; GRANT SELECT ON public.copy TO PUBLIC;"

# name: (SQL on top of CLEAN, open tables, severity, code, a part of the line)
CASES = {
    "a listed function without its grants": (
        "REVOKE EXECUTE ON FUNCTION initcap(text) FROM PUBLIC",
        (),
        "warning",
        "function-dropped",
        "initcap",
    ),
    "a listed function with another body": (
        "CREATE OR REPLACE FUNCTION pg_catalog.initcap(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1'",
        (),
        "warning",
        "function-dropped",
        "initcap",
    ),
    "another overload in pg_catalog": (
        "CREATE FUNCTION pg_catalog.initcap(point) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''x'''",
        (),
        "warning",
        "function-dropped",
        "initcap",
    ),
    "a function that masks work through": (
        "CREATE OR REPLACE FUNCTION pg_catalog.trim_scale(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
        (),
        "error",
        "server-machinery",
        "trim_scale",
    ),
    "a column that quotes data in a readable catalog": (
        "CREATE OR REPLACE VIEW information_schema.enabled_roles AS SELECT a.rolname::information_schema.sql_identifier "
        "AS role_name, NULL::pg_node_tree AS added FROM pg_authid a WHERE pg_has_role(a.oid, 'USAGE')",
        (),
        "error",
        "quoting-column",
        "enabled_roles.added",
    ),
    "an operator in pg_catalog": (
        "CREATE OPERATOR pg_catalog.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
        (),
        "error",
        "added-builtin",
        "===(text,text)",
    ),
    "an operator that IN would find": (
        "CREATE FUNCTION public.same(varchar, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true'; "
        "CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = public.same)",
        (),
        "warning",
        "operator-overload",
        "public.=",
    ),
    "an operator that only values of its own type find": (
        "CREATE TYPE public.span AS RANGE (subtype = integer); "
        "CREATE FUNCTION public.both(span, span) RETURNS span LANGUAGE sql AS 'SELECT $1'; "
        "CREATE OPERATOR public.+ (LEFTARG = span, RIGHTARG = span, FUNCTION = public.both)",
        (),
        "note",
        "operator-overload",
        "public.+",
    ),
    "a function of an allowed name": (
        "CREATE FUNCTION public.upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1'",
        (),
        "warning",
        "function-overload",
        "public.upper(character varying)",
    ),
    "a cast to a type that clients may name": (
        "CREATE TYPE public.secret AS (v text); CREATE FUNCTION public.opened(public.secret) RETURNS text LANGUAGE sql AS "
        "'SELECT $1.v'; CREATE CAST (public.secret AS text) WITH FUNCTION public.opened(public.secret)",
        (),
        "error",
        "user-cast",
        "cast (public.secret as text)",
    ),
    "a cast that clients can't name": (
        "CREATE TYPE public.secret AS (v text); CREATE FUNCTION public.hidden(integer) RETURNS public.secret LANGUAGE sql "
        "AS 'SELECT ROW(''x'')::public.secret'; CREATE CAST (integer AS public.secret) WITH FUNCTION public.hidden(integer)",
        (),
        "note",
        "user-cast",
        "cast (integer as public.secret)",
    ),
    "a view": (
        "CREATE VIEW public.v AS SELECT town FROM public.persons",
        (),
        "warning",
        "view",
        "public.v reads",
    ),
    "a view over a view": (
        "CREATE VIEW public.v AS SELECT town FROM public.persons; CREATE VIEW public.w AS SELECT * FROM public.v",
        (),
        "warning",
        "view",
        "public.w reads public.v, and so shows public.persons",
    ),
    "a view that reads it in a sub-query": (
        "CREATE VIEW public.v AS SELECT 1 AS one WHERE EXISTS (SELECT FROM public.persons WHERE town = 'Aber')",
        (),
        "warning",
        "view",
        "public.v reads",
    ),
    "a rule": (
        "CREATE TABLE public.log (x text); CREATE RULE r AS ON INSERT TO public.persons DO ALSO INSERT INTO public.log "
        "VALUES (new.town); CREATE RULE r AS ON INSERT TO public.log DO ALSO SELECT count(*) FROM public.persons",
        (),
        "note",
        "rule",
        "public.log has a rule on public.persons",
    ),
    "a materialized view": (REACHING, (), "warning", "materialized-view", "public.copy reads public.persons"),
    "a parent": (
        "CREATE TABLE public.beings (person integer); ALTER TABLE public.persons INHERIT public.beings",
        (),
        "warning",
        "inheritance",
        "public.beings is a parent of public.persons",
    ),
    "whole rows": (
        "CREATE TABLE public.kept (p public.persons[])",
        (),
        "warning",
        "row-type",
        "public.kept holds whole rows",
    ),
    "whole rows, open": (
        "CREATE DOMAIN public.d AS public.persons; CREATE TABLE public.kept (p public.d); "
        "GRANT SELECT ON public.kept TO pgveil_query",
        ("public.kept",),
        "error",
        "row-type",
        "public.kept holds whole rows",
    ),
    "a foreign key to it": (
        "ALTER TABLE public.persons ADD PRIMARY KEY (person); CREATE TABLE public.calls (who integer REFERENCES "
        "public.persons, minutes integer)",
        (),
        "warning",
        "foreign-key",
        "public.calls (who) references",
    ),
    "a foreign key to it, open": (
        "ALTER TABLE public.persons ADD PRIMARY KEY (person); CREATE TABLE public.calls (who integer REFERENCES "
        "public.persons, minutes integer); GRANT SELECT ON public.calls TO pgveil_query",
        ("public.calls",),
        "warning",
        "foreign-key",
        "it shows values that the policy hides",
    ),
    "a foreign key from it": (
        "CREATE TABLE public.towns (name text PRIMARY KEY); INSERT INTO public.towns SELECT DISTINCT town FROM "
        "public.persons; ALTER TABLE public.persons ADD FOREIGN KEY (town) REFERENCES public.towns; "
        "GRANT SELECT ON public.towns TO pgveil_query",
        ("public.towns",),
        "note",
        "foreign-key",
        "public.persons (town) references public.towns (name)",
    ),
    "a foreign table": (
        "CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER s FOREIGN DATA WRAPPER nothing; "
        "CREATE FOREIGN TABLE public.far (x text) SERVER s OPTIONS (schema_name 'public', table_name 'persons')",
        (),
        "warning",
        "foreign-table",
        "public.far seems to show public.persons",
    ),
    "columns of the same name": (
        "CREATE TABLE public.archive AS SELECT person, town FROM public.persons",
        (),
        "note",
        "same-columns",
        "public.archive has columns with the names of columns that public.persons hides: person, town",
    ),
    "columns of the same name, open": (
        "CREATE TABLE public.archive AS SELECT visits, town FROM public.persons; GRANT SELECT ON public.archive TO PUBLIC",
        ("public.archive",),
        "warning",
        "same-columns",
        "hides: town; it is open",
    ),
    "a table that a pattern means and that has hidden columns": (
        "CREATE TABLE public.archive AS SELECT town FROM public.persons; GRANT SELECT ON public.archive TO PUBLIC",
        ("public.*",),
        "note",
        "kept-closed",
        "public.archive stays closed under public.*: public.archive has columns with the names of columns that public.persons hides: town",
    ),
    "a sequence": (
        "CREATE SEQUENCE public.numbers OWNED BY public.persons.person",
        (),
        "note",
        "owned-sequence",
        "sequence public.numbers numbers public.persons.person",
    ),
    "a definer function": (
        "CREATE FUNCTION public.names() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER AS 'SELECT town FROM persons'",
        (),
        "warning",
        "definer-function",
        "function public.names() runs with its owner's rights",
    ),
    "a function that names it": (
        "CREATE FUNCTION public.f() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM Persons); END'",
        (),
        "note",
        "function-body",
        "function public.f() names public.persons",
    ),
    "a function with a parsed body": (
        "CREATE FUNCTION public.f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM public.persons; END",
        (),
        "note",
        "function-body",
        "function public.f() names public.persons",
    ),
    "a hidden column of a domain": (
        "CREATE DOMAIN public.code AS text NOT NULL DEFAULT 'x'; ALTER TABLE public.persons ADD code public.code",
        (),
        "note",
        "hidden-domain",
        "the type of code is the domain",
    ),
    "a trigger": (
        "CREATE FUNCTION public.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER copying "
        "AFTER INSERT ON public.persons FOR EACH ROW EXECUTE FUNCTION public.t()",
        (),
        "note",
        "trigger",
        "trigger copying on public.persons runs public.t()",
    ),
    "a key that two tables show": (
        "CREATE TABLE public.calls (visits integer PRIMARY KEY, minutes integer); "
        "GRANT SELECT ON public.calls TO pgveil_query",
        ("public.calls",),
        "warning",
        "join-key",
        "join public.calls.visits = public.persons.visits",
    ),
    "a key that is hidden": (
        "ALTER TABLE public.persons ADD PRIMARY KEY (person); "
        "CREATE TABLE public.calls (whose integer PRIMARY KEY REFERENCES public.persons, minutes integer); "
        "GRANT SELECT ON public.calls TO pgveil_query",
        ("public.calls",),
        "note",
        "join-hidden",
        "join public.calls.whose = public.persons.person matches no row for readers: public.persons.person is always hidden",
    ),
    "an index over a visible and a hidden column": (
        "CREATE INDEX two ON public.persons (visits, person)",
        (),
        "warning",
        "order-by-index",
        "index two",
    ),
    "a clustered table": (
        "CREATE INDEX one ON public.persons (person); CLUSTER public.persons USING one",
        (),
        "warning",
        "order-by-layout",
        "clustered on index one",
    ),
    "an order that follows a hidden column": (
        "CREATE TABLE public.sorted AS SELECT * FROM public.persons ORDER BY person; TRUNCATE public.persons; "
        "INSERT INTO public.persons SELECT * FROM public.sorted ORDER BY person; DROP TABLE public.sorted; ANALYZE",
        (),
        "warning",
        "order-by-layout",
        "the rows are stored in the order of person, which is hidden (correlation 1.00)",
    ),
    "a unique quasi-identifier": (
        "UPDATE public.persons SET town = 'place-' || person; CREATE UNIQUE INDEX u ON public.persons (town)",
        (),
        "warning",
        "unique-quasi-identifier",
        "quasi-identifier town is unique (index u)",
    ),
    "a quasi-identifier that is unique in fact": (
        "UPDATE public.persons SET town = 'place-' || person",
        (),
        "warning",
        "unique-quasi-identifier",
        "nearly every row has its own value of town",
    ),
}


class CheckCase(ServerCase):
    """A PostgreSQL for all tests of the class; each test makes its databases from a clean template."""
    seen = set()

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.count = 0

    def database(self, sql="", clean=CLEAN):
        type(self).count += 1
        name = f"d{self.count}"
        self.postgres.create_database(name)
        self.postgres.run(clean.format(database=name) + sql + ";", name)
        return name

    def pgveil(self, database, policies=(PERSONS,), open_tables=(), more="", excess=()):
        made = Pgveil(
            self.postgres, policies, open_tables, database, accept_excess=("temp", "select:public.*", *excess)
        )
        made.config_path.write_text(made.config_path.read_text() + more)
        self.addCleanup(made.stop)
        return made

    def run_verb(self, pgveil, *arguments):
        done = pgveil.command(*arguments, "--config", str(pgveil.config_path), timeout=120)
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def check(self, pgveil, *options, status=0):
        """→ the findings as (severity, code, text)."""
        done = self.run_verb(pgveil, "check", "--all", *options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        found = [match[1:] for match in LINE.findall(done.stdout + done.stderr)]
        self.seen.update(code for _, code, _ in found)
        self.output = done.stdout + done.stderr
        # Nearly every tree over so few values has it: reconstruct_test.py and policy/ test what it counts.
        return [each for each in found if each[1] != "computable-cells"]

    def build(self, pgveil, policy, status=0):
        done = self.run_verb(pgveil, "policy", "build", policy)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def refusal_of_serve(self, pgveil):
        """serve must end by itself; → its last words."""
        done = subprocess.run(
            [harness.binary(), "serve", "--config", str(pgveil.config_path)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=pgveil.directory,
            stdin=subprocess.DEVNULL,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr


class Findings(CheckCase):
    test_seconds = 900

    def test_a_clean_database_has_none(self):
        pgveil = self.pgveil(self.database())
        self.build(pgveil, "persons_k3")
        self.assertEqual(self.check(pgveil), [])
        others = [
            line
            for line in self.output.splitlines()
            if line.startswith("warning:") and "query_role" not in line
        ]
        self.assertEqual(
            others,
            [
                f"warning: database {pgveil.database}: there is no schema pgveil, so versions are stored in "
                "state_dir, and only this process checks the version of a statement; run what pgveil "
                "setup-sql prints"
            ],
        )
        self.assertIn("0 errors", self.output)
        self.assertIn("column visits: unique in its cohort for 0", self.output)
        self.assertEqual(self.check(pgveil, "--quick"), [])
        self.assertNotIn("column visits", self.output)

    def test_each_finding(self):
        for name, (sql, open_tables, severity, code, part) in CASES.items():
            with self.subTest(name):
                pgveil = self.pgveil(self.database(sql), open_tables=open_tables)
                found = self.check(pgveil, status=1 if severity == "error" else 0)
                right = [
                    text for its, kind, text in found if (its, kind) == (severity, code) and part in text
                ]
                self.assertEqual(len(right), 1, self.output)

    def test_a_source_that_tools_do_not_list(self):
        pgveil = self.pgveil(self.database())
        text = pgveil.policy_path.read_text()
        source = text.replace("    table: public.persons\n", "    source: SELECT person, sex, town, visits FROM public.persons\n"
                              "    enforcement: copy\n", 1)
        self.assertNotEqual(source, text)
        pgveil.policy_path.write_text(source)
        for options in ((), ("--all",)):  # rights are missing, too, because setup-sql did not run
            done = self.run_verb(pgveil, "check", "--quick", *options)
            found = [match[1:] for match in LINE.findall(done.stdout + done.stderr) if match[2] == "unlisted-source"]
            self.seen.update(code for _, code, _ in found)
            self.assertEqual([severity for severity, _, _ in found], ["note"], done.stdout + done.stderr)
            self.assertIn("pgveil.persons_k3", found[0][2])
            self.assertIn("source: public.persons_k3", found[0][2])

    # Ordinary tables: what nearly every table has says nothing.
    ORDINARY = "".join(
        f"CREATE TABLE public.thing_{i} (id serial PRIMARY KEY, uuid text, name text, created_at timestamp, updated_at timestamp, "
        f"amount_{i} integer); CREATE TABLE public.unread_{i} (id serial PRIMARY KEY, name text, other_{i} integer); "
        for i in range(100)) + (
        "".join(f"GRANT SELECT ON public.thing_{i} TO pgveil_query; " for i in range(100)) +
        "ALTER TABLE public.persons ADD id serial PRIMARY KEY, ADD name text, ADD created_at timestamp; ")

    def test_two_hundred_ordinary_tables_are_no_news(self):
        columns = {**COLUMNS, "id": "identifier", "name": "identifier", "created_at": "identifier"}
        policy = Policy("persons_k3", "public.persons", 3, columns, unit="person")
        pgveil = self.pgveil(self.database(self.ORDINARY), (policy,), ("public.*",))
        self.build(pgveil, "persons_k3")
        done = self.run_verb(pgveil, "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), 20, done.stdout)
        self.assertNotIn("thing_", done.stdout)
        self.assertIn("100 tables stay closed although a pattern of open_tables covers them: public.unread_0", done.stdout)
        self.assertIn("query_role may not read it", self.run_verb(pgveil, "check", "--all").stdout)
        self.assertRegex(lines[-1], "^0 errors, [0-9]+ warnings$")
        pgveil.start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT count(*) FROM thing_99").texts(), [["0"]])
            self.assertEqual(client.query("SELECT count(*) FROM unread_9").sqlstate(), "42501")

    def test_many_of_a_kind_are_one_line(self):
        sql = "".join(f"CREATE VIEW public.v{i} AS SELECT * FROM public.persons; " for i in range(12))
        pgveil = self.pgveil(self.database(sql))
        done = self.run_verb(pgveil, "check", "--quick")
        self.assertEqual(done.stdout.count(" view: "), 1, done.stdout)
        self.assertIn("warning: view: 12 views read a protected table: public.v0, public.v1, public.v2 and 9 more", done.stdout)
        self.assertEqual(self.run_verb(pgveil, "check", "--quick", "--all").stdout.count(" view: "), 12)

    def test_row_level_security_closes_its_table_and_nothing_else(self):
        sql = ("CREATE TABLE public.t (a integer); CREATE TABLE public.guarded (a integer); INSERT INTO public.guarded VALUES (4711); "
               "ALTER TABLE public.guarded ENABLE ROW LEVEL SECURITY; ALTER TABLE public.persons ENABLE ROW LEVEL SECURITY; "
               "GRANT SELECT ON public.t, public.guarded TO pgveil_query")
        pgveil = self.pgveil(self.database(sql), open_tables=("public.t", "public.guarded"))
        done = self.run_verb(pgveil, "check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("public.guarded of open_tables is closed, and everything else is served: it has row-level security", done.stdout)
        self.assertIn("policy persons_k3: closed:", done.stdout)
        self.assertIn("has row-level security, so two roles may see different rows", done.stdout)
        self.assertIn("has row-level security", self.build(pgveil, "persons_k3", status=1))
        pgveil.start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT count(*) FROM t").texts(), [["0"]])
            for table in ("guarded", "persons"):
                reply = client.query(f"SELECT * FROM {table}")
                self.assertEqual((reply.sqlstate(), reply.rows), ("42501", []))
                self.assertIn("row-level security", str(reply.errors))

    def test_a_build_says_what_check_says_of_the_relation(self):
        sql = ("CREATE VIEW public.v AS SELECT * FROM public.persons; CREATE MATERIALIZED VIEW public.m AS SELECT * FROM public.persons; "
               "CREATE TABLE public.ungranted AS SELECT * FROM public.persons; "
               "REVOKE ALL ON public.ungranted FROM pgveil_admin; GRANT SELECT ON public.ungranted TO pgveil_query")
        database = self.database(sql)
        for table, words in (("v", "is a view: its rows depend on the settings of the client"),
                             ("m", "is a materialized view: after each REFRESH, its rows are not the counted ones"),
                             ("ungranted", "setup-sql")):
            with self.subTest(table):
                pgveil = self.pgveil(database, (Policy("p", f"public.{table}", 3, COLUMNS, unit="person"),))
                self.assertIn(words, self.build(pgveil, "p", status=1))

    def test_what_serve_refuses(self):
        for sql, open_tables, word in (
                (CASES["an operator in pg_catalog"][0], (), "===(text,text)"),
                (CASES["a column that quotes data in a readable catalog"][0], (), "enabled_roles"),
                (CASES["whole rows, open"][0], ("public.kept",), "public.kept")):
            with self.subTest(word):
                said = self.refusal_of_serve(self.pgveil(self.database(sql), open_tables=open_tables))
                self.assertIn(word, said)
                self.assertIn("pgveil check", said)

    def test_a_decision_settles_it(self):
        sql, open_tables = CASES["whole rows, open"][:2]
        decided = 'acknowledged:\n  - {object: public.kept, reason: "it is empty"}\n'
        pgveil = self.pgveil(self.database(sql), open_tables=open_tables, more=decided)
        found = self.check(pgveil)
        self.assertEqual([(severity, code) for severity, code, _ in found], [("note", "row-type")])
        self.assertIn("acknowledged: it is empty", found[0][2])
        pgveil.start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT count(*) FROM kept").texts(), [["0"]])

    def test_a_decision_about_nothing_is_a_warning(self):
        more = 'acknowledged:\n  - {object: public.nothing, reason: "misspelt"}\n'
        found = self.check(self.pgveil(self.database(), more=more))
        self.assertEqual([(severity, code) for severity, code, _ in found], [("warning", "unused-decision")])

    def test_a_dropped_function_is_refused_and_logged(self):
        pgveil = self.pgveil(self.database("REVOKE EXECUTE ON FUNCTION initcap(text) FROM PUBLIC"))
        pgveil.start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT initcap('a')").sqlstate(), "42501")
            self.assertEqual(client.query("SELECT upper('a')").texts(), [["A"]])
        self.assertIn("initcap", pgveil.log())

    def test_a_field_is_not_a_way_to_a_function_of_an_allowed_name(self):
        sql = (
            "CREATE FUNCTION public.upper(record) RETURNS text LANGUAGE plpgsql AS "
            "'BEGIN RETURN (SELECT min(town) FROM persons); END'; CREATE TABLE public.t (a integer); GRANT SELECT ON public.t TO pgveil_query"
        )
        pgveil = self.pgveil(self.database(sql), open_tables=("public.t",))
        pgveil.start()
        with pgveil.client() as client:
            for query in ("SELECT (x).upper FROM (SELECT a FROM t) x", "SELECT (ROW(1)).upper"):
                self.assertIn(client.query(query).sqlstate(), ("42501", "42703"), query)

    def test_a_running_proxy_closes_open_tables_when_one_begins_to_show_rows(self):
        database = self.database(
            "CREATE TABLE public.t (a integer); GRANT SELECT ON public.t TO pgveil_query"
        )
        pgveil = self.pgveil(database, open_tables=("public.t",))
        pgveil.config_path.write_text(pgveil.config_path.read_text().replace("catalog_check_every: 1h",
                                                                             "catalog_check_every: 1s"))
        pgveil.start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT count(*) FROM t").texts(), [["0"]])
            self.postgres.run("ALTER TABLE t ADD p public.persons", database)
            replies = []

            def is_closed():
                replies.append(client.query("SELECT count(*) FROM t"))
                return replies[-1].errors
            self.until(is_closed, "the table stays open")
            self.assertEqual(replies[-1].sqlstate(), "42501")

    def test_zz_every_code_was_seen_and_is_described(self):
        text = (REPOSITORY / "docs" / "check.md").read_text()
        for code in sorted(CODES):
            with self.subTest(code):
                self.assertIn(f"| `{code}` |", text)
        # Those of the class Releases, below.
        others = {
            "joint-release",
            "repeated-identifier",
            "person-key",
            "unique-within-cohort",
            "determines-hidden",
            "diversity-scope",
            # Those of extensions_test.py.
            "extension-changed",
            "unnamed-function",
            "open-function",
        }
        self.assertEqual(CODES - self.seen - others, set())


class Releases(CheckCase):
    """What a policy's own rows say against it, and several policies over one table."""

    def codes(self, pgveil, *options, status=0):
        return [(severity, code) for severity, code, _ in self.check(pgveil, *options, status=status)]

    def test_visible_columns(self):
        sql = "ALTER TABLE public.persons ADD code text, ADD invoice integer; " \
              "UPDATE public.persons SET code = 'c-' || town, invoice = person"
        columns = COLUMNS | {"code": "insensitive", "invoice": "sensitive"}
        pgveil = self.pgveil(self.database(sql), (Policy("p", "public.persons", 20, columns, unit="person"),))
        self.build(pgveil, "p")
        found = self.check(pgveil)
        texts = {code: text for _, code, text in found}
        self.assertIn("invoice distinguishes the rows of a cohort", texts["unique-within-cohort"])
        self.assertIn("hidden cells are inferable from visible column code", texts["determines-hidden"])
        self.assertIn("column invoice: unique in its cohort for 100", self.output)
        self.assertEqual(self.codes(pgveil, "--quick"), [])

    def test_units(self):
        sql = (
            "CREATE TABLE public.patients (id integer PRIMARY KEY); INSERT INTO patients SELECT person FROM persons; "
            "ALTER TABLE persons ADD FOREIGN KEY (person) REFERENCES patients; "
            "INSERT INTO persons SELECT * FROM persons WHERE person < 3"
        )
        policy = Policy("p", "public.persons", 3, COLUMNS)
        pgveil = self.pgveil(self.database(sql), (policy,))
        found = self.codes(pgveil)
        self.assertIn(("warning", "person-key"), found)
        self.assertIn(("warning", "repeated-identifier"), found)
        pgveil.write_policies([PERSONS])
        self.assertEqual([code for _, code in self.codes(pgveil)], ["foreign-key"])

    def test_diversity_beside_another_visible_column(self):
        pgveil = self.pgveil(self.database(), (PERSONS,))
        text = pgveil.policy_path.read_text().replace(
            "visits: {class: insensitive}", "visits: {class: sensitive, l_diversity: {distinct: 2}}")
        pgveil.policy_path.write_text(text)
        self.assertEqual(self.codes(pgveil), [])
        self.postgres.run("ALTER TABLE persons ADD note text", pgveil.database)
        pgveil.policy_path.write_text(text + "      note: {class: insensitive}\n")
        self.assertEqual(self.codes(pgveil), [("warning", "diversity-scope")])

    def test_an_order_that_is_accepted_is_a_note(self):
        pgveil = self.pgveil(self.database(CASES["an index over a visible and a hidden column"][0]))
        pgveil.policy_path.write_text(
            pgveil.policy_path.read_text() + "    accept_order_leak: \"it is public\"\n"
        )
        found = self.check(pgveil)
        self.assertEqual([(severity, code) for severity, code, _ in found], [("note", "order-by-index")])
        self.assertIn("accepted: it is public", found[0][2])

    def two_policies(self, first, second):
        by = {"person": "identifier", "visits": "insensitive"}
        return (Policy("a", "public.persons", 3, by | first, unit="person", readers=("analyst",)),
                Policy("b", "public.persons", 3, by | second, unit="person", readers=("clerk",)))

    def crossing(self):
        # f and m, Aber and Bree: two halves each; only one person is both m and Bree.
        sql = "UPDATE persons SET sex = CASE WHEN person < 31 THEN 'f' ELSE 'm' END, " \
              "town = CASE WHEN person BETWEEN 30 AND 58 THEN 'Aber' ELSE 'Bree' END"
        policies = self.two_policies({"sex": "quasi_identifier"}, {"town": "quasi_identifier"})
        return self.pgveil(self.database(sql), policies)

    def test_two_policies_that_cross(self):
        pgveil = self.crossing()
        self.build(pgveil, "a")
        said = self.build(pgveil, "b", status=1)
        self.assertIn("their smallest joint class has 1 units, but 3 are promised", said)
        self.assertFalse((pgveil.directory / "state" / pgveil.database / "b.json").exists())
        # Built anyway, by a policy that said yes once: check and EXPORT refuse when it no longer does.
        accepting = (
            pgveil.policy_path.read_text() + "    accept_joint_release: \"the clerks know them all\"\n"
        )
        plain = pgveil.policy_path.read_text()
        pgveil.policy_path.write_text(accepting)
        self.assertIn("accepted by b: the clerks know them all", self.build(pgveil, "b"))
        self.assertEqual(self.codes(pgveil), [("note", "joint-release")])
        pgveil.policy_path.write_text(plain)
        self.assertEqual(self.codes(pgveil, status=1), [("error", "joint-release")])
        self.assertEqual(self.codes(pgveil, "--quick"), [])
        pgveil.start()
        for command, words in (
            ("BUILD POLICY a", "smallest joint class"),
            ("EXPORT POLICY a TO FILE 'a.csv'", "smallest joint class"),
            # The younger one is closed until it is held against the other.
            ("EXPORT POLICY b TO TABLE public.out", "was not yet counted together with policy a"),
        ):
            with self.subTest(command):
                reply = pgveil.console(command)
                self.assertEqual(reply.sqlstate(), "42501")
                self.assertIn(words, reply.errors[0]["M"])
        self.assertEqual(list((pgveil.directory / "exports").iterdir()), [])

    def test_two_policies_of_which_one_is_coarser(self):
        policies = self.two_policies(
            {"sex": "quasi_identifier", "town": "quasi_identifier"}, {"sex": "quasi_identifier"}
        )
        pgveil = self.pgveil(
            self.database(), tuple(dataclasses.replace(it, strategy="greedy") for it in policies)
        )
        for name in ("a", "b", "a"):
            self.build(pgveil, name)
        self.assertEqual(self.codes(pgveil), [])

    def test_a_cut_that_rows_to_come_fall_out_of(self):
        """Under `thorough` a woman of a town that nobody is of yet is shown with the men, and the other
        policy shows her sex."""
        policies = self.two_policies(
            {"sex": "quasi_identifier", "town": "quasi_identifier"}, {"sex": "quasi_identifier"}
        )
        pgveil = self.pgveil(self.database(), policies)
        self.build(pgveil, "a")
        self.assertIn("a person who is added later can be alone in a joint class", self.build(pgveil, "b", status=1))

    def test_two_protected_tables_that_one_role_can_join(self):
        sql = (
            "ALTER TABLE public.persons ADD PRIMARY KEY (person); CREATE TABLE public.bills (bill integer, "
            "person integer REFERENCES public.persons, kind text); INSERT INTO public.bills SELECT g, g, 'k' || g % 2 "
            "FROM generate_series(0, 59) g; GRANT SELECT ON public.bills TO pgveil_query, pgveil_admin"
        )
        shown = {"person": "insensitive", "sex": "quasi_identifier", "visits": "insensitive"}
        policies = (Policy("p", "public.persons", 3, shown),
                    Policy("bills", "public.bills", 3, {"person": "insensitive", "kind": "quasi_identifier"}))
        pgveil = self.pgveil(self.database(sql), policies)
        join = "join public.bills.person = public.persons.person"
        self.assertIn(("error", "join-key"), self.codes(pgveil, "--quick", status=1))
        for name in ("p", "bills"):
            self.assertIn(f"readers can {join}", self.build(pgveil, name, status=1))
        pgveil.start()  # what is open stays open, and the log says it
        self.assertIn(f"readers can {join}", pgveil.log())
        self.assertEqual(pgveil.console("BUILD POLICY p").sqlstate(), "42501")
        plain = pgveil.config_path.read_text()
        pgveil.config_path.write_text(
            plain + f'acknowledged:\n  - {{object: "{join}", reason: "one team"}}\n'
        )
        self.assertIn(("note", "join-key"), self.codes(pgveil, "--quick"))
        for name in ("p", "bills"):
            self.build(pgveil, name)

    def test_a_column_that_one_policy_shows_and_the_other_hides(self):
        policies = self.two_policies(
            {"sex": "quasi_identifier"}, {"town": "quasi_identifier", "sex": "insensitive"}
        )
        pgveil = self.pgveil(self.database(), policies)
        self.assertEqual(self.codes(pgveil, "--quick", status=1), [("error", "joint-release")])
        self.build(pgveil, "b", status=1)


class Fixture(CheckCase):
    """The shared leak fixture: everything there that reaches or repeats a protected column is listed."""

    def test_everything_that_reaches_a_protected_table(self):
        fixture = shared_folder("leaks/fixture")
        if fixture is None:
            self.skipTest("no shared fixture")
        schema = (fixture / "02_schema.sql").read_text()
        # As little of the rest as possible: extensions that may not be installed, and what needs a second
        # server.
        schema = re.sub(r"CREATE EXTENSION (?!postgres_fdw|citext)\w+;", "", schema)
        self.postgres.create_database("raw")
        self.postgres.run((fixture / "01_roles.sql").read_text(), "raw", variables={"db": "raw"})
        self.postgres.run(schema.replace(r"\i :data", (fixture / "data_raw.sql").read_text()), "raw",
                          variables={"db": "raw", "port": str(self.postgres.port)})
        self.postgres.run(
            "GRANT USAGE ON SCHEMA public, hr TO pgveil_query, pgveil_admin; "
            "GRANT SELECT ON ALL TABLES IN SCHEMA public, hr TO pgveil_query, pgveil_admin",
            "raw",
        )
        columns = {"id": "insensitive", "name": "identifier", "occupation": "quasi_identifier",
                   "city": "quasi_identifier", "state": "quasi_identifier", "salary": "insensitive"}
        pgveil = self.pgveil(
            "raw",
            (Policy("people", "public.people", 2, columns), Policy("hr", "hr.people", 2, columns)),
            ("public.cities", "public.nums", "public.People"),
            excess=("large_objects", "select:hr.*"),
        )
        found = self.check(pgveil)
        for code, objects in {
            "view": ("public.v_people", "public.v_names"),
            "materialized-view": ("public.mv_people",),
            "inheritance": ("public.party",),
            "row-type": ("public.rows_of_people",),
            "foreign-key": ("public.visits",),
            "foreign-table": ("public.ft_people",),
            "same-columns": (
                "public.people_arch",
                "public.people_part",
                "public.people_range",
                "public.cities",
            ),
            "definer-function": ("function public.sd_names()",),
            "function-body": (
                "function public.f_people()",
                "function public.f_name(integer)",
                "function public.id2name(integer)",
                "procedure public.p_names()",
            ),
            "user-cast": ("cast (integer as public.secret)",),
            "join-key": ("join hr.people.id = public.People.id = public.people.id",),
        }.items():
            for name in objects:
                with self.subTest(code=code, name=name):
                    self.assertTrue(
                        [text for _, its, text in found if its == code and name in text], self.output
                    )


class Server(CheckCase):
    def test_another_major_version_is_refused(self):
        """Servers that say they are PostgreSQL 14 and 19, and hang up on the first query."""
        for major in (14, 19):
            with self.subTest(major):
                self.refuse_major(major)

    def refuse_major(self, major):
        def message(tag, body):
            return tag + struct.pack("!I", len(body) + 4) + body

        def serve(listener):
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    while client.recv(4096)[4:7] == b"\x04\xd2\x16":  # asks for encryption
                        client.sendall(b"N")
                    settings = {
                        "server_version": f"{major}.2",
                        "client_encoding": "UTF8",
                        "standard_conforming_strings": "on",
                    }
                    client.sendall(
                        message(b"R", struct.pack("!I", 0))
                        + b"".join(
                            message(b"S", name.encode() + b"\0" + value.encode() + b"\0")
                            for name, value in settings.items()
                        )
                        + message(b"Z", b"I")
                    )
                    client.recv(4096)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener,), daemon=True).start()
            pgveil = self.pgveil("demo")
            port = listener.getsockname()[1]
            pgveil.config_path.write_text(
                pgveil.config_path.read_text().replace(f"port: {self.postgres.port}", f"port: {port}"))
            done = self.run_verb(pgveil, "check")
            said = done.stdout + done.stderr + self.refusal_of_serve(pgveil)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(said.count(f"is PostgreSQL {major}, pgveil supports 15 to 18:"), 2)


# Equal values that look different: what the canonical form is, or that the type is refused. (type, equal
# values)
COMPARABLE = {
    "numeric": (("1.0", "1.00", "1"), "1"),
    "numeric(6,2)": (("1.5", "1.50"), "1.50"),
    "float8": (("-0", "0"), "0"),
    "float4": (("-0", "0"), "0"),
    "char(5)": (("a", "a  "), "a    "),
    "bpchar": (("a", "a  "), "a"),
    "text": (("a", "a"), "a"),
    "date": (("2001-02-03", "20010203"), "2001-02-03"),
    "public.mood": (("calm", "calm"), "calm"),
    "timestamptz": (("2001-02-03 00:00+00", "2001-02-03 01:00+01"), "2001-02-03 00:00:00+00"),
}
REFUSED = (
    "interval",
    "jsonb",
    "json",
    "xml",
    "money",
    "tsvector",
    "point",
    "numrange",
    "nummultirange",
    "numeric[]",
    "text[]",
    "public.citext",
    "public.pair",
    "public.tidy",
    "text COLLATE public.nocase",
    "public.short[]",
    "varchar(5) COLLATE public.nocase",
)


class Types(CheckCase):
    """Values whose text shows more than their equality class."""

    def test_equal_values_are_one_class_and_shown_in_one_form(self):
        sql = "CREATE TYPE public.mood AS ENUM ('calm'); "
        for i, (kind, (values, _)) in enumerate(COMPARABLE.items()):
            rows = ", ".join(f"('{values[n % len(values)]}')" for n in range(6)) + ", (NULL)" * 6
            sql += f"CREATE TABLE t{i} (c {kind}); INSERT INTO t{i} VALUES {rows}; "
        sql += "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin"
        policies = [
            Policy(f"p{i}", f"public.t{i}", 6, {"c": "quasi_identifier"}) for i in range(len(COMPARABLE))
        ]
        pgveil = self.pgveil(self.database(sql), policies)
        pgveil.start()
        pgveil.build(*(policy.name for policy in policies))
        with pgveil.client() as client:
            client.query("SET TimeZone = 'UTC'")
            for i, (kind, (_, form)) in enumerate(COMPARABLE.items()):
                with self.subTest(kind):
                    # As texts: DISTINCT alone would merge what only looks different.
                    self.assertEqual(
                        client.query(f"SELECT DISTINCT c, concat(c) FROM t{i} WHERE c IS NOT NULL").texts(),
                        [[form, form.rstrip() if kind == "bpchar" else form]],
                    )

    def test_types_without_a_canonical_form_are_refused(self):
        sql = (
            "CREATE EXTENSION citext; CREATE TYPE pair AS (a text, b text); CREATE DOMAIN short AS text; CREATE DOMAIN tidy AS numeric[]; "
            "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
            + "".join(f"CREATE TABLE t{i} (c {kind}, unit integer); " for i, kind in enumerate(REFUSED))
            + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query"
        )
        database = self.database(sql)
        policies = [Policy(f"p{i}", f"public.t{i}", 2, {"c": "quasi_identifier"}, unit="unit")
                    for i in range(len(REFUSED))]
        pgveil = self.pgveil(database, policies)
        done = self.run_verb(pgveil, "check", "--quick")
        self.assertEqual(done.returncode, 1)
        refused = re.findall(
            r"policies.yaml:(\d+):\d+: column \"c\" of type .*can't be a quasi-identifier", done.stderr
        )
        self.assertEqual(len(set(refused)), len(REFUSED), done.stderr)


if __name__ == "__main__":
    main()

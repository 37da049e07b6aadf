#!/usr/bin/python3
"""Tables of one entity: readers join them by pseudonyms, which are new in each BUILD. Whatever readers put
together, at least k persons share it, as an attacker counts who shares nothing with pgveil. The versions of
all tables of the entity are current together or not at all, also if a build is killed."""
import collections
import dataclasses
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

from harness import world
from harness.pgveil import Pgveil, binary
from harness.runner import main
from harness.server import ServerCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clinic"))
import ask  # noqa: E402
import generate  # noqa: E402
import policies  # noqa: E402
import stand_in  # noqa: E402
from attacker import Attacker, connect  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
K = 5
SECONDS = 150  # how long a build or its taking up may last before the test gives up
TEMPORARY = "SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'"


def yaml_of(tables):
    return policies.yaml(tables, "demo", K)


class Served(ServerCase):
    """The database demo, and a pgveil that serves it."""
    is_logging = False
    open_tables = ()
    policies = ""

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("demo")
        cls.postgres.create_database("scratch")
        cls.fill()
        cls.postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin", "demo")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (), cls.open_tables, catalog_check_every="1s"))
        cls.write(cls.policies)
        cls.postgres.run(cls.pgveil.setup_sql(), "demo")
        cls.postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query", "demo")
        cls.pgveil.start()

    @classmethod
    def fill(cls):
        """Makes the tables of the database demo."""

    @classmethod
    def write(cls, text):
        cls.pgveil.policy_path.write_text(text)

    @classmethod
    def command(cls, *words):
        return cls.pgveil.command(*words, "--config", str(cls.pgveil.config_path), timeout=SECONDS)

    @classmethod
    def current(cls):
        """The numbers of the current versions, by policy."""
        return dict(cls.postgres.rows("SELECT policy, number FROM pgveil.version WHERE is_current", "demo"))

    @classmethod
    def served(cls):
        reply = cls.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        rows = [dict(zip(names, row)) for row in reply.texts()]
        return {row["policy"]: row["version"] for row in rows if row["state"] == "open"}

    @classmethod
    def build(cls, name):
        """By the command line, which builds the whole entity; then waits until it is served."""
        done = cls.command("policy", "build", name)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        cls.wait_until_served()
        return done

    @classmethod
    def wait_until_served(cls):
        cls.wait_for(lambda: cls.current().items() <= cls.served().items(), "the versions are not served")

    @classmethod
    def wait_for(cls, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            if time.monotonic() > end:
                raise AssertionError(f"{what}\n{cls.pgveil.log()[-3000:]}")
            time.sleep(0.1)

    # -- what the tests ask
    def reply(self, sql, user="analyst"):
        """Asked again while versions are taken up."""
        while True:
            with self.pgveil.client(user) as client:
                reply = client.query(sql)
            if reply.sqlstate() != "40001":
                return reply

    def texts(self, sql, user="analyst"):
        reply = self.reply(sql, user)
        self.assertEqual(reply.errors, [], sql)
        return reply.texts()

    def number(self, sql):
        return int(self.texts(sql)[0][0])

    def raw(self, sql):
        return self.postgres.rows(sql, "demo")

    def connect(self, port, user, database="demo"):
        connection = connect(f"host=127.0.0.1 port={port} user={user} dbname={database}")
        self.addCleanup(connection.close)
        return connection

    def attack(self, tables, names=None):
        """→ an attacker who reads what the analyst reads, or the named relations on the server."""
        reader = (self.connect(self.postgres.port, "postgres") if names else
                  self.connect(self.pgveil.port, "analyst"))
        return Attacker(tables, K, reader, self.connect(self.postgres.port, "postgres", "scratch"),
                        self.connect(self.postgres.port, "postgres"), names)


class TheAttacker(Served):
    """Without pgveil: over masked tables that SQL made, with one cell too many now and then."""
    TABLES = policies.with_row_ids(policies.CLINIC)
    NAMES = {table.name: f'pgveil."{table.name}.copy.1"' for table in TABLES}

    @classmethod
    def start(cls):
        for name in ("demo", "scratch"):
            cls.postgres.create_database(name)
        cls.postgres.run(generate.clinic(1500) + stand_in.script(cls.TABLES, K), "demo")

    def found(self, spoil=""):
        """What is found once `spoil` was done, which is then undone."""
        names = " ".join(f'{copy[:-8]}saved"' for copy in self.NAMES.values()).split()
        for copy, saved in zip(self.NAMES.values(), names):
            self.postgres.run(f"CREATE TABLE {saved} AS TABLE {copy}", "demo")
        try:
            self.postgres.run(spoil, "demo")
            attacker = self.attack(self.TABLES, self.NAMES)
            findings = attacker.findings()
            self.assertEqual(attacker.too_long, [])
            self.assertEqual(attacker.joined, 2 * 3 ** 4 - 1)
            return [finding.where for finding in findings]
        finally:
            for copy, saved in zip(self.NAMES.values(), names):
                self.postgres.run(f"TRUNCATE {copy}; INSERT INTO {copy} TABLE {saved}; DROP TABLE {saved}", "demo")

    def test_nothing_is_found_in_sound_tables(self):
        self.assertEqual(self.found(), [])

    def test_a_cell_that_should_be_hidden_is_found(self):
        persons, visits = self.NAMES["persons"], self.NAMES["visits"]
        one = f"(SELECT id FROM {visits} WHERE person_id IS {{}} NULL ORDER BY id LIMIT 1)"
        for what, sql, where in (
            ("of a linked row", f"UPDATE {visits} SET day = '2023-05-05' WHERE id = {one.format('NOT')}", "visits"),
            ("of a row without a key", f"UPDATE {visits} SET day = '2023-05-05' WHERE id = {one.format('')}",
             "visits, rows without a key"),
            ("of a person", f"UPDATE {persons} SET birth_year = 1900 WHERE id = (SELECT min(id) FROM {persons})", "persons"),
        ):
            with self.subTest(what):
                self.assertIn(where, self.found(sql))

    def test_a_key_that_should_be_hidden_is_found(self):
        """A person without linked rows gets one that shows what linked rows of many show."""
        persons, visits = self.NAMES["persons"], self.NAMES["visits"]
        found = self.found(
            f"UPDATE {visits} v SET person_id = (SELECT id FROM {persons} p WHERE p.id NOT IN "
            f"(SELECT person_id FROM {visits} WHERE person_id IS NOT NULL) ORDER BY id LIMIT 1) "
            f"WHERE id = (SELECT id FROM {visits} WHERE person_id IS NULL ORDER BY id LIMIT 1)")
        self.assertIn("profiles", found)

    def test_a_key_of_nobody_is_found(self):
        visits = self.NAMES["visits"]
        self.assertIn("visits: keys of nobody", self.found(
            f"UPDATE {visits} SET person_id = -1 WHERE id = (SELECT min(id) FROM {visits} WHERE person_id > 0)"))

    def test_a_set_that_one_person_has_is_found(self):
        """Each combination by itself is that of many: only the two together are rare."""
        visits = self.NAMES["visits"]
        self.assertIn("visits ⋈ visits", self.found(f"""
            INSERT INTO {visits} (person_id, id, year) SELECT p, 900 + p, y FROM
              (SELECT id AS p, row_number() OVER (ORDER BY id) AS n FROM {self.NAMES['persons']}) x,
              (VALUES ('1901', 1, 6), ('1902', 6, 11)) v (y, low, high) WHERE n BETWEEN low AND high"""))

    def test_questions_are_asked_of_copies(self):
        """The runner of the questions finds the copies, and tells an answer from another one."""
        sessions = [self.connect(self.postgres.port, "postgres").cursor() for _ in range(3)]
        for session in sessions[:2]:
            ask.show_copies(session, policies.CLINIC)
        ask.show_truth(sessions[2], policies.CLINIC)
        asked = ask.questions("clinic/")
        for question in asked:
            answer = ask.ask(dataclasses.replace(question, sql=question.without_schemas()), *sessions)
            self.assertEqual((answer.refused, answer.is_copys), ("", True), question.name)
        other = ask.ask(asked[0], sessions[2], sessions[1], sessions[2])
        self.assertFalse(other.is_copys)


class ClinicCase(Served):
    """The clinic of tests/clinic, built."""
    test_seconds = 600
    TABLES = policies.CLINIC
    open_tables = ("public.places",)
    persons = 1200
    key = "int8"

    @classmethod
    def fill(cls):
        cls.postgres.run(generate.clinic(cls.persons, key=cls.key), "demo")

    @classmethod
    def start(cls):
        cls.policies = yaml_of(cls.TABLES)
        super().start()
        cls.build("persons")


class Clinic(ClinicCase):
    """The numbers of rows are published, so that the test can tell whose they are."""
    TABLES = policies.with_row_ids(policies.CLINIC)
    FACTS = {"visits": "visits", "stays": "stays", "prescriptions": "prescriptions",
             "visit_diagnoses": "(SELECT d.id, v.person_id FROM diagnoses d JOIN visits v ON v.id = d.visit_id)"}

    def whose(self, fact):
        """The raw keys of rows, by their number."""
        return dict(self.raw(f"SELECT id, person_id FROM {self.FACTS[fact]} AS r"))

    def test_one_build_builds_all(self):
        before = {name: int(number) for name, number in self.current().items()}
        self.build("stays")
        after = {name: int(number) for name, number in self.current().items()}
        self.assertEqual(set(after), {table.name for table in self.TABLES})
        self.assertTrue(all(after[name] > before[name] for name in after), (before, after))
        built_at = self.raw("SELECT DISTINCT document::json->>'built_at' FROM pgveil.version WHERE is_current")
        self.assertEqual(len(built_at), 1)

    def test_the_attacker_finds_nothing(self):
        attacker = self.attack(self.TABLES)
        self.assertEqual(list(map(str, attacker.findings())), [])
        self.assertEqual(attacker.too_long, [])
        self.assertEqual(attacker.joined, 2 * 3 ** 4 - 1)
        linked, _ = attacker.linked["visits"]
        self.assertGreater(linked, 0, "no row is linked at all")

    def test_without_the_numbers_of_rows(self):
        """As one would publish it."""
        self.addCleanup(self.build, "persons")
        self.addCleanup(self.pgveil.console, "RELOAD")
        self.addCleanup(self.write, self.policies)
        self.write(yaml_of(policies.CLINIC))
        self.pgveil.console("RELOAD")
        self.build("persons")
        self.assertEqual(self.texts("SELECT count(id) FROM visits"), [["0"]])
        attacker = self.attack(policies.CLINIC)
        self.assertEqual(list(map(str, attacker.findings())), [])
        pgveil = self.connect(self.pgveil.port, "analyst").cursor()
        copies, truth = (self.connect(self.postgres.port, "postgres").cursor() for _ in range(2))
        ask.show_copies(copies, policies.CLINIC)
        ask.show_truth(truth, policies.CLINIC)
        for question in ask.questions():
            if question.database != "clinic":
                continue
            with self.subTest(question.name):
                answer = ask.ask(question, pgveil, copies, truth)
                self.assertEqual((answer.refused, answer.is_copys), ("", True))

    def test_pseudonyms_tell_persons_apart(self):
        count = self.raw("SELECT count(*) FROM persons")[0][0]
        self.assertEqual(self.texts("SELECT count(*), count(id), count(DISTINCT id) FROM persons"), [[count] * 3])
        raw = {row[0] for row in self.raw("SELECT id FROM persons")}
        for fact in self.FACTS:
            with self.subTest(fact):
                whose = self.whose(fact)
                persons, pseudonyms = collections.defaultdict(set), collections.defaultdict(set)
                for line, pseudonym in self.texts(f"SELECT id, person_id FROM {fact} WHERE person_id IS NOT NULL"):
                    pseudonyms[whose[line]].add(pseudonym)
                    persons[pseudonym].add(whose[line])
                self.assertNotIn(None, pseudonyms)
                self.assertLessEqual(set(pseudonyms), raw)
                self.assertEqual({len(each) for each in (*persons.values(), *pseudonyms.values())}, {1})
                # Persons are linked with all of their rows, or with none.
                rows = collections.Counter(whose.values())
                shown = self.number(f"SELECT count(*) FROM {fact} WHERE person_id IS NOT NULL")
                self.assertEqual(shown, sum(rows[person] for person in pseudonyms))

    def test_a_pseudonym_is_the_same_in_all_tables(self):
        found = collections.defaultdict(set)
        for fact in self.FACTS:
            whose = self.whose(fact)
            for line, pseudonym in self.texts(f"SELECT id, person_id FROM {fact} WHERE person_id IS NOT NULL"):
                found[whose[line]].add(pseudonym)
        self.assertTrue(found)
        self.assertEqual({len(each) for each in found.values()}, {1})

    def test_joins_have_as_many_rows_as_raw_ones(self):
        for fact in self.FACTS:
            with self.subTest(fact):
                whose = self.whose(fact)
                lines = [row[0] for row in self.texts(f"SELECT id FROM {fact} WHERE person_id IS NOT NULL")]
                joined = self.number(f"SELECT count(*) FROM {fact} f JOIN persons p ON p.id = f.person_id")
                self.assertEqual(joined, len(lines))
                persons = len({whose[line] for line in lines})
                self.assertEqual(self.number(f"SELECT count(DISTINCT person_id) FROM {fact}"), persons)
                self.assertEqual(self.number(
                    f"SELECT count(DISTINCT p.id) FROM {fact} f JOIN persons p ON p.id = f.person_id"), persons)
        linked = {fact: {row[0] for row in self.texts(f"SELECT id FROM {fact} WHERE person_id IS NOT NULL")}
                  for fact in ("visits", "prescriptions")}
        counts = []
        for fact, lines in linked.items():
            whose = self.whose(fact)
            counts.append(collections.Counter(whose[line] for line in lines))
        expected = sum(counts[0][person] * counts[1][person] for person in counts[0])
        self.assertEqual(self.number("SELECT count(*) FROM visits JOIN prescriptions USING (person_id)"), expected)

    def test_rows_without_a_person_have_no_key(self):
        for fact in self.FACTS:
            whose = self.whose(fact)
            for line, key in self.texts(f"SELECT id, person_id FROM {fact}"):
                if whose[line] is None:
                    self.assertIsNone(key)

    def test_what_is_shown_is_true(self):
        raw = {line: cells for line, *cells in self.raw(
            "SELECT id, day, place_id, to_char(day, 'YYYY-MM'), to_char(day, 'YYYY') FROM visits")}
        for line, *cells in self.texts("SELECT id, day, place_id, month, year FROM visits"):
            for shown, true in zip(cells, raw[line]):
                self.assertIn(shown, (None, true))

    def test_only_readers_read(self):
        for sql in ("SELECT * FROM visits", "SELECT * FROM pgveil.visit_diagnoses", "SELECT * FROM persons"):
            self.assertEqual(self.reply(sql, user="stranger").sqlstate(), "42501")
        self.assertEqual(self.reply("SELECT * FROM diagnoses").sqlstate(), "42501")

    def test_no_raw_rows_stay_behind(self):
        self.wait_for(lambda: self.raw(TEMPORARY) == [["0"]], "raw rows stay in the database")


class Switching(ClinicCase):
    """Pseudonyms of uuid, because the numbers of two versions would match by chance."""
    persons = 300
    key = "uuid"

    def test_readers_see_all_tables_of_one_build(self):
        """A join of two versions would find nothing."""
        asked, wrong, stop = [0], [], threading.Event()
        sql = ("SELECT count(v.person_id), count(p.id), count(DISTINCT v.person_id), count(DISTINCT p.id) FROM visits v "
               "LEFT JOIN persons p ON p.id = v.person_id")

        def read(prepared):
            with self.pgveil.client() as client:
                if prepared:
                    client.query(f"PREPARE s AS {sql}")
                while not stop.is_set():
                    reply = client.query("EXECUTE s" if prepared else sql)
                    if reply.errors:
                        # A statement that met the switch, or was prepared before it.
                        if reply.sqlstate() not in ("40001", "26000"):
                            wrong.append(reply.errors)
                        if prepared:
                            client.query(f"PREPARE s AS {sql}")
                        continue
                    row = reply.texts()[0]
                    asked[0] += 1
                    if row[0] != row[1] or row[2] != row[3] or row[0] == "0":
                        wrong.append(row)

        readers = [threading.Thread(target=read, args=(prepared,)) for prepared in (False, True)]
        for reader in readers:
            reader.start()
        try:
            for name in ("persons", "visits", "visit_diagnoses"):
                self.build(name)
        finally:
            stop.set()
            for reader in readers:
                reader.join()
        self.assertEqual(wrong, [])
        self.assertGreater(asked[0], 10)

    def test_a_transaction_across_builds(self):
        with self.pgveil.client() as client:
            client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            self.assertEqual(client.query("SELECT count(*) FROM persons").errors, [])
            self.build("persons")
            reply = client.query("SELECT count(*) FROM visits v JOIN persons p ON p.id = v.person_id")
            self.assertTrue(reply.errors or int(reply.texts()[0][0]) > 0, reply.texts())

    def test_a_build_that_is_killed(self):
        draw = random.Random(5)
        start = time.monotonic()
        self.build("persons")
        whole = time.monotonic() - start
        for _ in range(8 if IS_LONG else 4):
            before = self.current()
            dying = subprocess.Popen(
                [binary(), "policy", "build", "visits", "--config", str(self.pgveil.config_path)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                cwd=self.pgveil.directory)
            time.sleep(draw.uniform(0.02, 1.0) * whole)
            dying.send_signal(signal.SIGKILL)
            dying.wait()
            self.wait_for(lambda: self.raw(TEMPORARY) == [["0"]], "raw rows stay in the database")
            after = self.current()
            moved = {name for name in after if after[name] != before[name]}
            self.assertIn(moved, (set(), set(after)), "some versions of the entity are new, and some are not")
            self.wait_until_served()
            row = self.texts("SELECT count(v.person_id), count(p.id) FROM visits v LEFT JOIN persons p ON p.id = v.person_id")[0]
            self.assertEqual(row[0], row[1])
            self.assertNotEqual(row[0], "0")
        self.build("persons")
        for table in self.TABLES:
            copies = self.raw(f"SELECT count(*) FROM pg_class WHERE obj_description(oid, 'pg_class') = "
                              f"'pgveil: masked rows of policy {table.name}'")
            self.assertLessEqual(int(copies[0][0]), 2, f"copies of builds that were killed stay: {table.name}")


# One entity for each type of key: how the key of person {i} is written.
KEYS = {
    "int2": "(30000 - 7 * {i})::int2",
    "int4": "5 * {i}",
    "int8": "10000000000 + 3 * {i}",
    "uuid": "md5('person ' || {i})::uuid",
    "text": "'person ' || {i}",
    "varchar(40)": "('P' || lpad({i}::text, 6, '0'))::varchar(40)",
}
PERSONS = 400
OF_TYPE = """
CREATE TABLE p_{name} (id {type} PRIMARY KEY, number integer, city text);
CREATE TABLE f_{name} (line integer PRIMARY KEY, person {type}, kind text);
INSERT INTO p_{name} SELECT {key}, i, (ARRAY['Aber', 'Bree'])[1 + i % 2] FROM generate_series(1, {persons}) i;
INSERT INTO f_{name} SELECT i * 10 + j, {key}, (ARRAY['a', 'b'])[1 + i % 2] FROM generate_series(1, {persons}) i,
  generate_series(1, 1 + i % 3) j;
INSERT INTO f_{name} SELECT 100000 + i, NULL, 'a' FROM generate_series(1, 9) i;
INSERT INTO f_{name} SELECT 200000 + i, {stranger}, 'b' FROM generate_series(1, 9) i;
"""


def tables_of_type(name, kind="integer", key="5 * {i}", persons=60):
    """Nine rows have no key, and nine have keys of nobody."""
    return OF_TYPE.format(name=name, type=kind, persons=persons, key=key.format(i="i"), stranger=key.format(i="(900 + i)"))


def of_type(name, facts=""):
    return f"""\
  - name: p_{name}
    database: demo
    table: public.p_{name}
    k: {K}
    entity: {name}
    enforcement: copy
    readers: [analyst]
    columns:
      id:     {{class: key, domain: {name}}}
      number: {{class: insensitive}}
      city:   {{class: quasi_identifier}}
  - name: f_{name}
    database: demo
    table: public.f_{name}
    k: {K}
    enforcement: copy
    readers: [analyst]
{facts}    columns:
      line:   {{class: insensitive}}
      person: {{class: key, domain: {name}}}
      kind:   {{class: quasi_identifier}}
"""


def plain(kind):
    return kind.split("(")[0]


class Types(Served):
    policies = "version: 1\npolicies:\n" + "".join(of_type(plain(kind)) for kind in KEYS)

    @classmethod
    def fill(cls):
        for kind, key in KEYS.items():
            cls.postgres.run(tables_of_type(plain(kind), kind, key, PERSONS), "demo")

    @classmethod
    def start(cls):
        super().start()
        for kind in KEYS:
            cls.build(f"p_{plain(kind)}")

    def pseudonyms(self, name):
        """By the number of the person, which the test publishes."""
        return {int(number): key for key, number in self.texts(f"SELECT id, number FROM p_{name}")}

    def test_keys_keep_their_type(self):
        for kind in KEYS:
            with self.subTest(kind):
                name = plain(kind)
                raw = self.raw(f"SELECT pg_typeof(id) FROM p_{name} LIMIT 1")
                for column, table in (("id", "p"), ("person", "f")):
                    self.assertEqual(self.texts(f"SELECT DISTINCT pg_typeof({column}) FROM {table}_{name}"), raw)

    def test_pseudonyms_are_of_the_announced_form(self):
        for kind in KEYS:
            with self.subTest(kind):
                shown = set(self.pseudonyms(plain(kind)).values())
                self.assertEqual(len(shown), PERSONS)
                if kind in ("int2", "int4", "int8"):
                    self.assertEqual(set(map(int, shown)), set(range(1, PERSONS + 1)))
                else:
                    self.assertEqual({len(key) for key in shown}, {36 if kind == "uuid" else 32})
                    raw = {row[0] for row in self.raw(f"SELECT id FROM p_{plain(kind)}")}
                    self.assertEqual(shown & raw, set())

    def test_joins_find_the_rows_of_the_person(self):
        for kind in KEYS:
            with self.subTest(kind):
                name = plain(kind)
                raw = self.raw(f"SELECT f.line, p.number FROM f_{name} f JOIN p_{name} p ON p.id = f.person ORDER BY 1")
                shown = self.texts(f"SELECT f.line, p.number FROM f_{name} f JOIN p_{name} p ON p.id = f.person ORDER BY 1")
                self.assertEqual(shown, raw)
                self.assertEqual(self.number(f"SELECT count(DISTINCT person) FROM f_{name}"), PERSONS)

    def test_rows_of_nobody_have_no_key(self):
        """They belong to no person, or to persons whom nobody counts, and may be left out."""
        for kind in KEYS:
            with self.subTest(kind):
                self.assertEqual(self.number(f"SELECT count(person) FROM f_{plain(kind)} WHERE line >= 100000"), 0)

    def test_pseudonyms_say_nothing_of_the_order_of_keys(self):
        for kind in KEYS:
            with self.subTest(kind):
                shown = self.pseudonyms(plain(kind))
                by_key = sorted(shown, key=lambda number: int(shown[number]) if "int" in kind else shown[number])
                place = {number: at for at, number in enumerate(by_key)}
                middle = (PERSONS - 1) / 2
                covariance = sum((number - 1 - middle) * (place[number] - middle) for number in shown)
                whole = sum((at - middle) ** 2 for at in range(PERSONS))
                # Five times the deviation of random orders.
                self.assertLess(abs(covariance / whole), 5 / PERSONS ** 0.5)

    def test_the_order_of_rows_says_nothing_of_keys(self):
        """Rows come in the order of what they show."""
        for kind in KEYS:
            rows = self.texts(f"SELECT number FROM p_{plain(kind)}")
            self.assertNotEqual([int(row[0]) for row in rows], list(range(1, PERSONS + 1)))

    def test_they_are_other_ones_after_a_build(self):
        for kind in KEYS:
            with self.subTest(kind):
                name = plain(kind)
                before = self.pseudonyms(name)
                self.build(f"f_{name}")
                after = self.pseudonyms(name)
                kept = sum(before[number] == after[number] for number in before)
                self.assertLess(kept, 10, "pseudonyms are those of the build before")

    def test_keys_that_no_pseudonym_fits_into(self):
        self.postgres.run("CREATE TABLE p_short (id varchar(8) PRIMARY KEY, number integer, city text);"
                          "CREATE TABLE f_short (line integer PRIMARY KEY, person date, kind text)", "demo")
        self.addCleanup(self.write, self.policies)
        self.write(self.policies + of_type("short"))
        done = self.command("check", "--quick")
        self.assertEqual(done.returncode, 1)
        said = done.stdout + done.stderr
        self.assertIn("too short for a pseudonym", said)
        self.assertIn("of type date can't have class key", said)


# note() leaves a trace in a sequence, which a rollback does not take back. A range type calls it for its
# statistics, a domain for its CHECK, and a view for each row.
NOTING = """
CREATE SEQUENCE ran;
GRANT USAGE ON SEQUENCE ran TO pgveil_admin;
CREATE FUNCTION note() RETURNS boolean LANGUAGE plpgsql VOLATILE AS
  'BEGIN PERFORM pg_catalog.nextval(''public.ran''); RETURN true; END';
CREATE FUNCTION apart(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN PERFORM public.note(); RETURN a - b; END';
CREATE FUNCTION is_good(v integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN PERFORM public.note(); RETURN true; END';
CREATE TYPE span AS RANGE (subtype = float8, subtype_diff = apart);
CREATE DOMAIN good AS integer CHECK (is_good(VALUE));
"""


class OwnersCode(Served):
    """The owner of a table, or of a type, must not get code of theirs run in the session of a build."""
    NAMES = ("ranged", "domained", "swapped", "reserved", "indexed", "counted", "cast")
    policies = "version: 1\npolicies:\n" + "".join(of_type(name) for name in NAMES)

    @classmethod
    def fill(cls):
        for name in cls.NAMES:
            cls.postgres.run(tables_of_type(name), "demo")
        cls.postgres.run(NOTING, "demo")
        cls.postgres.run(
            "ALTER TABLE f_ranged ADD COLUMN r span; UPDATE f_ranged SET r = span(line, line + 1);"
            "ALTER TABLE f_domained ADD COLUMN z good; ALTER TABLE f_reserved ADD COLUMN \"pgveil number\" integer;"
            "CREATE INDEX ON f_indexed (line) WHERE is_good(5);"
            "CREATE STATISTICS counted ON (is_good(5)), line FROM f_counted;"
            "CREATE TYPE mood AS ENUM ('calm', 'wild'); ALTER TABLE p_cast ADD COLUMN m mood DEFAULT 'calm';"
            "SELECT setval('ran', 1, false)", "demo")

    def refused(self, name, *words):
        done = self.command("policy", "build", f"p_{name}")
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.raw("SELECT is_called FROM ran"), [["f"]])
        self.assertNotIn(f"f_{name}", self.current())

    def test_the_statistics_of_a_range(self):
        self.refused("ranged", 'column "r"', "span", "runs code of the type's owner")

    def test_the_check_of_a_domain(self):
        self.refused("domained", 'column "z"', "good", "runs code of the type's owner")

    def test_conditions_of_an_index(self):
        """The planner evaluates a function with constant arguments."""
        self.refused("indexed", "index", "calls a function of a user's")

    def test_expressions_of_statistics(self):
        self.refused("counted", "statistics", "calls a function of a user's")

    def test_a_cast_that_is_made_while_pgveil_runs(self):
        self.postgres.run(
            "CREATE FUNCTION told(m mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS "
            "'BEGIN PERFORM public.note(); RETURN ''x''; END';"
            "CREATE CAST (mood AS text) WITH FUNCTION told(mood)", "demo")
        try:
            self.refused("cast", "cast")
        finally:
            self.postgres.run("DROP CAST (mood AS text)", "demo")

    def test_a_name_that_statements_of_the_build_use(self):
        self.refused("reserved", '"pgveil number"', "reserved")

    def test_a_view_in_the_place_of_a_table(self):
        """It takes the table's place while the build waits for its lock."""
        swap = ("BEGIN; ALTER TABLE f_swapped RENAME TO f_before; CREATE VIEW f_swapped AS "
                "SELECT line, person, CASE WHEN note() THEN kind END AS kind FROM f_before; "
                "GRANT SELECT ON f_swapped TO PUBLIC; SELECT pg_sleep(6); COMMIT;")
        owner = threading.Thread(target=lambda: self.postgres.run(swap, "demo"))
        owner.start()
        # The owner sleeps when it has the lock.
        asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        self.wait_for(lambda: self.postgres.rows(asleep), "the table is not swapped")
        self.refused("swapped", "f_swapped")
        owner.join()


class OtherTypes(Served):
    """Keys of an entity and of its facts that have nearly the same type."""
    KINDS = {"wide": ("bigint", "integer"), "narrow": ("integer", "bigint"), "texts": ("text", "varchar(40)"),
             "bytes": ('text COLLATE "C"', 'text COLLATE "C"'), "far": ("text", "integer")}
    policies = "version: 1\npolicies:\n" + "".join(of_type(name) for name in KINDS)

    @classmethod
    def fill(cls):
        for name, (own, fact) in cls.KINDS.items():
            cls.postgres.run(tables_of_type(name), "demo")
            cls.postgres.run(f"ALTER TABLE p_{name} ALTER id TYPE {own}; ALTER TABLE f_{name} ALTER person TYPE {fact}", "demo")

    def test_they_join(self):
        for name in self.KINDS:
            if name == "far":
                continue
            with self.subTest(name):
                self.build(f"p_{name}")
                raw = self.raw(f"SELECT count(*) FROM f_{name} f JOIN p_{name} p ON p.id::text = f.person::text")
                shown = self.texts(f"SELECT count(*) FROM f_{name} f JOIN p_{name} p ON p.id = f.person")
                linked = self.texts(f"SELECT count(*) FROM f_{name} WHERE person IS NOT NULL")
                self.assertEqual(shown, linked)
                self.assertLessEqual(int(shown[0][0]), int(raw[0][0]))
                self.assertGreater(int(shown[0][0]), 0)

    def test_types_that_share_no_pseudonym(self):
        done = self.command("policy", "build", "p_far")
        self.assertEqual(done.returncode, 1)
        self.assertIn("can't show the pseudonyms of keys of type text", done.stderr)


class Keys(Served):
    """Keys of the entity's table that don't tell persons apart, and persons with very many rows."""
    MANY = 100_000
    test_seconds = 600  # that many rows, several times
    policies = "version: 1\npolicies:\n" + "".join(of_type(name) for name in ("nulls", "twice", "bare")) + of_type(
        "many", facts="    max_rows_per_person: 100\n")

    @classmethod
    def fill(cls):
        for name in ("nulls", "twice", "many", "bare"):
            cls.postgres.run(tables_of_type(name), "demo")
            cls.postgres.run(f"ALTER TABLE p_{name} DROP CONSTRAINT p_{name}_pkey, ALTER id DROP NOT NULL", "demo")
        cls.postgres.run(
            "UPDATE p_nulls SET id = NULL WHERE number IN (3, 30, 31); UPDATE p_twice SET id = 5 WHERE number IN (1, 2, 3, 4);"
            f"INSERT INTO f_many SELECT 1000000 + i, 5, 'b' FROM generate_series(1, {cls.MANY}) i; ANALYZE f_many", "demo")
        cls.postgres.run(f"INSERT INTO f_bare SELECT 1000000 + i, 5, 'b' FROM generate_series(1, {cls.MANY}) i", "demo")

    def test_null_keys_are_counted(self):
        done = self.command("policy", "build", "p_nulls")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, 'policy p_nulls: its key "?id"? must tell each nulls apart, but 3 of 60 rows have no '
                         "key, and 0 rows have a key that another row has, too")
        self.assertNotIn("p_nulls", self.current())
        self.assertNotIn("f_nulls", self.current())

    def test_repeated_keys_are_counted(self):
        done = self.command("policy", "build", "f_twice")
        self.assertEqual(done.returncode, 1)
        self.assertIn("but 0 of 60 rows have no key, and 3 rows have a key that another row has, too", done.stderr)
        self.assertEqual(self.reply("SELECT * FROM f_twice").sqlstate(), "42501")

    def test_rows_beyond_the_most_are_left_out(self):
        done = self.build("p_many")
        owner = dict(self.raw("SELECT line, person FROM f_many"))
        rows = collections.Counter(owner[line] for (line,) in self.texts("SELECT line FROM f_many"))
        self.assertEqual(rows["5"], 100)
        others = collections.Counter(person for person in owner.values() if person is not None)
        for person, count in rows.items():
            if person not in ("5", None) and int(person) % 5 == 0:
                self.assertEqual(count, others[person])
        self.assertRegex(done.stdout + done.stderr, r"\d+ rows are left out")

    def test_a_person_with_all_rows(self):
        """Without max_rows_per_person readers see how many rows the person has; no combination is rare."""
        self.build("p_bare")
        self.assertGreater(self.number("SELECT count(*) FROM f_bare WHERE line > 1000000"), self.MANY - 1)
        whose = dict(self.raw("SELECT line, person FROM f_bare"))
        persons = collections.defaultdict(set)
        for line, key, kind in self.texts("SELECT line, person, kind FROM f_bare"):
            persons[key is None, kind].add(whose[line])
        self.assertGreaterEqual(min(map(len, persons.values())), K)


class Refused(Served):
    """What is wrong with the policies of an entity is said when they are read."""
    policies = "version: 1\npolicies:\n" + of_type("one")

    @classmethod
    def fill(cls):
        for name in ("one", "two"):
            cls.postgres.run(tables_of_type(name), "demo")

    def assert_refused(self, text, *words):
        self.addCleanup(self.write, self.policies)
        self.write(text)
        done = self.command("check", "--quick")
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        for each in words:
            self.assertIn(each, said)
        self.assertRegex(said, r"policies\.yaml:\d+:\d+: ")
        reply = self.pgveil.console("RELOAD")
        self.assertIn("error", [row[1] for row in reply.texts()] + [error["S"].lower() for error in reply.errors])

    def test_rules(self):
        sound = self.policies
        second = of_type("two").replace("domain: two", "domain: one").replace("entity: two", "entity: one")
        facts = sound.index("  - name: f_one")
        for what, text, words in (
            ("a domain without an entity", sound.replace("    entity: one\n", ""), ("no policy has entity: one", "p_one, f_one")),
            ("a second entity", sound + second, ("has entity: one, too",)),
            ("another k", sound[:facts] + sound[facts:].replace(f"k: {K}", f"k: {K + 1}"), ("same k",)),
            ("a unit", sound.replace("    entity: one\n", "    entity: one\n    unit: number\n").replace(
                "number: {class: insensitive}", "number: {class: identifier}"), ("unit beside key",)),
            ("two keys", sound.replace("line:   {class: insensitive}", "line:   {class: key, domain: one}"), ("a second key",)),
            ("a key without a domain", sound.replace("{class: key, domain: one}", "{class: key}", 1), ("has no domain",)),
            ("a domain without a key", sound.replace("{class: insensitive}", "{class: insensitive, domain: one}", 1),
             ("domain is only allowed on a column of class key",)),
            ("no copy", sound.replace("enforcement: copy", "enforcement: query", 1), ("requires enforcement: copy",)),
            ("diversity of facts", sound.replace("line:   {class: insensitive}",
                                                 "line:   {class: sensitive, l_diversity: {distinct: 2}}"),
             ("l_diversity or t_closeness",)),
            ("a workload of facts", sound[:facts] + sound[facts:].replace(
                "    columns:", "    workload: [{group_by: [kind]}]\n    columns:"), ("a workload is not allowed in a table with key",)),
            ("most rows of persons", sound.replace("    entity: one\n", "    entity: one\n    max_rows_per_person: 3\n"),
             ("max_rows_per_person is not allowed in the table with one row per one",)),
            ("an entity of another domain", sound.replace("entity: one", "entity: other"), ("write entity: one",)),
            ("a second policy of a table", sound + sound[facts:].replace("name: f_one", "name: again"),
             ("covers this table too",)),
        ):
            with self.subTest(what):
                self.assert_refused(text, *words)

    def test_sound_ones_are_not_refused(self):
        done = self.command("check", "--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_source_over_a_table_of_the_entity(self):
        """The sources of the entity itself may read its tables, others may not."""
        source = f"""\
  - name: flat
    database: demo
    source: SELECT p.id, p.city FROM public.p_one p
    k: {K}
    unit: id
    enforcement: copy
    readers: [analyst]
    columns:
      city: {{class: quasi_identifier}}
"""
        self.addCleanup(self.write, self.policies)
        self.write(self.policies + source)
        done = self.command("check", "--quick")
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        for word in ("flat", "p_one", "accept_joint_release"):
            self.assertIn(word, said)


if __name__ == "__main__":
    main()

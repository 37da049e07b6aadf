#!/usr/bin/python3
"""What differs between the majors of PostgreSQL that are supported: functions and catalogs that only one has,
words that became key words, and a server that is switched to another major while pgveil runs. Each class
needs the server of a certain major and says in one line if it is not there."""
import dataclasses
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracle"))
import naive  # noqa: E402
from harness import world
from harness.pgveil import Pgveil
from harness.postgres import MAJORS, Postgres, server_bin
from harness.runner import Case, main
from harness.stack import StackCase

HERE = [major for major in MAJORS if server_bin(major)]
NEWEST = MAJORS[-1]

# A column whose name is a key word of a later major must still be a column.
WORDS = """
CREATE TABLE public.words (
  id integer PRIMARY KEY, "system_user" text, "json" text, "json_table" text, "merge_action" text);
INSERT INTO public.words VALUES (1, 'a', 'b', 'c', 'd');
GRANT SELECT ON public.words TO pgveil_query, pgveil_admin;
"""


def each_major(case):
    """The same class for each major that is here, and none without a major."""
    def of(major):
        return type(f"{case.__name__}Of{major}", (case,), {"major": major, "__doc__": case.__doc__})
    for major in HERE:
        globals()[f"{case.__name__}Of{major}"] = of(major)


class OfMajor(StackCase):
    major = None

    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.kept(Postgres(programs=server_bin(cls.major)))
        cls.start()

    def answer(self, sql, user="analyst"):
        with self.pgveil.client(user) as client:
            return client.query(sql)

    def refused(self, sql, sqlstate="42501"):
        reply = self.answer(sql)
        self.assertEqual(reply.sqlstate(), sqlstate, f"{sql}: {reply.texts()} {reply.errors}")


@each_major
class Answers(OfMajor):
    """Masks, catalogs and refusals are the same with each server."""
    open_tables = (*world.OPEN_TABLES, "public.words")
    has_masked_copy = True
    has_version_schema = True

    @classmethod
    def prepare(cls):
        cls.postgres.run(WORDS, "demo")

    def test_masks(self):
        for sql in ("SELECT * FROM people ORDER BY 2, 3, 4",
                    "SELECT job, count(*) FROM staff GROUP BY 1 ORDER BY 1"):
            with self.subTest(sql), self.direct() as plain:
                self.assertEqual(self.texts(sql), plain.query(sql).texts())

    def test_check_has_no_finding_about_the_server(self):
        done = self.pgveil.command("check", "--config", str(self.pgveil.config_path))
        for words in ("does not exist here", "was replaced or got another overload", "quotes data"):
            self.assertNotIn(words, done.stdout + done.stderr)

    def test_the_version_is_shown(self):
        self.assertTrue(self.texts("SHOW server_version")[0][0].startswith(str(self.major)))

    def test_functions_of_the_major(self):
        """(the first major that has it, the call, what it answers); None: refused everywhere."""
        cases = (
            (16, "any_value(n ORDER BY n) FROM numbers", "1"),
            (16, "array_length(array_agg(date_add('2024-03-01 00:00+00', '1 day')), 1)", "1"),
            (17, "to_bin(5)", "101"),
            (17, "uuid_extract_version('41db1265-8bc1-4ab3-992f-885799a4af1d')", "4"),
            (17, "to_regtypemod('varchar(5)')", "9"),
            (18, "casefold('ABC' COLLATE \"C\")", "abc"),
            (18, "array_sort(ARRAY[3,1,2])", "{1,2,3}"),
            (18, "crc32('abc'::bytea)", "891568578"),
            (18, "uuid_extract_version(uuidv4())", "4"),
            (None, "uuidv7()", None),
            (None, "pg_input_is_valid('1', 'int4')", None),
            (None, "* FROM pg_get_aios()", None),
            (None, "* FROM pg_input_error_info('x', 'int4')", None),
            (None, "pg_get_loaded_modules()", None),
            (None, "pg_clear_relation_stats('public', 'people')", None),
            (None, "random_normal()", None),
        )
        for first, call, value in cases:
            with self.subTest(call):
                if first is not None and self.major >= first:
                    self.assertEqual(self.texts(f"SELECT {call}"), [[value]])
                else:
                    self.refused(f"SELECT {call}")

    def test_how_query_role_logged_in_is_not_told(self):
        for sql in ("SELECT system_user", "SELECT pg_catalog.system_user()", "SELECT * FROM system_user"):
            with self.subTest(sql):
                reply = self.answer(sql)
                self.assertNotIn("pgveil_query", str(reply.texts()) + str(reply.errors))
                self.assertNotIn("scram", str(reply.texts()) + str(reply.errors))

    def test_key_words_of_other_majors_are_names(self):
        row = ["a", "b", "c", "d"]
        self.assertEqual(
            self.texts('SELECT w."system_user", w."json", "json_table", "merge_action" FROM words w'), [row])
        self.assertEqual(self.texts("SELECT * FROM words"), [["1", *row]])
        self.assertEqual(self.texts('SELECT max("system_user") FROM words GROUP BY "json"'), [["a"]])
        self.assertEqual(
            self.texts('SELECT "system_user" FROM (SELECT id AS "system_user" FROM words) AS "json"'), [["1"]])

    def test_catalogs_tell_nothing_of_others(self):
        """Each relation of pg_catalog is refused, or shows no number that others' work changes."""
        names = [row[0] for row in self.postgres.rows(
            "SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')",
            "demo")]
        self.assertGreater(len(names), 100)
        for name in names:
            with self.subTest(name):
                reply = self.answer(f"SELECT * FROM pg_catalog.{name}")
                self.assertIn(reply.sqlstate(), (None, "", "42501"), reply.errors)
        for name in ("pg_aios", "pg_stat_io", "pg_stat_checkpointer"):
            with self.subTest(name):
                reply = self.answer(f"SELECT * FROM pg_catalog.{name}")
                if reply.errors:
                    self.assertEqual(reply.sqlstate(), "42501")
                for row in reply.texts():
                    self.assertEqual({value for value in row}, {None})
        self.refused("SELECT * FROM pg_shmem_allocations_numa")
        self.refused("SELECT * FROM pg_stats")

    def test_settings_of_a_major(self):
        reply = self.answer("SET transaction_timeout = '1min'")
        self.assertEqual(reply.errors == [], self.major >= 17, reply.errors)
        self.refused("SET createrole_self_grant = 'set, inherit'")
        self.refused("SHOW io_method")

    def test_explain_of_a_protected_table_has_no_default_that_answers(self):
        self.refused("EXPLAIN ANALYZE SELECT * FROM people")
        self.refused("EXPLAIN (BUFFERS OFF) SELECT * FROM people")
        self.assertEqual(self.answer("EXPLAIN SELECT * FROM numbers").errors, [])

    def test_writes_that_return_old_rows(self):
        for sql in ("UPDATE people SET city = city RETURNING old.city, new.city",
                    "DELETE FROM people RETURNING old.*"):
            with self.subTest(sql):
                self.assertNotEqual(self.answer(sql).errors, [])

    def test_clients_see_their_own_search_path(self):
        with self.pgveil.client() as client:
            self.assertNotIn("pg_temp", str(client.settings))
            client.query("SET search_path = public, pg_catalog")
            self.assertNotIn("pg_temp", str(client.settings))


class OfNewest(OfMajor):
    @classmethod
    def setUpClass(cls):
        if server_bin(NEWEST) is None:
            raise unittest.SkipTest(f"PostgreSQL {NEWEST} is not here; ./run deps servers installs it")
        cls.major = NEWEST
        super().setUpClass()


class Newer(OfNewest):
    """What only the newest major has in its tables."""
    has_version_schema = True
    open_tables = (*world.OPEN_TABLES, "public.visits")

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            "CREATE TABLE public.visits (id integer PRIMARY KEY, person integer,"
            " CONSTRAINT promised FOREIGN KEY (person) REFERENCES people NOT ENFORCED);"
            "CREATE TABLE public.virtual (id integer PRIMARY KEY, age integer,"
            " inverse integer GENERATED ALWAYS AS (100 / age), kept integer GENERATED ALWAYS AS (age / 10) STORED);"
            "INSERT INTO public.virtual (id, age) SELECT n, 20 + n % 2 FROM generate_series(1, 40) n;"
            "GRANT SELECT ON public.visits, public.virtual TO pgveil_query, pgveil_admin", "demo")

    def test_a_foreign_key_that_is_not_enforced_still_joins(self):
        done = self.pgveil.command("check", "--config", str(self.pgveil.config_path))
        self.assertIn("visits", done.stdout + done.stderr)

    def built_with(self, inverse, enforcement, name):
        """→ what BUILD says of a policy over the table with a virtual column of this class."""
        policy = naive.Policy(
            name, "public.virtual", 2, {"age": "quasi_identifier", "kept": "insensitive", "inverse": inverse},
            readers=("analyst",), enforcement=enforcement)
        self.pgveil.write_policies([*self.policies, policy])
        self.postgres.run(self.pgveil.setup_sql(), "demo")
        reloaded = self.pgveil.console("RELOAD")
        if reloaded.errors:
            return str(reloaded.errors)
        return str(self.pgveil.console(f"BUILD POLICY {name}").errors)

    def test_a_virtual_column_is_never_computed_for_a_reader(self):
        """A row that its expression fails on would be told by an error."""
        for column_class in ("quasi_identifier", "insensitive"):
            said = self.built_with(column_class, "query", f"read_{column_class[:4]}")
            self.assertIn("virtual generated column", said)
        self.assertEqual(self.built_with("identifier", "query", "hidden_one"), "[]")
        self.postgres.run("INSERT INTO public.virtual (id, age) VALUES (1000, 0)", "demo")
        try:
            answer = self.answer("SELECT count(*), count(inverse), sum(kept) FROM virtual")
            self.assertEqual(answer.texts(), [["41", "0", "80"]])
        finally:
            self.postgres.run("DELETE FROM public.virtual WHERE id = 1000", "demo")
        self.assertEqual(self.built_with("insensitive", "copy", "copied"), "[]")
        answer = self.answer("SELECT DISTINCT inverse FROM virtual ORDER BY 1")
        self.assertEqual(answer.texts(), [["4"], ["5"]])


class Expressions(OfNewest):
    """The column that keeps decisions gets another expression (PostgreSQL 17 and later)."""
    policies = (dataclasses.replace(world.PEOPLE, enforcement="stored"),)
    built = ("people_k2",)
    has_version_schema = True
    options = {"catalog_check_every": "1h"}

    @classmethod
    def start(cls):
        super().start()
        sql = "\n".join(row[0] for row in cls.pgveil.console("SHOW STORED people_k2").texts())
        cls.postgres.run(sql, "demo")
        cls.pgveil.build("people_k2")

    def test_another_expression_is_noticed_at_once(self):
        """The catalog is not read again in between, and the column has the same name and number."""
        with self.pgveil.client() as client:
            self.assertEqual(len(client.query("SELECT * FROM people").texts()), 11)
            column = self.postgres.rows(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'people'::regclass AND attgenerated = 's'",
                "demo")[0][0]
            since = self.postgres.log_position()
            # Every number of a cohort becomes that of one which shows everything it can.
            self.postgres.run(f'ALTER TABLE people ALTER COLUMN "{column}" SET EXPRESSION AS (5)', "demo")
            reply = client.query("SELECT * FROM people")
            self.assertNotEqual(reply.errors, [], self.postgres.received(since))
            for token in world.HIDDEN:
                self.assertNotIn(token, str(reply.texts()))


class Switched(Case):
    """The server is replaced by one of another major on the same port."""
    WAIT_SECONDS = 60

    @classmethod
    def setUpClass(cls):
        if len(HERE) < 2:
            raise unittest.SkipTest("a second major of PostgreSQL is not here; ./run deps servers installs it")

    def switch(self, first, second):
        old = Postgres(programs=server_bin(first))
        self.addCleanup(old.stop)
        world.create(old)
        pgveil = Pgveil(old, (world.PEOPLE, world.STAFF), world.OPEN_TABLES, catalog_check_every="1s")
        self.addCleanup(pgveil.stop)
        old.run(pgveil.setup_sql(), "demo")
        pgveil.start()
        pgveil.build("people_k2", "staff_k3")
        client = pgveil.client()
        self.addCleanup(client.close)
        self.assertNotEqual(client.query("SELECT count(*) FROM people WHERE city IS NULL").texts(), [["0"]])
        old.kill()
        new = Postgres(programs=server_bin(second), port=old.port)
        self.addCleanup(new.stop)
        # Not in the same way: the newer server has other OIDs, as after a dump and a restore.
        new.run("CREATE TABLE other_oids (x integer)")
        world.create(new)
        new.run(pgveil.setup_sql(), "demo")
        return pgveil, new

    def settle(self, pgveil, major):
        """Until pgveil reads the new server; every answer on the way is an error, or masked."""
        deadline = time.monotonic() + self.WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                with pgveil.client() as client:
                    reply = client.query("SELECT n FROM numbers WHERE n = 1")
                    if reply.texts() == [["1"]] and client.settings["server_version"].startswith(str(major)):
                        return
                    people = client.query("SELECT occupation, city FROM people")
                    self.assertNotIn("Withamsville", str(people.texts()))
            except (ConnectionError, OSError, RuntimeError):
                pass
            time.sleep(0.2)
        self.fail("the database was not opened again:\n" + pgveil.log()[-3000:])

    def check_switch(self, first, second):
        pgveil, new = self.switch(first, second)
        self.settle(pgveil, second)
        # The version was made of the other server's rows, so the policy is closed until it is built again.
        with pgveil.client() as client:
            self.assertNotEqual(client.query("SELECT * FROM people").errors, [])
        pgveil.build("people_k2", "staff_k3")
        with pgveil.client() as client:
            rows = client.query("SELECT * FROM people").texts()
            self.assertEqual(len(rows), 11)
            self.assertNotIn("Withamsville", str(rows))
            wanted = "to_bin(5)" if second >= 17 else "lower('101')"
            self.assertEqual(client.query(f"SELECT {wanted}").texts(), [["101"]])
            if second < 17:
                self.assertEqual(client.query("SELECT to_bin(5)").sqlstate(), "42501")

    def test_an_upgrade(self):
        self.check_switch(HERE[0], HERE[-1])

    def test_a_downgrade(self):
        self.check_switch(HERE[-1], HERE[0])


if __name__ == "__main__":
    main()

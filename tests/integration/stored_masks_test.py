#!/usr/bin/python3
"""enforcement: stored. Answers are those of masks in each query while a generated column of the table
decides; a column that is not the version's, or was tampered with, shows nothing."""
import dataclasses
import re

from harness import world
from harness.runner import main
from harness.stack import StackCase

COLUMNS = """SELECT attname FROM pg_attribute WHERE attrelid = '{}'::regclass AND attname LIKE 'pgveil shown %' AND NOT attisdropped
             ORDER BY attnum"""
STATEMENTS = (
    "SELECT * FROM people ORDER BY 2, 3, 4",
    "SELECT state, count(*) FROM people GROUP BY state ORDER BY 1",
    "SELECT * FROM staff ORDER BY id",
    "TABLE staff ORDER BY 1",
    "SELECT * FROM staff",
    "SELECT job, town, avg(pay), max(seen), min(badge), array_agg(id ORDER BY id) FROM staff GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT a.id, b.id FROM staff a JOIN staff b USING (town, job) ORDER BY 1, 2",
    "SELECT * FROM staff a NATURAL JOIN staff b ORDER BY id",
    "SELECT id, mood, is_active, born FROM staff WHERE id = 17",
    "SELECT id FROM staff WHERE mood = 'glad' AND grade > 1.4 ORDER BY 1",
    "SELECT s.id, t.size, s.job FROM towns t LEFT JOIN staff s ON s.town = t.town ORDER BY 1, 2",
    "SELECT count(*), count(name), count(note), count(born) FROM staff",
    "SELECT s FROM staff s ORDER BY s.id",
    "SELECT row_to_json(p) FROM people p ORDER BY row_to_json(p)::text",
    "SELECT id, town FROM staff s WHERE EXISTS (SELECT FROM staff o WHERE o.town = s.town AND o.id <> s.id) ORDER BY 1",
    "SELECT id, (SELECT max(born) FROM staff o WHERE o.job = s.job) FROM staff s ORDER BY 1",
    "SELECT a, b, c, d FROM people AS p(a, b, c, d) ORDER BY 2, 3, 4",
    "SELECT id, job FROM staff TABLESAMPLE BERNOULLI (100) ORDER BY 1",
    "COPY (SELECT * FROM staff ORDER BY id) TO STDOUT",
    "COPY people TO STDOUT",
    "COPY staff (id, job) TO STDOUT",
)


def stored(policy):
    return dataclasses.replace(policy, enforcement="stored")


class StoredMasks(StackCase):
    policies = (stored(world.PEOPLE), stored(world.STAFF))
    has_masked_copy = True
    has_version_schema = True
    options = {"catalog_check_every": "1h"}  # these tests give RELOAD themselves

    @classmethod
    def start(cls):
        super().start()
        cls.store("people_k2", "staff_k3")

    @classmethod
    def sql_of(cls, policy):
        reply = cls.pgveil.console(f"SHOW STORED {policy}")
        if reply.errors:
            raise RuntimeError(reply.errors[0])
        return "\n".join(row[0] for row in reply.texts())

    @classmethod
    def store(cls, *policies):
        """What an owner does: adds the column, then builds again."""
        for policy in policies:
            cls.postgres.run(cls.sql_of(policy), "demo")
            cls.pgveil.build(policy)

    def setUp(self):
        """The rows of the example, and their column."""
        if self.enforcement() == "stored" and not self.is_spoiled:
            return
        drops = "".join(f'ALTER TABLE people DROP COLUMN "{name}";' for name in self.columns())
        self.postgres.run(
            drops
            + "BEGIN; LOCK TABLE people; DELETE FROM people;"
            + re.search(r"INSERT INTO public.people.*?;", world.ROWS, re.S)[0]
            + "COMMIT;",
            "demo",
        )
        self.pgveil.console("BUILD POLICY people_k2 FRESH")
        self.store("people_k2")
        self.assertEqual(self.enforcement(), "stored")
        type(self).is_spoiled = False

    is_spoiled = False

    def columns(self, table="people"):
        return [row[0] for row in self.postgres.rows(COLUMNS.format(table), "demo")]

    def policy_row(self, policy="people_k2"):
        reply = self.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        return {row[0]: dict(zip(names, row)) for row in reply.texts()}[policy]

    def enforcement(self, policy="people_k2"):
        return self.policy_row(policy)["enforcement"]

    def as_owner(self, sql):
        type(self).is_spoiled = True
        self.postgres.run(sql, "demo")

    def sqlstate(self, sql="SELECT count(*) FROM people", user="analyst"):
        with self.pgveil.client(user) as client:
            return client.query(sql).sqlstate()

    def all_people(self):
        return sorted(self.texts("SELECT * FROM people"), key=str)

    def test_answers_are_those_of_the_masked_table(self):
        since = self.postgres.log_position()
        self.assert_answers_as_masked(STATEMENTS)
        received = "".join(self.postgres.received(since))
        for table in ("people", "staff"):
            self.assertIn(f"FROM ONLY public.{table}", received)
            self.assertNotIn(f"FROM public.{table}", received)
            self.assertIn(f'"{self.columns(table)[0]}"', received)

    def test_a_plan_has_no_sub_select_and_is_kept(self):
        with self.pgveil.client() as client:
            client.query("PREPARE s(text) AS SELECT count(*) FROM people WHERE state = $1")
            for _ in range(8):
                self.assertEqual(client.query("EXECUTE s('OH')").texts(), [["6"]])

    def test_rows_that_are_written_are_decided(self):
        self.as_owner(
            """INSERT INTO people SELECT 100 + g, 'Farmer', 'Hamlet', 'OH' FROM generate_series(1, 3) g;
            INSERT INTO people VALUES (200, 'Spy', 'Hamlet', 'OH'), (201, NULL, NULL, NULL), (202, 'Accountant', 'Bree', NULL);
            UPDATE people SET city = 'Columbus' WHERE id = 5; UPDATE people SET state = 'OH', city = 'Hamlet' WHERE id = 1;
            UPDATE people SET occupation = NULL WHERE id = 9; DELETE FROM people WHERE id = 7;
            COPY people FROM STDIN;
300\tFarmer\tHamlet\tOH
301\tLawyer\tWashington\tDC
\\.
            CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.city := 'Columbus'; RETURN NEW; END$$;
            CREATE TRIGGER spy BEFORE UPDATE ON people FOR EACH ROW EXECUTE FUNCTION spy();
            UPDATE people SET id = 303 WHERE id = 6; DROP FUNCTION spy CASCADE"""
        )
        self.assertEqual(self.enforcement(), "stored")
        decided = self.all_people()
        self.as_owner(f'ALTER TABLE people DROP COLUMN "{self.columns()[0]}"')
        self.pgveil.console("RELOAD")
        self.assertIn("is not there", self.enforcement())
        self.assertEqual(decided, self.all_people())
        self.assertIn([None, None, None, "OH"], decided)
        self.assert_no_hidden_value(str(decided))

    def test_nothing_can_be_written_into_the_column(self):
        for sql in (f'UPDATE people SET "{self.columns()[0]}" = 7',
                    f'INSERT INTO people VALUES (400, NULL, NULL, NULL, 7)'):
            with self.assertRaises(RuntimeError):
                self.postgres.run(sql, "demo")

    def test_another_build_keeps_the_column(self):
        before = self.columns()
        self.as_owner(
            "INSERT INTO people SELECT 500 + g, 'Diver', 'Hamlet', 'OH' FROM generate_series(1, 5) g"
        )
        version = self.policy_row()["version"]
        self.pgveil.build("people_k2")
        self.assertEqual((self.columns(), self.enforcement()), (before, "stored"))
        self.assertEqual(int(self.policy_row()["version"]), int(version) + 1)
        self.assertIn("splits undone, none new", self.pgveil.log())
        self.pgveil.console(
            "BUILD POLICY people_k2 FRESH"
        )  # grows anew: the diver is shown, the column is another
        self.assertIn("is not there", self.enforcement())
        self.assertIn([None, "Diver", "Hamlet", "OH"], self.all_people())
        sql = self.sql_of("people_k2")
        self.assertIn(f'DROP COLUMN "{before[0]}"', sql)
        self.store("people_k2")
        self.assertEqual(self.enforcement(), "stored")
        self.assertEqual(len(self.columns()), 1)
        self.assertNotEqual(self.columns(), before)

    def test_a_split_that_is_undone_makes_the_column_outdated(self):
        self.as_owner("DELETE FROM people WHERE occupation = 'Farmer' AND id = 5")
        checked = self.pgveil.console("CHECK POLICY people_k2")
        self.assertEqual(checked.errors, [])
        self.pgveil.build("people_k2")
        self.assertIn("is not there", self.enforcement())
        self.assertNotIn("Farmer", str(self.all_people()))
        self.store("people_k2")
        self.assertEqual(self.enforcement(), "stored")
        self.assertNotIn("Farmer", str(self.all_people()))

    def test_the_table_is_closed_between_the_column_and_the_build(self):
        self.as_owner(f'ALTER TABLE people DROP COLUMN "{self.columns()[0]}"')
        self.pgveil.console("RELOAD")
        before = self.all_people()
        self.as_owner(self.sql_of("people_k2"))
        self.pgveil.console("RELOAD")
        self.assertEqual(self.sqlstate(), "42501")
        reply = self.pgveil.console("SHOW STORED people_k2")
        self.assertIn("is closed", reply.errors[0]["M"])
        self.pgveil.build("people_k2")
        self.assertEqual((self.enforcement(), self.all_people()), ("stored", before))

    ATTACKS = {
        "its expression goes, and every bit is set": 'ALTER TABLE people ALTER COLUMN {} DROP EXPRESSION; UPDATE people SET {} = 7',
        "its expression goes, and a default comes": 'ALTER TABLE people ALTER COLUMN {} DROP EXPRESSION; ALTER TABLE people ALTER COLUMN {} SET DEFAULT 7;'
        'UPDATE people SET {} = 7',
        "another column of its name, not generated": 'ALTER TABLE people DROP COLUMN {}; ALTER TABLE people ADD COLUMN {} integer DEFAULT 7',
        "another one in its place by renaming": 'ALTER TABLE people ADD COLUMN other integer DEFAULT 7; ALTER TABLE people RENAME COLUMN {} TO old;'
        'ALTER TABLE people RENAME COLUMN other TO {}',
        "generated by another expression": 'ALTER TABLE people DROP COLUMN {}; ALTER TABLE people ADD COLUMN {} integer GENERATED ALWAYS AS (7) STORED',
        "of another type": 'ALTER TABLE people ALTER COLUMN {} TYPE bigint',
        "columns that change their names": 'ALTER TABLE people RENAME COLUMN city TO old; ALTER TABLE people RENAME COLUMN state TO city;'
        'ALTER TABLE people RENAME COLUMN old TO state',
        "gone": 'ALTER TABLE people DROP COLUMN {}',
        "another table": 'ALTER TABLE people RENAME TO kept; CREATE TABLE people AS SELECT * FROM kept; UPDATE people SET {} = 7;'
        'GRANT SELECT ON people TO pgveil_query, pgveil_admin',
    }

    def test_a_column_that_is_tampered_with_shows_nothing_to_whoever_is_there(self):
        """In the middle of sessions: a statement that is prepared here or there, and a transaction with an
        old snapshot."""
        for attack, sql in self.ATTACKS.items():
            with self.subTest(attack), self.pgveil.client() as named, self.pgveil.client() as old:
                named.query("PREPARE s AS SELECT * FROM people")
                for _ in range(7):
                    self.assertEqual(len(named.query("EXECUTE s").rows), 11)
                old.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
                old.query("SELECT count(*) FROM towns")
                column = self.columns()[0]
                self.as_owner(sql.replace("{}", f'"{column}"'))
                for client, text in (
                    (named, "EXECUTE s"),
                    (old, "SELECT * FROM people"),
                    (named, "SELECT * FROM people"),
                ):
                    reply = client.query(text)
                    self.assert_no_hidden_value(reply.raw, attack)
                    self.assertTrue(reply.errors or attack == "gone", (attack, text, reply.rows))
                self.pgveil.console("RELOAD")
                if attack != "gone":
                    self.assertEqual(self.sqlstate(), "42501")
                old.query("ROLLBACK")
                self.restore(column)

    def restore(self, column):
        """Ends an attack; the next test, or the next attack, starts from the example."""
        if self.postgres.rows("SELECT to_regclass('public.kept') IS NOT NULL", "demo") == [["t"]]:
            self.postgres.run("DROP TABLE people; ALTER TABLE kept RENAME TO people", "demo")
        names = [
            row[0]
            for row in self.postgres.rows(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'people'::regclass "
                "AND attnum > 0 AND NOT attisdropped",
                "demo",
            )
        ]
        if names.index("state") < names.index("city"):
            self.postgres.run(
                "ALTER TABLE people RENAME COLUMN city TO x; ALTER TABLE people RENAME COLUMN state TO city;"
                "ALTER TABLE people RENAME COLUMN x TO state",
                "demo",
            )
        for name in names:
            if name not in ("id", "occupation", "city", "state"):
                self.postgres.run(f'ALTER TABLE people DROP COLUMN "{name}"', "demo")
        type(self).is_spoiled = True
        self.setUp()

    def test_no_catalog_and_no_function_names_the_column(self):
        column = self.columns()[0]
        number, default = self.postgres.rows(
            f"SELECT a.attnum, d.oid FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
            f"WHERE a.attrelid = 'people'::regclass AND a.attname = '{column}'",
            "demo",
        )[0]
        table = "'people'::regclass::oid"
        for sql in (f"SELECT pg_describe_object('pg_class'::regclass, {table}, {number})",
                    f"SELECT pg_describe_object('pg_attrdef'::regclass, {default}, 0)"):
            self.assertEqual(self.texts(sql), [[None]], sql)
        for sql in (
            f"SELECT * FROM pg_attrdef WHERE adrelid = {table}",
            f"SELECT * FROM pg_depend WHERE objid = {default}",
            f"SELECT * FROM pg_depend WHERE refobjid = {table} AND refobjsubid = {number}",
            f"SELECT * FROM pg_depend WHERE refobjid = {default}",
            f"SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend WHERE refobjid = {table} AND objid = {default}",
            f"SELECT attname FROM pg_attribute WHERE attrelid = {table} AND attnum = {number}",
            f"SELECT column_name FROM information_schema.columns WHERE ordinal_position = {number} AND table_name = 'people'",
        ):
            self.assertEqual(self.texts(sql), [], sql)
        for sql in (
            f"SELECT pg_identify_object(1259, {table}, {number})",
            f"SELECT pg_identify_object_as_address(2604, {default}, 0)",
            f"SELECT * FROM pg_catalog.pg_get_object_address('table column', '{{people}}', '{{}}')",
        ):
            with self.pgveil.client() as client:
                self.assertEqual(client.query(sql).sqlstates(), ["42501"], sql)

    def test_another_expression_under_its_name_is_not_read_after_a_build(self):
        column = self.columns()[0]
        before = self.all_people()
        self.as_owner(
            f'ALTER TABLE people DROP COLUMN "{column}"; ALTER TABLE people ADD COLUMN "{column}" integer '
            'GENERATED ALWAYS AS (7) STORED'
        )
        self.pgveil.build("people_k2")
        self.assertIn("has another expression", self.enforcement())
        self.assertEqual(self.all_people(), before)
        self.assertIn(f'DROP COLUMN "{column}",\n  ADD COLUMN "{column}"', self.sql_of("people_k2"))
        self.store("people_k2")
        self.assertEqual((self.enforcement(), self.all_people()), ("stored", before))

    def test_a_child_with_a_column_of_its_own_brings_no_row(self):
        column = self.columns()[0]
        with self.pgveil.client() as client:
            client.query("PREPARE s AS SELECT * FROM people")
            client.query("EXECUTE s")
            self.postgres.run(
                f'CREATE TABLE kid (id integer NOT NULL, occupation text, city text, state text, "{column}" integer '
                f'GENERATED ALWAYS AS (7) STORED); INSERT INTO kid VALUES (900, \'Lawyer\', \'Whately\', \'MA\')',
                "demo",
            )
            try:
                try:
                    self.postgres.run("ALTER TABLE kid INHERIT people", "demo")
                except RuntimeError:
                    return  # PostgreSQL holds their expressions against each other
                reply = client.query("EXECUTE s")
                self.assert_no_hidden_value(reply.raw)
                self.assertLessEqual(len(reply.rows), 11)
                self.pgveil.console("RELOAD")
                self.assertEqual(self.sqlstate(), "42501")
            finally:
                self.postgres.run("DROP TABLE kid", "demo")
                self.pgveil.console("RELOAD")

    def test_no_client_can_name_the_column_or_see_it(self):
        column = self.columns()[0]
        quoted = f'"{column}"'
        for user, width in (("analyst", 4), ("dpo", 4)):
            with self.subTest(user), self.pgveil.client(user) as client:
                for sql in (
                    f"SELECT {quoted} FROM people",
                    f"SELECT p.{quoted} FROM people p",
                    f"SELECT (p).{quoted} FROM people p",
                    f"SELECT 1 FROM people WHERE {quoted} = 7",
                    f"SELECT 1 FROM people ORDER BY {quoted}",
                    f"SELECT 1 FROM people p JOIN people q USING ({quoted})",
                    f"COPY people ({quoted}) TO STDOUT",
                    f"SELECT public.people.{quoted} FROM people",
                    "SELECT a.e FROM people AS a(a, b, c, d, e)",
                    f"SELECT t.{quoted} FROM (SELECT * FROM people) t",
                    "SELECT 1 FROM pgveil.version",
                ):
                    reply = client.query(sql)
                    self.assertEqual((len(reply.errors), reply.rows), (1, []), (sql, reply.raw))
                for sql in (
                    "SELECT * FROM people",
                    "TABLE people",
                    "SELECT p.* FROM people p",
                    "COPY people TO STDOUT",
                    "SELECT row_to_json(p), p, to_jsonb(p) FROM people p",
                    "SELECT * FROM people NATURAL JOIN people q",
                    "SELECT attname FROM pg_attribute WHERE attrelid = 'people'::regclass",
                    "SELECT * FROM information_schema.columns WHERE table_name = 'people'",
                    "SELECT * FROM information_schema.column_privileges WHERE table_name = 'people'",
                ):
                    reply = client.query(sql)
                    self.assertEqual(reply.errors, [], sql)
                    self.assertNotIn(b"pgveil shown", reply.raw, sql)
                self.assertEqual(len(client.query("SELECT * FROM people").columns), width)
        self.assertEqual(
            self.texts("SELECT count(id) FROM people TABLESAMPLE BERNOULLI (100)", "dpo"), [["11"]]
        )
        self.assertEqual(
            self.texts("SELECT city FROM people GROUP BY id ORDER BY id LIMIT 1", "dpo"), [["Washington"]]
        )

    def test_a_policy_that_is_not_stored_any_more_goes_on(self):
        before = self.all_people()
        version = self.policy_row()["version"]
        self.pgveil.write_policies((world.PEOPLE, stored(world.STAFF)))
        self.pgveil.console("RELOAD")
        self.assertEqual((self.enforcement(), self.all_people()), ("query", before))
        self.assertEqual(len(self.texts("SELECT * FROM people", "dpo")[0]), 4)
        self.pgveil.write_policies(self.policies)
        self.pgveil.console("RELOAD")
        self.assertEqual((self.enforcement(), self.policy_row()["version"]), ("stored", version))

    def test_the_command_line_prints_the_same_and_check_says_what_is_missing(self):
        config = ("--config", str(self.pgveil.config_path))
        self.assertEqual(
            self.pgveil.command("policy", "stored-sql", "people_k2", *config).stdout.rstrip("\n"),
            self.sql_of("people_k2"),
        )
        self.assertIn("no outdated one", self.sql_of("people_k2"))
        self.assertNotIn("not stored", self.pgveil.command("check", *config).stdout)
        self.as_owner(f'ALTER TABLE people DROP COLUMN "{self.columns()[0]}"')
        checked = self.pgveil.command("check", *config).stdout
        self.assertIn(
            "warning: policy people_k2: masks are in each query, not stored: column \"pgveil shown ", checked
        )
        self.assertIn("run what pgveil policy stored-sql people_k2 prints", checked)

    def test_stats_users_do_not_see_the_name(self):
        self.as_owner(f'ALTER TABLE people DROP COLUMN "{self.columns()[0]}"')
        self.pgveil.console("RELOAD")
        reply = self.pgveil.console("SHOW POLICIES", "watcher")
        self.assertNotIn(b"pgveil shown", reply.raw)
        self.assertIn("query, not stored", reply.texts()[0])
        self.assertEqual(self.pgveil.console("SHOW STORED people_k2", "watcher").sqlstate(), "42501")

    def test_exports_are_the_same(self):
        reply = self.pgveil.console("EXPORT POLICY people_k2 TO TABLE public.people_out")
        self.assertEqual(reply.errors, [])
        rows = self.postgres.rows("SELECT * FROM public.people_out", "demo")
        self.assertEqual(sorted(rows, key=str), self.all_people())
        self.postgres.run("DROP TABLE public.people_out", "demo")

    def test_a_partitioned_table_is_refused(self):
        policy = dataclasses.replace(stored(world.PEOPLE), name="parts_k2", table="public.parts")
        self.postgres.run(
            "CREATE TABLE parts (id integer, occupation text, city text, state text) PARTITION BY LIST (state);"
            "CREATE TABLE parts_oh PARTITION OF parts DEFAULT; INSERT INTO parts SELECT g, 'a', 'b', 'c' FROM "
            "generate_series(1, 9) g; GRANT SELECT ON parts TO pgveil_query, pgveil_admin",
            "demo",
        )
        self.pgveil.write_policies((*self.policies, policy))
        self.pgveil.console("RELOAD")
        error = self.pgveil.console("BUILD POLICY parts_k2").errors[0]
        self.assertIn("does not support \"public.parts\"", error["M"])
        self.pgveil.write_policies(self.policies)
        self.pgveil.console("RELOAD")
        self.postgres.run("DROP TABLE parts", "demo")


if __name__ == "__main__":
    main()

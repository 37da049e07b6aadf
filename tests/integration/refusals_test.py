#!/usr/bin/python3
"""What a masked user is refused: 42501 with a reason, before anything is sent."""
from harness import world
from harness.runner import main
from harness.stack import StackCase

# The statement is refused with 42501 and the backend sees nothing of it.
REFUSED = """
SELECT * FROM diary
SELECT * FROM no_such_table
SELECT * FROM public.v_people
SELECT * FROM people, diary
SELECT (SELECT max(secret) FROM diary)
SELECT 1 FROM people WHERE EXISTS (SELECT 1 FROM diary)
WITH d AS (SELECT * FROM diary) SELECT 1
SELECT city FROM people UNION SELECT secret FROM diary
SELECT * FROM unbuilt
INSERT INTO towns VALUES ('Eton', 1)
INSERT INTO people VALUES (99, 'x', 'y', 'z')
UPDATE people SET city = 'x'
DELETE FROM people
DELETE FROM towns RETURNING *
MERGE INTO towns t USING people p ON t.town = p.city WHEN MATCHED THEN DELETE
WITH d AS (DELETE FROM towns RETURNING *) SELECT * FROM d
SELECT * INTO copy FROM people
CREATE TABLE copy AS SELECT * FROM people
CREATE TEMP TABLE t (i int)
CREATE VIEW v AS SELECT 1
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE INDEX ON people (city)
DROP TABLE people
ALTER TABLE people RENAME city TO town
TRUNCATE towns
GRANT SELECT ON people TO PUBLIC
COMMENT ON TABLE people IS 'x'
DO $$ BEGIN RAISE NOTICE 'x'; END $$
CALL nothing()
LOCK TABLE people
VACUUM people
ANALYZE people
REINDEX TABLE people
CLUSTER people
CHECKPOINT
LOAD 'plpgsql'
LISTEN x
NOTIFY x
SECURITY LABEL ON TABLE people IS 'x'
ALTER ROLE pgveil_query SET search_path = pg_temp
ALTER SYSTEM SET work_mem = '1MB'
CREATE EXTENSION hstore
COPY towns FROM STDIN
COPY people FROM STDIN
COPY people TO '/tmp/people.csv'
COPY (SELECT 1) TO PROGRAM 'cat'
COPY diary TO STDOUT
SELECT * FROM people FOR UPDATE
SELECT peek()
SELECT * FROM peek()
SELECT public.peek()
SELECT pg_sleep(1)
SELECT pg_read_file('/etc/passwd')
SELECT pg_ls_dir('.')
SELECT lo_import('/etc/passwd')
SELECT query_to_xml('SELECT * FROM people', true, true, '')
SELECT table_to_xml('people', true, true, '')
SELECT database_to_xml(true, true, '')
SELECT dblink('x')
SELECT set_config('search_path', 'pg_temp', false)
SELECT pg_terminate_backend(1)
SELECT pg_advisory_lock(1)
SELECT pg_notify('a', 'b')
SELECT nextval('s')
SELECT setseed(0.5)
SELECT ts_stat('SELECT 1')
SELECT currval('s')
SELECT has_function.x() FROM people has_function
SELECT most_common_vals FROM pg_stats
SELECT * FROM pg_statistic
SELECT * FROM pg_stats_ext
SELECT * FROM pg_authid
SELECT * FROM pg_shadow
SELECT * FROM pg_prepared_statements
SELECT * FROM pg_stat_get_activity(NULL)
SELECT * FROM pg_lock_status()
SELECT pg_stat_reset()
SELECT * FROM pg_cursors
SELECT * FROM pg_largeobject
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_file_settings
SET search_path = hr
SET ROLE postgres
SET SESSION AUTHORIZATION postgres
SET standard_conforming_strings = off
SET client_min_messages = debug5
SET default_transaction_read_only = off; DELETE FROM people
SET lc_messages = 'de_DE.UTF-8'
SET row_security = off
SET ROLE pgveil_query
SET LOCAL ROLE dpo
SET array_nulls = 0
BEGIN READ WRITE; UPDATE people SET city = 'x'
PREPARE TRANSACTION 'x'
EXPLAIN SELECT * FROM diary
EXPLAIN ANALYZE DELETE FROM people
SELECT * FROM people TABLESAMPLE SYSTEM (50)
SELECT * FROM people TABLESAMPLE BERNOULLI (50) REPEATABLE (1)
SELECT ctid FROM people
SELECT xmin FROM people
SELECT tableoid FROM people
SELECT 'people'::regclass::text::public.mood OPERATOR(public.===) 'x'
SELECT * FROM pg_temp.people
SELECT 1 AS a; DELETE FROM people
""".strip().splitlines()


class Refusals(StackCase):
    policies = (world.PEOPLE, world.STAFF, world.UNBUILT)

    def refuse(self, sql, how="query", user="analyst"):
        since = self.postgres.log_position()
        with self.pgveil.client(user) as client:
            reply = getattr(client, how)(sql)
            self.assertEqual(reply.sqlstates(), ["42501"], reply.errors)
            self.assertEqual((reply.rows, reply.copied, reply.status), ([], b"", "I"))
            self.assertNotIn("D", reply.messages.replace("Z", ""))
            self.assert_nothing_sent(since, sql)
            self.assert_alive(client, "SELECT 1", "1")
        return reply

    def test_each_is_refused_and_nothing_is_sent(self):
        for sql in REFUSED:
            for how in ("query", "extended"):
                if how == "extended" and ";" in sql.replace("BEGIN RAISE", "").split("$$")[0]:
                    continue
                with self.subTest(sql, protocol=how):
                    self.refuse(sql, how)

    def test_a_role_that_is_no_reader(self):
        for sql in ("SELECT * FROM people", "SELECT count(*) FROM staff", "COPY people TO STDOUT"):
            self.refuse(sql, user="outsider")

    def test_existing_and_missing_tables_look_alike(self):
        there, missing = self.refuse("SELECT * FROM diary"), self.refuse("SELECT * FROM dairy")
        self.assertEqual(
            there.errors[0]["M"].replace("diary", "X"), missing.errors[0]["M"].replace("dairy", "X")
        )

    def test_the_reason_and_the_position(self):
        error = self.refuse("SELECT 1 FROM diary").errors[0]
        self.assertIn("diary", error["M"])
        self.assertEqual(error["P"], "15")
        error = self.refuse("SELECT 'é', pg_sleep(1)").errors[0]
        self.assertIn("pg_sleep", error["M"])
        self.assertEqual(error["P"], "13")
        self.assertIn("build", " ".join(self.refuse("SELECT * FROM unbuilt").errors[0].values()).lower())

    def test_syntax_errors_have_a_position(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            for how in ("query", "extended"):
                error = getattr(client, how)("SELECT 'é' FORM people").errors[0]
                self.assertEqual((error["C"], error["P"]), ("42601", "17"))
                self.assertIn("people", error["M"])
        self.assert_nothing_sent(since, "syntax error")

    def test_unknown_columns(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            for sql, position in (("SELECT town FROM people", 8), ("SELECT p.town FROM people p", 8),
                                  ("SELECT 1 FROM people WHERE ctiy = 'x'", 28),
                                  ("SELECT p.peek FROM people p", 8)):
                error = client.query(sql).errors[0]
                self.assertEqual((error["C"], error.get("P")), ("42703", str(position)), sql)
        self.assert_nothing_sent(since, "unknown column")

    def test_other_databases(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT * FROM otherdb.public.people").sqlstates(), ["0A000"])
        self.assert_nothing_sent(since, "another database")

    def test_definitions_are_not_shown(self):
        for sql in (
            "SELECT pg_get_viewdef('v_people'::regclass)",
            "SELECT prosrc FROM pg_proc WHERE proname = 'peek'",
            "SELECT pg_get_functiondef('peek'::regproc)",
        ):
            self.assertEqual(self.texts(sql), [[None]])

    def test_a_refusal_aborts_the_transaction(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query("BEGIN").status, "T")
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
            refused = client.query("SELECT * FROM diary")
            self.assertEqual((refused.sqlstates(), refused.status), (["42501"], "E"))
            after = client.query("SELECT 1")
            self.assertEqual((after.sqlstates(), after.status), (["25P02"], "E"))
            self.assertEqual(client.extended("SELECT 1").sqlstates(), ["25P02"])
            ended = client.query("COMMIT")
            self.assertEqual((ended.tags, ended.status), (["ROLLBACK"], "I"))
            self.assert_alive(client)

    def test_savepoints_survive_a_refusal(self):
        with self.pgveil.client() as client:
            client.query("BEGIN")
            client.query("SAVEPOINT a")
            self.assertEqual(client.query("DELETE FROM people").status, "E")
            back = client.query("ROLLBACK TO SAVEPOINT a")
            self.assertEqual((back.errors, back.status), ([], "T"))
            self.assert_alive(client)
            self.assertEqual(client.query("SELECT broken FROM people").status, "E")
            self.assertEqual(client.query("ROLLBACK TO a").status, "T")
            self.assertEqual(client.query("RELEASE a; COMMIT").status, "I")

    def test_a_refusal_in_the_extended_protocol_skips_to_sync(self):
        with self.pgveil.client() as client:
            client.parse("SELECT * FROM diary", "bad")
            client.bind((), "bad")
            client.execute()
            client.parse("SELECT 1", "good")
            reply = client.sync()
            self.assertEqual((reply.messages, reply.sqlstates()), ("EZ", ["42501"]))
            client.bind((), "good")
            client.execute()
            self.assertEqual(client.sync().sqlstates(), ["26000"])

    def test_function_call_messages_are_refused(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            query_to_xml = (2924).to_bytes(4, "big") + b"\0\0" + b"\0\0" + b"\0\0"
            client.send(b"F", query_to_xml)
            reply = client.collect()
            self.assertIn(reply.sqlstate(), ("42501", "0A000", "08P01"))
        self.assertEqual(self.postgres.received(since), [])

    def test_errors_while_running_quote_no_value(self):
        with self.pgveil.client() as client:
            for sql, state in (
                ("SELECT job::integer FROM staff", "22P02"),
                ("SELECT occupation::date FROM people", "22007"),
                ("SELECT 1 / (id - 5) FROM staff", "22012"),
                ("SELECT (SELECT city FROM people)", "21000"),
            ):
                error = client.query(sql).errors[0]
                self.assertEqual(error["C"], state)
                self.assertEqual(set(error) - set("SVCMHP"), set(), error)
                for shown in ("Nurse", "Baker", "Farmer", "Accountant", "Hamlet"):
                    self.assertNotIn(shown, repr(error))

    def test_the_log_of_pgveil_holds_no_value(self):
        self.refuse("SELECT 'literal-7391' FROM diary")
        self.assertNotIn("literal-7391", self.pgveil.log())


class Identity(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def test_the_clients_role_is_answered(self):
        for sql in ("SELECT current_user", "SELECT session_user", "SELECT user", "SELECT current_role",
                    "SELECT current_user::text FROM people LIMIT 1"):
            self.assertEqual(self.texts(sql), [["analyst"]], sql)
            self.assertEqual(self.texts(sql, user="dpo"), [["dpo"]], sql)

    def test_the_current_schema_is_the_first_listed_one(self):
        """SQLAlchemy and others list the tables of this schema."""
        self.assertEqual(self.texts("SELECT current_schema(), current_schemas(true)::text"),
                         [["public", "{pg_catalog,public}"]])

    def test_its_type_and_name_do_not_change(self):
        sql = "SELECT current_user, session_user, user"
        with self.pgveil.client() as client, self.direct("demo") as raw:
            self.assertEqual([c.shape() for c in client.query(sql).columns],
                             [c.shape() for c in raw.query(sql).columns])

    def test_parameter_status(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.settings["session_authorization"], "analyst")
            self.assertEqual(client.settings["is_superuser"], "off")
            self.assertEqual(client.settings["client_encoding"], "UTF8")
            self.assertTrue(client.settings["server_version"].startswith("15"))

    def test_the_backend_sees_the_query_role_only(self):
        since = self.postgres.log_position()
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])
        self.assertNotEqual(self.postgres.received(since), [])
        self.assertEqual(self.postgres.received(since, "analyst"), [])


if __name__ == "__main__":
    main()

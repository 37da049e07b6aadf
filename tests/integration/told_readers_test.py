#!/usr/bin/python3
"""What readers are told of their masks: notices by every way of asking, pgveil.columns, pgveil.policies,
pgveil.hidden(), joins that match no row, and that none of it tells more than the masks do."""
import asyncio
import dataclasses
import io
import time

import asyncpg
import psycopg
import psycopg2

from harness import world
from harness.runner import main
from harness.stack import StackCase

PEOPLE = "public.people is masked (policy people_k2, k = 2, built 20"
SHARES = "id never, occupation 45 % shown, city 36 %, state 55 %; hidden values are NULL"
HIDDEN_JOIN = "people.id is hidden by policy people_k2, so this join matches no row"
COLUMNS = "SELECT column_name, class, shown_percent, hidden_as, k FROM pgveil.columns WHERE table_name = 'people'"
EMPTY_TABLE = """
CREATE TABLE public.visits (person_id integer, ward text);
INSERT INTO public.visits VALUES (1, 'north'), (2, 'south');
GRANT SELECT ON public.visits TO pgveil_query, pgveil_admin;
"""
OF_OTHERS = dataclasses.replace(world.STAFF, readers=("bi",))


class Told(StackCase):
    policies = (world.PEOPLE, OF_OTHERS)
    open_tables = (*world.OPEN_TABLES, "public.visits")
    options = {"has_notices": True, "catalog_check_every": "1h"}

    @classmethod
    def prepare(cls):
        cls.postgres.run(EMPTY_TABLE, "demo")

    def conninfo(self, user="analyst"):
        return f"host=127.0.0.1 port={self.pgveil.port} dbname=demo user={user} connect_timeout=10"

    def messages(self, reply):
        self.assertEqual(reply.errors, [])
        return [notice["M"] for notice in reply.notices]

    def assert_told(self, reply, times=1):
        told = self.messages(reply)
        self.assertEqual(len(told), times, told)
        if times:
            self.assertTrue(told[0].startswith(PEOPLE) and told[0].endswith(SHARES), told)
            self.assert_no_hidden_value("".join(told).encode())


class Notices(Told):
    def test_once_per_session_before_the_rows(self):
        with self.pgveil.client() as client:
            self.assert_told(client.query("SELECT town FROM towns"), 0)
            reply = client.query("SELECT city FROM people")
            self.assert_told(reply)
            self.assertTrue(reply.messages.startswith("NT"), reply.messages)
            self.assertEqual({field: reply.notices[0][field] for field in "SVC"},
                             {"S": "NOTICE", "V": "NOTICE", "C": "00000"})
            self.assert_told(client.query("SELECT city FROM people"), 0)
        with self.pgveil.client() as client:
            self.assert_told(client.extended("SELECT city FROM people"))
            self.assert_told(client.extended("SELECT city FROM people"), 0)
        with self.pgveil.client() as client:
            reply = client.query("COPY people TO STDOUT")
            self.assert_told(reply)
            self.assertTrue(reply.messages.startswith("NH"), reply.messages)

    def test_prepared_statements_and_cursors(self):
        with self.pgveil.client() as client:
            client.parse("SELECT city FROM people", "a")
            self.assert_told(client.sync(), 0)
            client.bind(statement="a")
            client.execute()
            self.assert_told(client.sync())
        with self.pgveil.client() as client:
            self.assert_told(client.query("BEGIN; DECLARE c CURSOR FOR SELECT city FROM people; FETCH 1 FROM c"))

    def test_a_session_turns_them_off(self):
        for sql in ("SET pgveil.notices = off", "SELECT set_config('pgveil.notices', 'off', false)",
                    "SET client_min_messages = warning"):
            with self.subTest(sql), self.pgveil.client() as client:
                self.assertEqual(client.query(sql).errors, [])
                self.assert_told(client.query("SELECT city FROM people"), 0)
                self.assertEqual(client.query("RESET ALL").errors, [])
                self.assert_told(client.query("SELECT city FROM people"))
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SHOW pgveil.notices").texts(), [["on"]])
            client.query("SET pgveil.notices = off")
            self.assertEqual(client.query("SHOW pgveil.notices").texts(), [["off"]])
            self.assertEqual(client.query("SET pgveil.notices = perhaps").sqlstate(), "22023")

    def test_a_start_up_packet_turns_them_off(self):
        for parameters in ({"options": "-c pgveil.notices=off"}, {"pgveil.notices": "off"},
                           {"client_min_messages": "error"}):
            with self.subTest(parameters), self.pgveil.client(parameters=parameters) as client:
                self.assert_told(client.query("SELECT city FROM people"), 0)
                self.assert_told(client.query("RESET ALL; SELECT city FROM people"), 0)
                client.query("SET pgveil.notices = on; SET client_min_messages = notice")
                self.assert_told(client.query("SELECT city FROM people"))

    def test_exempt_roles_are_told_nothing(self):
        with self.pgveil.client("dpo") as client:
            self.assert_told(client.query("SELECT city FROM people WHERE id = 1"), 0)

    def test_psql_says_it_and_prints_the_rows(self):
        done = self.psql("SELECT count(city) FROM people")
        self.assertIn("4", done.stdout.splitlines())
        self.assertIn("NOTICE:  " + PEOPLE, done.stderr)
        self.assertIn("HINT:", done.stderr)

    def test_a_join_by_a_hidden_key_says_so(self):
        joins = ("SELECT count(*) FROM people p JOIN visits v ON p.id = v.person_id",
                 "SELECT count(*) FROM people p, visits v WHERE v.person_id = p.id",
                 "SELECT count(*) FROM people a JOIN people b USING (id)",
                 "SELECT count(*) FROM people WHERE id IN (SELECT person_id FROM visits)")
        with self.pgveil.client() as client:
            client.query("SELECT city FROM people")
            for sql in joins:
                for ask in (client.query, client.extended):
                    with self.subTest(sql):
                        reply = ask(sql)
                        self.assertEqual((self.messages(reply), reply.texts()), ([HIDDEN_JOIN], [["0"]]))
            shown = client.query("SELECT count(*) FROM people a JOIN people b USING (city)")
            self.assertEqual(self.messages(shown), [])

    def test_psycopg2(self):
        connection = psycopg2.connect(self.conninfo())
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM people")
            cursor.execute("SELECT count(*) FROM people")
            out = io.StringIO()
            cursor.copy_expert("COPY people TO STDOUT", out)
            self.assertEqual(len(out.getvalue().splitlines()), 11)
        self.assertEqual(len(connection.notices), 1)
        self.assertIn(PEOPLE, connection.notices[0])

    def test_psycopg_with_its_pipeline(self):
        told = []
        with psycopg.connect(self.conninfo(), autocommit=True) as connection:
            connection.add_notice_handler(lambda notice: told.append(notice.message_primary))
            cursor = connection.cursor()
            with connection.pipeline():
                for number in range(5):
                    cursor.execute("SELECT %s::int", (number,))
                    cursor.execute("SELECT count(city) + %s FROM people", (number,))
            while cursor.nextset():
                pass
            self.assertEqual(cursor.fetchone(), (8,))
            rows = connection.execute("SELECT count(*) FROM people").fetchall()
        self.assertEqual((rows, len(told)), ([(11,)], 1))

    def test_asyncpg(self):
        told = []

        async def ask():
            connection = await asyncpg.connect(host="127.0.0.1", port=self.pgveil.port, database="demo",
                                               user="analyst")
            try:
                connection.add_log_listener(lambda _, message: told.append(message.message))
                statement = await connection.prepare("SELECT count(*) FROM people WHERE city = $1")
                rows = [await statement.fetchval("Hamlet"), await statement.fetchval("Columbus")]
                columns = await connection.fetch("SELECT * FROM pgveil.columns WHERE shown_percent > $1", 40)
                return rows, [row["column_name"] for row in columns]
            finally:
                await connection.close()
        self.assertEqual(asyncio.run(ask()), ([4, 0], ["occupation", "state"]))
        self.assertEqual(len(told), 1, told)


class NoticesOff(Told):
    options = {"has_notices": False}

    def test_the_configuration_turns_them_off(self):
        with self.pgveil.client() as client:
            self.assert_told(client.query("SELECT city FROM people"), 0)
            join = client.query("SELECT count(*) FROM people p JOIN visits v ON p.id = v.person_id")
            self.assertEqual(self.messages(join), [])


class Relations(Told):
    def test_columns_and_policies(self):
        self.assertEqual(self.texts(COLUMNS + " ORDER BY shown_percent, column_name"), [
            ["id", "identifier", "0", "NULL", "2"], ["city", "quasi_identifier", "36", "NULL", "2"],
            ["occupation", "quasi_identifier", "45", "NULL", "2"],
            ["state", "quasi_identifier", "55", "NULL", "2"]])
        self.assertEqual(self.texts("SELECT policy, table_schema, table_name, state, k, enforcement, "
                                    "built_at <= now() AND built_at > now() - interval '1 day', copy_age "
                                    "FROM pgveil.policies"),
                         [["people_k2", "public", "people", "open", "2", "query", "t", None]])

    def test_the_shares_are_those_that_the_mask_shows(self):
        for column, percent in self.texts("SELECT column_name, shown_percent FROM pgveil.columns"):
            counted = self.texts(f'SELECT round(100.0 * count("{column}") / count(*)) FROM people')
            self.assertEqual([[percent]], counted, column)

    def test_another_roles_policies_do_not_show(self):
        self.assertEqual(self.texts("SELECT DISTINCT policy FROM pgveil.columns"), [["people_k2"]])
        self.assertEqual(self.texts("SELECT policy FROM pgveil.policies ORDER BY 1", "bi"),
                         [["people_k2"], ["staff_k3"]])
        for user in ("dpo", "somebody"):
            self.assertEqual(self.texts("SELECT * FROM pgveil.columns", user), [])
            self.assertEqual(self.texts("SELECT * FROM pgveil.policies", user), [])

    def test_in_any_sql(self):
        for sql, rows in (
            ("SELECT p.state, count(*) FROM pgveil.columns c JOIN pgveil.policies p USING (policy) GROUP BY 1",
             [["open", "4"]]),
            ("WITH c AS (TABLE pgveil.columns) SELECT column_name FROM c WHERE shown_percent = 0", [["id"]]),
            ("SELECT relname, c.column_name FROM pg_class JOIN pgveil.columns c ON relname = c.table_name "
             "WHERE c.class = 'identifier'", [["people", "id"]])):
            with self.subTest(sql):
                self.assertEqual(self.texts(sql), rows)
        with self.pgveil.client() as client:
            reply = client.extended("SELECT class FROM pgveil.columns WHERE k = $1 AND column_name = $2",
                                    (b"2", b"id"))
            self.assertEqual((reply.errors, reply.texts()), ([], [["identifier"]]))
            copied = client.query("COPY pgveil.policies TO STDOUT (FORMAT csv)")
            self.assertTrue(copied.copied.startswith(b"people_k2,public,people,open,2,query,"), copied)

    def test_a_build_in_between_changes_what_is_told(self):
        with self.pgveil.client() as client:
            client.parse("SELECT built_at FROM pgveil.policies", "a")
            client.sync()

            def built_at():
                client.bind(statement="a")
                client.execute()
                reply = client.sync()
                self.assertEqual(reply.errors, [])
                return reply.texts()
            times = []
            for _ in range(2):
                times.append(built_at())
                time.sleep(1.1)  # the time of a build is told in whole seconds
                self.pgveil.console("BUILD POLICY people_k2 FRESH")
            times.append(built_at())
            self.assertEqual(len({str(each) for each in times}), len(times), times)


class LostRights(Told):
    def write(self, text):
        self.pgveil.policy_path.write_text(text)
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])

    def test_a_role_that_loses_its_rights_is_told_no_more(self):
        before = self.pgveil.policy_path.read_text()
        with self.pgveil.client("bi") as client:
            client.query("PREPARE a AS SELECT policy FROM pgveil.policies")
            client.parse("SELECT policy FROM pgveil.policies", "b")
            client.sync()
            self.assertEqual(len(client.query("EXECUTE a").texts()), 2)
            self.addCleanup(self.write, before)
            self.write(before.replace("readers: [bi]", "readers: [nobody_now]"))
            self.assertEqual(client.query("SELECT policy FROM pgveil.policies").texts(), [["people_k2"]])
            self.assertEqual(client.query("EXECUTE a").sqlstate(), "26000")
            client.bind(statement="b")
            client.execute()
            self.assertEqual(client.sync().texts(), [["people_k2"]])
            self.assertEqual(client.query("SELECT id FROM staff").sqlstate(), "42501")


class WithSchema(Told):
    """The schema pgveil is there, with the versions, and stays hidden."""
    has_version_schema = True

    def test_nothing_of_the_real_schema_shows(self):
        self.assertEqual(len(self.texts(COLUMNS)), 4)
        with self.pgveil.client() as client:
            for name in ("version", "current_version", "built_table"):
                self.assertEqual(client.query(f"SELECT * FROM pgveil.{name}").sqlstate(), "42501")
        self.assertEqual(self.texts("SELECT nspname FROM pg_namespace WHERE nspname = 'pgveil'"), [])

    def test_a_real_relation_of_the_name_is_not_read(self):
        self.postgres.run("CREATE TABLE pgveil.columns (secret text); INSERT INTO pgveil.columns VALUES ('diary-secret');"
                          "GRANT SELECT ON pgveil.columns TO pgveil_query", "demo")
        self.addCleanup(self.postgres.run, "DROP TABLE pgveil.columns", "demo")
        self.pgveil.console("RELOAD")
        self.assertEqual(len(self.texts(COLUMNS)), 4)


class Copies(Told):
    policies = (dataclasses.replace(world.PEOPLE, enforcement="copy"),)
    built = ("people_k2",)
    has_version_schema = True

    def test_a_copy_says_how_old_it_is(self):
        with self.pgveil.client() as client:
            reply = client.query("SELECT city FROM people")
            self.assertIn("(policy people_k2, k = 2, a copy of 20", self.messages(reply)[0])
            reply = client.query("SELECT enforcement, copy_age >= '0 s' AND copy_age < '1 day' FROM pgveil.policies")
            self.assertEqual(reply.texts(), [["copy", "t"]])
            hidden = client.query("SELECT count(*) FROM people WHERE pgveil.hidden(city)")
            self.assertEqual(hidden.texts(), [["7"]])


class Pooled(Told):
    options = {"has_notices": True, "more": "pool: {mode: transaction, size: 1}\n"}

    def test_sessions_that_share_a_connection_are_told_each(self):
        with self.pgveil.client() as one, self.pgveil.client() as other:
            one.query("SET pgveil.notices = off")
            for client, times in ((one, 0), (other, 1), (one, 0), (other, 0)):
                self.assert_told(client.query("SELECT city FROM people"), times)
            self.assertEqual(one.query("SHOW pgveil.notices").texts(), [["off"]])
            self.assertEqual(other.query("SHOW pgveil.notices").texts(), [["on"]])
            self.assert_told(one.extended("SELECT city FROM people"), 0)


class Comments(Told):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.postgres.run("COMMENT ON COLUMN public.people.city IS 'where they live'; COMMENT ON TABLE public.towns IS 'places';"
                         "COMMENT ON COLUMN public.towns.size IS 'heads'", "demo")

    COLUMN = "SELECT col_description('people'::regclass, {})"
    MASKED = "masked by policy people_k2: "

    def test_functions(self):
        self.assertEqual([self.texts(self.COLUMN.format(number))[0][0] for number in range(1, 5)], [
            self.MASKED + "never shown", self.MASKED + "shown in 45 % of rows",
            f"where they live ({self.MASKED}shown in 36 % of rows)", self.MASKED + "shown in 55 % of rows"])
        self.assertRegex(self.texts("SELECT obj_description('people'::regclass, 'pg_class')")[0][0],
                         rf"^{self.MASKED}k = 2, built 20\d\d-\d\d-\d\d \d\d:\d\d UTC$")
        for sql, text in (("obj_description('towns'::regclass, 'pg_class')", "places"),
                          ("col_description('towns'::regclass, 2)", "heads"),
                          ("col_description('towns'::regclass, 1)", None),
                          ("obj_description('people'::regclass)", None),
                          ("col_description(NULL, 1)", None)):
            self.assertEqual(self.texts("SELECT " + sql), [[text]], sql)

    def test_the_catalog(self):
        sql = ("SELECT a.attname, d.description FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
               "LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = a.attnum AND d.classoid = 'pg_class'::regclass "
               "WHERE c.relname IN ('people', 'towns') AND a.attnum > 0 ORDER BY c.relname, a.attnum")
        rows = self.texts(sql)
        self.assertEqual([row[1] for row in rows],
                         [self.texts(self.COLUMN.format(number))[0][0] for number in range(1, 5)] + [None, "heads"])
        self.assertEqual([row[1] for row in self.texts(sql, "dpo")], [None, None, "where they live", None, None, "heads"])
        self.assertEqual(self.texts("SELECT count(*) FROM pg_description WHERE description LIKE '%masked by%'"), [["5"]])
        ours, theirs = ([[row for row in self.texts("SELECT objoid, classoid, objsubid, description FROM pg_description "
                                                    "ORDER BY 1, 2, 3", user) if "masked" not in row[3]]]
                        for user in ("analyst", "dpo"))
        self.assertEqual(ours, [[row for row in theirs[0] if row[3] != "where they live"]])

    def test_psql(self):
        done = self.psql("\\d+ people")
        self.assertIn(self.MASKED + "shown in 45 % of rows", done.stdout + done.stderr)
        self.assertIn("where they live (masked by", done.stdout)
        self.assertNotIn("masked by", self.psql("\\d+ people", user="dpo").stdout)
        self.assertIn(self.MASKED + "k = 2, built 20", self.psql("\\dt+").stdout)


class Hidden(Told):
    policies = (world.PEOPLE, world.STAFF)

    def test_it_is_what_the_mask_shows(self):
        self.assertEqual(self.texts("SELECT pgveil.hidden(id), pgveil.hidden(city), pgveil.hidden(state), count(*) "
                                    "FROM people GROUP BY 1, 2, 3 ORDER BY 2, 3"),
                         [["t", "f", "f", "4"], ["t", "t", "f", "2"], ["t", "t", "t", "5"]])
        self.assertEqual(self.texts("SELECT bool_or(pgveil.hidden(pay)), bool_and(pgveil.hidden(name)), "
                                    "bool_and(pgveil.hidden(note)) FROM staff"), [["f", "t", "t"]])
        for column in ("job", "town", "born", "grade", "mood", "is_active"):
            self.assertEqual(self.texts(f"SELECT count(*) FROM staff WHERE pgveil.hidden({column}) <> ({column} IS NULL)"),
                             [["0"]], column)

    def test_outer_joins_have_no_answer_where_there_is_no_row(self):
        self.assertEqual(self.texts("SELECT t.town, bool_or(pgveil.hidden(s.pay)), bool_and(pgveil.hidden(s.name)), "
                                    "bool_and(pgveil.hidden(t.size)) "
                                    "FROM towns t LEFT JOIN staff s ON s.town = t.town GROUP BY 1 ORDER BY 1")[-1],
                         ["Dale", None, None, "f"])
        both = self.texts("SELECT pgveil.hidden(t.size) IS NULL, pgveil.hidden(s.town) IS NULL, count(*) > 0 "
                          "FROM towns t FULL JOIN staff s ON s.town = t.town GROUP BY 1, 2 ORDER BY 1, 2")
        self.assertEqual(both, [["f", "f", "t"], ["f", "t", "t"], ["t", "f", "t"]])
        # Rows of NULLs are rows.
        self.assertEqual(self.texts("SELECT count(*), count(pgveil.hidden(p.id)) FROM (VALUES (1)) v LEFT JOIN people p "
                                    "ON p.occupation IS NULL AND p.city IS NULL AND p.state IS NULL"), [["2", "2"]])

    def test_sub_queries_and_correlation(self):
        self.assertEqual(self.texts("SELECT h, count(*) FROM (SELECT pgveil.hidden(city) AS h FROM people) s "
                                    "GROUP BY h ORDER BY h"), [["f", "4"], ["t", "7"]])
        self.assertEqual(self.texts("SELECT count(*) FROM people p WHERE (SELECT pgveil.hidden(p.city))"), [["7"]])

    def test_it_is_no_oracle(self):
        """Raw NULLs and hidden values of one cohort answer alike, whatever is asked beside it."""
        raw = self.postgres.rows("SELECT count(*) FROM staff WHERE town IS NULL", "demo")[0][0]
        self.assertGreater(int(raw), 0)
        with self.pgveil.client() as client:
            for sql in ("SELECT pgveil.hidden(lower(town)) FROM staff", "SELECT pgveil.hidden(town = 'Aber') FROM staff",
                        "SELECT pgveil.hidden(CASE WHEN town = 'Aber' THEN town END) FROM staff",
                        "SELECT pgveil.hidden(s) FROM staff s", "SELECT pgveil.hidden('staff.town')",
                        "SELECT pgveil.hidden(s.town) FROM (SELECT town FROM staff) s"):
                self.assertEqual(client.query(sql).sqlstate(), "42501", sql)
        rows = self.texts("SELECT id, pgveil.hidden(town), town IS NULL FROM staff")
        self.assertEqual([row for row in rows if row[1] != row[2]], [])

    def test_views_of_it_in_the_extended_protocol(self):
        with self.pgveil.client() as client:
            reply = client.extended("SELECT count(*) FROM people WHERE pgveil.hidden(city) = $1", (b"t",))
            self.assertEqual((reply.errors, reply.texts()), ([], [["7"]]))
            self.assertEqual(client.query("SELECT pgveil.hidden(city) FROM people LIMIT 0").columns[0].name, "hidden")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Plans that the server keeps (proxy/session/kept_plan.hpp): a simple query that comes again with other
constants is prepared once, and so is an unnamed statement that comes again. Both answer what the masked table
answers, and leave the client's own names alone."""

from harness import world
from harness.runner import main
from harness.stack import StackCase

SHAPES = (
    "SELECT id, job, town, born, grade FROM staff WHERE id > {0} AND id < {1} ORDER BY id",
    "SELECT job, count(*) FROM staff WHERE id BETWEEN {0} AND {1} GROUP BY job ORDER BY 1, 2",
    "SELECT count(*) FROM staff WHERE grade > {0}.25 OR id = {1}",
    "SELECT id FROM staff WHERE id + {0} = {1} OR name LIKE '%{0}' ORDER BY 1",
    "SELECT s.id FROM staff s JOIN staff t ON s.id = t.id + {0} WHERE t.job > 'N{1}' ORDER BY 1 LIMIT 7",
    "SELECT * FROM staff WHERE id IN ({0}, {1}) OR born = '1972-01-{0}' ORDER BY id",
    "SELECT id + {0} FROM staff GROUP BY id + {0} HAVING min(id) < {1} ORDER BY 1",
    # PostgreSQL gives the text on the left a type for each limit, or for each element.
    "SELECT count(*) FROM staff WHERE '2024-03-{0} 13:00' BETWEEN born AND seen",
    "SELECT count(*) FROM staff WHERE '2024-03-{0} 13:00' NOT BETWEEN born AND seen",
    "SELECT count(*) FROM staff WHERE '2024-03-{0} 13:00' BETWEEN SYMMETRIC born AND seen",
    "SELECT count(*) FROM staff WHERE '2024-03-{0} 13:00'::timestamp BETWEEN born AND seen",
    "SELECT count(*) FROM staff WHERE born BETWEEN SYMMETRIC '2024-03-{0}' AND seen",
    "SELECT count(*) FROM staff WHERE '{0}' IN (id, grade) OR '{1}' NOT IN (grade, id)",
    "SELECT count(*) FROM staff WHERE '2024-03-{0}' IN (born, seen) OR id = {1}",
    "SELECT count(*) FROM staff WHERE '{0}' IN (town, job, name) OR id IN ('{0}', grade)",
    "SELECT count(*) FROM staff WHERE id + '{0}' BETWEEN grade AND {1}",
    "SELECT count(*) FROM staff WHERE {0} BETWEEN id AND grade OR {1} IN (grade, id)",
    # Equal values in other spellings: PostgreSQL finds that the expressions are equal.
    "SELECT born >= '1972-01-{0}'::date, count(*) FROM staff GROUP BY born >= '197201{0}'::date ORDER BY 1",
)
OF_OPEN_TABLES = (
    "SELECT count(*) FROM days WHERE '2020-01-{0} 12:00' BETWEEN d AND ts",
    "SELECT count(*) FROM days WHERE '2020-01-{0} 12:00' NOT BETWEEN d AND ts",
    "SELECT count(*) FROM days WHERE '2020-01-{0} 12:00' BETWEEN SYMMETRIC d AND ts",
    "SELECT count(*) FROM days WHERE '{0}' BETWEEN t AND n AND n > {1}",
    "SELECT count(*) FROM days WHERE '{0}' IN (n, big)",
    "SELECT count(*) FROM days WHERE '{0}' IN (t, bp)",
    "SELECT count(*) FROM days WHERE '2020-01-{0}' IN (d, ts)",
    "SELECT count(*) FROM days WHERE '2020-01-{0} 12:00'::timestamp BETWEEN d AND ts AND n <> {1}",
    "SELECT count(*) FROM days WHERE {0} BETWEEN n AND big AND {0} IN (n, big)",
    "SELECT d + '1 day'::interval > '2020-01-{0}'::date, count(*) FROM days "
    "GROUP BY d + '1 day'::interval > '202001{0}'::date ORDER BY 1",
    "SELECT now() = statement_timestamp() FROM days WHERE n = {0}",
)
# Open; the columns are of types that can be compared with each other.
DAYS = """
CREATE TABLE days (n integer PRIMARY KEY, big bigint, t text, bp char(4), d date, ts timestamp);
INSERT INTO days SELECT g, g * 2, g::text, g::text, date '2020-01-01' + g % 30,
  timestamp '2020-01-01 06:00' + (g % 40) * interval '18 hours' FROM generate_series(1, 40) AS g;
GRANT SELECT ON days TO pgveil_query, pgveil_admin;
"""


class KeptPlans(StackCase):
    has_masked_copy = True
    has_version_schema = True
    open_tables = (*world.OPEN_TABLES, "public.days")

    @classmethod
    def prepare(cls):
        cls.postgres.run(DAYS, "demo")

    def last_text(self):
        """Of pgveil's connection for clients, as the server shows it."""
        rows = self.postgres.rows(
            "SELECT query FROM pg_stat_activity WHERE datname = 'demo' AND usename = 'pgveil_query' "
            "ORDER BY query_start DESC LIMIT 1",
            "demo",
        )
        return rows[0][0]

    def keep(self, client, column="id"):
        """A plan is kept for this shape from here on."""
        for number in range(11, 16):
            reply = client.query(f"SELECT id, job, town FROM staff WHERE {column} = {number}")
            self.assertEqual(reply.errors, [])
        self.assertIn("$1", self.last_text())

    def answer(self, client, number, column="id"):
        reply = client.query(f"SELECT id, job, town FROM staff WHERE {column} = {number}")
        self.assertEqual(reply.errors, [])
        return reply.texts()

    def test_answers_are_those_of_the_masked_table(self):
        kept = 0
        with self.pgveil.client() as client, self.direct() as direct:
            for shape in SHAPES:
                for number in range(10, 24):
                    sql = shape.format(number, number * 3 + 20)
                    ours, theirs = client.query(sql), direct.query(sql)
                    self.assertEqual(theirs.errors, [], sql)
                    self.assertEqual(ours.errors, [], sql)
                    self.assertEqual(ours.texts(), theirs.texts(), sql)
                    self.assertEqual([c.name for c in ours.columns], [c.name for c in theirs.columns], sql)
                    types = [[column.type_oid for column in it.columns] for it in (ours, theirs)]
                    self.assertEqual(types[0], types[1], sql)
                    self.assertEqual(ours.tags, theirs.tags, sql)
                kept += "$1" in self.last_text()
        self.assertGreater(kept, 2)

    def check(self, ours, theirs, sql):
        """Both answer alike, with the same types."""
        replies = ours.query(sql), theirs.query(sql)
        for reply in replies:
            self.assertEqual(reply.errors, [], sql)
        self.assertEqual(replies[0].texts(), replies[1].texts(), sql)
        types = [[column.type_oid for column in it.columns] for it in replies]
        self.assertEqual(types[0], types[1], sql)

    def test_answers_of_open_tables_are_postgresqls(self):
        with self.pgveil.client() as client, self.direct() as direct:
            for shape in OF_OPEN_TABLES:
                for number in range(10, 20):
                    self.check(client, direct, shape.format(number, number * 3 + 20))

    def test_what_has_no_form_with_parameters_fails_once_within_a_block(self):
        with self.pgveil.client() as client:
            sql = ("SELECT d > '2020-01-{0}'::date, count(*) FROM days "
                   "GROUP BY d > '202001{0}'::date ORDER BY 1")
            client.query("BEGIN")
            replies = [client.query(sql.format(number)) for number in range(10, 14)]
            self.assertLessEqual({it.sqlstate() for it in replies if it.errors}, {"42803", "25P02"})
            client.query("ROLLBACK")
            client.query("BEGIN")
            for number in range(10, 14):
                self.assertEqual(client.query(sql.format(number)).errors, [])
            self.assertEqual(client.query("COMMIT").errors, [])

    def test_a_constant_of_another_kind_has_a_plan_of_its_own(self):
        """7 / 2 is 3, and 7 / 2.0 is 3.5."""
        kinds = ("2", "2.0", "3000000000", "'2'")
        with self.direct() as direct:
            for first in kinds:
                with self.pgveil.client() as client:
                    for constant in (first, *kinds):
                        for number in range(11, 16):
                            varied = constant.replace("2", str(number - 9), 1)
                            for sql in (
                                f"SELECT id FROM staff WHERE id / {varied} > {number} ORDER BY 1",
                                f"SELECT id / {varied} AS half FROM staff WHERE id > {number} ORDER BY 1",
                            ):
                                self.check(client, direct, sql)
                    self.assertIn("$1", self.last_text())

    def test_a_constant_is_read_under_the_settings_of_the_moment(self):
        texts = (
            "SELECT count(*) FROM staff WHERE date_part('month', '02/03/1990'::date) = 2",
            "SELECT id, '02/03/1990'::date FROM staff WHERE id = 12",
            "SELECT id, '2020-01-01 12:00'::timestamptz FROM staff WHERE id = 12",
            "SELECT id, (0.1::float8 * 3)::text, '\\x01ff'::bytea::text FROM staff WHERE id = 12",
            "SELECT id FROM staff WHERE (0.1::float8 * 3)::text = '0.3' AND id = 12",
        )
        # PostgreSQL does not report the last five.
        settings = ("SET datestyle = 'ISO, DMY'", "SET datestyle = 'ISO, MDY'", "SET timezone = 'Asia/Tokyo'",
                    "SET timezone = 'UTC'", "SET extra_float_digits = -5", 'SET "Extra_Float_Digits" = 1',
                    "SET bytea_output = escape", "SET bytea_output = hex",
                    "SET extra_float_digits TO 0")
        with self.pgveil.client() as client, self.direct() as direct:
            for sql in texts:
                for setting in ("SELECT 1", *settings, *settings):
                    for each in (client, direct):
                        each.query(setting)
                    for _ in range(3):
                        self.check(client, direct, sql)
                # The end of a transaction brings the setting before it back.
                for setting in settings:
                    for each in (client, direct):
                        each.query("BEGIN")
                        each.query(f"{setting.replace('SET', 'SET LOCAL')}")
                    self.check(client, direct, sql)
                    for each in (client, direct):
                        each.query("SAVEPOINT s")
                        each.query(f"{setting.replace('SET', 'SET LOCAL').replace('-5', '-6')}")
                    self.check(client, direct, sql)
                    for each in (client, direct):
                        each.query("ROLLBACK TO SAVEPOINT s")
                    self.check(client, direct, sql)
                    for each in (client, direct):
                        each.query("ROLLBACK")
                    self.check(client, direct, sql)
                for each in (client, direct):
                    each.query("SELECT set_config('extra_float_digits', '-4', false)")
                self.check(client, direct, sql)
                for each in (client, direct):
                    each.query("RESET ALL")
                self.check(client, direct, sql)

    def test_now_is_the_moment_of_each_statement(self):
        with self.pgveil.client() as client:
            for sql in (
                "SELECT 'now'::timestamptz FROM staff WHERE id = 12",
                "SELECT date_trunc('microsecond', timestamptz ' NOW ') FROM staff WHERE id = 12",
                "SELECT E'n\\157w'::timestamptz FROM staff WHERE id = 12",
                "SELECT U&'n\\006fw'::timestamptz FROM staff WHERE id = 12",
                "SELECT 'no'\n'w'::timestamptz FROM staff WHERE id = 12",
            ):
                seen = [client.query(sql).texts()[0][0] for _ in range(5)]
                self.assertEqual(len(set(seen)), 5, seen)

    def test_a_parameter_that_a_client_writes_into_a_query_has_no_value(self):
        with self.pgveil.client() as client:
            for _ in range(4):
                reply = client.query("SELECT id FROM staff WHERE id >  $1 ")
                self.assertEqual(reply.sqlstate(), "42P02")

    def test_a_new_shape_and_a_text_without_tables_are_sent_as_they_are(self):
        with self.pgveil.client() as client:
            client.query("SELECT id FROM staff WHERE id = 3")
            self.assertNotIn("$1", self.last_text())
            for number in range(5):
                self.assertEqual(client.query(f"SELECT {number + 3} + 4").errors, [])
            self.assertNotIn("$1", self.last_text())

    def test_short_texts_of_open_tables_are_kept_for_their_guards(self):
        with self.pgveil.client() as client, self.direct("demo") as direct:
            for number in range(8):
                sql = f"SELECT n, n + {number} FROM numbers WHERE n > {number} AND n < 9 ORDER BY n"
                ours, theirs = client.query(sql), direct.query(sql)
                self.assertEqual((ours.errors, ours.rows, ours.tags), ([], theirs.rows, theirs.tags), sql)
            self.assertIn("$1", self.last_text())
            long = "SELECT n FROM numbers WHERE n IN (" + ", ".join(f"1{n:04}" for n in range(400)) + ")"
            for _ in range(4):
                self.assertEqual(client.query(long).errors, [])
            self.assertNotIn("$1", self.last_text())

    def test_an_open_table_that_becomes_another_one(self):
        self.postgres.run("CREATE TABLE spare (n integer); INSERT INTO spare VALUES (77)", "demo")
        try:
            with self.pgveil.client() as client:
                for number in range(6):
                    self.assertEqual(client.query(f"SELECT n FROM numbers WHERE n > {number}").errors, [])
                self.assertIn("$1", self.last_text())
                self.postgres.run("ALTER TABLE numbers RENAME TO kept; ALTER TABLE spare RENAME TO numbers", "demo")
                reply = client.query("SELECT n FROM numbers WHERE n > 70")
                # The guard notices, or pgveil has read the catalog already. Never the rows of the old table.
                self.assertIn(reply.texts(), ([], [["77"]]))
        finally:
            self.postgres.run("ALTER TABLE numbers RENAME TO spare; ALTER TABLE kept RENAME TO numbers; "
                              "DROP TABLE spare", "demo")

    def test_the_same_text_again_shares_the_plan_of_its_shape(self):
        with self.pgveil.client() as client:
            self.keep(client)
            mark = self.postgres.log_position()
            for number in (11, 15, 11):
                self.assertEqual(len(self.answer(client, number)), 1)
            self.assertNotIn(" parse ", "".join(self.postgres.received(mark)))

    def test_a_value_that_is_none_of_the_type_fails_and_the_session_goes_on(self):
        with self.pgveil.client() as client:
            for day in range(1, 6):
                reply = client.query(f"SELECT id, job FROM staff WHERE born = '1972-01-0{day}'")
                self.assertEqual(reply.errors, [])
            reply = client.query("SELECT id, job FROM staff WHERE born = 'Tuesday?'")
            self.assertEqual(reply.sqlstate(), "22007")
            self.assertEqual(reply.status, "I")
            self.assertEqual(client.query("SELECT id, job FROM staff WHERE born = '1972-01-01'").errors, [])

    def test_transactions_fail_and_go_on_as_ever(self):
        with self.pgveil.client() as client:
            self.keep(client)
            client.query("BEGIN")
            self.assertEqual(client.query("SELECT id, job, town FROM staff WHERE id = 12").status, "T")
            client.query("SELECT 1 / 0 FROM staff")
            failed = client.query("SELECT id, job, town FROM staff WHERE id = 13")
            self.assertEqual((failed.sqlstate(), failed.status), ("25P02", "E"))
            self.assertEqual(client.query("ROLLBACK").status, "I")
            self.assertEqual(len(self.answer(client, 14)), 1)

    def test_what_drops_prepared_statements_is_noticed(self):
        with self.pgveil.client() as client:
            for dropping in (
                ["DISCARD ALL"],
                ["DEALLOCATE ALL"],
                ["BEGIN", "DEALLOCATE ALL", "COMMIT"],
                ["DEALLOCATE ALL; SELECT 1"],
                ["BEGIN", "DISCARD ALL", "ROLLBACK"],
            ):
                for sql in dropping:
                    client.query(sql)
                for number in range(20, 26):
                    self.assertEqual(len(self.answer(client, number)), 1, dropping)

    def test_the_clients_own_statements_stay(self):
        with self.pgveil.client() as client:
            client.query("PREPARE mine AS SELECT count(*) FROM staff WHERE id < $1")
            self.keep(client)
            self.assertEqual(client.query("EXECUTE mine (10)").errors, [])
            client.query("DEALLOCATE mine")
            self.assertEqual(len(self.answer(client, 17)), 1)

    def test_names_of_pgveils_own_are_reserved(self):
        with self.pgveil.client() as client:
            self.keep(client)
            for sql in (
                "EXECUTE pgveil_1",
                "EXECUTE pgveil_1 (3)",
                "DEALLOCATE pgveil_1",
                "PREPARE pgveil_1 AS SELECT 1",
            ):
                self.assertEqual(client.query(sql).sqlstate(), "42939", sql)
            self.assertEqual(len(self.answer(client, 17)), 1)

    def test_a_build_in_between(self):
        with self.pgveil.client() as client, self.direct() as direct:
            self.keep(client)
            expected = direct.query("SELECT id, job, town FROM staff WHERE id = 14").texts()
            for number in range(4):
                reply = self.pgveil.console("BUILD POLICY staff_k3")
                self.assertEqual(reply.errors, [])
                self.assertEqual(self.answer(client, 14), expected, number)
                self.assertEqual(len(self.answer(client, 20 + number)), 1)

    def test_more_shapes_than_are_kept(self):
        with self.pgveil.client() as client:
            for number in range(230):
                for value in (11, 12, 13, 14):
                    reply = client.query(f"SELECT id AS c{number}, job, town FROM staff WHERE id = {value}")
                    self.assertEqual(reply.errors, [])
            self.assertEqual(len(self.answer(client, 12)), 1)

    def test_they_can_be_switched_off(self):
        path = self.pgveil.config_path
        before = path.read_text()
        path.write_text(before.replace("masks: {", "masks: {kept_plans: false, "))
        try:
            self.pgveil.halt()
            self.pgveil.start()
            with self.pgveil.client() as client:
                for number in range(11, 16):
                    self.answer(client, number)
                self.assertNotIn("$1", self.last_text())
        finally:
            path.write_text(before)
            self.pgveil.halt()
            self.pgveil.start()


UNNAMED = (
    ("SELECT id, job, town, born, grade FROM staff WHERE id > $1 AND id < $2 ORDER BY id", (23, 23)),
    ("SELECT job, count(*) FROM staff WHERE id BETWEEN $1 AND $2 GROUP BY job ORDER BY 1, 2", ()),
    ("SELECT job || $1::text, town FROM staff WHERE id = $2 ORDER BY id", ()),
    ("SELECT id, job, town FROM staff WHERE id = 12 AND $1::text <> $2::text", ()),
)


class KeptUnnamed(StackCase):
    """The unnamed statement of Parse, with which most drivers send what they send once."""

    has_masked_copy = True
    has_version_schema = True
    sql, types = "SELECT id, job, town FROM staff WHERE id = $1", (23,)

    def sent_since(self, mark):
        return "\n".join(self.postgres.received(mark))

    def run_once(self, client, value="12"):
        reply = client.extended(self.sql, (value,), self.types)
        self.assertEqual(reply.errors, [])
        return reply

    def keep(self, client):
        for _ in range(2):
            self.run_once(client)
        mark = self.postgres.log_position()
        self.run_once(client)
        sent = self.sent_since(mark)
        self.assertIn("pgveil_", sent)
        self.assertNotIn(" parse ", sent)

    def test_answers_are_those_of_the_masked_table(self):
        with self.pgveil.client() as client, self.direct() as direct:
            for sql, types in UNNAMED:
                for number in range(8):
                    values = (str(10 + number), str(24 + number))
                    for result_format in (0, 1):
                        ours = client.extended(sql, values, types, result_format)
                        theirs = direct.extended(sql, values, types, result_format)
                        self.assertEqual((ours.errors, theirs.errors), ([], []), sql)
                        self.assertEqual(ours.rows, theirs.rows, sql)
                        self.assertEqual(ours.messages, theirs.messages, sql)
                        names = [[column.name for column in it.columns] for it in (ours, theirs)]
                        self.assertEqual(names[0], names[1], sql)

    def test_a_text_that_comes_again_is_prepared_once(self):
        with self.pgveil.client() as client:
            self.keep(client)

    def test_a_constant_is_read_under_the_settings_of_the_moment(self):
        sql = ("SELECT id, '02/03/1990'::date, '2020-01-01 12:00'::timestamptz, (0.1::float8 * 3)::text, "
               "'\\x01ff'::bytea::text FROM staff WHERE id = $1")
        with self.pgveil.client() as client, self.direct() as direct:
            for setting in ("SELECT 1", "SET datestyle = 'ISO, DMY'", "SET timezone = 'Asia/Tokyo'",
                            "SET datestyle = 'ISO, MDY'", "SET timezone = 'UTC'", "SET extra_float_digits = -5",
                            "SET bytea_output = escape", "RESET extra_float_digits"):
                for each in (client, direct):
                    each.query(setting)
                for _ in range(4):
                    replies = [each.extended(sql, ("12",), (23,)) for each in (client, direct)]
                    self.assertEqual([it.errors for it in replies], [[], []])
                    self.assertEqual(replies[0].rows, replies[1].rows, setting)

    def test_settings_that_change_in_the_batch_of_a_statement(self):
        """The server tells of a setting before ReadyForQuery only."""
        sql = "SELECT id, '02/03/1990'::date FROM staff WHERE id = $1"

        def batch(each, *before):
            for setting in before:
                each.parse(setting)
                each.bind(())
                each.execute()
            each.parse(sql, types=(23,))
            each.bind(("12",))
            each.execute()
            reply = each.sync()
            self.assertEqual(reply.errors, [])
            return reply.rows

        with self.pgveil.client() as client, self.direct() as direct:
            for before in ((), (), (), ("SET datestyle = 'ISO, DMY'",), (), (), ("SET datestyle = 'ISO, MDY'",), (),
                           (), ("BEGIN", "SET LOCAL datestyle = 'ISO, DMY'"), (), ("ROLLBACK",), (), ()):
                self.assertEqual(batch(client, *before), batch(direct, *before), before)

    def test_now_is_the_moment_of_each_statement(self):
        sql = "SELECT 'now'::timestamptz FROM staff WHERE id = $1"
        with self.pgveil.client() as client:
            seen = [client.extended(sql, ("12",), (23,)).rows[0][0] for _ in range(5)]
        self.assertEqual(len(set(seen)), 5, seen)

    def test_a_text_without_tables_has_the_unnamed_statement(self):
        with self.pgveil.client() as client:
            for _ in range(4):
                mark = self.postgres.log_position()
                self.assertEqual(client.extended("SELECT 1 + $1", ("3",)).errors, [])
            self.assertIn("<unnamed>", self.sent_since(mark))

    def test_describe_and_close_of_the_unnamed_statement(self):
        with self.pgveil.client() as client:
            self.keep(client)
            client.parse(self.sql, types=self.types)
            client.describe(b"S")
            self.assertEqual(client.sync().messages, "1tTZ")
            client.bind(("13",))
            client.execute()
            self.assertEqual(client.sync().messages[-2:], "CZ")
            client.close_object(b"S", "")
            self.assertEqual(client.sync().messages, "3Z")
            client.bind(("13",))
            self.assertEqual(client.sync().sqlstate(), "26000")
            self.run_once(client)

    def test_a_query_drops_the_unnamed_statement(self):
        with self.pgveil.client() as client:
            self.keep(client)
            client.query("SELECT 1")
            client.bind(("13",))
            self.assertEqual(client.sync().sqlstate(), "26000")
            self.run_once(client)

    def test_what_drops_prepared_statements_is_noticed(self):
        for dropping in (["DISCARD ALL"], ["DEALLOCATE ALL"], ["BEGIN", "DEALLOCATE ALL", "COMMIT"],
                         ["DEALLOCATE ALL; SELECT 1"], ["BEGIN", "DISCARD ALL", "ROLLBACK"]):
            with self.pgveil.client() as client:
                self.keep(client)
                for sql in dropping:
                    client.query(sql)
                for _ in range(4):
                    self.run_once(client)

    def test_a_failed_transaction(self):
        with self.pgveil.client() as client:
            self.keep(client)
            client.query("BEGIN")
            client.query("SELECT 1 / 0 FROM staff")
            self.assertEqual(client.extended(self.sql, ("12",), self.types).sqlstate(), "25P02")
            client.query("ROLLBACK")
            self.run_once(client)

    def test_a_build_in_between(self):
        with self.pgveil.client() as client:
            self.keep(client)
            expected = self.run_once(client).rows
            client.parse(self.sql, types=self.types)
            self.assertEqual(client.sync().errors, [])
            self.assertEqual(self.pgveil.console("BUILD POLICY staff_k3").errors, [])
            client.bind(("12",))
            client.execute()
            reply = client.sync()
            self.assertEqual((reply.errors, reply.rows), ([], expected))
            for _ in range(3):
                self.assertEqual(self.run_once(client).rows, expected)

    def test_a_column_gets_another_type_in_between(self):
        with self.pgveil.client() as client:
            self.keep(client)
            self.postgres.run("ALTER TABLE staff ALTER COLUMN id TYPE bigint", "demo")
            try:
                for _ in range(20):
                    reply = client.extended(self.sql, ("12",), self.types)
                    if not reply.errors:
                        self.assertEqual(reply.columns[0].type_oid, 20)
                    self.assert_no_hidden_value(reply.raw)
            finally:
                self.postgres.run("ALTER TABLE staff ALTER COLUMN id TYPE integer", "demo")
                self.pgveil.console("BUILD POLICY staff_k3")


class KeptUnnamedInAPool(KeptUnnamed):
    options = {"more": "pool: {mode: transaction, size: 1, wait_timeout: 30s}\n"}

    def test_what_drops_prepared_statements_is_noticed(self):
        with self.pgveil.client() as client:
            self.keep(client)
            for sql in ("DEALLOCATE ALL", "DISCARD ALL"):
                client.query(sql)
                for _ in range(4):
                    self.run_once(client)

    def test_two_clients_share_it(self):
        with self.pgveil.client() as one, self.pgveil.client() as other:
            self.keep(one)
            mark = self.postgres.log_position()
            self.run_once(other)
            self.assertNotIn(" parse ", self.sent_since(mark))

    def test_two_clients_with_different_settings_get_their_own_texts(self):
        sql = "SELECT id, (0.1::float8 * 3)::text FROM staff WHERE id = $1"
        with self.pgveil.client() as one, self.pgveil.client() as other:
            one.query("SET extra_float_digits = -5")
            one.parse(sql, statement="s", types=(23,))
            one.sync()
            for _ in range(4):
                for client, shown in ((one, b"0.3"), (other, b"0.30000000000000004")):
                    self.assertEqual(client.extended(sql, ("12",), (23,)).rows[0][1], shown)
                one.bind(("12",), statement="s")
                one.execute()
                self.assertEqual(one.sync().rows[0][1], b"0.3")


class Altered(StackCase):
    """An owner changes the type of a column of an open table, or adds one. PostgreSQL refuses statements that
    were prepared before, and clients that sent no Parse must not see that."""

    has_version_schema = True
    options = {"catalog_check_every": "1h"}
    first = "SELECT town, size FROM towns WHERE size > {0}"
    second = "SELECT * FROM towns WHERE size < {0} + 5000"
    unnamed = "SELECT size FROM towns WHERE size > $1"

    def setUp(self):
        super().setUp()
        self.client = self.new_client()
        for number in range(6):
            for sql in (self.first, self.second):
                self.assertEqual(self.client.query(sql.format(number)).errors, [])
            self.assertEqual(self.client.extended(self.unnamed, ("1",), (23,)).errors, [])
        self.postgres.run("ALTER TABLE towns ALTER size TYPE bigint, ADD COLUMN mayor text", "demo")

    def new_client(self):
        client = self.pgveil.client()
        self.addCleanup(client.close)
        return client

    def tearDown(self):
        self.postgres.run("ALTER TABLE towns ALTER size TYPE integer, DROP COLUMN mayor", "demo")
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        super().tearDown()

    def test_queries_are_answered_as_if_they_were_not_prepared(self):
        for _ in range(3):
            reply = self.client.query(self.first.format(3))
            self.assertEqual((reply.errors, reply.status), ([], "I"))
            self.assertEqual(reply.columns[1].type_oid, 20)
            self.assertEqual(len(reply.rows), 4)
            self.assertEqual(self.client.query(self.second.format(3)).errors, [])

    def test_a_parse_that_comes_again_is_answered_too(self):
        for _ in range(3):
            reply = self.client.extended(self.unnamed, ("1",), (23,))
            self.assertEqual((reply.errors, len(reply.rows)), ([], 4))
            self.assertEqual(reply.columns[0].type_oid, 20)

    def test_a_transaction_fails_once_and_says_what_to_do(self):
        self.client.query("BEGIN")
        reply = self.client.query(self.first.format(3))
        self.assertEqual((reply.sqlstate(), reply.status), ("40001", "E"))
        self.assertIn("run the transaction again", reply.errors[0]["H"])
        self.assertEqual(self.client.query("ROLLBACK").errors, [])
        self.client.query("BEGIN")
        for sql in (self.first, self.second):
            reply = self.client.query(sql.format(3))
            self.assertEqual((reply.errors, reply.status), ([], "T"))
        self.assertEqual(self.client.extended(self.unnamed, ("1",), (23,)).errors, [])
        self.assertEqual(self.client.query("COMMIT").errors, [])


class AlteredTexts(StackCase):
    """PostgreSQL reads a text as what the column is. The guard of an open table does not know the types of
    its columns, and the catalog is not looked at in between."""

    has_version_schema = True
    open_tables = (*world.OPEN_TABLES, "public.days")
    options = {"catalog_check_every": "1h"}
    shapes = (
        "SELECT count(*) FROM days WHERE d > '2020-01-{0} 12:00'",
        "SELECT count(*) FROM days WHERE t = '{0}'",
        "SELECT count(*) FROM days WHERE bp = '{0}  '",
        "SELECT count(*) FROM days WHERE d > '2020-01-{0}'::date",
    )
    # It comes again as it is, and is kept.
    again = "SELECT count(*) FROM days WHERE d > '2020-01-12 12:00'"

    @classmethod
    def prepare(cls):
        cls.postgres.run(DAYS, "demo")

    def test_a_text_is_read_as_what_the_column_is_now(self):
        def ask(numbers):
            for number in numbers:
                for sql in (*(it.format(number) for it in self.shapes), self.again):
                    ours, theirs = client.query(sql), direct.query(sql)
                    self.assertEqual((ours.errors, theirs.errors), ([], []), sql)
                    self.assertEqual(ours.texts(), theirs.texts(), sql)

        with self.pgveil.client() as client, self.direct("demo") as direct:
            ask(range(10, 20))
            self.postgres.run("ALTER TABLE days ALTER d TYPE timestamp USING d + time '06:00', "
                              "ALTER t TYPE integer USING t::integer, "
                              "ALTER bp TYPE text USING bp || '  '", "demo")
            ask(range(10, 20))


class AlteredInAPool(Altered):
    options = {"catalog_check_every": "1h", "more": "pool: {mode: transaction, size: 1, wait_timeout: 30s}\n"}

    def test_another_client_does_not_meet_what_one_has_left(self):
        other = self.new_client()
        for sql in (self.first, self.second):
            self.assertEqual(other.query(sql.format(3)).errors, [])


class Room(StackCase):
    """What made room is closed on the server, also if the batch failed before its Close."""

    has_version_schema = True
    options = {"more": "pool: {mode: transaction, size: 1, wait_timeout: 30s, prepared_statements: 4}\n"}

    def plans(self):
        """The server's prepared statements, as the memory contexts of pgveil's connection show them."""
        pid = self.postgres.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'pgveil_query' AND "
                                 "datname = 'demo' ORDER BY backend_start DESC LIMIT 1", "demo")[0][0]
        mark = self.postgres.log_position()
        self.postgres.rows(f"SELECT pg_log_backend_memory_contexts({pid})", "demo")
        self.until(lambda: "Grand total" in self.postgres.log(mark),
                   "the server has not told its memory contexts")
        return self.postgres.log(mark).count("CachedPlanSource:")

    def test_batches_that_fail_leave_nothing_behind(self):
        def sql(number):
            return f"SELECT id AS c{number}, job, town, born FROM staff WHERE id = $1"

        with self.pgveil.client() as client:
            for number in range(8):
                client.parse(sql(number), f"s{number}", (23,))
                self.assertEqual(client.sync().errors, [])
            before = self.plans()
            self.assertGreaterEqual(before, 4)
            for number in range(10, 40):
                client.parse(sql(number), f"s{number}", (23,))
                self.assertEqual(client.sync().errors, [])
                client.execute("no such portal")
                for more in range(4):
                    client.parse(sql(number * 10 + more), f"t{number}_{more}", (23,))
                self.assertEqual(client.sync().sqlstate(), "34000")
            self.assertLessEqual(self.plans(), before)


if __name__ == "__main__":
    main()

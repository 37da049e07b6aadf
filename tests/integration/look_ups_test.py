#!/usr/bin/python3
"""Look-ups by a masked column (rewriter/mask/look_up.hpp): they read an index, answer what the masked table
answers, keep the client's conditions from hidden rows, and read nothing for a value that is never shown."""
import json
import struct

from harness import world
from harness.runner import main
from harness.stack import StackCase

COLUMNS = ("job", "town", "born", "grade", "mood", "is_active")
# A released one, one that is always hidden, one that no row has.
VALUES = {
    "job": ("Nurse", "only-7", "none"),
    "town": ("Aber", "place-5", "none"),
    "born": ("1972-01-01", "1970-01-01", "1800-01-01"),
    "grade": ("2.00", "3.25", "9.99"),
    "mood": ("glad", "calm", "grim"),
    "is_active": ("t", "f", "t"),
}


class LookUps(StackCase):
    has_masked_copy = True
    has_version_schema = True

    @classmethod
    def prepare(cls):
        indexes = "".join(f"CREATE INDEX ON staff ({name}, name);" for name in COLUMNS)
        cls.postgres.run(
            f"{indexes} CREATE INDEX ON people (state); CREATE INDEX ON people (occupation); CREATE INDEX ON people USING hash (city); ANALYZE;",
            "demo",
        )
        cls.postgres.run(
            "ALTER DATABASE demo SET enable_seqscan = off; ALTER DATABASE demo SET enable_indexonlyscan = off;"
        )

    def sent(self, sql):
        quoted = sql.replace("'", "''")
        reply = self.pgveil.console(f"EXPLAIN POLICY FOR ROLE analyst FULL '{quoted}'")
        self.assertEqual(reply.errors, [], sql)
        [row] = reply.texts()
        return row[[column.name for column in reply.columns].index("text")]

    def plan(self, text):
        with self.direct("demo") as direct:
            explained = f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {text}"
            direct.query(explained)
            return json.loads(direct.query(explained).rows[0][0])[0]["Plan"]

    def scans(self, plan):
        own = (
            [plan] if "Scan" in plan["Node Type"] and "Relation Name" in plan or "Index Name" in plan else []
        )
        return own + [scan for child in plan.get("Plans", ()) for scan in self.scans(child)]

    def both(self, ask):
        """→ the answers through pgveil and of the masked copy."""
        with self.pgveil.client() as client, self.direct() as direct:
            return ask(client), ask(direct)

    def test_an_index_is_read(self):
        shown = [
            name
            for name in COLUMNS
            if self.postgres.rows(f"SELECT count({name}) FROM staff", "masked") != [["0"]]
        ]
        self.assertGreater(len(shown), 2)
        for column in shown:
            text = self.sent(f"SELECT id FROM staff WHERE {column} = '{VALUES[column][0]}'")
            self.assertIn("ORDER BY t.ctid", text, column)
            scans = self.scans(self.plan(text))
            self.assertTrue(
                any(f"staff_{column}_name_idx" == scan.get("Index Name") for scan in scans), (column, scans)
            )

    def test_answers_are_those_of_the_masked_table_in_its_order(self):
        for column in COLUMNS:
            for value in VALUES[column]:
                for where in (
                    f"{column} = '{value}'",
                    f"{column} IN ('{value}', '{VALUES[column][0]}')",
                    f"'{value}' = {column}",
                    f"{column} = '{value}' AND pay > 1010",
                ):
                    mine, theirs = self.both(
                        lambda client: client.query(f"SELECT * FROM staff WHERE {where}").texts()
                    )
                    self.assertEqual(mine, theirs, where)
        self.assertEqual(len(self.texts("SELECT FROM people WHERE state = 'OH'")), 6)

    def test_parameters_have_the_types_that_the_masked_table_gives_them(self):
        def describe(sql, types):
            def ask(client):
                client.parse(sql, types=types)
                client.describe(b"S", "")
                reply = client.sync()
                self.assertEqual(reply.errors, [], sql)
                at = reply.raw.index(b"t") + 1
                count = struct.unpack_from("!H", reply.raw, at)[0]
                return struct.unpack_from(f"!{count}I", reply.raw, at + 2)
            return ask
        for column in COLUMNS + ("name",):
            for where in (f"{column} = $1", f"$1 = {column}", f"{column} IN ($1)", f"{column} IN ($1, $2)"):
                mine, theirs = self.both(describe(f"SELECT id FROM staff WHERE {where}", ()))
                self.assertEqual(self.named(mine), self.named(theirs, "masked"), where)

    def named(self, oids, database="demo"):
        """An enum has another OID in another database."""
        return [self.postgres.rows(f"SELECT {oid}::regtype::text", database)[0][0] for oid in oids]

    def test_parameters_of_other_types(self):
        for sql, types, parameters in (
            ("job = $1", (1043,), ["Nurse"]),
            ("job = $1", (25,), ["Nurse"]),
            ("job IN ($1, $2)", (25, 1043), ["Nurse", "Baker"]),
            ("job = $1::text", (), ["Nurse"]),
            ("grade = $1", (23,), ["2"]),
            ("grade = $1", (701,), ["2.0"]),
            ("grade = $1", (20,), ["2"]),
            ("born = $1", (1114,), ["1972-01-01 00:00:00"]),
            ("job = $1", (), [None]),
            ("born = $1", (1184,), ["1972-01-01 00:00:00+00"]),
            ("is_active = $1", (16,), ["t"]),
            ("job IN ($1, $2)", (), [None, "Nurse"]),
            ("grade = $1", (1700,), ["NaN"]),
        ):
            mine, theirs = self.both(
                lambda client: client.extended(
                    f"SELECT id, job FROM staff WHERE {sql}", parameters, types
                ).texts()
            )
            self.assertEqual(mine, theirs, sql)

    def test_no_condition_of_the_client_runs_on_a_hidden_row(self):
        """Accountants of Ohio are in cohorts that show the state and not the occupation."""
        self.assertEqual(
            self.postgres.rows(
                "SELECT count(*) FROM people WHERE occupation = 'Accountant' AND state = 'OH'", "demo"
            ),
            [["2"]],
        )
        fails = "1 / (CASE WHEN state = 'OH' THEN 0 ELSE 1 END) > 0"
        for asked in ("occupation = 'Accountant'", "occupation IN ('Accountant', 'x')"):
            for where in (f"{asked} AND {fails}", f"{fails} AND {asked}"):
                sql = f"SELECT occupation, state FROM people WHERE {where}"
                self.assertIn("ORDER BY t.ctid", self.sent(sql))
                self.assertEqual(self.texts(sql), [["Accountant", None]] * 3, where)

    def test_a_value_that_is_never_shown_is_not_looked_for(self):
        """The clock of this test is what PostgreSQL read: rows and blocks."""
        def work(value):
            return self.measures(self.plan(self.sent(f"SELECT id FROM staff WHERE job = '{value}'")))
        hidden = self.postgres.rows("SELECT job FROM staff WHERE job LIKE 'only-%' LIMIT 1", "demo")[0][0]
        self.assertEqual(
            self.postgres.rows(f"SELECT count(*) FROM staff WHERE job = '{hidden}'", "masked"), [["0"]]
        )
        self.assertEqual(work(hidden), work("only-none"))
        self.assertNotEqual(work("Nurse"), work("only-none"))

    def measures(self, plan):
        names = (
            "Node Type",
            "Index Name",
            "Plan Rows",
            "Actual Rows",
            "Actual Loops",
            "Shared Hit Blocks",
            "Shared Read Blocks",
        )
        return [[plan.get(name) for name in names], [self.measures(child) for child in plan.get("Plans", ())]]

    def test_rows_do_not_come_in_the_order_of_an_index(self):
        self.assertIn(
            "staff_job_name_idx",
            str(self.scans(self.plan(self.sent("SELECT id FROM staff WHERE job = 'Nurse'")))),
        )
        shown = [int(row[0]) for row in self.texts("SELECT id FROM staff WHERE job = 'Nurse'")]
        by_name = [
            int(row[0])
            for row in self.postgres.rows("SELECT id FROM staff WHERE job = 'Nurse' ORDER BY name", "demo")
        ]
        self.assertEqual(shown, sorted(shown))
        self.assertNotEqual([number for number in by_name if number in shown], shown)

    def test_the_guards_are_asked_before_anything_is_found_to_be_empty(self):
        for value in ("OH", "none"):
            text = self.sent(f"SELECT id FROM people WHERE state = '{value}'")
            with self.direct("demo") as direct:
                self.assertEqual(direct.query(text).errors, [])
                direct.query("BEGIN")
                direct.query("UPDATE pgveil.version SET number = number + 1")
                self.assertEqual(direct.query(text).sqlstate(), "PV001", value)
                direct.query("ROLLBACK")
                direct.query("BEGIN")
                direct.query("ALTER TABLE people RENAME COLUMN city TO town")
                direct.query("ALTER TABLE people RENAME COLUMN occupation TO city")
                direct.query("ALTER TABLE people RENAME COLUMN town TO occupation")
                self.assertEqual(direct.query(text).sqlstate(), "22P02", value)
                direct.query("ROLLBACK")

    def test_a_prepared_look_up_is_planned_once(self):
        for sql, value in (
            ("SELECT job FROM staff WHERE id = $1", "7"),
            ("SELECT id FROM staff WHERE job = $1", "'Nurse'"),
            ("SELECT id FROM staff WHERE job IN ($1, 'Pilot')", "'none'"),
        ):
            with self.direct("demo") as direct:
                self.assertEqual(direct.query(f"PREPARE p AS {self.sent(sql)}").errors, [])
                for _ in range(8):
                    self.assertEqual(direct.query(f"EXECUTE p ({value})").errors, [])
                reply = direct.query(
                    "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'p'"
                )
                self.assertEqual(reply.texts(), [["3", "5"]], sql)

    def test_they_can_be_switched_off(self):
        path = self.pgveil.config_path
        before = path.read_text()
        self.assertIn("OFFSET 0", self.sent("SELECT id FROM people WHERE state = 'OH'"))
        path.write_text(before.replace("masks: {", "masks: {look_ups: false, "))
        try:
            self.pgveil.halt()
            self.pgveil.start()
            self.assertNotIn("OFFSET 0", self.sent("SELECT id FROM people WHERE state = 'OH'"))
        finally:
            path.write_text(before)
            self.pgveil.halt()
            self.pgveil.start()

    def test_a_hidden_value_is_in_no_answer(self):
        for city in ("Washington", "Columbus", "Withamsville"):
            self.assertEqual(self.texts(f"SELECT * FROM people WHERE city = '{city}'"), [])
        self.assertEqual(
            world.HIDDEN and self.texts("SELECT count(*) FROM people WHERE city = 'Hamlet'"), [["4"]]
        )


class NewIndexes(StackCase):
    """Of the table's owner, while pgveil serves: what it sends is what `pgveil rewrite`, which has just read the
    catalog, prints."""
    has_version_schema = True
    options = {"catalog_check_every": "1s"}

    def wait_until_looked_up(self, is_looked_up):
        question = "EXPLAIN POLICY FOR ROLE analyst FULL 'SELECT id FROM people WHERE state = $1'"
        self.until(lambda: ("ORDER BY t.ctid" in str(self.pgveil.console(question).texts())) == is_looked_up,
                   f"is looked up: {not is_looked_up}")

    def test_they_are_noticed(self):
        self.wait_until_looked_up(False)
        self.postgres.run("CREATE INDEX new_index ON people (state);", "demo")
        self.wait_until_looked_up(True)
        self.postgres.run("DROP INDEX new_index;", "demo")
        self.wait_until_looked_up(False)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""A table that is changed under a policy closes at once, for old statements, cursors and transactions too,
until BUILD. Nothing may show a hidden value in between."""
from harness import world
from harness.runner import main
from harness.stack import StackCase

# What an owner may do to the table, and how the test puts it back.
CHANGES = {
    "a column takes the name of another": (
        "ALTER TABLE people RENAME city TO hidden; ALTER TABLE people RENAME occupation TO city",
        "ALTER TABLE people RENAME city TO occupation; ALTER TABLE people RENAME hidden TO city",
    ),
    "two columns swap their names": (
        "ALTER TABLE people RENAME city TO x; ALTER TABLE people RENAME state TO city; ALTER TABLE people RENAME x TO state",
        "ALTER TABLE people RENAME city TO x; ALTER TABLE people RENAME state TO city; ALTER TABLE people RENAME x TO state",
    ),
    "the identifier becomes a visible column": (
        "ALTER TABLE people RENAME state TO x; ALTER TABLE people RENAME id TO state; ALTER TABLE people RENAME x TO id",
        "ALTER TABLE people RENAME state TO x; ALTER TABLE people RENAME id TO state; ALTER TABLE people RENAME x TO id",
    ),
    "another table takes its place": (
        "ALTER TABLE people RENAME TO people_old; CREATE TABLE people (id integer, occupation text, city text, state text); "
        "INSERT INTO people SELECT 1, 'Farmer', 'Hamlet', 'OH' FROM generate_series(1, 1); "
        "GRANT SELECT ON people TO pgveil_query, pgveil_admin",
        "DROP TABLE people; ALTER TABLE people_old RENAME TO people",
    ),
    "a view takes its place": (
        "ALTER TABLE people RENAME TO people_old; "
        "CREATE VIEW people AS SELECT 1 AS id, 'Farmer' AS occupation, 'Hamlet' AS city, 'OH' AS state; "
        "GRANT SELECT ON people TO pgveil_query",
        "DROP VIEW people; ALTER TABLE people_old RENAME TO people",
    ),
    "it is dropped and made again": (
        "CREATE TABLE kept AS SELECT * FROM people; DROP TABLE people CASCADE; "
        "CREATE TABLE people (id integer PRIMARY KEY, occupation text, city text, state text); "
        "INSERT INTO people SELECT * FROM kept ORDER BY id; DROP TABLE kept; "
        "GRANT SELECT ON people TO pgveil_query, pgveil_admin",
        "",
    ),
    "a column changes its type": (
        "ALTER TABLE people ALTER city TYPE varchar(40)",
        "ALTER TABLE people ALTER city TYPE text",
    ),
    "a column is dropped and made again": (
        "ALTER TABLE people DROP state; ALTER TABLE people ADD state text DEFAULT 'OH'",
        "UPDATE people SET state = CASE WHEN id IN (1, 2) THEN 'DC' WHEN id < 9 THEN 'OH' ELSE 'XX' END; "
        "CREATE TABLE kept AS SELECT * FROM people ORDER BY id; TRUNCATE people; INSERT INTO people SELECT * FROM kept; "
        "DROP TABLE kept",
    ),
    "it gets a column whose default is computed for each row": (
        "ALTER TABLE people ADD leak double precision DEFAULT random()",
        "ALTER TABLE people DROP leak",
    ),
    "it gets a generated column": (
        "ALTER TABLE people ADD leak text GENERATED ALWAYS AS (city || state) STORED",
        "ALTER TABLE people DROP leak",
    ),
    "it is rewritten": ("TRUNCATE people; " + world.ROWS[: world.ROWS.index("INSERT INTO public.staff")], ""),
}
QUERY = "SELECT occupation, city, state FROM people"


class ChangedTables(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def prepared(self):
        """Sessions that know the table from before: a prepared statement, an old snapshot, an open cursor."""
        prepared, snapshot = self.pgveil.client(), self.pgveil.client()
        self.addCleanup(prepared.close)
        self.addCleanup(snapshot.close)
        prepared.parse(QUERY, "old")
        self.assertEqual(prepared.sync().errors, [])
        self.assertEqual(prepared.query("PREPARE sql_old AS " + QUERY).errors, [])
        snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        # An open snapshot without a lock on the table: only then can the owner change it at all.
        self.assertEqual(snapshot.query("SELECT count(*) FROM towns").texts(), [["4"]])
        return prepared, snapshot

    def assert_closed(self, reply, what):
        self.assert_no_hidden_value(reply.raw, what)
        self.assertEqual(reply.rows, [], what)
        # The guard of the masking sub-select raises 42501; a column of another type or name is found before
        # it is.
        self.assertIn(
            reply.sqlstate(), ("42501", "26000", "25P02", "42703", "42883", "0A000"), (what, reply.errors)
        )

    def test_each_change_closes_the_table(self):
        for name, (change, undo) in CHANGES.items():
            with self.subTest(name):
                prepared, snapshot = self.prepared()
                fresh = self.pgveil.client()
                self.addCleanup(fresh.close)
                self.postgres.run(change, "demo")
                try:
                    self.assert_closed(fresh.query(QUERY), "a fresh statement")
                    prepared.bind((), "old")
                    prepared.execute()
                    self.assert_closed(prepared.sync(), "a prepared statement")
                    self.assert_closed(prepared.query("EXECUTE sql_old"), "a statement prepared in SQL")
                    self.assert_closed(snapshot.query(QUERY), "an old snapshot")
                    self.assert_closed(fresh.query("COPY people TO STDOUT"), "COPY")
                    self.assert_closed(fresh.query("SELECT p FROM people p"), "whole rows")
                finally:
                    snapshot.query("ROLLBACK")
                    self.postgres.run(undo + ";", "demo")
                    self.pgveil.console("RELOAD")
                    self.pgveil.build("people_k2")
                self.assertEqual(fresh.query("SELECT count(*) FROM people").texts(), [["11"]])

    def test_an_open_cursor_keeps_the_table_as_it_was(self):
        with self.pgveil.client() as client:
            client.query("BEGIN")
            client.query(f"DECLARE c CURSOR FOR {QUERY}")
            client.query("FETCH 2 FROM c")
            reply = client.query("FETCH ALL FROM c")
            self.assert_no_hidden_value(reply.raw)
            self.assertEqual(len(reply.rows), 9)
            client.query("COMMIT")

    def test_after_a_build_statements_of_parse_go_on_and_other_stale_things_are_refused(self):
        with self.pgveil.client() as client, self.pgveil.client() as cursor:
            client.parse(QUERY, "old")
            client.sync()
            client.query("PREPARE sql_old AS " + QUERY)
            cursor.query("BEGIN")
            cursor.query(f"DECLARE c CURSOR FOR {QUERY}")
            self.assertEqual(len(cursor.query("FETCH 2 FROM c").rows), 2)
            self.pgveil.build("people_k2")
            client.bind((), "old")
            client.execute()
            self.assertEqual(len(client.sync().rows), 11)
            self.assertEqual(client.query("EXECUTE sql_old").sqlstates(), ["26000"])
            self.assertIn(cursor.query("FETCH 2 FROM c").sqlstate(), ("34000", "25P02", "26000"))
            cursor.query("ROLLBACK")
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
            client.parse(QUERY, "new")
            client.bind((), "new")
            client.execute()
            self.assertEqual(len(client.sync().rows), 11)

    def test_a_known_result_of_other_columns_is_refused(self):
        self.postgres.run("CREATE TABLE grows (a integer, b text); INSERT INTO grows VALUES (1, 'x')", "demo")
        self.postgres.run("GRANT SELECT ON grows TO pgveil_query, pgveil_admin", "demo")
        path = self.pgveil.config_path
        text = path.read_text()
        path.write_text(text.replace("open_tables: [", 'open_tables: ["public.grows", '))
        try:
            self.assertEqual(self.pgveil.console("RELOAD").errors, [])
            with self.pgveil.client() as client, self.pgveil.client() as blind:
                for each in (client, blind):
                    each.parse("SELECT * FROM grows", "s")
                    if each is client:
                        each.describe(b"S", "s")
                    self.assertEqual(each.sync().errors, [])
                self.postgres.run("ALTER TABLE grows ADD COLUMN c integer", "demo")
                self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                for _ in range(2):
                    client.bind((), "s")
                    client.execute()
                    reply = client.sync()
                    self.assertEqual((reply.sqlstates(), reply.rows), (["0A000"], []))
                    self.assertEqual(reply.errors[0]["M"], "cached plan must not change result type")
                self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
                blind.bind((), "s")
                blind.describe()
                blind.execute()
                self.assertEqual(blind.sync().texts(), [["1", "x", None]])
                client.close_object(b"S", "s")
                client.parse("SELECT * FROM grows", "s")
                client.bind((), "s")
                client.execute()
                self.assertEqual(client.sync().texts(), [["1", "x", None]])
        finally:
            path.write_text(text)
            self.assertEqual(self.pgveil.console("RELOAD").errors, [])
            self.postgres.run("DROP TABLE grows", "demo")

    def test_an_open_portal_ends_with_its_version(self):
        with self.pgveil.client() as client:
            client.query("BEGIN")
            client.parse(QUERY)
            client.bind(portal="p")
            client.execute("p", 2)
            self.assertEqual(len(client.sync().rows), 2)
            self.pgveil.build("people_k2")
            client.execute("p", 2)
            reply = client.sync()
            self.assertEqual(reply.rows, [])
            self.assertIn(reply.sqlstate(), ("34000", "26000", "25P02"))
            client.query("ROLLBACK")

    def test_a_new_column_is_hidden(self):
        questions = (
            "SELECT * FROM people",
            "SELECT leak FROM people",
            "SELECT to_jsonb(p) FROM people p",
            "COPY people TO STDOUT",
        )
        with self.pgveil.client() as client, self.pgveil.client() as told, self.pgveil.client() as blind:
            for each in (told, blind):
                each.parse("SELECT * FROM people", "s")
                if each is told:
                    each.describe(b"S", "s")
                self.assertEqual(each.sync().errors, [])
            self.postgres.run("ALTER TABLE people ADD leak text DEFAULT 'Withamsville'", "demo")
            try:
                for sql in questions:  # as the catalog was, before pgveil has looked again
                    self.assert_no_hidden_value(client.query(sql).raw, sql)
                self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
                self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                self.assertEqual(client.query("SELECT * FROM people ORDER BY city, occupation").errors, [])
                for sql in questions:
                    reply = client.query(sql)
                    self.assertEqual(reply.errors, [], sql)
                    self.assert_no_hidden_value(reply.raw, sql)
                self.assertEqual(client.query("SELECT count(*), count(leak), count(city) FROM people").texts(),
                                 [["11", "0", "4"]])
                self.assertEqual(client.query("SELECT * FROM people").texts(),
                                 [row + [None] for row in world.MASKED_PEOPLE])
                for each, expected in ((told, ["0A000"]), (blind, [])):
                    each.bind((), "s")
                    each.execute()
                    self.assertEqual(each.sync().sqlstates(), expected)
                done = self.pgveil.command("check", "--config", str(self.pgveil.config_path))
                self.assertIn("policy people_k2: hidden, because they were added since the build: leak", done.stdout)
                # Renamed, and dropped: it was never part of what was built.
                for change in ("ALTER TABLE people RENAME leak TO more", "ALTER TABLE people DROP more"):
                    self.postgres.run(change, "demo")
                    self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                    self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]], change)
                self.assertEqual(client.query("SELECT * FROM people").texts(), world.MASKED_PEOPLE)
            finally:
                self.postgres.run(
                    "ALTER TABLE people DROP COLUMN IF EXISTS leak, DROP COLUMN IF EXISTS more", "demo")

    def test_a_new_column_does_not_make_good_what_else_was_changed(self):
        for change, undo in (
            ("ALTER TABLE people ADD leak text DEFAULT 'OH'; ALTER TABLE people RENAME occupation TO job",
             "ALTER TABLE people DROP leak; ALTER TABLE people RENAME job TO occupation"),
            ("ALTER TABLE people RENAME city TO town; ALTER TABLE people ADD city text DEFAULT 'Hamlet'",
             "ALTER TABLE people DROP city; ALTER TABLE people RENAME town TO city"),
        ):
            self.postgres.run(change, "demo")
            try:
                self.pgveil.console("RELOAD")
                with self.pgveil.client() as client:
                    self.assert_closed(client.query(QUERY), change)
                self.assertEqual(self.pgveil.console("SHOW POLICIES").texts()[0][6], "closed")
            finally:
                self.postgres.run(undo + ";", "demo")
                self.pgveil.console("RELOAD")
                self.pgveil.build("people_k2")

    def test_other_tables_stay_open(self):
        self.postgres.run("ALTER TABLE people RENAME city TO town", "demo")
        try:
            self.assertEqual(self.texts("SELECT count(*) FROM towns"), [["4"]])
        finally:
            self.postgres.run("ALTER TABLE people RENAME town TO city", "demo")
            self.pgveil.console("RELOAD")
            self.pgveil.build("people_k2")

    def test_an_open_table_that_is_swapped_for_a_protected_one(self):
        """The name of an open table moves to the raw rows: the catalog that pgveil read knows better."""
        with self.pgveil.client() as client:
            client.parse("SELECT * FROM towns", "old")
            client.sync()
            self.postgres.run(
                "ALTER TABLE towns RENAME TO towns_old; ALTER TABLE diary RENAME TO towns", "demo"
            )
            try:
                self.pgveil.console("RELOAD")
                self.assert_no_hidden_value(client.query("SELECT * FROM diary").raw)
            finally:
                self.postgres.run(
                    "ALTER TABLE towns RENAME TO diary; ALTER TABLE towns_old RENAME TO towns", "demo"
                )
                self.pgveil.console("RELOAD")


if __name__ == "__main__":
    main()

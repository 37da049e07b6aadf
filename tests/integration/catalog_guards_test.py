#!/usr/bin/python3
"""What an owner may do to a table that keeps its name, its columns' numbers and its file, and yet changes
what is read or what is equal: the very next statement is stopped, of old sessions too. Open tables are the
tables that were meant, or not read at all."""
from harness import world
from harness.runner import main
from harness.stack import StackCase
from naive import Policy

# Six rows of each kind, and two alone: one's values are those of the first kind under another type or
# collation only.
ROWS = """
CREATE COLLATION public.blurred (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION public.plain (provider = libc, locale = 'C');
CREATE DOMAIN public.place AS text;
CREATE TABLE public.kinds (id integer, city text, town varchar(20), spot text COLLATE public.plain, seen timestamp,
  noted timestamptz, net cidr, size integer, price numeric(6,2), code char(4));
INSERT INTO public.kinds
  SELECT n, CASE WHEN n <= 6 THEN 'Hamlet' ELSE 'Aber' END, CASE WHEN n <= 6 THEN 'Bree' ELSE 'Cork' END,
         CASE WHEN n <= 6 THEN 'inn' ELSE 'mill' END, timestamp '2024-02-01 12:00' + (n / 7) * interval '1 day',
         timestamptz '2024-03-01 12:00+00' + (n / 7) * interval '1 day',
         CASE WHEN n <= 6 THEN '10.0.0.0/8' ELSE '11.0.0.0/8' END::cidr, 7 + n / 7, 1.5 + n / 7, 'a' || n / 7
  FROM generate_series(1, 12) n;
INSERT INTO public.kinds VALUES (13, 'HAMLET', 'BREE', 'INN', '2024-02-01 13:00', '2024-03-01 13:00+00', '12.0.0.0/8', 99, 77.25, 'zz'),
  (14, 'Zed', 'Ziel', 'zoo', '2024-02-09 17:00', '2024-03-09 17:00+00', '14.0.0.0/8', 98, 78.25, 'yy');
GRANT SELECT ON public.kinds TO pgveil_query, pgveil_admin;
"""
COLUMNS = ("city", "town", "spot", "seen", "noted", "net", "size", "price", "code")
KINDS = Policy(
    "kinds_k2", "public.kinds", 2, {"id": "insensitive", **{name: "quasi_identifier" for name in COLUMNS}}
)
QUERY = "SELECT * FROM kinds ORDER BY id"
RARE = ("HAMLET", "BREE", "INN", "13:00", "12.0.0.0", "77.25", "zz")
CLOSED = ("42501", "40001", "26000", "0A000", "25P02", "42883")

# Each keeps the file. Sessions of the owner are under UTC, where timestamps with and without time zone are
# kept alike.
CHANGES = {
    "another collation": ("city TYPE text COLLATE public.blurred", "city TYPE text"),
    "text of a varchar": ("town TYPE text", None),
    "text of a varchar, with a collation": ("town TYPE text COLLATE public.blurred", None),
    "a varchar of a text": ("city TYPE varchar", "city TYPE text"),
    "the default collation": ("spot TYPE text COLLATE \"default\"", "spot TYPE text COLLATE public.plain"),
    "a domain": ("city TYPE public.place", "city TYPE text"),
    "timestamp with time zone": ("seen TYPE timestamptz", "seen TYPE timestamp"),
    "timestamp without time zone": ("noted TYPE timestamp", "noted TYPE timestamptz"),
    "inet of a cidr": ("net TYPE inet", None),
    "oid of an integer": ("size TYPE oid", "size TYPE integer"),
}


class Kinds(StackCase):
    policies = (KINDS,)
    built = ("kinds_k2",)
    open_tables = ("public.towns",)
    has_version_schema = True

    @classmethod
    def prepare(cls):
        cls.postgres.run(ROWS, "demo")

    def file(self):
        return self.postgres.rows("SELECT pg_relation_filenode('kinds')", "demo")

    def alter(self, *changes):
        self.postgres.run(
            "SET TimeZone = 'UTC'; " + "; ".join("ALTER TABLE kinds " + each for each in changes), "demo"
        )

    def sessions(self):
        """That know the table from before: statements that were prepared, and a snapshot."""
        prepared, snapshot = self.pgveil.client(), self.pgveil.client()
        self.addCleanup(prepared.close)
        self.addCleanup(snapshot.close)
        prepared.parse(QUERY, "old")
        for _ in range(7):  # also with the plan that is kept
            prepared.bind((), "old")
            prepared.execute()
            self.assertEqual(len(prepared.sync().rows), 14)
        self.assertEqual(prepared.query("PREPARE sql_old AS " + QUERY).errors, [])
        self.assertEqual(len(prepared.query("EXECUTE sql_old").rows), 14)
        snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(snapshot.query("SELECT count(*) FROM towns").errors, [])
        return prepared, snapshot

    def assert_closed(self, reply, what):
        self.assertEqual(reply.rows, [], what)
        self.assertIn(reply.sqlstate(), CLOSED, (what, reply.errors))
        for rare in RARE:
            self.assertNotIn(rare.encode(), reply.raw, what)

    def assert_closed_everywhere(self, prepared, snapshot):
        with self.pgveil.client() as fresh:
            fresh.query("SET TimeZone = 'UTC+1'")
            self.assert_closed(fresh.query(QUERY), "a fresh statement")
            self.assert_closed(fresh.query("COPY kinds TO STDOUT"), "COPY")
            self.assert_closed(fresh.query("SELECT count(*), city, seen FROM kinds GROUP BY 2, 3"), "groups")
            self.assert_closed(fresh.query("SELECT 1 FROM kinds WHERE city = 'Hamlet'"), "a condition")
        prepared.bind((), "old")
        prepared.execute()
        self.assert_closed(prepared.sync(), "a prepared statement")
        self.assert_closed(prepared.query("EXECUTE sql_old"), "a statement prepared in SQL")
        self.assert_closed(snapshot.query(QUERY), "an old snapshot")
        snapshot.query("ROLLBACK")

    def reopen(self):
        self.pgveil.console("RELOAD")
        self.assertEqual(self.pgveil.console("BUILD POLICY kinds_k2 FRESH").errors, [])
        self.assertEqual(len(self.texts(QUERY)), 14)

    def test_types_and_collations(self):
        shown = self.texts(QUERY)
        self.assertEqual([row[1:] for row in shown][12], [None] * 9)
        self.assertIn("Hamlet", shown[0])
        for name, (change, undo) in CHANGES.items():
            with self.subTest(name):
                prepared, snapshot = self.sessions()
                before = self.file()
                self.alter("ALTER " + change)
                try:
                    self.assertEqual(self.file(), before, "this test is about what rewrites nothing")
                    self.assert_closed_everywhere(prepared, snapshot)
                finally:
                    column = change.split()[0]
                    was = {"town": "town TYPE varchar(20)", "net": "net TYPE cidr USING net::cidr"}.get(
                        column
                    )
                    self.alter("ALTER " + (undo or was))
                    self.reopen()

    def test_a_collation_that_is_made_anew_under_its_name(self):
        prepared, snapshot = self.sessions()
        self.postgres.run(
            'BEGIN; ALTER TABLE kinds ALTER spot TYPE text COLLATE "C"; DROP COLLATION public.plain; '
            "CREATE COLLATION public.plain (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
            "ALTER TABLE kinds ALTER spot TYPE text COLLATE public.plain; COMMIT",
            "demo",
        )
        try:
            self.assert_closed_everywhere(prepared, snapshot)
        finally:
            self.postgres.run(
                'ALTER TABLE kinds ALTER spot TYPE text COLLATE "C"; DROP COLLATION public.plain; '
                "CREATE COLLATION public.plain (provider = libc, locale = 'C'); "
                "ALTER TABLE kinds ALTER spot TYPE text COLLATE public.plain",
                "demo",
            )
            self.reopen()

    def test_row_level_security(self):
        prepared, snapshot = self.sessions()
        self.alter("ENABLE ROW LEVEL SECURITY")
        self.postgres.run(
            "CREATE POLICY part ON kinds USING (current_setting('application_name') = city)", "demo"
        )
        try:
            self.assert_closed_everywhere(prepared, snapshot)
        finally:
            self.postgres.run("DROP POLICY IF EXISTS part ON kinds", "demo")
            self.alter("DISABLE ROW LEVEL SECURITY")
            self.reopen()

    def test_without_its_modifier_a_value_is_spelled_as_it_was_counted(self):
        """numeric(6,2) → numeric, char(4) → bpchar: 1.5000 is equal to 1.50, and nobody else spells it so."""
        before = self.file()
        self.alter("ALTER price TYPE numeric", "ALTER code TYPE bpchar")
        try:
            self.assertEqual(self.file(), before)
            self.postgres.run(
                "INSERT INTO kinds SELECT 15, city, town, spot, seen, noted, net, size, 1.5000, 'a0        ' "
                "FROM kinds WHERE id = 1",
                "demo",
            )
            with self.pgveil.client() as fresh:
                row = fresh.query(
                    "SELECT price::text, '<' || code || '>', to_jsonb(k) ->> 'price' FROM kinds k WHERE id = 15"
                )
                self.assertEqual((row.errors, row.texts()), ([], [["1.50", "<a0>", "1.50"]]))
                self.assertEqual(
                    fresh.query("SELECT octet_length(code) FROM kinds WHERE id = 15").texts(), [["4"]]
                )
                self.assertEqual(
                    fresh.query("SELECT DISTINCT price::text FROM kinds WHERE price = 1.5").texts(),
                    [["1.50"]],
                )
        finally:
            self.postgres.run("DELETE FROM kinds WHERE id = 15", "demo")
            self.alter("ALTER price TYPE numeric(6,2)", "ALTER code TYPE char(4)")
            self.reopen()


class KindsFromFiles(Kinds):
    """Without the schema pgveil each execution asks."""
    has_version_schema = False


OPEN = """
CREATE TABLE public.log (day date, note text) PARTITION BY RANGE (day);
CREATE TABLE public.log_1 PARTITION OF public.log FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
INSERT INTO public.log VALUES ('2024-01-02', 'first'), ('2024-01-03', 'second');
CREATE TABLE public.apart (day date, note text);
INSERT INTO public.apart VALUES ('2024-02-02', 'apart-secret');
CREATE TABLE public.days (day date, note text);
INSERT INTO public.days SELECT '2024-03-02', 'days-secret' FROM generate_series(1, 3);
CREATE TABLE public.blank (n integer);
CREATE VIEW public.v_towns AS SELECT town, size FROM public.towns;
GRANT SELECT ON public.log, public.days, public.blank, public.v_towns TO pgveil_query, pgveil_admin;
"""
DAYS = Policy("days_k2", "public.days", 2, {"note": "quasi_identifier"})
SWAP = "BEGIN; ALTER TABLE towns RENAME TO towns_old; ALTER TABLE people RENAME TO towns; COMMIT"
SWAP_BACK = "BEGIN; ALTER TABLE towns RENAME TO people; ALTER TABLE towns_old RENAME TO towns; COMMIT"


class OpenTables(StackCase):
    policies = (world.PEOPLE, DAYS)
    built = ("people_k2", "days_k2")
    open_tables = ("public.towns", "public.numbers", "public.log", "public.blank", "public.v_towns")
    has_version_schema = True

    @classmethod
    def prepare(cls):
        cls.postgres.run(OPEN, "demo")

    def assert_not_raw(self, reply, what, states=("40001", "42501", "26000", "0A000", "25P02", "42703")):
        self.assert_no_hidden_value(reply.raw, what)
        for secret in (b"apart-secret", b"days-secret"):
            self.assertNotIn(secret, reply.raw, what)
        self.assertEqual(reply.rows, [], what)
        self.assertIn(reply.sqlstate(), states, (what, reply.errors))

    def sessions(self, table="towns"):
        prepared, snapshot = self.pgveil.client(), self.pgveil.client()
        self.addCleanup(prepared.close)
        self.addCleanup(snapshot.close)
        prepared.parse(f"SELECT count(*) FROM {table}", "old")
        for _ in range(7):
            prepared.bind((), "old")
            prepared.execute()
            self.assertEqual(prepared.sync().errors, [])
        self.assertEqual(prepared.query(f"PREPARE sql_old AS SELECT count(*) FROM {table}").errors, [])
        self.assertEqual(prepared.query("EXECUTE sql_old").errors, [])
        snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(snapshot.query("SELECT count(*) FROM numbers").errors, [])
        return prepared, snapshot

    def assert_stopped(self, prepared, snapshot, table="towns", role="analyst"):
        """The first thing that is sent after the change, of each kind."""
        with self.pgveil.client(role) as fresh:
            for sql in (
                f"SELECT * FROM {table}",
                f"TABLE {table}",
                f"COPY {table} TO STDOUT",
                f"SELECT t FROM {table} t",
                f"SELECT count(*) FROM {table} TABLESAMPLE SYSTEM (100)",
                f"SELECT 1 FROM numbers, {table}",
                f"SELECT (SELECT count(*) FROM {table})",
                f"SELECT numbers.n FROM numbers LEFT JOIN {table} t ON true",
                f"WITH x AS (SELECT * FROM {table}) SELECT * FROM x",
                f"SELECT 1 UNION SELECT 1 FROM {table}",
            ):
                self.assert_not_raw(fresh.query(sql), sql)
        prepared.bind((), "old")
        prepared.execute()
        self.assert_not_raw(prepared.sync(), "a prepared statement")
        self.assert_not_raw(prepared.query("EXECUTE sql_old"), "a statement prepared in SQL")
        self.assert_not_raw(snapshot.query(f"SELECT * FROM {table}"), "an old snapshot")
        snapshot.query("ROLLBACK")

    def reopen(self):
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.assertEqual(self.texts("SELECT count(*) FROM towns"), [["4"]])
        self.assertEqual(self.texts("SELECT count(*) FROM log"), [["2"]])

    def reload_says(self, words):
        self.assertIn(words, str(self.pgveil.console("RELOAD").texts()))
        done = self.pgveil.command("serve", "--config", str(self.pgveil.config_path))
        self.assertEqual(done.returncode, 1)
        self.assertIn(words, done.stderr)

    def test_a_protected_table_under_the_name_of_an_open_one(self):
        prepared, snapshot = self.sessions()
        self.postgres.run(SWAP, "demo")
        try:
            self.assert_stopped(prepared, snapshot)
            self.reload_says("is the table that policy people_k2 was built of")
            with self.pgveil.client() as fresh:
                self.assert_not_raw(fresh.query("SELECT * FROM towns"), "after RELOAD")
                self.assert_not_raw(fresh.query("SELECT * FROM v_towns"), "through a view")
        finally:
            self.postgres.run(SWAP_BACK, "demo")
            self.reopen()

    def test_a_protected_table_in_the_place_of_an_open_one_that_is_gone(self):
        prepared, snapshot = self.sessions()
        self.postgres.run(
            "BEGIN; CREATE SCHEMA attic; ALTER TABLE towns SET SCHEMA attic; ALTER TABLE people RENAME TO towns; COMMIT",
            "demo",
        )
        try:
            self.assert_stopped(prepared, snapshot)
            self.reload_says("is the table that policy people_k2 was built of")
        finally:
            self.postgres.run(
                "BEGIN; ALTER TABLE towns RENAME TO people; ALTER TABLE attic.towns SET SCHEMA public; "
                "DROP SCHEMA attic; COMMIT",
                "demo",
            )
            self.reopen()

    def test_a_policy_that_is_withdrawn_or_gone_leaves_its_table_closed(self):
        """Also over a start of pgveil: what was ever built is kept beside the versions."""
        self.postgres.run(SWAP, "demo")
        self.pgveil.write_policies((DAYS,))
        try:
            done = self.pgveil.command("serve", "--config", str(self.pgveil.config_path))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("is the table that policy people_k2 was built of", done.stderr)
        finally:
            self.pgveil.write_policies(self.policies)
            self.postgres.run(SWAP_BACK, "demo")
            self.reopen()

    def test_exempt_roles_read_the_table_that_was_meant(self):
        with self.pgveil.client("dpo") as exempt:
            self.assertEqual(
                exempt.query("SELECT count(*) FROM people WHERE city = 'Columbus'").texts(), [["1"]]
            )
            self.postgres.run(
                "BEGIN; ALTER TABLE people RENAME TO people_old; ALTER TABLE diary RENAME TO people; COMMIT",
                "demo",
            )
            try:
                self.assert_not_raw(exempt.query("SELECT * FROM people"), "an exempt role")
            finally:
                self.postgres.run(
                    "BEGIN; ALTER TABLE people RENAME TO diary; ALTER TABLE people_old RENAME TO people; COMMIT",
                    "demo",
                )
                self.reopen()

    def test_rows_of_a_child_are_not_read(self):
        prepared, snapshot = self.sessions("blank")
        self.postgres.run(
            "CREATE TABLE child (n integer); INSERT INTO child VALUES (666); ALTER TABLE child INHERIT blank",
            "demo",
        )
        try:
            with self.pgveil.client() as fresh:
                self.assertEqual(fresh.query("SELECT n FROM blank").texts(), [])
            prepared.bind((), "old")
            prepared.execute()
            self.assertEqual(prepared.sync().texts(), [["0"]])
            self.assertEqual(snapshot.query("SELECT n FROM blank").texts(), [])
            snapshot.query("ROLLBACK")
            self.assertIn("inheritance relatives", str(self.pgveil.console("RELOAD").texts()))
        finally:
            self.postgres.run("DROP TABLE child", "demo")
            self.reopen()

    def test_a_table_that_becomes_a_view(self):
        prepared, snapshot = self.sessions("blank")
        self.postgres.run(
            'CREATE RULE "_RETURN" AS ON SELECT TO blank DO INSTEAD SELECT id AS n FROM people', "demo"
        )
        try:
            self.assert_stopped(prepared, snapshot, "blank")
        finally:
            self.postgres.run(
                "DROP VIEW blank; CREATE TABLE blank (n integer); GRANT SELECT ON blank TO pgveil_query, pgveil_admin",
                "demo",
            )
            self.reopen()

    def test_row_level_security(self):
        prepared, snapshot = self.sessions()
        self.postgres.run(
            "CREATE POLICY part ON towns USING (size > 10); ALTER TABLE towns ENABLE ROW LEVEL SECURITY",
            "demo",
        )
        try:
            self.assert_stopped(prepared, snapshot)
        finally:
            self.postgres.run(
                "ALTER TABLE towns DISABLE ROW LEVEL SECURITY; DROP POLICY part ON towns", "demo"
            )
            self.reopen()

    def test_partitions_that_are_attached(self):
        for table, where in (
            ("apart", "('2024-02-01') TO ('2024-03-01')"),
            ("days", "('2024-03-01') TO ('2024-04-01')"),
        ):
            with self.subTest(table):
                prepared, snapshot = self.sessions("log")
                self.postgres.run(f"ALTER TABLE log ATTACH PARTITION {table} FOR VALUES FROM {where}", "demo")
                try:
                    self.assert_stopped(prepared, snapshot, "log")
                    self.wait_for_refusal("SELECT * FROM log")
                    if table == "days":
                        self.reload_says("public.log is a parent of public.days, and is open")
                    else:  # RELOAD is how an admin says that it may be read
                        self.assertEqual(self.texts("SELECT count(*) FROM towns"), [["4"]])
                        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                        self.assertEqual(self.texts("SELECT count(*) FROM log"), [["3"]])
                finally:
                    self.postgres.run(f"ALTER TABLE log DETACH PARTITION {table}", "demo")
                    self.reopen()

    def wait_for_refusal(self, sql):
        """Until pgveil has looked for itself; never raw before."""
        for _ in range(300):
            with self.pgveil.client() as fresh:
                reply = fresh.query(sql)
                self.assert_not_raw(reply, sql)
                if reply.sqlstate() == "42501":
                    return
        self.fail("pgveil did not look")

    def test_a_new_partition_and_a_new_table_are_read_after_a_look(self):
        self.postgres.run(
            "CREATE TABLE log_4 PARTITION OF log FOR VALUES FROM ('2024-04-01') TO ('2024-05-01'); "
            "INSERT INTO log VALUES ('2024-04-02', 'fourth'); BEGIN; DROP VIEW v_towns; DROP TABLE towns; "
            "CREATE TABLE towns (town text COLLATE \"C\" PRIMARY KEY, size integer); "
            "INSERT INTO towns VALUES ('Aber', 100), ('Bree', 20), ('Cork', 3000), ('Dale', 4), ('Esk', 7); "
            "CREATE VIEW v_towns AS SELECT town, size FROM towns; "
            "GRANT SELECT ON towns, v_towns TO pgveil_query, pgveil_admin; COMMIT",
            "demo",
        )
        try:
            self.assertEqual(self.answer_in_the_end("SELECT count(*) FROM log"), [["3"]])
            self.assertEqual(self.answer_in_the_end("SELECT sum(size) FROM towns"), [["3131"]])
            self.assertEqual(self.answer_in_the_end("SELECT sum(size) FROM v_towns"), [["3131"]])
        finally:
            self.postgres.run("DROP TABLE log_4; DELETE FROM towns WHERE town = 'Esk'", "demo")
            self.reopen()

    def answer_in_the_end(self, sql):
        """A statement that meets the guard is told to try again, and pgveil looks at once: here it would
        otherwise in an hour."""
        for _ in range(300):
            with self.pgveil.client() as fresh:
                reply = fresh.query(sql)
            if not reply.errors:
                return reply.texts()
            self.assertEqual(reply.sqlstate(), "40001", reply.errors)
        return None

    def test_open_tables_are_what_they_were(self):
        """The guard is no part of the table: system columns, keys, row types, samples and the origin of
        columns stay."""
        with self.pgveil.client() as client:
            for sql, expected in (
                ("SELECT ctid, town FROM towns WHERE town = 'Aber'", [["(0,1)", "Aber"]]),
                ("SELECT tableoid::regclass FROM towns LIMIT 1", [["towns"]]),
                ("SELECT town, size FROM towns GROUP BY town ORDER BY 1 LIMIT 1", [["Aber", "100"]]),
                ("SELECT pg_typeof(t) FROM towns t LIMIT 1", [["towns"]]),
                ("SELECT (t).size FROM towns t WHERE town = 'Dale'", [["4"]]),
                ("SELECT count(*) FROM towns TABLESAMPLE BERNOULLI (100)", [["4"]]),
                ("SELECT count(*) FROM log TABLESAMPLE SYSTEM (100) REPEATABLE (1)", [["2"]]),
                ("SELECT count(*) FROM ONLY towns", [["4"]]),
                ("SELECT max(town) FROM towns WHERE size > 10 AND size < 200 OR false", [["Bree"]]),
                (
                    "SELECT n, town FROM numbers LEFT JOIN towns ON size = n WHERE n IN (4, 5) ORDER BY n",
                    [["4", "Dale"], ["5", None]],
                ),
                ("SELECT a.town FROM towns a JOIN towns b USING (town) WHERE b.size = 4", [["Dale"]]),
                ("SELECT count(*) FROM v_towns", [["4"]]),
                ("SELECT count(*) FROM people p LEFT JOIN towns t ON t.town = p.city", [["11"]]),
            ):
                reply = client.query(sql)
                self.assertEqual((reply.errors, reply.texts()), ([], expected), sql)
            client.parse("SELECT size, town FROM towns", "origin")
            client.describe(b"S", "origin")
            described = client.sync()
            table = int(self.postgres.rows("SELECT 'towns'::regclass::oid", "demo")[0][0])
            self.assertEqual(
                [(each.table_oid, each.attribute) for each in described.columns], [(table, 2), (table, 1)]
            )
            self.assertNotIn(
                "pgveil",
                (
                    str(client.query("EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM towns").texts())
                    if self.has_version_schema
                    else ""
                ),
            )
            client.query("BEGIN")
            client.query("DECLARE c CURSOR FOR SELECT town FROM towns ORDER BY 1")
            self.assertEqual(client.query("FETCH 2 FROM c").texts(), [["Aber"], ["Bree"]])
            client.query("COMMIT")


class OpenTablesFromFiles(OpenTables):
    has_version_schema = False


if __name__ == "__main__":
    main()

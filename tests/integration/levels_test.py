#!/usr/bin/python3
"""Levels (`generalize`) over a real PostgreSQL: every kind, in columns of their own and in place, with the
values at which C++ and SQL could differ; and every way to a level's column. The answers are those of the
naive implementation's masked copy."""
import csv
import random

from harness.runner import main
from harness.stack import StackCase
from harness.world import naive

INTEGERS = (
    "-2147483648",
    "-30",
    "-21",
    "-20",
    "-19",
    "-11",
    "-10",
    "-9",
    "-1",
    "0",
    "1",
    "9",
    "10",
    "11",
    "17",
    "18",
    "64",
    "65",
    "2147483647",
)
BIG = (
    "-9223372036854775808",
    "-100000000000001",
    "-100000000000000",
    "99999999999999",
    "100000000000000",
    "-1",
    "0",
    "7",
    "9223372036854775807",
)
NUMBERS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "-0.0001",
    "-0.00009",
    "0",
    "0.4999",
    "0.5",
    "0.50000",
    "0.49999999999999999999",
    "1e-20",
    "-1e-20",
    "2.75",
    "2.7499999",
    "100",
    "1e30",
    "-1e30",
    "100000000000000",
    "100000000000000.0001",
)
DATES = (
    "infinity",
    "-infinity",
    "0044-03-15 BC",
    "0001-01-01",
    "0999-12-31",
    "1000-01-01",
    "1000-01-02",
    "1969-12-31",
    "1970-01-01",
    "1999-12-31",
    "2000-01-01",
    "2000-02-29",
    "2000-03-01",
    "2019-12-30",
    "2020-12-31",
    "2021-01-03",
    "2021-01-04",
    "9998-12-31",
    "9999-01-01",
    "9999-12-31",
    "10000-01-01",
    "5874897-12-31",
)
MOMENTS = (
    "infinity",
    "-infinity",
    "0044-03-15 12:00:00 BC",
    "1999-12-31 23:59:59.999999",
    "2000-01-01 00:00:00",
    "1999-12-31 23:00:00",
    "2000-06-30 12:30:00",
    "2000-07-01 00:00:00",
    "9998-12-31 23:59:59",
    "9999-01-01 00:00:00",
)
TEXTS = (
    "",
    "H",
    "Ha",
    "Ham",
    "Hamlet",
    "ham",
    "Züri",
    "Zürich",
    "Zü",
    "日本語",
    "日本",
    "a%b",
    "a_b",
    "a\\b",
    "a'b",
    'a"b',
    "Ha  ",
    "*",
    "Ha*",
)

TABLES = """
CREATE TABLE public.marks (id integer, n2 smallint, n4 integer, n4_range text, n8 bigint, n8_range text, x numeric, x_range text,
  x_bin numeric, d date, d_week text, ts timestamp, ts_quarter text, tz timestamptz, tz_year text, t text, t_1 text,
  c varchar(12), c_2 text COLLATE "C", n2_range text, d_month date);
CREATE TABLE public.places (id integer, age integer, born date, code text, town varchar(9), town_a text, town_b text);
GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;
GRANT CREATE ON SCHEMA public TO pgveil_admin;
"""


def quasi_identifiers(*names):
    return {"id": "insensitive", **dict.fromkeys(names, "quasi_identifier")}


def level(source, method, *arguments, step=1, show="label"):
    return naive.Level(source, step, method, arguments, show)


MARKS = {
    "n4_range": level("n4", "width", "10", "0"),
    "n2_range": level("n2", "bounds", "-10", "18"),
    "n8_range": level("n8", "width", "1000", "7"),
    "x_range": level("x", "bounds", "-0.0001", "0.5", "2.75"),
    "x_bin": level("x", "bounds", "0.5", step=2, show="start"),
    "d_week": level("d", "period", "week"),
    "ts_quarter": level("ts", "period", "quarter"),
    "tz_year": level("tz", "period", "year"),
    "t_1": level("t", "prefix", "2"),
    "c_2": level("c", "prefix", "2"),
}


def policies_of(k):
    """One policy per level over a table of its own, so that each is asked alone; and all together."""
    together = naive.Policy(
        "marks_all",
        "public.marks",
        k,
        quasi_identifiers(
            "n2",
            "n4",
            "n4_range",
            "x",
            "x_range",
            "x_bin",
            "d",
            "d_week",
            "tz",
            "tz_year",
            "t",
            "t_1",
            "c",
            "c_2",
            "n8",
            "n8_range",
            "n2_range",
            "ts",
            "ts_quarter",
        ),
        levels=MARKS,
        readers=("analyst", "bi"),
        exempt=("dpo",),
    )
    in_place = naive.Policy(
        "places_k",
        "public.places",
        k,
        quasi_identifiers("age", "born", "code", "town", "town_a", "town_b"),
        levels={
            "town_a": level(
                "town",
                "groups",
                ("H's", ("Ha", "Ham", "Hamlet")),
                ('"Z", ü', ("Zü", "Züri", "Zürich")),
                ("*", ("", "a%b")),
            ),
            "town_b": level(
                "town",
                "groups",
                ("words", ("Ha", "Ham", "Hamlet", "Zü", "Züri", "Zürich")),
                ("rest", ("", "a%b")),
                step=2,
            ),
            "age": level("age", "width", "20", "5", show="start"),
            "born": level("born", "period", "quarter", show="start"),
            "code": level("code", "prefix", "1"),
        },
        readers=("analyst", "bi"),
    )
    return together, in_place


def rows(count, columns):
    """Drawn with each value often enough for bins to be seen alone, and junk in the columns that show
    levels."""
    choose = random.Random(7)
    return [[str(number)] + [None if choose.random() < 0.03 else choose.choice(column) for column in columns]
            for number in range(count)]


class Levels(StackCase):
    policies = (*policies_of(3), naive.Policy("alone", "public.alone", 2, quasi_identifiers("n4", "n4_range"),
                                              levels={"n4_range": level("n4", "width", "10", "0")}))
    built = ("marks_all", "places_k", "alone")
    open_tables = ("public.young",)

    @classmethod
    def prepare(cls):
        cls.postgres.run(TABLES, "demo")
        junk = ("RAW-LEVEL", "another RAW-LEVEL")
        starts = ("-777", "777")
        cls.write(
            "marks",
            rows(
                900,
                (
                    INTEGERS[1:-1],
                    INTEGERS,
                    junk,
                    BIG,
                    junk,
                    NUMBERS,
                    junk,
                    starts,
                    DATES,
                    junk,
                    MOMENTS,
                    junk,
                    tuple(
                        (
                            moment.replace(" BC", "+00 BC")
                            if "BC" in moment
                            else moment + ("" if "inf" in moment else "+00")
                        )
                        for moment in MOMENTS
                    ),
                    junk,
                    TEXTS,
                    junk,
                    tuple(text[:12] for text in TEXTS),
                    junk,
                    junk,
                    ("1900-01-01",),
                ),
            ),
        )
        cls.write(
            "places", rows(300, (INTEGERS, DATES, TEXTS, tuple(text[:9] for text in TEXTS), junk, junk))
        )
        cls.postgres.run(
            """
            CREATE TABLE public.alone (id integer, n4 integer, n4_range text);
            INSERT INTO alone SELECT n, CASE WHEN n < 4 THEN 34 ELSE n * 2 END, 'RAW-LEVEL' FROM generate_series(1, 30) AS n;
            CREATE VIEW public.young AS SELECT id, n4_range AS shown, n4 FROM public.alone WHERE n4_range = '[30,40)';
            GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;""",
            "demo",
        )
        cls.postgres.create_database("masked", template="demo")
        for policy in cls.policies:
            naive.make_masked_copy(cls.postgres, "demo", "masked", policy)
        # Look-ups would use them, if a level's column could be looked up.
        cls.postgres.run(
            "CREATE INDEX ON marks (n4_range); CREATE INDEX ON marks (n4); CREATE INDEX ON marks (t_1); "
            "CREATE INDEX ON places (age); CREATE INDEX ON places (born); CREATE INDEX ON places (code); "
            "CREATE INDEX ON alone (n4_range); ANALYZE",
            "demo",
        )

    @classmethod
    def write(cls, table, table_rows):
        naive.write_rows(cls.postgres, "demo", f"public.{table}", table_rows)

    def both(self, sql):
        """The answer of pgveil, and of PostgreSQL over the masked copy."""
        with self.pgveil.client("analyst") as client, self.direct() as server:
            mine, theirs = client.query(sql), server.query(sql)
        self.assertEqual((mine.errors, theirs.errors), ([], []), sql)
        return mine.rows, theirs.rows

    def assert_same(self, sql):
        mine, theirs = self.both(sql)
        self.assertEqual(mine, theirs, sql)
        self.assertNotIn("RAW-LEVEL", repr(mine), sql)
        return mine

    def test_every_cell_is_what_the_naive_implementation_shows(self):
        for table in ("marks", "places", "alone"):
            self.assert_same(f"SELECT * FROM {table}")
            self.assert_same(f"TABLE {table}")

    def test_every_kind_of_level_is_shown_somewhere_with_the_exact_value_and_without(self):
        """Else the comparison above would say little."""
        for shown, a_level in MARKS.items():
            exact = a_level.source
            counts = self.assert_same(
                f"SELECT count({shown}), count({exact}), count({shown}) FILTER (WHERE {exact} IS NULL) FROM marks"
            )
            with self.subTest(shown):
                self.assertGreater(int(counts[0][0]), 0)
        for column in ("age", "born", "code", "town", "town_a", "town_b"):
            self.assertGreater(int(self.assert_same(f"SELECT count({column}) FROM places")[0][0]), 0, column)

    def test_all_ways_to_a_column(self):
        for sql in (
            "SELECT n4_range, count(*) FROM marks GROUP BY n4_range ORDER BY 1",
            "SELECT m FROM marks AS m",
            "SELECT (m).n4_range, m.d_week FROM marks AS m",
            "SELECT row_to_json(m) FROM marks AS m",
            "SELECT id FROM marks WHERE n4_range = '[-10,0)'",
            "SELECT id FROM marks WHERE n4_range IN ('[0,10)', '[10,20)')",
            "SELECT id FROM marks WHERE n4 = 9 OR n4_range IS NULL",
            "SELECT id FROM marks WHERE x_bin = 0.5",
            "SELECT id FROM places WHERE age = 5 ORDER BY id",
            "SELECT id FROM places WHERE born = '2000-01-01' AND code = 'H*'",
            "SELECT id FROM places WHERE age = 6",
            "SELECT a.id FROM marks AS a JOIN alone AS b ON a.n4_range = b.n4_range ORDER BY 1, b.id",
            "SELECT a.id FROM alone AS a JOIN alone AS b USING (n4_range) ORDER BY a.id, b.id",
            "SELECT * FROM young",
            "SELECT shown, count(*) FROM young GROUP BY shown",
            "SELECT y FROM young AS y",
            "SELECT max(n4_range), min(d_week), string_agg(t_1, ',' ORDER BY id) FROM marks",
            "SELECT id, n4_range::int4range @> 35 FROM alone",
            "SELECT upper(t_1), left(c_2, 1), n4_range || '' FROM marks",
            "SELECT DISTINCT n4_range COLLATE \"C\" FROM marks ORDER BY 1",
            "SELECT c_2 FROM marks ORDER BY c_2, id",
            "WITH w AS (SELECT * FROM marks) SELECT tz_year, ts_quarter FROM w WHERE d_week IS NOT NULL",
            "SELECT id FROM marks WHERE EXISTS (SELECT FROM alone WHERE alone.n4_range = marks.n4_range) ORDER BY id",
        ):
            self.assert_same(sql)

    def test_no_setting_of_a_session_moves_a_row(self):
        sql = "SELECT id, n4_range, d_week, ts_quarter, tz_year, t_1, x_range, x_bin FROM marks"
        expected = self.assert_same(sql)
        with self.pgveil.client("analyst") as client:
            for setting in (
                "TimeZone = 'Pacific/Kiritimati'",
                "TimeZone = 'Pacific/Pago_Pago'",
                "DateStyle = 'SQL, DMY'",
                "DateStyle = 'German'",
                "IntervalStyle = 'sql_standard'",
                "extra_float_digits = 0",
            ):
                self.assertEqual(client.query(f"SET {setting}").errors, [], setting)
                self.assertEqual(client.query(sql).rows, expected, setting)

    def test_rows_that_come_later(self):
        """A value that the build has not seen shows the level that it is in, where its cohort's path released
        that."""
        naive_release = naive.Release(
            self.policies[2], naive.read_columns(self.postgres, "demo", "public.alone")
        ).build(naive.read_rows(self.postgres, "demo", "public.alone"))
        later = [
            [str(1000 + number), str(n4), "RAW-LEVEL"]
            for number, n4 in enumerate((31, 33, 34, 39, 40, 41, -1, 2147483647))
        ]
        self.postgres.run(naive.copy_script("public.alone", later + [["2000", None, None]]), "demo")
        try:
            mine = self.texts("SELECT * FROM alone WHERE id >= 1000")
            self.assertEqual(mine, [row for row in naive_release.mask(later + [["2000", None, None]])])
            self.assertIn(["1000", None, "[30,40)"], mine)
            self.assertIn(["1002", "34", "[30,40)"], mine)
        finally:
            self.postgres.run("DELETE FROM alone WHERE id >= 1000", "demo")

    def test_the_catalogs_say_what_a_client_sees(self):
        described = self.assert_same(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'marks' "
            "AND table_schema = 'public' ORDER BY ordinal_position"
        )
        with self.pgveil.client("analyst") as client:
            names = [column.name for column in client.query("SELECT * FROM marks LIMIT 0").columns]
        self.assertEqual(len(described), 21)
        self.assertEqual(
            [row[0].decode() if isinstance(row[0], bytes) else row[0] for row in described], names
        )

    def test_who_is_exempt_sees_the_table_as_it_is(self):
        self.assertEqual(
            self.texts("SELECT count(*) FROM marks WHERE n4_range LIKE '%RAW-LEVEL%'", user="dpo")[0][0]
            != "0",
            True,
        )

    def ask(self, command):
        reply = self.pgveil.console(command, "operator")
        self.assertEqual(reply.errors, [], command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def test_exports_write_what_is_shown(self):
        for policy, table in (("marks_all", "marks"), ("places_k", "places"), ("alone", "alone")):
            self.ask(f"EXPORT POLICY {policy} TO TABLE public.exported_{table}")
            exported = self.postgres.rows(f"SELECT * FROM exported_{table}", "demo")
            masked = self.postgres.rows(f"SELECT * FROM {table}", "masked")
            key = lambda row: [(cell is None, cell or "") for cell in row]
            self.assertEqual(sorted(exported, key=key), sorted(masked, key=key))
            self.ask(f"EXPORT POLICY {policy} TO FILE '{table}.csv'")
            with open(
                self.pgveil.directory / "exports" / f"{table}.csv", newline="", encoding="utf-8"
            ) as file:
                self.assertEqual(len(list(csv.reader(file))), len(exported) + 1)

    def test_the_console_tells_admins(self):
        tree = repr(self.ask("SHOW TREE alone"))
        self.assertIn("n4_range", tree)
        rules = {row["column"]: row for row in self.ask("SHOW RULES alone")}
        self.assertIn("(n4 = '34')", rules["n4_range"]["shown_when"])
        self.assertIn("[40,50)", repr(rules["n4_range"]))
        self.assertIn("n4_range", repr(self.ask("SHOW COHORTS alone")))
        checked = self.ask("CHECK POLICY alone")[0]
        self.assertEqual(checked["splits_below_k"], "0")

    def test_drift_collapses_splits_on_levels(self):
        self.postgres.run("DELETE FROM alone WHERE n4 BETWEEN 40 AND 49 AND id <> 20", "demo")
        try:
            self.assertNotEqual(self.ask("CHECK POLICY alone")[0]["splits_below_k"], "0")
        finally:
            self.postgres.run(
                "TRUNCATE alone; INSERT INTO alone SELECT n, CASE WHEN n < 4 THEN 34 ELSE n * 2 END, 'RAW-LEVEL' "
                "FROM generate_series(1, 30) AS n;",
                "demo",
            )
            self.ask("BUILD POLICY alone")

    def test_explain_names_exact_values_only(self):
        config = str(self.pgveil.config_path)
        done = self.pgveil.command("policy", "explain", "--config", config, "--row", "n4=41", "alone")
        self.assertIn("n4_range: '[40,50)'", done.stdout, done.stderr)
        self.assertIn("n4: NULL (hidden)", done.stdout)
        done = self.pgveil.command(
            "policy", "explain", "--config", config, "--row", "n4_range=[40,50)", "alone"
        )
        self.assertIn("is not a quasi-identifier of this policy (they are n4)", " ".join(done.stderr.split()))


class ByRow(Levels):
    """The same with one decision per row."""
    options = {"mask_form": "by_row"}


class Refused(StackCase):
    policies = (naive.Policy("alone", "public.alone", 2, quasi_identifiers("n4", "n4_range"),
                             levels={"n4_range": level("n4", "width", "10", "0")}),)
    built = ()
    open_tables = ()

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            "CREATE TABLE public.alone (id integer, n4 integer); INSERT INTO alone SELECT n, n FROM generate_series(1, 30) AS n;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            "demo",
        )

    def test_a_column_that_is_not_there_keeps_the_table_closed(self):
        error = self.pgveil.console("BUILD POLICY alone", "operator").errors[0]
        self.assertIn("n4_range", str(error))
        self.assertEqual(self.pgveil.client("analyst").query("SELECT * FROM alone").sqlstates(), ["42501"])


class FromFile(StackCase):
    """The groups of a level, as a hierarchy file beside the policy: the same policy, since what the file says
    is what counts."""
    policies = (
        naive.Policy(
            "towns_k",
            "public.towns",
            3,
            quasi_identifiers("town", "region", "part"),
            levels={
                "region": level("town", "groups", ("coast", ("Kiel", "Husum")), ("hills", ("Ulm",))),
                "part": level("town", "groups", ("north", ("Kiel", "Husum")), ("south", ("Ulm",)), step=2),
            },
        ),
    )
    built = ("towns_k",)
    open_tables = ()
    hierarchy = "Kiel;coast;north\nUlm;hills;south\nHusum;coast;north\n"

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            "DROP TABLE public.towns; CREATE TABLE public.towns (id integer, town text, region text, part text); INSERT INTO towns "
            "SELECT n, (ARRAY['Kiel', 'Husum', 'Ulm', 'Hamlet'])[1 + n * n % 4] FROM generate_series(1, 20) AS n;"
            "INSERT INTO towns VALUES (21, 'Husum'), (22, 'Husum'), (23, 'Ulm'), (24, 'Ulm'), (25, 'Ulm');"
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            "demo",
        )

    def reload(self, levels, hierarchy=None):
        """→ what RELOAD says of the policies."""
        path = self.pgveil.policy_path
        lines = [
            (
                line
                if not line.startswith("      town:")
                else f"      town: {{class: quasi_identifier, generalize: {levels}}}"
            )
            for line in path.read_text().split("\n")
        ]
        path.write_text("\n".join(lines))
        file = path.parent / "hierarchies" / "towns.csv"
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        if hierarchy is not None:
            file.write_text(hierarchy)
        return " ".join(
            cell or "" for row in self.pgveil.console("RELOAD", "operator").texts() for cell in row
        )

    def regions(self):
        with self.pgveil.client("analyst") as client:
            reply = client.query(
                "SELECT town, region, part, count(*) FROM towns GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
            )
            return reply.texts() or reply.sqlstates()

    def test_a_hierarchy_file_is_the_groups_it_says(self):
        steps = "[{hierarchy: hierarchies/towns.csv, column: region}, {hierarchy: hierarchies/towns.csv, step: 2, column: part}]"
        before = self.regions()
        self.assertTrue(any(row[1] == "coast" for row in before), before)
        self.reload(steps, self.hierarchy)
        self.assertEqual(self.regions(), before)
        self.reload(steps, self.hierarchy.replace("hills", "mounts"))
        self.assertEqual(self.regions(), ["42501"])
        self.pgveil.build("towns_k")
        self.assertEqual(
            self.regions(), [[cell and cell.replace("hills", "mounts") for cell in row] for row in before]
        )
        said = self.reload(steps)
        self.assertIn('there is no file "hierarchies/towns.csv"', said)
        self.assertEqual(self.regions()[0], before[0])
        self.assertIn("record 2: 2 fields instead of 3", self.reload(steps, "Kiel;coast;north\nUlm;hills\n"))


if __name__ == "__main__":
    main()

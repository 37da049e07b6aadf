#!/usr/bin/python3
"""Masks that no session can bend: date styles, time zones, NULL rules, paths, operators of users, spellings
of equal values. Each table has one quasi-identifier, two values on enough rows, and hidden ones that a weaker
mask would open."""
from harness import world
from harness.runner import main
from harness.stack import StackCase

# table: (type, values that are shown and on how many rows, hidden rows)
TABLES = {
    # 2001-02-01 read as day and month the other way round is 2001-01-02.
    "days": (
        "date",
        {"2001-02-01": 4, "2001-03-04": 4},
        ["2001-01-02", "2001-04-03", "1999-12-31", "2002-02-01"],
    ),
    # The shown moments are other days, and other moments the same days, elsewhere.
    "moments": (
        "timestamptz",
        {"2001-01-31 20:00:00+00": 4, "2001-06-30 23:30:00+00": 4},
        [
            "2001-01-31 21:00:00+00",
            "2001-02-01 05:00:00+00",
            "2001-01-31 20:00:00+09",
            "2001-06-30 23:30:01+00",
        ],
    ),
    "clocks": (
        "timestamp",
        {"2001-01-31 20:00:00": 4, "2001-06-30 23:30:00": 4},
        ["2001-01-31 11:00:00", "2001-02-01 05:00:00", "2001-07-01 00:30:00", "2001-06-30 23:30:01"],
    ),
    "towns_of": ("text", {"NY": 4, "OH": 4}, ["ny", "NY ", "Ny", ""]),
    "jobs": ("varchar(20)", {"Nurse": 4, "Pilot": 4}, ["nurse", "Nurse ", "NURSE", "Nursé"]),
    "flags": ("integer", {"1": 4, "2": 4}, ["-1", "10", "0", "3"]),
}
# What a client may change.
SETTINGS = (
    "DateStyle = 'SQL, DMY'",
    "DateStyle = 'German'",
    "DateStyle = 'Postgres, YMD'",
    "DateStyle = 'ISO, DMY'",
    "TimeZone = 'Asia/Tokyo'",
    "TimeZone = 'America/St_Johns'",
    "TimeZone = 'Pacific/Kiritimati'",
    "IntervalStyle = 'sql_standard'",
    "extra_float_digits = -10",
    "enable_seqscan = off",
    "plan_cache_mode = 'force_generic_plan'",
)
# What it may not.
CLOSED = ("SET transform_null_equals = on", "SET standard_conforming_strings = off", "SET array_nulls = off",
          "SET backslash_quote = on", "SET role = postgres", "SET session_replication_role = replica",
          "SELECT set_config('transform_null_equals', 'on', false)",
          "UPDATE pg_settings SET setting = 'on' WHERE name = 'transform_null_equals'",
          "SET LOCAL transform_null_equals TO on", "SET SESSION AUTHORIZATION postgres")
# A schema of the pinned path has operators that fit the columns better than pg_catalog's own, and always say
# yes.
EVIL = """
CREATE FUNCTION public.yes({type}, {type}) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR public.= (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
CREATE OPERATOR public.<> (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
CREATE OPERATOR public.~~ (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
CREATE OPERATOR public.>= (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
CREATE OPERATOR public.<= (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
CREATE OPERATOR public.=== (LEFTARG = {type}, RIGHTARG = {type}, FUNCTION = public.yes);
"""
# Equal values that can be written in more than one way: shown in one spelling, whichever row they are of.
SPELLINGS = {
    "amounts": ("numeric", ["1", "1.0", "1.00", "1.000"], "1", ["2.5", "3", "4.0", "5"]),
    "signed": ("double precision", ["0", "-0", "0", "-0"], "0", ["1", "2", "3", "4"]),
    "codes": ("bpchar", ["ab", "ab ", "ab  ", "ab"], "ab", ["cd", "ef", "gh", "ij"]),
    "badges": ("char(4)", ["ab", "ab ", "ab  ", "ab"], "ab  ", ["cd", "ef", "gh", "ij"]),
}
# Equality that says less than the text: not to be compared, so not to be a quasi-identifier.
REFUSED_TYPES = {
    "spans": ("interval", "1 mon"),
    "documents": ("jsonb", "{}"),
    "spans_of": ("numrange", "[1.0,2)"),
    "folded": ("text COLLATE public.folded", "x"),
    "lists": ("interval[]", "{1 mon}"),
    "bits": ("money", "1"),
}


def policy_of(table):
    return world.naive.Policy(
        f"{table}_k3", f"public.{table}", 3, {"at": "insensitive", "v": "quasi_identifier"}
    )


def rows_of(shown, hidden):
    return [value for value, count in shown.items() for _ in range(count)] + list(hidden) + [None]


def create_sql(table, sql_type, values):
    """`at` tells rows apart; it is no quasi-identifier, and shown."""
    literals = ", ".join(f"({i}, {'NULL' if v is None else repr(v)})" for i, v in enumerate(values))
    return (
        f"CREATE TABLE public.{table} (at integer, v {sql_type}); INSERT INTO public.{table} VALUES {literals}; "
        f"GRANT SELECT ON public.{table} TO pgveil_query, pgveil_admin;\n"
    )


class MaskIntegrity(StackCase):
    policies = tuple(policy_of(table) for table in (*TABLES, *SPELLINGS, *REFUSED_TYPES))
    built = tuple(f"{table}_k3" for table in (*TABLES, *SPELLINGS))

    @classmethod
    def prepare(cls):
        sql = "CREATE COLLATION public.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
        for table, (sql_type, shown, hidden) in TABLES.items():
            sql += create_sql(table, sql_type, rows_of(shown, hidden))
        for table, (sql_type, spellings, _, hidden) in SPELLINGS.items():
            sql += create_sql(table, sql_type, spellings + hidden)
        for table, (sql_type, value) in REFUSED_TYPES.items():
            sql += create_sql(table, sql_type, [value] * 8)
        sql += EVIL.format(type="varchar")
        cls.postgres.run(sql, "demo")

    def shown(self, client, table):
        """Which rows show their value."""
        reply = client.query(f"SELECT at, v IS NOT NULL FROM {table} ORDER BY at")
        self.assertEqual(reply.errors, [], table)
        return [text == "t" for _, text in reply.texts()]

    def expected(self, table):
        _, shown, hidden = TABLES[table]
        return [True] * sum(shown.values()) + [False] * (len(hidden) + 1)

    def test_no_setting_opens_a_hidden_value(self):
        for setting in (None, *SETTINGS):
            with self.pgveil.client() as client:
                if setting is not None:
                    self.assertEqual(client.query(f"SET {setting}").errors, [], setting)
                for table in TABLES:
                    with self.subTest(setting=setting, table=table):
                        self.assertEqual(self.shown(client, table), self.expected(table))

    def test_no_setting_at_start_up_opens_a_hidden_value(self):
        for setting in ("DateStyle=SQL, DMY", "TimeZone=Asia/Tokyo", "DateStyle=German"):
            name, value = setting.split("=")
            with self.pgveil.client(parameters={name: value}) as client:
                for table in TABLES:
                    with self.subTest(setting=setting, table=table):
                        self.assertEqual(self.shown(client, table), self.expected(table))

    def test_settings_that_could_are_closed(self):
        for sql in CLOSED:
            with self.subTest(sql=sql), self.pgveil.client() as client:
                self.assertNotEqual(client.query(sql).errors, [])
                self.assertEqual(self.shown(client, "towns_of"), self.expected("towns_of"))

    def test_null_is_not_equal_to_null(self):
        with self.pgveil.client() as client:
            reply = client.query("SELECT count(*) FROM towns_of WHERE v = NULL")
            self.assertEqual(reply.sqlstate(), "42501")  # it could mean public's operator
            self.assertEqual(client.query("SELECT count(*) FROM towns_of WHERE v OPERATOR(pg_catalog.=) NULL").texts(), [["0"]])

    def test_operators_of_users_are_never_called(self):
        """Each of these is true for every row when public's operator is taken for pg_catalog's."""
        with self.pgveil.client() as client:
            self.assertEqual(self.shown(client, "jobs"), self.expected("jobs"))
            for condition in ("v = 'x'", "v IN ('x', 'y')", "v = ANY (ARRAY['x'::varchar])", "v LIKE 'x'",
                              "v BETWEEN 'x' AND 'a'", "NULLIF(v, 'x') IS NULL AND v IS NOT NULL",
                              "v NOT IN ('Nurse', 'Pilot') AND v IS NOT NULL",
                              "v IN (SELECT 'x'::varchar)", "CASE v WHEN 'x' THEN true END",
                              "(v, at) = ('x', at)", "v IS NOT DISTINCT FROM 'x'", "v OPERATOR(public.=) 'x'",
                              "v OPERATOR(public.===) 'x'", "v === 'x'"):
                with self.subTest(condition=condition):
                    reply = client.query(f"SELECT count(*) FROM jobs WHERE {condition}")
                    if not reply.errors:
                        self.assertEqual(reply.texts(), [["0"]])

    def test_joins_of_users_operators(self):
        with self.pgveil.client() as client:
            for sql in ("SELECT count(*) FROM jobs a JOIN (SELECT 'x'::varchar AS v) b USING (v)",
                        "SELECT count(*) FROM jobs a NATURAL JOIN (SELECT 'x'::varchar AS v) b"):
                with self.subTest(sql=sql):
                    reply = client.query(sql)
                    if not reply.errors:
                        self.assertEqual(reply.texts(), [["0"]])

    def test_equal_values_are_shown_in_one_spelling(self):
        for table, (_, spellings, canonical, hidden) in SPELLINGS.items():
            with self.subTest(table=table):
                texts = [text for (text,) in self.texts(f"SELECT v::text FROM {table} ORDER BY at")]
                plain = [text for (text,) in self.texts(f"SELECT v FROM {table} ORDER BY at")]
                self.assertEqual(plain, [canonical] * len(spellings) + [None] * len(hidden))
                self.assertEqual(len(set(texts[:len(spellings)])), 1)
                lengths = self.texts(f"SELECT DISTINCT octet_length(v::text) FROM {table} WHERE v IS NOT NULL")
                self.assertEqual(len(lengths), 1)

    def test_types_whose_equality_says_less_than_their_text_are_no_quasi_identifiers(self):
        with self.pgveil.client() as client:
            for table, (sql_type, _) in REFUSED_TYPES.items():
                with self.subTest(type=sql_type):
                    reply = self.pgveil.console(f"BUILD POLICY {table}_k3")
                    self.assertNotEqual(reply.errors, [])
                    self.assertEqual(
                        [error["C"] for error in client.query(f"SELECT v FROM {table}").errors], ["42501"]
                    )


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Each type as a quasi-identifier, with values made to go wrong: what PostgreSQL calls equal is one value,
shown in one form; nothing depends on the settings of who asks. The expected answers are PostgreSQL's own, by
window functions over the raw table."""
from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from naive import Policy

# name: (type, values of at least two rows each, values of one row each, the canonical form of {})
TYPES = {
    "booleans": ("boolean", ["true"], ["false"], "{}"),
    "smallints": ("smallint", ["-32768", "32767", "0"], ["1", "2"], "{}"),
    "bigints": ("bigint", ["-9223372036854775808", "9223372036854775807"], ["1", "2"], "{}"),
    "oids": ("oid", ["4294967295", "0"], ["1", "2"], "{}"),
    "numerics": (
        "numeric",
        ["1", "1.0", "1.00", "NaN", "Infinity", "-Infinity", "0", "-0.000", "1e30", "123456789.120"],
        ["1.01", "2"],
        "trim_scale({})",
    ),
    "scaled": ("numeric(8,3)", ["1", "1.0", "NaN", "-0.001"], ["1.01", "2"], "{}"),
    "reals": (
        "real",
        ["0", "-0", "NaN", "Infinity", "-Infinity", "0.1", "3.4e38", "1e-40"],
        ["7", "8"],
        "({} + 0::real)",
    ),
    "doubles": (
        "double precision",
        ["0", "-0", "NaN", "Infinity", "0.1", "0.30000000000000004", "5e-324"],
        ["0.3", "8"],
        "({} + 0)",
    ),
    "texts": (
        "text",
        ["", "a", "a ", "A", "ä", "a\u0308", "'", "\\", "\\\\", "NULL", "{a,b}", '"', "%s $1 \t", "日本"],
        ["b", "c"],
        "{}",
    ),
    "varchars": ("varchar(5)", ["a", "a ", "'"], ["b", "c"], "{}"),
    "chars": ("char(4)", ["a", "a ", "ab", "'"], ["b", "c"], "{}"),
    "bpchars": ("bpchar", ["a", "a  ", "ab"], ["b", "c"], "rtrim({})::bpchar"),
    "names": ("name", ["a", "A", "x y"], ["b", "c"], "{}"),
    "dates": (
        "date",
        [
            "0044-03-15 BC",
            "0001-01-01",
            "0012-11-10",
            "2024-02-01",
            "2024-01-02",
            "infinity",
            "-infinity",
            "5874897-12-31",
        ],
        ["2024-03-04", "2024-04-03"],
        "{}",
    ),
    "times": ("time", ["00:00", "24:00", "12:00:00.000001"], ["1:00", "2:00"], "{}"),
    "zoned_times": (
        "timetz",
        ["12:00+02", "10:00+00", "24:00+00", "00:00+00", "12:00:00.5-03:30"],
        ["1:00+00", "2:00+00"],
        "{}",
    ),
    "timestamps": (
        "timestamp",
        ["0044-03-15 12:00 BC", "2024-01-02 03:04:05.000006", "infinity", "294276-12-31 23:59:59"],
        ["2024-02-01", "2024-03-01"],
        "{}",
    ),
    "zoned": (
        "timestamptz",
        [
            "2024-03-10 12:00+02",
            "2024-03-10 10:00+00",
            "infinity",
            "-infinity",
            "0044-03-15 12:00+00 BC",
            "1890-01-01 00:00+00",
        ],
        ["2024-02-01 00:00+00", "2024-02-01 00:00-01"],
        "{}",
    ),
    "uuids": (
        "uuid",
        ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc999c0b4ef8bb6d6bb9bd380a11}"],
        ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"],
        "{}",
    ),
    "addresses": (
        "inet",
        ["10.0.0.1", "10.0.0.1/32", "10.0.0.1/8", "::1", "::ffff:10.0.0.1", "0.0.0.0/0"],
        ["1.1.1.1", "2.2.2.2"],
        "{}",
    ),
    "nets": ("cidr", ["10", "10.0.0.0/8", "10.0.0.0/16", "10.1.2.3", "::/0"], ["1.1.1.1", "2.2.2.2"], "{}"),
    "macs": (
        "macaddr",
        ["08:00:2b:01:02:03", "0800-2b01-0203"],
        ["08:00:2b:01:02:04", "08:00:2b:01:02:05"],
        "{}",
    ),
    "macs8": (
        "macaddr8",
        ["08:00:2b:01:02:03:04:05"],
        ["08:00:2b:01:02:04:04:05", "08:00:2b:01:02:05:04:05"],
        "{}",
    ),
    "bytes": ("bytea", ["", "\\x00", "\\x5c27ff", "\\000\\001"], ["\\x01", "\\x02"], "{}"),
    "bits": ("bit(4)", ["0000", "0101"], ["1111", "1110"], "{}"),
    "varbits": ("bit varying", ["", "0", "00", "0101"], ["1", "11"], "{}"),
    "positions": ("pg_lsn", ["0/0", "16/B374D848"], ["0/1", "0/2"], "{}"),
    "moods": ("public.mood", ["calm", "it's \"so\", \\so"], ["glad", "grim"], "{}"),
    "int_ranges": (
        "int4range",
        ["[1,3]", "[1,4)", "empty", "[5,5)", "(,)", "[,7]"],
        ["[1,2]", "[2,3]"],
        "{}",
    ),
    "date_ranges": (
        "daterange",
        ["[2024-01-01,2024-01-31]", "[2024-01-01,2024-02-01)", "(,infinity)", "(,)", "empty"],
        ["[2024-01-01,2024-01-02]", "[2024-01-01,2024-01-03]"],
        "{}",
    ),
    "time_ranges": (
        "tstzrange",
        [
            "[2024-01-01 00:00+00,2024-01-02 00:00+00]",
            "[2024-01-01 01:00+01,2024-01-02 00:00+00]",
            "[2024-01-01 00:00+00,2024-01-02 00:00+00)",
        ],
        ["[2024-01-01 00:00+00,2024-01-03 00:00+00)", "empty"],
        "{}",
    ),
    "local_ranges": (
        "tsrange",
        ["[0044-03-15 BC,0001-01-01)", "[,infinity]"],
        ["[2024-01-01,2024-01-02)", "empty"],
        "{}",
    ),
    "multi_ranges": ("int8multirange", ["{[1,2],[3,4]}", "{[1,5)}", "{}"], ["{[1,2]}", "{[7,9]}"], "{}"),
    "date_multi_ranges": (
        "datemultirange",
        ["{[2024-01-01,2024-01-31]}", "{[2024-01-01,2024-02-01)}"],
        ["{}", "{(,)}"],
        "{}",
    ),
}
TYPES |= {
    "domain_whole": ("public.year", ["1970", "-4"], ["1999", "0"], "{}"),
    "domain_text": ("public.place", ["Aber", "it's \\ \"so\""], ["Cork", "aber"], "{}"),
    "domain_number": ("public.amount", ["1.0", "1.00", "NaN"], ["1.01"], "trim_scale({})"),
    "domain_scaled": ("public.price", ["1.0", "1.00"], ["1.01"], "{}"),
    "domain_padded": ("public.badge", ["a", "a  "], ["b"], "{}"),
    "domain_float": ("public.degrees", ["0", "-0"], ["1.5"], "{} + 0"),
    "domain_network": ("public.net", ["10.0.0.0/8"], ["10.0.0.0/16"], "{}"),
    "domain_of_domain": ("public.deep", ["Aber"], ["Cork"], "{}"),
}
REFUSED = {
    "interval": "24 hours",
    "money": "lc_monetary",
    "jsonb": "look different",
    "json": "no equality",
    "xml": "no equality",
    "numrange": "bounds",
    "nummultirange": "bounds",
    "integer[]": "array",
    "text[]": "array",
    "public.pair": "row of values",
    "public.year_list": "array",
    "public.document": "look different",
    "public.mood_domain": "a domain over a type",
    "citext": "spellings that differ in case are equal",
    '"char"': "need not be a text",
    "box": "equal area",
    "point": "no order",
    "circle": "equal area",
    "polygon": "no order",
    "tsvector": "pgveil does not know its equality",
    "regclass": "pgveil does not know its equality",
    "xid": "pgveil does not know its equality",
    "public.loose": "pgveil does not know its equality",
    'text COLLATE public.folded': "spelling",
    "oidvector": "array",
}
SETTINGS = (
    "SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'",
    "SET DateStyle = 'German, DMY'; SET TimeZone = 'America/New_York'; SET extra_float_digits = -15; SET bytea_output = escape; "
    "SET IntervalStyle = sql_standard",
    "SET DateStyle = 'SQL, MDY'; SET TimeZone = 'Asia/Kathmandu'; SET extra_float_digits = 3; SET bytea_output = hex",
    "SET DateStyle = 'Postgres, DMY'; SET TimeZone = '-13:30'; SET enable_hashagg = off; SET enable_seqscan = off",
)
PRELUDE = """
CREATE EXTENSION citext;
CREATE TYPE public.mood AS ENUM ('calm', 'it''s "so", \\so', 'glad', 'grim');
CREATE TYPE public.pair AS (a integer, b text);
CREATE DOMAIN public.year AS integer CHECK (VALUE < 3000);
CREATE DOMAIN public.place AS varchar(20) COLLATE "C" CHECK (VALUE <> '');
CREATE DOMAIN public.deep AS public.place CHECK (VALUE <> 'x');
CREATE DOMAIN public.amount AS numeric;
CREATE DOMAIN public.price AS numeric(8,3);
CREATE DOMAIN public.badge AS character(4);
CREATE DOMAIN public.degrees AS double precision;
CREATE DOMAIN public.net AS cidr;
CREATE DOMAIN public.year_list AS integer[];
CREATE DOMAIN public.document AS jsonb;
CREATE DOMAIN public.mood_domain AS public.mood;
CREATE TYPE public.loose AS RANGE (subtype = numeric);
CREATE COLLATION public.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
"""


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def table_of(name, kind, frequent, rare):
    """Rows in no order: frequent values twice and NULL three times."""
    rows = frequent + rare + [None, None] + frequent + [None]
    values = ", ".join(
        f"({number}, {'NULL' if value is None else quoted(value)})" for number, value in enumerate(rows)
    )
    return (f"CREATE TABLE public.{name} (id integer, v {kind});\n"
            f"INSERT INTO public.{name} SELECT id, v::{kind} FROM (VALUES {values}) x (id, v);\n")


class TypesTest(ServerCase):
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("kinds")
        cls.postgres.run(
            PRELUDE
            + "".join(
                table_of(name, kind, frequent, rare) for name, (kind, frequent, rare, _) in TYPES.items()
            )
            + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            "kinds",
        )
        cls.pgveil = cls.kept(Pgveil(cls.postgres, [cls.policy(name) for name in TYPES], (), "kinds"))
        built = cls.pgveil.command(
            "policy", "build", "--all", "--config", str(cls.pgveil.config_path), timeout=400)
        if built.returncode != 0:
            raise RuntimeError(built.stderr)
        cls.pgveil.start()

    @staticmethod
    def policy(name, column="v"):
        return Policy(name, f"public.{name}", 2, {"id": "insensitive", column: "quasi_identifier"})

    def direct(self, settings, sql):
        """PostgreSQL's own texts, under the same settings, as the raw table's owner."""
        from harness.wire import RawClient
        with RawClient(self.postgres.port, "postgres", "kinds") as client:
            self.assertEqual(client.query(settings).errors, [])
            reply = client.query(sql)
        self.assertEqual(reply.errors, [], sql)
        return reply.texts()

    def test_every_frequent_class_is_shown_in_one_form_and_no_other_value(self):
        for settings in SETTINGS:
            with self.pgveil.client(database="kinds") as client:
                for each in settings.split("; "):
                    self.assertEqual(client.query(each).errors, [], each)
                for name, (_, _, _, canonical) in TYPES.items():
                    with self.subTest(name, settings=settings):
                        reply = client.query(f"SELECT id, v FROM {name} ORDER BY id")
                        self.assertEqual(reply.errors, [])
                        self.assertEqual(
                            reply.texts(),
                            self.direct(
                                settings,
                                (
                                    f"SELECT id, CASE WHEN count(*) OVER (PARTITION BY v) > 1 THEN {canonical.format('v')} END "
                                    f"FROM {name} ORDER BY id"
                                ),
                            ),
                        )

    def test_one_form_per_class(self):
        for name in TYPES:
            with self.subTest(name), self.pgveil.client(database="kinds") as client:
                found = client.query(f"SELECT count(DISTINCT v), count(DISTINCT v::text) FROM {name}").texts()
                self.assertEqual(found[0][0], found[0][1])
                self.assertGreater(int(found[0][0]), 0)

    def test_types_without_a_canonical_form_are_refused_with_the_reason(self):
        self.postgres.create_database("others")
        self.postgres.run(PRELUDE + "".join(f"CREATE TABLE public.t{number} (id integer, v{number} {kind});\n"
                                            for number, kind in enumerate(REFUSED)), "others")
        pgveil = self.kept(Pgveil(self.postgres, [self.policy(f"t{number}", f"v{number}")
                                                  for number in range(len(REFUSED))], (), "others"))
        checked = pgveil.command("check", "--config", str(pgveil.config_path))
        self.assertEqual(checked.returncode, 1)
        refusals = [line for line in checked.stderr.splitlines() if "can't be a quasi-identifier" in line]
        for number, (kind, reason) in enumerate(REFUSED.items()):
            with self.subTest(kind):
                found = [line for line in refusals if f'column "v{number}" of type ' in line]
                self.assertEqual(len(found), 1, checked.stderr)
                self.assertIn(reason, found[0])
        self.assertEqual(len(refusals), len(REFUSED), checked.stderr)


if __name__ == "__main__":
    main()

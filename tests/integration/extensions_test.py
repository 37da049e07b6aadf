#!/usr/bin/python3
"""Types, functions and operators of extensions: through pgveil they mean what they mean to PostgreSQL over the
masked copy, and a name that could find something that was not reviewed is refused, never given another
meaning."""
import unittest

from harness import world
from harness.runner import main
from harness.stack import StackCase
import naive

NAMES = ("citext", "hstore", "ltree", "intarray", "pg_trgm", "unaccent", "fuzzystrmatch", "pgcrypto", "btree_gist",
         "tablefunc", "cube", "earthdistance", "uuid-ossp", "pg_stat_statements", "postgis", "vector")

GOODS = """
CREATE TABLE public.goods (id integer PRIMARY KEY, city text, email citext, secret citext, attrs hstore, path ltree,
                           tags integer[], name text);
INSERT INTO public.goods
  SELECT g, (ARRAY['Aber', 'Bree', 'Aber', 'only-' || g])[1 + g % 4], (ARRAY['U', 'u'])[1 + g % 2] || g % 5 || '@x.org',
         'Hidden-' || g, hstore('a', (g % 3)::text) || hstore('k' || g % 2, NULL),
         ('top.' || (ARRAY['a', 'b.c'])[1 + g % 2])::ltree, ARRAY[g % 3, g % 4, 7], (ARRAY['Hôtel', 'hotels', 'Motel'])[1 + g % 3]
  FROM generate_series(1, 40) g;
CREATE TABLE public.products (sku citext, price integer);
INSERT INTO public.products SELECT (ARRAY['SKU-', 'sku-'])[1 + g % 2] || g % 6, g FROM generate_series(1, 20) g;
CREATE VIEW public.v_goods AS SELECT id, email FROM public.goods WHERE email = 'u1@X.org' OR email LIKE 'U2%'
   OR replace(email, 'u3', 'z') = 'Z@x.org' OR CASE email WHEN 'U4@X.ORG' THEN true END;
CREATE FUNCTION public.half(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 2';
CREATE FUNCTION public.shut(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 2';
CREATE FUNCTION public.round(double precision, integer) RETURNS numeric LANGUAGE sql IMMUTABLE
  AS 'SELECT pg_catalog.round($1::numeric, $2)';
CREATE FUNCTION public.trunc(double precision, integer) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT 1.0';
GRANT SELECT ON public.goods, public.products, public.v_goods TO pgveil_query, pgveil_admin;
"""
POLICY = naive.Policy(
    "goods_k3", "public.goods", 3,
    {"id": "insensitive", "city": "quasi_identifier", "email": "insensitive", "secret": "identifier",
     "attrs": "insensitive", "path": "insensitive", "tags": "insensitive", "name": "insensitive"})

CITEXT = """
SELECT count(*) FROM products WHERE sku = 'sku-3'
SELECT count(*) FROM products WHERE sku <> 'sku-3'
SELECT count(*) FROM products WHERE sku OPERATOR(public.=) 'sku-3'
SELECT count(*) FROM goods WHERE email > 'U3@x.org'
SELECT count(*) FROM goods WHERE email ~ '^U1'
SELECT count(*) FROM goods WHERE email !~ '^U1'
SELECT count(*) FROM goods WHERE email SIMILAR TO 'U[12]%'
SELECT count(*) FROM goods WHERE replace(email, 'U1', 'z') LIKE 'z%'
SELECT count(*) FROM goods WHERE strpos(email, 'U1') > 0
SELECT count(*) FROM goods WHERE regexp_replace(email, 'U', 'z') = 'z1@x.org'
SELECT count(*) FROM goods WHERE translate(email, 'U', 'z') LIKE 'z%'
SELECT DISTINCT split_part(email, 'X', 1), regexp_matches(email, 'X') FROM goods ORDER BY 1, 2
SELECT count(*) FROM goods WHERE email IN ('U1@X.ORG', 'u2@x.org')
SELECT count(*) FROM goods WHERE email NOT IN ('U1@X.ORG')
SELECT count(*) FROM goods WHERE email BETWEEN 'U1' AND 'u3'
SELECT count(*) FROM goods WHERE email LIKE 'U1%'
SELECT count(*) FROM goods WHERE email ILIKE 'U1%'
SELECT count(*) FROM goods WHERE CASE email WHEN 'U1@X.ORG' THEN true END
SELECT count(NULLIF(email, 'U1@X.ORG')) FROM goods
SELECT count(*) FROM goods WHERE email IS DISTINCT FROM 'U1@X.ORG'
SELECT count(*) FROM goods a JOIN goods b USING (email)
SELECT count(*) FROM goods WHERE email = ANY (ARRAY['U1@X.ORG', 'x'])
SELECT count(*) FROM goods WHERE email = ANY (ARRAY['U1@X.ORG', 'x']::citext[])
SELECT count(*) FROM goods WHERE (email, id) = ('U1@X.ORG', 1)
SELECT count(*) FROM goods WHERE email IN (SELECT sku FROM products)
SELECT count(*), lower(email::text) FROM goods GROUP BY email ORDER BY 2
SELECT count(DISTINCT email) FROM goods
SELECT max(email), min(email) FROM goods
SELECT greatest(email, 'V'::citext) FROM goods ORDER BY id
SELECT email FROM goods ORDER BY email, id
SELECT rank() OVER (PARTITION BY email ORDER BY id) FROM goods ORDER BY id
SELECT email::text = 'U1@x.org', 'ABC'::citext = 'abc', 'ABC' = 'abc' FROM goods ORDER BY id
SELECT email || 'X', upper(email), length(email), left(email, 2) FROM goods ORDER BY id
SELECT city FROM goods WHERE city = 'Aber' ORDER BY id
SELECT city FROM goods WHERE city = 'aber' ORDER BY id
SELECT city FROM goods WHERE city = 'ABER'::citext
SELECT secret, secret = 'hidden-1' FROM goods ORDER BY id
SELECT count(*) FROM goods WHERE secret IN ('hidden-1', 'hidden-2')
SELECT email FROM v_goods ORDER BY id
"""
OTHERS = {
    "hstore": """
SELECT attrs -> 'a', attrs ? 'k1', attrs @> 'a=>1', attrs FROM goods ORDER BY id
SELECT attrs -> ARRAY['a', 'k0'], attrs || 'z=>9'::hstore, attrs - 'a'::text FROM goods ORDER BY id
SELECT k, count(*) FROM goods, each(attrs) AS e(k, v) GROUP BY k ORDER BY k
SELECT count(*), attrs FROM goods GROUP BY attrs ORDER BY attrs
SELECT akeys(attrs), avals(attrs), hstore_to_json(attrs)::text, attrs::json::text FROM goods ORDER BY id
SELECT count(*) FROM goods WHERE attrs = 'a=>1,k0=>NULL' OR (attrs -> 'a') IN ('0', '2')
SELECT '{"a": 1}'::jsonb -> 'a', '{"a": 1}'::json ->> 'a'
SELECT (attrs)['a'] FROM goods ORDER BY id
""",
    "ltree": """
SELECT path, nlevel(path), subpath(path, 0, 1), path <@ 'top', path ~ '*.c', path || 'x' FROM goods ORDER BY id
SELECT count(*), path FROM goods GROUP BY path ORDER BY path
SELECT lca(path, 'top.z'), index(path, 'c') FROM goods ORDER BY id
SELECT count(*) FROM goods WHERE path = 'top.a' OR path @ 'c' OR path ? ARRAY['*.x', '*.a']::lquery[]
""",
    "intarray": """
SELECT tags && ARRAY[1], tags @> '{7}', tags + 5, tags - 7, sort(tags), icount(tags), idx(tags, 7) FROM goods ORDER BY id
SELECT count(*) FROM goods WHERE tags @@ '7&1' OR tags = ARRAY[0, 0, 7]
SELECT uniq(sort(tags)), subarray(tags, 2), # tags FROM goods ORDER BY id
SELECT count(*), tags FROM goods GROUP BY tags ORDER BY tags
""",
    "pg_trgm": """
SELECT name % 'hotel', similarity(name, 'hotel') > 0.3, name <-> 'hotel' < 0.5, word_similarity('hot', name) FROM goods ORDER BY id
SELECT show_limit(), show_trgm('ab'), 'hotel' <% name, 7 % 4 FROM goods WHERE id = 1
""",
    "unaccent": "SELECT unaccent(name), unaccent('unaccent', name) FROM goods ORDER BY id",
    "fuzzystrmatch": "SELECT levenshtein(name, 'hotel'), soundex(name), dmetaphone(name) FROM goods ORDER BY id",
    "pgcrypto": "SELECT encode(digest(name, 'sha256'), 'hex'), hmac(name, 'k', 'md5'), gen_random_uuid() IS NULL FROM goods ORDER BY id",
    "btree_gist": "SELECT id <-> 7, 1 < 2, '2024-01-01'::date <-> '2024-02-01' FROM goods ORDER BY id",
    "tablefunc": "SELECT count(*) FROM normal_rand(5, 0, 1)",
    "cube": "SELECT cube(1, 2), cube_dim('(1,2)'::cube), '(0,0)'::cube <-> '(3,4)', cube(id) FROM goods ORDER BY id",
    "earthdistance": "SELECT point(1, 2) <@> point(3, 4) > 1",
    "uuid-ossp": "SELECT uuid_generate_v5(uuid_ns_dns(), name), uuid_generate_v4() IS NULL FROM goods ORDER BY id",
    "postgis": """
SELECT ST_AsText(spot), ST_X(spot), ST_AsGeoJSON(spot), spot FROM places ORDER BY id
SELECT count(*) FROM places a JOIN places b ON ST_DWithin(a.spot, b.spot, 1.5) AND a.spot && ST_Expand(b.spot, 2)
SELECT ST_AsText(ST_Transform(ST_SetSRID(spot, 4326), 3857), 2), ST_Distance(spot, 'POINT(0 0)'::geometry(Point)) FROM places ORDER BY id
SELECT count(*), spot = 'POINT(1 1)', ST_AsText(ST_Union(spot)) FROM places GROUP BY spot ORDER BY spot
SELECT ST_AsText(ST_Buffer(spot, 1, 2), 2), ST_Intersects(spot, ST_MakeEnvelope(0, 0, 2, 2)), ST_Area(spot::geography) FROM places ORDER BY id
SELECT city, ST_AsText((ST_Dump(ST_Collect(spot ORDER BY id))).geom) FROM places GROUP BY city ORDER BY 1, 2
SELECT length(ST_AsMVT(q, 'l')) FROM (SELECT id, ST_AsMVTGeom(spot, ST_MakeEnvelope(0, 0, 9, 9)) FROM places) AS q
""",
    "vector": """
SELECT it <-> '[1,2,3]', it <=> '[1,2,3]'::vector(3), it + it, vector_dims(it), it FROM embeddings ORDER BY it <-> '[0,0,1]', id
SELECT avg(it), count(*) FROM embeddings WHERE it = '[1,1,3]' OR l2_distance(it, '[1,1,1]') < 3
""",
}
MORE_TABLES = {
    "postgis": """CREATE TABLE public.places AS SELECT g AS id, 'c' || g % 2 AS city, ST_MakePoint(g % 3, g % 4)::geometry(Point) AS spot
                    FROM generate_series(1, 12) g; GRANT SELECT ON public.places, public.spatial_ref_sys TO pgveil_query;""",
    "vector": """CREATE TABLE public.embeddings AS SELECT g AS id, ('[' || g % 2 || ',' || g % 3 || ',3]')::vector(3) AS it
                    FROM generate_series(1, 12) g; GRANT SELECT ON public.embeddings TO pgveil_query;""",
}

# What stays closed, whoever asks.
CLOSED = {
    "pg_trgm": ["SELECT set_limit(0.1)"],
    "pgcrypto": ["SELECT pgp_sym_encrypt('a', 'b')", "SELECT crypt('a', 'b')"],
    "tablefunc": ["SELECT * FROM crosstab('SELECT secret FROM goods') AS c(a text)",
                  "SELECT * FROM connectby('goods', 'secret', 'email', 'a', 0) AS c(a text)",
                  "SELECT * FROM public.crosstab('SELECT 1') AS c(a text)"],
    "earthdistance": ["SELECT gc_to_sec(1)", "SELECT latitude('(6378168, 0, 0)')", "SELECT ll_to_earth(1, 2)"],
    "uuid-ossp": ["SELECT uuid_generate_v1()"],
    "pg_stat_statements": ["SELECT * FROM pg_stat_statements(true)", "SELECT public.pg_stat_statements_reset(0, 0, 0)"],
    "postgis": ["SELECT ST_EstimatedExtent('goods', 'spot')", "SELECT ST_Transform(spot, '+proj=longlat') FROM places",
                "SELECT ST_Transform(spot, $$+nadgrids=/etc/passwd$$, 4326) FROM places", "SELECT find_srid('a', 'b', 'c')",
                "SELECT AddGeometryColumn('a', 'b', 1, 'POINT', 2)", "SELECT public.ST_Transform(spot, city) FROM places",
                "SELECT postgis_constraint_srid('public', 'places', 'spot')", "SELECT ST_GeomFromGML('<a/>')",
                "SELECT 'a'::places", "SELECT ST_FindExtent('places', 'spot')"],
    "citext": ["SELECT 'a'::goods", "SELECT goods('a')"],
}

# A change of the database by its owner, statements that must be refused then, and statements that must go on
# to be answered as before.
CHANGES = {
    "a function beside the extension's": (
        "CREATE FUNCTION public.replace(varchar, text, text) RETURNS text LANGUAGE sql AS 'SELECT secret::text FROM public.goods LIMIT 1'",
        "DROP FUNCTION public.replace(varchar, text, text)",
        ["SELECT replace(email, 'a', 'b') FROM goods", "SELECT public.replace(city::varchar, 'a', 'b') FROM goods"],
        ["SELECT pg_catalog.replace(city, 'A', 'b') FROM goods ORDER BY id", "SELECT strpos(email, 'X') FROM goods ORDER BY id"],
    ),
    "an operator beside the extension's": (
        "CREATE FUNCTION public.peep(citext, integer) RETURNS boolean LANGUAGE sql AS 'SELECT count(*) > 0 FROM public.goods WHERE secret = $1';"
        "CREATE OPERATOR public.= (LEFTARG = citext, RIGHTARG = integer, FUNCTION = public.peep)",
        "DROP OPERATOR public.= (citext, integer); DROP FUNCTION public.peep",
        ["SELECT email = 1 FROM goods", "SELECT email IN (1) FROM goods", "SELECT email FROM goods WHERE email = 'a'",
         "SELECT 1 FROM goods a JOIN goods b USING (email)", "SELECT email OPERATOR(public.=) 1 FROM goods",
         "SELECT NULLIF(email, 1) FROM goods"],
        ["SELECT city OPERATOR(pg_catalog.=) 'Aber' FROM goods ORDER BY id", "SELECT email <> 'U1@X.ORG' FROM goods ORDER BY id",
         "SELECT count(*) FROM goods GROUP BY email ORDER BY 1"],
    ),
    "an operator for a type of its own": (
        "CREATE TYPE public.range_of AS RANGE (subtype = text);"
        "CREATE FUNCTION public.same(range_of, range_of) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
        "CREATE OPERATOR public.= (LEFTARG = range_of, RIGHTARG = range_of, FUNCTION = public.same)",
        "DROP OPERATOR public.= (range_of, range_of); DROP FUNCTION public.same; DROP TYPE public.range_of",
        ["SELECT 'a'::range_of"],
        ["SELECT email = 'U1@X.ORG', city = 'Aber', city IN ('Aber') FROM goods ORDER BY id"],
    ),
    "a function of the extension that somebody replaced": (
        "CREATE OR REPLACE FUNCTION public.strpos(citext, citext) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE "
        "AS 'SELECT count(*)::integer FROM public.goods WHERE secret = $2'",
        None,
        ["SELECT strpos(email, 'x') FROM goods", "SELECT public.strpos(email, 'x') FROM goods"],
        ["SELECT email = 'U1@X.ORG' FROM goods ORDER BY id", "SELECT pg_catalog.strpos(city, 'b') FROM goods ORDER BY id"],
    ),
    "a domain over citext, and a cast through a function": (
        "CREATE FUNCTION public.is_ok(citext) RETURNS boolean LANGUAGE sql AS 'SELECT count(*) > 0 FROM public.goods WHERE secret = $1';"
        "CREATE DOMAIN public.mail AS citext CHECK (public.is_ok(VALUE))",
        "DROP DOMAIN public.mail; DROP FUNCTION public.is_ok",
        ["SELECT 'a'::mail", "SELECT mail('a')", "SELECT CAST(email AS public.mail) FROM goods", "SELECT is_ok(email) FROM goods"],
        ["SELECT email = 'U1@X.ORG' FROM goods ORDER BY id"],
    ),
}


class Extensions(StackCase):
    policies = (POLICY,)
    built = ("goods_k3",)
    open_tables = ("public.products", "public.v_goods")
    options = {"more": "open_functions: [public.half, public.round]"}

    @classmethod
    def prepare(cls):
        there = {row[0] for row in cls.postgres.rows("SELECT name FROM pg_available_extensions", "demo")}
        cls.installed = [name for name in NAMES if name in there]
        for name in cls.installed:
            cls.postgres.run(f'CREATE EXTENSION "{name}"', "demo")
        cls.postgres.run(GOODS + "".join(MORE_TABLES.get(name, "") for name in cls.installed), "demo")
        cls.open_tables += tuple(
            table for name, table in (("postgis", "public.places"), ("vector", "public.embeddings")) if name in cls.installed)
        cls.postgres.create_database("masked", template="demo")
        naive.make_masked_copy(cls.postgres, "demo", "masked", POLICY)

    def assert_as_masked(self, sql):
        with self.pgveil.client("analyst") as client, self.direct() as direct:
            mine, theirs = client.query(sql), direct.query(sql)
        self.assertEqual((mine.errors, mine.texts()), (theirs.errors, theirs.texts()), sql)
        self.assertEqual(theirs.errors, [], sql)

    def assert_refused(self, sql, because=""):
        since = self.postgres.log_position()
        with self.pgveil.client("analyst") as client:
            reply = client.query(sql)
        self.assertEqual(reply.sqlstate(), "42501", (sql, reply.errors, reply.rows))
        self.assertNotIn("hidden-", reply.raw.decode("utf-8", "replace").lower(), sql)
        self.assert_nothing_sent(since, sql)

    def queries(self, text):
        return [line for line in text.splitlines() if line]

    def test_citext_means_what_it_means_to_postgresql(self):
        for sql in self.queries(CITEXT):
            with self.subTest(sql):
                self.assert_as_masked(sql)

    def test_other_extensions(self):
        for name, text in OTHERS.items():
            if name not in self.installed:
                print(f"# {name} is not installed here: skipped")
                continue
            for sql in self.queries(text):
                with self.subTest(sql):
                    self.assert_as_masked(sql)

    def test_what_is_closed(self):
        for name, statements in CLOSED.items():
            for sql in statements if name in self.installed else ():
                with self.subTest(sql):
                    self.assert_refused(sql)

    def test_what_the_owner_vouches_for(self):
        self.assert_as_masked("SELECT half(id), public.half(id), round(id::float8 / 3, 1), round(id / 3.0, 1), round(2.5) FROM goods ORDER BY id")
        self.assert_as_masked("SELECT pg_catalog.trunc(2.55, 1), trunc(2.55) FROM goods")
        for sql in ("SELECT shut(id) FROM goods", "SELECT public.shut(1)", "SELECT trunc(id::float8, 1) FROM goods",
                    "SELECT trunc(2.55, 1)"):
            self.assert_refused(sql)

    def test_parameters(self):
        with self.pgveil.client("analyst") as client, self.direct() as direct:
            for one in (client, direct):
                self.assertEqual(one.query("PREPARE p AS SELECT count(*) FROM goods WHERE email = $1").errors, [])
            mine, theirs = (one.query("EXECUTE p('u1@X.ORG')").texts() for one in (client, direct))
        self.assertEqual(mine, theirs)
        self.assertNotEqual(mine, [["0"]])

    def test_the_client_s_search_path(self):
        with self.pgveil.client("analyst") as client, self.direct("demo") as direct:
            for one in (client, direct):
                self.assertEqual(one.query("SET search_path TO pg_catalog").errors, [])
            for sql in ("SELECT count(*) FROM public.products WHERE sku = 'SKU-2'",  # texts, by this path
                        "SELECT count(*) FROM public.products WHERE sku OPERATOR(public.=) 'sku-2'"):
                self.assertEqual(client.query(sql).texts(), direct.query(sql).texts(), sql)
            self.assertEqual(client.query("SELECT count(*) FROM public.products WHERE sku IN ('sku-3')").sqlstate(), "42501")
            self.assertEqual(client.query("SELECT 'a'::citext").sqlstate(), "42501")

    def test_what_owners_change(self):
        for what, (change, back, refused, answered) in CHANGES.items():
            with self.subTest(what):
                before = [self.texts(sql) for sql in answered]
                self.postgres.run(change, "demo")
                try:
                    self.pgveil.console("RELOAD")
                    for sql in refused:
                        with self.subTest(sql):
                            self.assert_refused(sql)
                    self.assertEqual([self.texts(sql) for sql in answered], before)
                finally:
                    if back:
                        self.postgres.run(back, "demo")
                        self.pgveil.console("RELOAD")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Every form of SQL that a masked table may occur in: the answer is that of the masked copy, the row
description that of the raw table."""

import re

from harness import world
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
import comparison

# Each is run in simple and extended protocol. Those that are ordered say so themselves; all others are
# compared as multisets.
FORMS = """
SELECT * FROM people
SELECT * FROM staff
SELECT p.* FROM public.people AS p
SELECT people.city, people.* FROM people
SELECT public.staff.job FROM public.staff
SELECT t.c, t.a FROM people t(a, b, c)
TABLE staff
SELECT occupation, state, count(*) AS group_count FROM people GROUP BY occupation, state
SELECT occupation, state, count(*) FROM people GROUP BY 1, 2
SELECT job AS j, count(*) FROM staff GROUP BY j HAVING count(*) > 3 ORDER BY j
SELECT job, town, count(*), grouping(job, town) FROM staff GROUP BY ROLLUP (job, town)
SELECT job, mood, sum(pay) FROM staff GROUP BY CUBE (job, mood)
SELECT job, is_active, avg(pay) FROM staff GROUP BY GROUPING SETS ((job), (is_active), ())
SELECT count(*), count(job), count(DISTINCT job), min(born), max(grade), bool_or(is_active) FROM staff
SELECT string_agg(job, ',' ORDER BY id), array_agg(mood ORDER BY id) FROM staff
SELECT count(*) FILTER (WHERE job = 'Nurse') FROM staff
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY pay), mode() WITHIN GROUP (ORDER BY job) FROM staff
SELECT id, job FROM staff WHERE job = 'Nurse' ORDER BY id
SELECT id FROM staff WHERE job <> 'Nurse' ORDER BY id
SELECT id FROM staff WHERE job IN ('Baker', 'Pilot') AND town IS NULL ORDER BY id
SELECT id FROM staff WHERE (job = 'Nurse') IS NOT TRUE ORDER BY id
SELECT id FROM staff WHERE job LIKE 'only-%' ORDER BY id
SELECT id, job FROM staff ORDER BY job NULLS FIRST, id DESC LIMIT 7 OFFSET 3
SELECT id FROM staff ORDER BY id FETCH FIRST 5 ROWS ONLY
SELECT job, pay FROM staff ORDER BY town, pay
SELECT DISTINCT job, town FROM staff ORDER BY 1, 2
SELECT DISTINCT ON (job) job, id FROM staff ORDER BY job, id
SELECT a.id, b.id FROM staff a JOIN staff b ON a.job = b.job AND a.id < b.id ORDER BY 1, 2
SELECT a.id, b.job FROM staff a LEFT JOIN staff b ON a.town = b.town AND b.id < 9 ORDER BY 1, 2
SELECT s.id, t.size FROM staff s JOIN towns t USING (town) ORDER BY 1
SELECT * FROM staff NATURAL JOIN towns ORDER BY id
SELECT town, s.id, t.size FROM staff s FULL JOIN towns t USING (town) ORDER BY 1, 2, 3
SELECT t.town, s.id FROM towns t RIGHT JOIN staff s ON t.town = s.town ORDER BY 2
SELECT p.state, n FROM people p, numbers n WHERE n.n < 3 ORDER BY 1, 2
SELECT p.town, l.c FROM towns p CROSS JOIN LATERAL (SELECT count(*) FROM staff s WHERE s.town = p.town) AS l(c)
SELECT t.town, l.job FROM towns t LEFT JOIN LATERAL (SELECT job FROM staff s WHERE s.town = t.town ORDER BY id LIMIT 1) l ON true ORDER BY 1
SELECT j FROM (SELECT job AS j, count(*) AS c FROM staff GROUP BY job) q WHERE c > 5 ORDER BY j
SELECT (SELECT max(job) FROM staff), (SELECT count(*) FROM people WHERE city = 'Hamlet')
SELECT n, (SELECT s.job FROM staff s WHERE s.id = n) FROM numbers ORDER BY n
SELECT n FROM numbers WHERE EXISTS (SELECT 1 FROM staff s WHERE s.id = n AND s.job = 'Nurse') ORDER BY n
SELECT n FROM numbers WHERE n NOT IN (SELECT id FROM staff WHERE town IS NOT NULL) ORDER BY n
SELECT town FROM towns WHERE town = ANY (SELECT town FROM staff) ORDER BY 1
SELECT id FROM staff WHERE (job, town) IN (SELECT job, town FROM staff WHERE id < 20) ORDER BY 1
SELECT id FROM staff WHERE job = ANY (ARRAY['Nurse', 'only-7']) ORDER BY 1
WITH q AS (SELECT job, count(*) AS c FROM staff GROUP BY job) SELECT * FROM q ORDER BY job
WITH a AS (SELECT * FROM people), b AS (SELECT * FROM a WHERE state = 'OH') SELECT count(*) FROM b
WITH people AS (SELECT 1 AS one) SELECT * FROM people
WITH people AS (SELECT city FROM people) SELECT count(city) FROM people
WITH q AS MATERIALIZED (SELECT job FROM staff) SELECT job, count(*) FROM q GROUP BY 1
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT r.i, s.job FROM r JOIN staff s ON s.id = r.i ORDER BY 1
WITH RECURSIVE r AS (SELECT id, job FROM staff WHERE id = 1 UNION ALL SELECT s.id, s.job FROM staff s JOIN r ON s.id = r.id + 1) SELECT * FROM r ORDER BY 1
SELECT city FROM people UNION SELECT town FROM towns
SELECT job FROM staff INTERSECT SELECT job FROM staff WHERE town = 'Aber'
SELECT job FROM staff EXCEPT ALL SELECT 'Nurse'
(SELECT job FROM staff ORDER BY id LIMIT 2) UNION ALL (SELECT state FROM people ORDER BY state LIMIT 1)
VALUES ((SELECT max(state) FROM people)), ('x')
SELECT id, row_number() OVER (ORDER BY id) FROM staff ORDER BY id
SELECT id, rank() OVER (PARTITION BY job ORDER BY born, id), lag(job) OVER (ORDER BY id) FROM staff ORDER BY id
SELECT id, sum(pay) OVER w, count(job) OVER w FROM staff WINDOW w AS (PARTITION BY mood ORDER BY id ROWS 2 PRECEDING) ORDER BY id
SELECT id, first_value(town) OVER (PARTITION BY job ORDER BY id), ntile(4) OVER (ORDER BY id) FROM staff ORDER BY id
SELECT CASE WHEN job = 'Nurse' THEN town ELSE upper(job) END, coalesce(job, '?'), nullif(town, 'Aber') FROM staff
SELECT id, job || '-' || town, length(job), substr(town, 1, 2), job::text, born + 1, extract(year from born) FROM staff
SELECT grade * 2, grade + pay, round(pay), mood::text, is_active AND true, seen::date, badge FROM staff
SELECT s FROM staff s
SELECT (s).job, (s).* FROM staff s
SELECT row_to_json(p), to_jsonb(p) FROM people p
SELECT p::text, ROW(p.*)::text, p.* IS NULL FROM people p
SELECT count(p), count(DISTINCT p) FROM people p
SELECT json_agg(p.* ORDER BY p.state, p.city, p.occupation) FROM people p
SELECT unnest(ARRAY[job, town]) FROM staff
SELECT g, s.job FROM generate_series(1, 3) g JOIN staff s ON s.id = g ORDER BY 1
SELECT id FROM staff WHERE born BETWEEN date '1970-01-01' AND date '1971-12-31' ORDER BY id
SELECT id FROM staff WHERE grade = 2 ORDER BY id
SELECT id FROM staff WHERE mood = 'glad' ORDER BY id
SELECT id FROM staff WHERE mood > 'calm' ORDER BY id
SELECT id FROM staff WHERE is_active ORDER BY id
SELECT name, note FROM staff LIMIT 3
SELECT job COLLATE "C" FROM staff ORDER BY job COLLATE "C" DESC NULLS LAST, 1 LIMIT 4
SELECT FROM people
SELECT count(*) FROM people WHERE false
SELECT 1 / (id - 30) FROM staff
SELECT job::integer FROM staff
SELECT (SELECT job FROM staff)
SELECT count(*) FROM staff WHERE job ~ '('
SELECT id, job FROM staff TABLESAMPLE BERNOULLI (100) ORDER BY id
SELECT s.j FROM staff AS s(i, n, j) TABLESAMPLE BERNOULLI ((SELECT 80 + max(n) FROM numbers)) ORDER BY s.i
SELECT n, l.c FROM numbers, LATERAL (SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (n % 2 * 100)) l(c) ORDER BY 1
SELECT s.id, t.size FROM staff s TABLESAMPLE BERNOULLI (100) LEFT JOIN towns t ON s.town = t.town ORDER BY 1
SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (0)
SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (100), people TABLESAMPLE BERNOULLI (0)
SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (101)
SELECT count(*) FROM numbers, staff TABLESAMPLE BERNOULLI (n)
SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (staff.id)
SELECT count(*) FROM staff TABLESAMPLE BERNOULLI (t.id)
SELECT id, job, pay FROM staff GROUP BY id ORDER BY id
SELECT s.id, s.job, upper(s.town) FROM staff s GROUP BY s.id HAVING s.job IS NOT NULL ORDER BY s.born NULLS LAST, s.id
SELECT s.*, count(t.size) FROM staff s LEFT JOIN towns t ON s.town = t.town GROUP BY s.id ORDER BY s.id
SELECT t.town, count(*), max(s.job), s.id, s.job FROM towns t LEFT JOIN staff s ON s.town = t.town GROUP BY t.town, s.id ORDER BY 1, 4
SELECT id AS k, job FROM staff GROUP BY k ORDER BY 1
SELECT id, job FROM staff GROUP BY 1 ORDER BY 1
SELECT k.c FROM staff k(a, b, c) GROUP BY a ORDER BY a
SELECT id, (SELECT t.size FROM towns t WHERE t.town = s.town) FROM staff s GROUP BY s.id ORDER BY 1
SELECT id, job, rank() OVER (ORDER BY pay) FROM staff GROUP BY id ORDER BY 1
SELECT DISTINCT ON (job) job, id FROM staff GROUP BY id ORDER BY job, id
SELECT s, row_to_json(s) FROM staff s GROUP BY id ORDER BY s.id
SELECT s.id, s.job FROM staff s, staff z WHERE s.job = z.job GROUP BY s.id ORDER BY 1
SELECT s.id, z.job FROM staff s, staff z WHERE s.job = z.job GROUP BY s.id
SELECT id, job FROM staff GROUP BY job
SELECT id, city FROM people GROUP BY id
SELECT id, job FROM staff GROUP BY ROLLUP (id)
SELECT xmlparse(CONTENT coalesce(name, '<a/>')), xmlparse(CONTENT '<' || name) FROM staff
SELECT xmlparse(CONTENT '<' || job) FROM staff
SELECT xmlparse(DOCUMENT '<a> </a>' PRESERVE WHITESPACE), xmlparse(CONTENT ' x ')
SELECT xmlpi(NAME p, job), xmlroot(xmlelement(NAME e, job), VERSION '1.0', STANDALONE NO VALUE) FROM staff
SELECT x.* FROM staff, xmltable('/r' PASSING xmlelement(NAME r, xmlattributes(id AS i), job) COLUMNS n FOR ORDINALITY, i int PATH '@i', j text PATH '.' DEFAULT 'none') x ORDER BY i
SELECT x.* FROM xmltable(XMLNAMESPACES('u' AS p), '/p:a' PASSING ('<a xmlns="u">1</a>'::xml) COLUMNS v text PATH '.') AS x
SELECT s.id, r.a, r.b FROM staff s, json_to_record(json_build_object('a', s.id, 'b', s.job)) AS r(a int, b varchar(5)) ORDER BY 1
SELECT * FROM ROWS FROM (json_to_recordset('[{"a":1}]') AS (a int), generate_series(1, 2)) AS r ORDER BY 3
SELECT id FROM staff WHERE mood = 'glad'::mood ORDER BY id
SELECT id, mood FROM staff WHERE mood = ANY ('{glad,calm}'::public.mood[]) ORDER BY mood, id
SELECT job(s), name(s), id(s) FROM staff s ORDER BY s.id
SELECT record_out(s) FROM staff s
COPY (SELECT id, job, town FROM staff ORDER BY id) TO STDOUT
COPY (SELECT job, town FROM staff ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER)
""".strip().splitlines()


class SqlForms(StackCase):
    has_masked_copy = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.postgres.run(
            "ALTER TABLE public.staff ADD PRIMARY KEY (id)", "masked"
        )  # the copy keeps a key that is shown

    def both(self, sql, how):
        with self.pgveil.client() as client, self.direct() as direct:
            return getattr(client, how)(sql), getattr(direct, how)(sql)

    def assert_same(self, sql, how):
        got, expected = self.both(sql, how)
        self.assertEqual(got.sqlstate(), expected.sqlstate(), got.errors)
        if expected.errors:
            return
        shapes = [[column.shape() for column in reply.columns] for reply in (got, expected)]
        self.assertTrue(comparison.same_shapes(*shapes), shapes)
        self.assertEqual(got.tags, expected.tags)
        self.assertEqual(got.copied, expected.copied)
        if "ORDER BY" in sql.rpartition(")")[2]:
            self.assertEqual(got.texts(), expected.texts())
        self.assertEqual(sorted(map(repr, got.texts())), sorted(map(repr, expected.texts())))

    def test_each_form_answers_as_the_masked_copy(self):
        for sql in FORMS:
            for how in ("query", "extended"):
                with self.subTest(sql, protocol=how):
                    self.assert_same(sql, how)

    def test_the_row_description_is_the_raw_tables(self):
        for table in ("people", "staff"):
            for sql in (f"SELECT * FROM {table}", f"SELECT * FROM (SELECT * FROM {table} LIMIT 1) q",
                        f"WITH c AS (SELECT * FROM {table}) SELECT * FROM c"):
                with self.pgveil.client() as client, self.direct("demo") as raw:
                    self.assertEqual([c.shape() for c in client.query(sql).columns],
                                     [c.shape() for c in raw.query(sql).columns], sql)

    def test_explain_of_protected_tables_is_refused_with_policies_and_columns(self):
        since = self.postgres.log_position()
        for sql, policies, detail in (
            (
                "EXPLAIN SELECT job, count(*) FROM staff GROUP BY 1",
                "masked by policy staff_k3",
                "Its columns: job, count.",
            ),
            (
                "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1 FROM staff, people",
                "masked by policy staff_k3, masked by policy people_k2",
                "Its columns: ?column?.",
            ),
            ("EXPLAIN VERBOSE SELECT FROM people", "masked by policy people_k2", "It has no columns."),
        ):
            for answer in (lambda client: client.query(sql), lambda client: client.extended(sql, [])):
                with self.pgveil.client() as client:
                    error = answer(client).errors[0]
                    self.assertEqual(client.query("SELECT 1").texts(), [["1"]])
                self.assertEqual((error["C"], error["D"]), ("42501", detail), sql)
                self.assertIn(policies, error["M"])
                self.assertIn("EXPLAIN POLICY", error["H"])
        for line in self.postgres.received(since):
            self.assertNotIn("EXPLAIN", line)
            self.assertNotIn("public.staff", line)

    def test_explain_of_open_tables_is_the_servers_below_the_guard(self):
        for form in ("TEXT", "XML", "YAML", "JSON"):
            sql = f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, FORMAT {form}) SELECT n FROM numbers WHERE n < 0"
            with self.pgveil.client() as client, self.direct("demo") as raw:
                got, expected = client.query(sql), raw.query(sql)
            self.assertEqual(got.tags, expected.tags, form)
            words, wanted = (
                iter(re.findall(r"\w+", " ".join(row[0] for row in it.texts()))) for it in (got, expected)
            )
            self.assertEqual(
                [word for word in wanted if word not in words], [], form
            )  # all of them, in their order
        for option, state in (("SETTINGS", "42501"), ("MAGIC", "42601"), ("FORMAT pdf", "22023")):
            with self.pgveil.client() as client:
                self.assertEqual(
                    client.query(f"EXPLAIN ({option}) SELECT n FROM numbers").sqlstate(), state, option
                )

    def test_samples_by_blocks_and_hidden_keys_are_refused(self):
        for sql, state in (("SELECT id FROM staff TABLESAMPLE SYSTEM (50)", "42501"),
                           ("SELECT id FROM diary TABLESAMPLE BERNOULLI (50)", "42501"),
                           ("SELECT NULL::people", "42501"),
                           ("SELECT E'\\' , (SELECT job FROM staff LIMIT 1) --'", "22P06")):
            with self.pgveil.client() as client:
                self.assertEqual(client.query(sql).sqlstate(), state, sql)

    def test_gdesc(self):
        sql = "SELECT * FROM staff \\gdesc"
        through = psql(self.pgveil.port, "demo", "analyst", stdin=sql)
        raw = psql(self.postgres.port, "demo", "postgres", stdin=sql)
        self.assertEqual((through.stdout, through.stderr), (raw.stdout, ""))
        self.assertIn("name|character varying(30)", through.stdout)
        self.assertIn("mood|mood", through.stdout)

    def test_collations_do_not_change(self):
        sql = (
            "SELECT pg_collation_for(town), pg_collation_for(job), pg_collation_for(name) FROM staff LIMIT 1"
        )
        with self.pgveil.client() as client, self.direct("demo") as raw:
            self.assertEqual(client.query(sql).texts(), raw.query(sql).texts())

    def test_binary_results(self):
        sql = "SELECT id, job, born, grade, mood, is_active, pay, seen FROM staff ORDER BY id"
        with self.pgveil.client() as client, self.direct() as direct:
            got, expected = client.extended(sql, result_format=1), direct.extended(sql, result_format=1)
        self.assertEqual(got.rows, expected.rows)
        self.assertEqual(len(got.rows), 60)

    def test_parameters(self):
        for sql, values in (("SELECT id FROM staff WHERE job = $1 ORDER BY id", ["Nurse"]),
                            ("SELECT id, $2::text FROM staff WHERE born < $1 ORDER BY id LIMIT $3",
                             ["1971-06-01", "x", "4"]),
                            ("SELECT count(*) FROM staff WHERE mood = $1 AND town IS NOT DISTINCT FROM $2",
                             ["glad", None]),
                            ("SELECT count(*) FROM staff WHERE job = ANY ($1)", ["{Nurse,only-7}"])):
            with self.pgveil.client() as client, self.direct() as direct:
                got, expected = client.extended(sql, values), direct.extended(sql, values)
            self.assertEqual((got.sqlstate(), got.rows), (None, expected.rows), (sql, got.errors))

    def test_several_statements_in_one_message(self):
        with self.pgveil.client() as client:
            reply = client.query(
                "SELECT count(*) FROM people; SELECT state FROM people WHERE state = 'OH' LIMIT 1; "
            )
            self.assertEqual(reply.texts(), [["11"], ["OH"]])
            self.assertEqual(reply.tags, ["SELECT 1", "SELECT 1"])
            self.assertEqual(client.query("").messages, "IZ")
            self.assertEqual(client.query(" ; -- nothing\n ;").messages, "IZ")


if __name__ == "__main__":
    main()

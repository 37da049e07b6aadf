#!/usr/bin/python3
"""What catalogs tell masked users: the truth about what they see through the masks, and nothing of hidden rows,
of other sessions or of constants that an owner wrote into a definition."""
import re

from harness import world
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

DEFINITIONS = """
CREATE DOMAIN public.code AS text NOT NULL;
ALTER TABLE public.people ADD tag public.code DEFAULT 'a-secret' NOT NULL;
ALTER TABLE public.people ALTER city SET NOT NULL, ALTER state SET NOT NULL;
ALTER TABLE public.staff ALTER pay SET NOT NULL, ALTER badge SET NOT NULL;
CREATE INDEX people_lower ON public.people (lower(city));
CREATE INDEX people_known ON public.people (state) WHERE occupation IS NOT NULL;
CREATE UNIQUE INDEX people_one ON public.people (city) WHERE state = 'index-secret';
CREATE INDEX people_joined ON public.people ((city || 'index-secret'));
CREATE INDEX towns_cast ON public.towns ((town::varchar(7)), size);
CREATE INDEX towns_sum ON public.towns ((size + size), (-size));
CREATE SEQUENCE public.ticket;
SELECT setval('public.ticket', 4711);
CREATE POLICY own ON public.diary USING (secret = 'policy-secret');
CREATE RULE quiet AS ON DELETE TO public.diary WHERE old.secret = 'rule-secret' DO INSTEAD NOTHING;
CREATE FUNCTION public.guess(a text DEFAULT 'default-secret') RETURNS text LANGUAGE sql AS 'SELECT ''body-secret''';
CREATE DOMAIN public.grade AS text CHECK (VALUE <> 'domain-secret') DEFAULT 'domain-secret';
CREATE STATISTICS public.both_of ON (city || 'statistics-secret'), state FROM public.people;
"""
SECRETS = ("-secret", "4711") + tuple(token for token in world.HIDDEN if "-secret" not in token)


class CatalogAnswers(StackCase):
    policies = (world.PEOPLE, world.STAFF)

    @classmethod
    def prepare(cls):
        cls.postgres.run(DEFINITIONS, "demo")
        cls.postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query", "demo")

    def real(self, sql):
        return self.postgres.rows(sql, "demo")

    # -- what may be NULL
    def test_a_column_that_a_mask_may_hide_is_nullable(self):
        of = "SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid " \
             "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND a.attnotnull ORDER BY 1"
        schema = "SELECT table_name || '.' || column_name FROM information_schema.columns " \
                 "WHERE table_schema = 'public' AND is_nullable = 'NO' ORDER BY 1"
        masked = [["numbers.n"], ["staff.badge"], ["staff.id"], ["staff.pay"], ["towns.town"]]
        for sql in (of, schema):
            with self.subTest(sql):
                self.assertEqual(self.texts(sql), masked)
                everything = [list(row) for row in self.real(sql)]
                self.assertEqual(len(everything), len(masked) + 4)
                exempt = [row for row in self.texts(sql, "dpo") if not row[0].startswith("staff.")]
                self.assertEqual(exempt, [row for row in everything if not row[0].startswith("staff.")])
        self.assertEqual(
            self.texts("SELECT is_nullable, count(*) FROM information_schema.columns WHERE table_name = 'people' "
                       "GROUP BY 1"), [["YES", "5"]])
        of_domain = "SELECT typnotnull FROM pg_type WHERE typname = 'code'"
        self.assertEqual((self.texts(of_domain), self.texts(of_domain, "dpo")), ([["f"]], [["t"]]))

    def test_the_catalog_is_still_found_by_its_key(self):
        self.assertEqual(
            self.texts("SELECT a.attname, a.attnotnull FROM pg_attribute a WHERE attrelid = 'people'::regclass "
                       "AND attnum > 0 GROUP BY a.attrelid, a.attnum ORDER BY a.attnum"),
            [["id", "f"], ["occupation", "f"], ["city", "f"], ["state", "f"], ["tag", "f"]])

    # -- indexes
    def test_an_index_without_constants_has_its_definition(self):
        shown = "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), pg_get_indexdef(indexrelid, 1, true), " \
                "pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid) FROM pg_index " \
                "WHERE indexrelid::regclass::text IN ('people_lower', 'people_known', 'towns_sum', 'people_pkey') ORDER BY 1"
        self.assertEqual(self.texts(shown), [list(row) for row in self.real(shown)])
        self.assertEqual(self.texts("SELECT indexdef FROM pg_indexes WHERE indexname = 'people_lower'"),
                         [["CREATE INDEX people_lower ON public.people USING btree (lower(city))"]])

    def test_an_index_that_quotes_a_constant_is_nowhere(self):
        quoting = "IN ('people_juggler', 'people_one', 'people_joined', 'towns_cast')"
        for sql in ("SELECT count(*) FROM pg_class WHERE relname " + quoting,
                    "SELECT count(*) FROM pg_index WHERE indexrelid::regclass::text " + quoting,
                    "SELECT count(*) FROM pg_indexes WHERE indexname " + quoting,
                    "SELECT count(*) FROM pg_stat_all_indexes WHERE indexrelname " + quoting,
                    "SELECT count(*) FROM pg_statio_user_indexes WHERE indexrelname " + quoting):
            with self.subTest(sql):
                self.assertEqual(self.texts(sql), [["0"]])
                self.assertEqual(self.real(sql)[0][0], "4")
        self.assertEqual(self.texts("SELECT pg_get_indexdef('people_one'::regclass), pg_get_indexdef("
                                    "'people_joined'::regclass, 1, true)"), [[None, None]])
        self.assertEqual(
            self.texts("SELECT count(*) FROM pg_index WHERE 0 = ANY (indkey::int2[]) AND (indexprs IS NULL OR "
                       "pg_get_indexdef(indexrelid) IS NULL)"), [["0"]])

    # -- other sessions
    def test_a_session_knows_of_itself_alone(self):
        with self.pgveil.client(parameters={"application_name": "mine"}) as client, self.pgveil.client("bi") as other, \
                self.direct("demo") as raw:
            other.query("BEGIN; SELECT count(*) FROM people")
            raw.query("BEGIN; LOCK TABLE people IN SHARE MODE")
            rows = client.query("SELECT datname, usename, application_name, state, query, client_addr, "
                                "pid = pg_backend_pid() FROM pg_stat_activity").texts()
            self.assertEqual(rows, [["demo", "analyst", "mine", "active", None, None, "t"]])
            self.assertEqual(client.query("SELECT count(*) FROM pg_stat_activity a JOIN pg_database d "
                                          "ON a.datid = d.oid AND a.datname = d.datname").texts(), [["1"]])
            for relation in ("pg_locks", "pg_prepared_xacts", "pg_stat_replication", "pg_stat_progress_copy"):
                self.assertEqual(client.query(f"SELECT count(*) FROM {relation}").texts(), [["0"]], relation)
            plan = "\n".join(row[0] for row in client.query("EXPLAIN ANALYZE SELECT * FROM pg_stat_activity").texts())
            self.assertNotIn("get_activity", plan)

    def test_statistics_have_names_and_no_counters(self):
        self.texts("SELECT count(*) FROM towns")
        names = {"relid", "indexrelid", "schemaname", "relname", "indexrelname", "datid", "datname", "pid"}
        seen = 0
        for (relation,) in self.texts("SELECT relname FROM pg_class WHERE relname LIKE 'pg_stat%' AND relkind = 'v' "
                                      "AND has_table_privilege(oid, 'SELECT') AND relname <> 'pg_stat_activity'"):
            with self.pgveil.client() as client:
                reply = client.query(f"SELECT * FROM {relation}")
            self.assertEqual(reply.errors, [], relation)
            for i, column in enumerate(reply.descriptions[0]):
                if column.name not in names:
                    seen_values = {row[i] for row in reply.texts()}
                    self.assertLessEqual(seen_values, {None}, (relation, column.name))
            seen += 1
        self.assertGreater(seen, 30)

    # -- everything at once
    def test_no_catalog_has_a_value_of_the_owner(self):
        with self.direct("demo") as raw:
            everything = raw.query("SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = "
                                   "c.relnamespace WHERE n.nspname IN ('pg_catalog', 'information_schema') AND "
                                   "c.relkind IN ('r', 'v') ORDER BY 1, 2").texts()
        answered = 0
        with self.pgveil.client() as client:
            for schema, name in everything:
                reply = client.query(f'SELECT * FROM {schema}."{name}"')
                if reply.errors:
                    self.assertEqual(reply.sqlstates(), ["42501"], name)
                    continue
                answered += 1
                for token in SECRETS:  # of "only-", which texts about settings have too, with its number
                    found = re.search(re.escape(token) + ("[0-9]" if token.endswith("-") else ""), reply.raw.decode("latin1"))
                    self.assertIsNone(found, (schema, name))
        print(f"\n{answered} of {len(everything)} catalogs answered")
        self.assertGreater(answered, 130)

    # -- forms
    def test_functions_in_from_answer_as_on_the_server(self):
        with self.pgveil.client() as ours, RawClient(
                self.postgres.port, "pgveil_query", "demo", password=world.QUERY_PASSWORD) as theirs:
            for sql in ("SELECT * FROM current_schema()", "SELECT * FROM current_schemas(false)",
                        "SELECT s, x FROM current_schema() s, current_schemas(true) AS t(x)",
                        "SELECT * FROM current_setting('DateStyle') d", "SELECT t.* FROM current_catalog t",
                        "SELECT name FROM pg_show_all_settings() WHERE name = 'TimeZone'",
                        "SELECT s.x FROM pg_show_all_settings() AS s(x) WHERE s.x = 'TimeZone'",
                        "SELECT set_config('bytea_output', 'hex', false) FROM pg_show_all_settings() "
                        "WHERE name = 'bytea_output'",
                        "SELECT c.relname, d FROM pg_class c, col_description(c.oid, 1) d WHERE c.relname = 'towns'"):
                with self.subTest(sql):
                    mine, right = ours.query(sql), theirs.query(sql)
                    self.assertEqual((mine.errors, mine.texts()), (right.errors, right.texts()))
                    self.assertEqual([c.shape() for c in mine.descriptions[0]],
                                     [c.shape() for c in right.descriptions[0]])

    def test_pgadmin_connects(self):
        with self.pgveil.client() as client:
            reply = client.query("SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config("
                                 "'bytea_output','hex',false) FROM pg_show_all_settings() WHERE name = "
                                 "'bytea_output'; SET client_encoding='utf-8';")
            self.assertEqual((reply.errors, reply.texts()), ([], [["hex"]]))
            self.assert_alive(client)


if __name__ == "__main__":
    main()

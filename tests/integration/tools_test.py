#!/usr/bin/python3
"""What pools, drivers and tools send by themselves, word for word, is answered with what is right for a
masked reader; and what the catalogs and their functions keep to themselves: sizes, pgveil's own objects,
settings. On a server where setup-sql ran."""
import asyncio
import dataclasses

import asyncpg

from harness import world
from harness.runner import main
from harness.stack import StackCase
import naive

NPGSQL_RESET = (
    "SET SESSION AUTHORIZATION DEFAULT;RESET ALL;CLOSE ALL;UNLISTEN *;SELECT pg_advisory_unlock_all();"
    "DISCARD SEQUENCES;DISCARD TEMP"
)
ASYNCPG_RESET = "SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;"
RAILS_CONNECT = (
    "SET client_min_messages TO 'warning'",
    "SET standard_conforming_strings = on",
    "SET SESSION timezone TO 'UTC'",
    "SHOW max_identifier_length",
    "SELECT t.oid, t.typname, t.typelem, t.typdelim, t.typinput, r.rngsubtype, t.typtype, t.typbasetype "
    "FROM pg_type as t LEFT JOIN pg_range as r ON oid = rngtypid WHERE t.typname IN ('int2', 'bool')",
)
METABASE_PRIVILEGES = """
with table_privileges as (
 select NULL as role, t.schemaname as schema, t.objectname as table,
  pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'update') as update,
  pg_catalog.has_table_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'SELECT') as select,
  pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'insert') as insert,
  pg_catalog.has_table_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'DELETE') as delete
 from (select schemaname, tablename as objectname from pg_catalog.pg_tables
   union select schemaname, viewname as objectname from pg_catalog.pg_views
   union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t
 where t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema' and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'USAGE')
) select t.* from table_privileges t"""
DATAGRIP = {
    "select round(extract( epoch from pg_postmaster_start_time() at time zone 'UTC' )) as startup_time": [
        [None]
    ],
    "select case when pg_catalog.pg_is_in_recovery() then null else (pg_catalog.txid_current() % 4294967296)::varchar::bigint "
    "end as current_txid": [[None]],
    "select current_database(), current_schema(), current_user": [["demo", "public", "analyst"]],
    "select N.nspname, N.xmin as state_number, pg_catalog.age(N.xmin) from pg_catalog.pg_namespace N where N.nspname = 'public'": [
        ["public", "2", "2147483647"]
    ],
}

BESIDE = {"kind": "quasi_identifier", "since": "quasi_identifier"}
DOMAINS = naive.Policy(
    "domains_k2", "public.domains", 2,
    {"id": "insensitive", **BESIDE, "tags": "insensitive", "document": "insensitive", "hidden_tags": "identifier",
     "hidden_document": "identifier", "hidden_numbers": "identifier", "numbers": "insensitive"})
COPIED, STORED = (
    dataclasses.replace(DOMAINS, name=f"domains_{how}_k2", table=f"public.domains_{how}", enforcement=how)
    for how in ("copy", "stored")
)
PLAIN = naive.Policy("plain_k2", "public.plain", 2, {"id": "insensitive", **BESIDE})
ODD = naive.Policy(
    "odd_k2", "public.odd", 2, {"id": "insensitive", "mail": "identifier", "kind": "quasi_identifier"}
)
# With all that a client may read of pgveil's own objects, if anything.
CATALOGS = (
    "pg_class",
    "pg_attribute",
    "pg_attrdef",
    "pg_constraint",
    "pg_depend",
    "pg_description",
    "pg_index",
    "pg_indexes",
    "pg_inherits",
    "pg_namespace",
    "pg_proc",
    "pg_rewrite",
    "pg_sequence",
    "pg_stat_all_tables",
    "pg_stat_user_tables",
    "pg_statio_all_tables",
    "pg_tables",
    "pg_trigger",
    "pg_type",
    "pg_views",
    "pg_matviews",
    "pg_default_acl",
    "information_schema.columns",
    "information_schema.column_privileges",
    "information_schema.constraint_column_usage",
    "information_schema.key_column_usage",
    "information_schema.parameters",
    "information_schema.routines",
    "information_schema.routine_privileges",
    "information_schema.schemata",
    "information_schema.table_constraints",
    "information_schema.table_privileges",
    "information_schema.tables",
    "information_schema.triggers",
    "information_schema.views",
)


class Tools(StackCase):
    policies = (dataclasses.replace(world.PEOPLE, enforcement="copy"), world.STAFF, ODD, DOMAINS, COPIED,
                STORED, PLAIN)
    built = ("people_k2", "staff_k3", "odd_k2", "domains_k2", "domains_stored_k2", "plain_k2")
    has_version_schema = True

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            """
            CREATE DOMAIN mail AS varchar(40) NOT NULL CHECK (VALUE LIKE '%@%');
            CREATE DOMAIN deep AS mail CHECK (VALUE <> '');
            CREATE DOMAIN whole AS integer CHECK (VALUE IS NOT NULL);
            CREATE TABLE odd (id integer PRIMARY KEY, mail mail, deeper deep, number whole, kind text);
            INSERT INTO odd SELECT g, g || '@hidden-', g || '@hidden-', g, 'common' FROM generate_series(1, 6) g;
            CREATE DOMAIN kind AS varchar(10) NOT NULL CHECK (VALUE <> '');
            CREATE DOMAIN numbers_of AS integer[] NOT NULL;
            CREATE TABLE domains (id integer PRIMARY KEY, kind kind, since whole, tags text[], document jsonb,
              hidden_tags text[], hidden_document jsonb, hidden_numbers numbers_of, numbers numbers_of);
            INSERT INTO domains SELECT g, CASE g WHEN 1 THEN 'only-' || g ELSE 'kind-' || g % 2 END, 2000 + g % 3,
              ARRAY['a', g::text], jsonb_build_object('a', g), ARRAY['hidden-'], '{"hidden-": 1}', ARRAY[g], ARRAY[g]
              FROM generate_series(1, 24) g;
            CREATE TABLE plain AS SELECT id, kind::varchar(10) AS kind, since::integer AS since FROM domains;
            CREATE INDEX ON domains (kind);
            CREATE TABLE domains_copy AS SELECT * FROM domains;
            CREATE TABLE domains_stored AS SELECT * FROM domains;
            GRANT SELECT ON odd, domains, domains_copy, domains_stored, plain TO pgveil_query, pgveil_admin;
            REVOKE EXECUTE ON FUNCTION pg_advisory_unlock_all() FROM PUBLIC""",
            "demo",
        )

    @classmethod
    def start(cls):
        super().start()
        rows = cls.pgveil.console(f"SHOW STORED {STORED.name}").texts()
        cls.postgres.run("\n".join(row[0] for row in rows), "demo")
        cls.pgveil.build(STORED.name)

    # -- what they send
    def test_asyncpg_gives_connections_back(self):
        async def work():
            async with asyncpg.create_pool(
                host="127.0.0.1",
                port=self.pgveil.port,
                user="analyst",
                database="demo",
                ssl=False,
                min_size=1,
                max_size=1,
            ) as pool:
                seen = []
                for _ in range(3):
                    async with pool.acquire() as connection:
                        seen.append(await connection.fetchval("SELECT count(*) FROM people"))
                        await connection.execute("SET TimeZone = 'Asia/Tokyo'")
                async with pool.acquire() as connection:
                    return seen, await connection.fetchval("SHOW TimeZone")
        seen, zone = asyncio.run(work())
        self.assertEqual(seen, [11, 11, 11])
        self.assertNotEqual(zone, "Asia/Tokyo")

    def test_pools_reset_in_one_message(self):
        with self.pgveil.client() as client:
            for reset, tags in (
                (ASYNCPG_RESET, ["SELECT 1", "CLOSE CURSOR ALL", "UNLISTEN", "RESET"]),
                (
                    NPGSQL_RESET,
                    [
                        "SET",
                        "RESET",
                        "CLOSE CURSOR ALL",
                        "UNLISTEN",
                        "SELECT 1",
                        "DISCARD SEQUENCES",
                        "DISCARD TEMP",
                    ],
                ),
            ):
                client.query("SET DateStyle = 'German'")
                reply = client.query(reset)
                self.assertEqual((reply.errors, reply.tags, reply.notices), ([], tags, []))
                self.assertEqual(client.query("SHOW DateStyle").texts(), [["ISO, MDY"]])
            self.assert_alive(client)

    def test_roles_that_stay_what_they_are(self):
        with self.pgveil.client() as client:
            for sql, tag in (
                ("SET ROLE NONE", "SET"),
                ("RESET ROLE", "RESET"),
                ("SET SESSION AUTHORIZATION DEFAULT", "SET"),
                ("RESET SESSION AUTHORIZATION", "RESET"),
                ("SET ROLE analyst", "SET"),
                ("DISCARD PLANS", "DISCARD PLANS"),
            ):
                for how in ("query", "extended"):
                    reply = getattr(client, how)(sql)
                    self.assertEqual((reply.errors, reply.tags), ([], [tag]), sql)
            self.assertEqual(
                client.query("SELECT current_user, session_user").texts(), [["analyst", "analyst"]]
            )
            client.query("BEGIN")
            self.assertEqual(client.query("SET LOCAL ROLE NONE").errors, [])
            self.assertEqual(client.query("COMMIT").tags, ["COMMIT"])
            self.assert_alive(client)

    def test_rails_connects(self):
        with self.pgveil.client() as client:
            for sql in RAILS_CONNECT:
                self.assertEqual(client.query(sql).errors, [], sql)
            self.assertEqual(client.query("SET standard_conforming_strings = off").sqlstates(), ["42501"])
            self.assertEqual(client.query("SHOW standard_conforming_strings").texts(), [["on"]])
            self.assertEqual(client.query(r"SELECT 'a\'").texts(), [["a\\"]])

    def test_metabase_hears_what_it_may_read(self):
        rows = {row[2]: row[3:] for row in self.texts(METABASE_PRIVILEGES) if row[1] == "public"}
        for table in ("people", "staff", "odd", "towns", "numbers"):
            self.assertEqual(rows[table], ["f", "t", "f", "f"], table)
        for table in ("diary", "unbuilt", "v_people"):
            self.assertEqual(rows[table], ["f", "f", "f", "f"], table)
        with self.pgveil.client("outsider") as client:
            reply = client.query(
                "SELECT has_table_privilege('people', 'SELECT'), has_table_privilege('towns', 'SELECT')"
            )
        self.assertEqual(reply.texts(), [["f", "t"]])

    def test_rights_in_other_words(self):
        for sql, seen in (
            ("has_table_privilege(current_user, 'public.people'::regclass, 'SELECT')", "t"),
            ("has_table_privilege('public.people'::regclass::oid, 'insert, select')", "t"),
            ("has_table_privilege('pg_class', 'SELECT')", "t"),
            ("has_table_privilege('pg_stats', 'SELECT')", "f"),
            ("has_table_privilege('analyst', 'people', 'SELECT WITH GRANT OPTION')", "f"),
            ("has_column_privilege(current_user, 'people', 'city', 'SELECT')", "t"),
            ("has_schema_privilege(current_user, 'public', 'USAGE')", "t"),
            ("has_schema_privilege(user, 'pg_catalog', 'USAGE')", "t"),
            ("has_database_privilege(current_user, current_database(), 'CONNECT')", "t"),
            ("has_function_privilege(session_user, 'now()', 'EXECUTE')", "t"),
            ("pg_has_role(current_user, 'analyst', 'MEMBER')", "t"),
            ("pg_has_role(current_user, 'pgveil_admin', 'MEMBER')", "f"),
            ("current_user::regrole", None),
            ("current_user::regrole IS NULL", "t"),
            ("count(*) FROM pg_class WHERE relowner = current_user::regrole", "0"),
        ):
            self.assertEqual(self.texts("SELECT " + sql), [[seen]], sql)

    def test_datagrip_starts(self):
        for sql, rows in DATAGRIP.items():
            self.assertEqual(self.texts(sql), rows, sql)

    def test_nothing_is_null_with_its_type(self):
        with self.pgveil.client() as ours, self.direct("demo") as raw:
            for call in (
                "pg_postmaster_start_time()",
                "txid_current()",
                "pg_current_xact_id()",
                "txid_current_if_assigned()",
                "inet_client_addr()",
                "inet_client_port()",
                "inet_server_addr()",
                "pg_conf_load_time()",
                "pg_database_size('demo')",
                "pg_relation_size('people')",
                "pg_table_size('people')",
                "current_setting('app.user', true)",
            ):
                got, expected = ours.query(f"SELECT {call}"), raw.query(f"SELECT {call}")
                self.assertEqual(got.texts(), [[None]], call)
                self.assertEqual(
                    [c.shape() for c in got.columns], [c.shape() for c in expected.columns], call
                )

    # -- what is kept
    def test_sizes_are_of_open_tables_only(self):
        sizes = "pg_relation_size({0}), pg_table_size({0}), pg_indexes_size({0}), pg_total_relation_size({0})"
        seen = self.texts(
            f"SELECT oid::regclass, {sizes.format('oid')} FROM pg_class WHERE pg_table_size(oid) IS NOT NULL "
            "OR pg_indexes_size(oid) IS NOT NULL ORDER BY 1::text"
        )
        self.assertEqual(sorted(row[0] for row in seen), ["numbers", "towns"])
        with self.direct("demo") as raw:
            for row in seen:
                self.assertEqual(raw.query("SELECT " + sizes.format(f"'{row[0]}'")).texts(), [row[1:]])
        self.assertEqual(
            self.texts(
                "SELECT max(pg_relation_size(oid)) IS NOT NULL, count(pg_relation_size(oid, 'fsm')) "
                "FROM generate_series(1, 30000) oid"
            ),
            [["t", "2"]],
        )
        for name in ("people", "people_juggler", "people_pkey", "pg_catalog.pg_statistic", "pg_class"):
            self.assertEqual(
                self.texts(f"SELECT pg_relation_size('{name}'), pg_total_relation_size('{name}'::regclass)"),
                [[None, None]],
                name,
            )

    def test_a_size_is_not_had_by_an_argument_that_changes(self):
        flips = "(ARRAY['towns', 'people'])[1 + (random() < 0.5)::int]"
        for _ in range(5):
            seen = self.texts(f"SELECT pg_table_size({flips}::regclass) FROM generate_series(1, 20)")
            self.assertLessEqual(
                {row[0] for row in seen}, {None, self.texts("SELECT pg_table_size('towns')")[0][0]}
            )

    def test_pgveils_own_objects_are_left_out_of_the_catalogs(self):
        own = {
            row[0]
            for row in self.postgres.rows(
                "SELECT relname FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace", "demo"
            )
        } - {
            "version"
        }  # a function's, too
        self.assertTrue(any(".copy." in name for name in own))
        oids = {
            row[0]
            for row in self.postgres.rows(
                "SELECT oid FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace UNION SELECT reltoastrelid FROM pg_class "
                "WHERE relnamespace = 'pgveil'::regnamespace AND reltoastrelid <> 0",
                "demo",
            )
        }
        for catalog in CATALOGS:
            with self.subTest(catalog), self.pgveil.client() as client:
                reply = client.query(f"SELECT * FROM {catalog}")
                self.assertEqual(reply.errors, [])
                cells = {cell for row in reply.texts() for cell in row if cell}
                # What readers are told of the tables that they read (docs/analysts.md).
                cells = {cell for cell in cells if not cell.startswith("masked by policy people_k2: ")}
                self.assertFalse(
                    [cell for cell in cells if "people_k2" in cell or cell in own or cell == "pgveil"]
                )
                if catalog not in ("pg_proc", "pg_sequence") and not catalog.startswith("information_schema"):
                    self.assertFalse(oids & cells)
                self.assertTrue(
                    reply.rows
                    or catalog
                    in (
                        "pg_attrdef",
                        "pg_inherits",
                        "pg_sequence",
                        "pg_trigger",
                        "pg_matviews",
                        "pg_default_acl",
                        "information_schema.triggers",
                        "information_schema.parameters",
                        "information_schema.key_column_usage",
                        "information_schema.constraint_column_usage",
                        "information_schema.table_constraints",
                    ),
                    catalog,
                )

    def test_psql_lists_what_is_there_and_not_pgveil(self):
        for command in ("\\dn", "\\dt *.*", "\\dv *.*", "\\d *.*copy*", "\\df *.shape", "\\dt+"):
            done = self.psql(command)
            self.assertNotIn("copy.", done.stdout + done.stderr, command)
            self.assertNotIn("pgveil|", done.stdout, command)
        self.assertIn("public|", self.psql("\\dn").stdout)
        self.assertIn("|people|", self.psql("\\dt+").stdout)

    def test_show_all_shows_what_show_shows(self):
        with self.pgveil.client() as client:
            client.query("SET work_mem = '5MB'")
            client.query("SET search_path TO public")
            for how in ("query", "extended"):
                reply = getattr(client, how)("SHOW ALL")
                self.assertEqual(
                    [column.name for column in reply.columns], ["name", "setting", "description"]
                )
                for name, setting, description in reply.texts():
                    if not name.endswith("transaction_read_only"):  # SHOW says what the client asked for
                        self.assertEqual(client.query(f"SHOW {name}").texts(), [[setting]], name)
                    self.assertTrue(description)
                names = [row[0] for row in reply.texts()]
                self.assertEqual(names, sorted(names, key=str.lower))
                for name in (
                    "work_mem",
                    "search_path",
                    "TimeZone",
                    "server_version",
                    "standard_conforming_strings",
                ):
                    self.assertIn(name, names)
                for name in (
                    "archive_command",
                    "data_directory",
                    "listen_addresses",
                    "log_statement",
                    "ssl_key_file",
                ):
                    self.assertNotIn(name, names)

    # -- domains
    def test_a_domain_without_null_is_hidden_like_any_type(self):
        with self.pgveil.client() as client, self.direct("demo") as raw:
            for sql in (
                "SELECT * FROM odd",
                "SELECT mail, deeper, number FROM odd",
                "SELECT o FROM odd o",
                "SELECT mail || deeper, number + 1, mail::text COLLATE \"C\", upper(mail) FROM odd",
                "SELECT mail FROM odd UNION SELECT 'x'",
                "SELECT coalesce(mail, '-') FROM odd",
                "SELECT a.mail FROM odd a LEFT JOIN odd b ON a.mail = b.mail",
                "SELECT max(mail), max(number) FROM odd",
            ):
                for how in ("query", "extended"):
                    got, expected = getattr(client, how)(sql), getattr(raw, how)(sql)
                    self.assertEqual(got.errors, [], sql)
                    if "o FROM odd o" not in sql:  # a row of the table's own type is one of the mask's
                        self.assertEqual(
                            [c.shape() for c in got.columns], [c.shape() for c in expected.columns], sql
                        )
                    self.assert_no_hidden_value(got.raw, sql)
            self.assertEqual(
                client.query("SELECT id, mail, deeper, number FROM odd WHERE id = 3").texts(),
                [["3", None, None, None]],
            )
            self.assertEqual(client.query("COPY odd TO STDOUT").errors, [])
            self.assertEqual(
                client.query("PREPARE s AS SELECT mail FROM odd WHERE mail = $1; EXECUTE s('a')").errors, []
            )

    def test_domains_are_released_as_their_base_types_are(self):
        with self.pgveil.client() as client:
            for sql in (
                "SELECT id, kind, since FROM {} ORDER BY id",
                "SELECT kind, count(*), min(since) FROM {} GROUP BY kind ORDER BY 1",
                "SELECT count(*) FROM {} WHERE kind = 'kind-1'",
                "SELECT id FROM {} WHERE kind = ANY (ARRAY['kind-1', 'only-1']) ORDER BY id",
                "SELECT id FROM {} WHERE kind = 'only-1'",
                "SELECT id, upper(kind), since + 1, coalesce(kind, '-') FROM {} WHERE since IS NOT NULL ORDER BY id",
                "SELECT x.id FROM {0} x JOIN {0} y USING (kind, since) ORDER BY 1 LIMIT 7",
                "SELECT kind FROM {} UNION SELECT 'x' ORDER BY 1",
            ):
                for table in ("domains", "domains_stored"):
                    got, expected = client.query(sql.format(table)), client.extended(sql.format("plain"))
                    self.assertEqual((got.errors, expected.errors), ([], []), sql.format(table))
                    self.assertEqual(got.texts(), expected.texts(), sql)
                    types = [[c.type_oid for c in each.columns] for each in (got, expected)]
                    self.assertEqual(types[0], types[1], sql)
            shown = client.query("SELECT kind, since FROM domains").texts()
        error = self.pgveil.console(f"BUILD POLICY {COPIED.name}").errors[0]
        self.assertIn("a masked copy would have columns of other types", error["M"])
        self.assertIn(["kind-1", "2001"], shown)
        self.assertTrue(any(row[0] is None for row in shown))
        self.assertNotIn("only-1", str(shown))

    def test_arrays_and_documents_beside_quasi_identifiers(self):
        with self.pgveil.client() as client:
            reply = client.query("SELECT d, d.* FROM domains d WHERE 'a' = ANY (tags) AND document @> '{\"a\": 3}'")
            self.assertEqual((reply.errors, len(reply.rows)), ([], 1))
            self.assertEqual(reply.texts()[0][-5:], ['{a,3}', '{"a": 3}', None, None, None, '{3}'][-5:])
            self.assert_no_hidden_value(reply.raw)
            self.assertEqual(
                client.query("SELECT count(hidden_tags), count(hidden_document), sum(numbers[1]), count(hidden_numbers) "
                             "FROM domains").texts(), [["0", "0", "300", "0"]])
            self.assertEqual(client.query("COPY domains TO STDOUT").errors, [])

    def test_check_says_what_stands_in_for_a_domain(self):
        done = self.pgveil.command("check", "--all", "--config", str(self.pgveil.config_path))
        self.assertIn(
            "note: hidden-domain: policy odd_k2: the type of mail is the domain public.mail; readers see NULL of type "
            "character varying(40)",
            done.stdout,
        )
        self.assertIn(
            "the type of deeper is the domain public.deep; readers see NULL of type character varying(40)", done.stdout
        )

    # -- samples and chains
    def test_samples_are_drawn_anew(self):
        with self.pgveil.client() as client:
            drawn = {
                tuple(map(tuple, client.query("SELECT id FROM staff TABLESAMPLE BERNOULLI (50)").texts()))
                for _ in range(5)
            }
            self.assertGreater(len(drawn), 1)
            self.assertTrue(all(0 < len(rows) < 60 for rows in drawn))
            self.assertEqual(
                client.extended("SELECT count(*) FROM staff TABLESAMPLE BERNOULLI ($1)", ["100"]).texts(),
                [["60"]],
            )
            joined = client.query(
                "SELECT count(*), count(DISTINCT n.n) FROM staff s TABLESAMPLE BERNOULLI (50) CROSS JOIN numbers n"
            ).texts()
            self.assertEqual((int(joined[0][0]) % 20, joined[0][1]), (0, "20"))
            since = self.postgres.log_position()
            for sql in ("SELECT id FROM staff TABLESAMPLE BERNOULLI (50) REPEATABLE (1)",
                        "SELECT id FROM people TABLESAMPLE BERNOULLI (50) REPEATABLE (1)"):
                self.assertEqual(client.query(sql).sqlstates(), ["42501"])
            self.assert_nothing_sent(since, "REPEATABLE")

    def test_a_chain_of_2000_with_items_is_not_sent(self):
        def chain(items):
            rest = "".join(f", c{i} AS (SELECT * FROM c{i - 1})" for i in range(1, items))
            return f"WITH c0 AS (SELECT * FROM people){rest} SELECT count(*) FROM c{items - 1}"
        with self.pgveil.client() as client:
            self.assertEqual(client.query(chain(100)).texts(), [["11"]])
            since = self.postgres.log_position()
            for how in ("query", "extended"):
                error = getattr(client, how)(chain(2000)).errors[0]
                self.assertEqual(error["C"], "54001")
                self.assertIn("100 WITH items", error["M"])
            doubled = "".join(
                f", c{i} AS NOT MATERIALIZED (SELECT a.* FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 25)
            )
            reply = client.query(f"WITH c0 AS (SELECT * FROM people){doubled} SELECT count(*) FROM c24")
            self.assertEqual(reply.sqlstates(), ["54001"])
            self.assert_nothing_sent(since, "a chain")
            self.assert_alive(client)


if __name__ == "__main__":
    main()

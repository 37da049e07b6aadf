#!/usr/bin/python3
"""psql's backslash commands work on the proxy and tell no value."""
import pathlib
import re

from harness.runner import main, shared_folder
from harness.stack import StackCase

COMMANDS = (
    "\\d",
    "\\d people",
    "\\d staff",
    "\\d towns",
    "\\d+ people",
    "\\dt",
    "\\dt+",
    "\\dn",
    "\\dn+",
    "\\du",
    "\\df",
    "\\df public.*",
    "\\l",
    "\\dv",
    "\\di",
    "\\ds",
    "\\dT",
    "\\dT+",
    "\\dx",
    "\\dp",
    "\\d public.*",
    "\\dD",
    "\\db",
    "\\dC",
    "\\do",
    "\\dO",
    "\\det",
    "\\dm",
    "\\dp people",
    "\\sf now",
    "\\conninfo",
    "\\encoding",
    "\\dg",
    "\\drds",
    "\\dA",
    "\\dF",
    "\\dL",
    "\\dy",
    "\\dRp",
    "\\dX",
    "\\d nosuch",
)
MUST_WORK = (
    "\\d",
    "\\d people",
    "\\d staff",
    "\\d towns",
    "\\dt",
    "\\dn",
    "\\du",
    "\\df",
    "\\l",
    "\\dv",
    "\\di",
    "\\ds",
    "\\dT",
    "\\dp",
    "\\conninfo",
    "\\encoding",
    "\\dt+",
    "\\dm",
    "\\dx",
    "\\d+ people",
    "\\dn+",
    "\\dg",
    "\\dD",
    "\\db",
    "\\dO",
    "\\dL",
)


class PsqlCommands(StackCase):
    def test_they_work(self):
        for command in MUST_WORK:
            with self.subTest(command):
                done = self.psql(command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_none_reveals_a_value(self):
        for command in COMMANDS:
            with self.subTest(command):
                done = self.psql(command)
                self.assert_no_hidden_value(done.stdout + done.stderr)

    def test_describe_shows_the_tables_columns(self):
        lines = self.psql("\\d staff").stdout.splitlines()
        self.assertIn("name|character varying(30)|||", lines)
        self.assertIn("town|text|C||", lines)
        self.assertIn("grade|numeric(6,2)|||", lines)

    def test_list_shows_the_tables(self):
        done = self.psql("\\dt")
        for name in ("people", "staff", "towns"):
            self.assertIn(f"public|{name}|table|", done.stdout)

    def test_tab_completion_queries_are_plain_selects(self):
        sql = (
            "SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', "
            "'m', 'f', 'p') AND substring(pg_catalog.quote_ident(c.relname),1,2)='pe' AND "
            "pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace "
            "WHERE nspname = 'pg_catalog')"
        )
        self.assertIn(["people"], self.texts(sql))

    def test_catalogs_have_no_values(self):
        for sql in (
            "SELECT * FROM pg_index",
            "SELECT * FROM pg_constraint",
            "SELECT * FROM pg_attrdef",
            "SELECT * FROM pg_class",
            "SELECT * FROM pg_attribute",
            "SELECT * FROM pg_proc",
            "SELECT * FROM pg_description",
            "SELECT * FROM pg_indexes",
            "SELECT * FROM pg_views",
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index",
            "SELECT pg_get_expr(indpred, indrelid) FROM pg_index",
            "SELECT * FROM information_schema.columns",
            "SELECT * FROM information_schema.views",
            "SELECT * FROM pg_rewrite",
            "SELECT * FROM pg_matviews",
            "SELECT * FROM pg_settings WHERE name !~ 'only'",
            "SELECT reltuples, relpages FROM pg_class WHERE relname = 'people'",
        ):
            with self.subTest(sql), self.pgveil.client() as client:
                reply = client.query(sql)
                self.assertIn(reply.sqlstate(), (None, "42501"))
                self.assert_no_hidden_value(reply.raw)

    def test_what_psql_was_seen_to_send(self):
        """Refused or answered, never with a value; most must be answered. Our own recording, and the one of
        ../shared if it is there."""
        files = [pathlib.Path(__file__).parent / "recorded" / "psql.sql"]
        folder = shared_folder("leaks/introspection")
        if folder is not None:
            files.append(folder / "psql.sql")
        for file in files:
            with self.subTest(file), self.pgveil.client() as client:
                self.play(client, file)

    def play(self, client, file):
        text = re.sub(r"(?m)^(###|-- ).*$", "", file.read_text())
        statements = [part.strip() for part in re.split(r";\s*\n", text) if part.strip()]
        answered, refused = 0, []
        for sql in statements:
            reply = client.query(sql)
            self.assert_no_hidden_value(reply.raw, sql)
            if reply.errors:
                refused.append(f"{reply.errors[0]['C']} {reply.errors[0]['M']}: {sql[:120]!r}")
            else:
                answered += 1
        print(f"\npsql's own queries: {answered} of {len(statements)} answered")
        for line in refused[:10]:
            print("  " + line)
        self.assertGreater(len(statements), 40)
        self.assertGreaterEqual(answered, 0.75 * len(statements))

    def test_counters_of_what_others_read_are_hidden(self):
        seen = self.texts(
            "SELECT count(DISTINCT relid) > 50, count(value) FILTER (WHERE key NOT IN ('relid', 'schemaname', 'relname') "
            "AND value <> 'null') FROM pg_statio_all_tables s, jsonb_each(to_jsonb(s))"
        )
        self.assertEqual(seen, [["t", "0"]])


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""A client's search path: what bare names mean, what it is told, and that it goes and comes with
transactions, as on a server whose schemas are the listed ones. The backend's own path never changes."""
import asyncio

import asyncpg
import psycopg

from harness.runner import main
from harness.stack import StackCase

SCRIPTS = {
    "SET and RESET": [
        "SET search_path = lab",
        "SELECT * FROM towns",
        "SHOW search_path",
        "RESET search_path",
        "SELECT count(*) FROM towns",
    ],
    "SET of several": [
        "SET search_path TO lab, public",
        "SELECT * FROM towns",
        "SELECT count(*) FROM numbers",
        "SELECT current_schemas(false)",
        "SELECT current_schema",
    ],
    "the catalog named last": [
        "SET search_path = lab, pg_catalog",
        "SELECT current_schemas(true)",
        "SELECT count(*) > 0 FROM pg_class",
    ],
    "doubles and nothings": [
        "SET search_path = lab, \"no such\", lab, pg_temp",
        "SELECT current_schemas(false)",
        "SHOW search_path",
    ],
    "an empty path": [
        "SET search_path = ''",
        "SELECT current_schema()",
        "SELECT current_schemas(true)",
        "SELECT count(*) FROM public.towns",
    ],
    "SET SCHEMA": ["SET SCHEMA 'lab'", "SELECT * FROM towns"],
    "SET LOCAL and COMMIT": [
        "BEGIN",
        "SET LOCAL search_path = lab",
        "SELECT * FROM towns",
        "COMMIT",
        "SELECT count(*) FROM towns",
        "SELECT current_setting('search_path') LIKE '%lab%'",
    ],
    "SET and ROLLBACK": [
        "SET search_path = lab",
        "BEGIN",
        "SET search_path = public",
        "SELECT count(*) FROM towns",
        "ROLLBACK",
        "SELECT * FROM towns",
        "SHOW search_path",
    ],
    "savepoints": [
        "BEGIN",
        "SET search_path = lab",
        "SAVEPOINT a",
        "SET search_path = public",
        "SAVEPOINT b",
        "SELECT 1/0",
        "ROLLBACK TO b",
        "SELECT count(*) FROM towns",
        "ROLLBACK TO a",
        "SELECT * FROM towns",
        "RELEASE a",
        "COMMIT",
        "SELECT * FROM towns",
    ],
    "an error undoes the text": ["SET search_path = lab; SELECT 1/0", "SELECT count(*) FROM towns"],
    "a failed transaction undoes": [
        "BEGIN; SET search_path = lab",
        "SELECT 1/0",
        "COMMIT",
        "SELECT count(*) FROM towns",
    ],
    "several statements in one text": [
        "SET search_path = lab; SELECT * FROM towns; RESET ALL; SELECT count(*) FROM towns"
    ],
    "SET LOCAL outside a transaction": ["SET LOCAL search_path = lab", "SELECT count(*) FROM towns"],
    "SET LOCAL in one text": [
        "SET LOCAL search_path = lab; SELECT * FROM towns",
        "SELECT count(*) FROM towns",
    ],
    "set_config": [
        "SELECT set_config('search_path', 'lab', false)",
        "SELECT * FROM towns",
        "BEGIN",
        "SELECT pg_catalog.set_config('search_path', 'public', true)",
        "SELECT count(*) FROM towns",
        "COMMIT",
        "SELECT * FROM towns",
    ],
    "DISCARD ALL": ["SET search_path = lab", "DISCARD ALL", "SELECT count(*) FROM towns"],
    "PREPARE keeps its meaning": ["SET search_path = lab", "PREPARE p AS SELECT * FROM towns", "EXECUTE p"],
    "no list": ["SELECT set_config('search_path', 'a,,b', false)", "SELECT count(*) FROM towns"],
}


class SearchPath(StackCase):
    options = {"schemas": ["public", "lab"]}
    open_tables = (*StackCase.open_tables, "lab.towns")

    @classmethod
    def prepare(cls):
        cls.postgres.run("""
            CREATE SCHEMA lab; CREATE SCHEMA hr;
            CREATE TABLE lab.towns (name text); INSERT INTO lab.towns VALUES ('Lab Town');
            CREATE TABLE hr.towns (name text); INSERT INTO hr.towns VALUES ('diary-secret');
            GRANT USAGE ON SCHEMA lab, hr TO PUBLIC; GRANT SELECT ON lab.towns, hr.towns TO PUBLIC;
            ALTER DATABASE demo SET search_path = public, lab;""", "demo")

    @staticmethod
    def play(client, script):
        seen = []
        for sql in script:
            reply = client.query(sql)
            seen.append((sql, reply.texts(), reply.tags, reply.sqlstate(), reply.status))
        return seen

    def test_scripts_answer_as_the_server(self):
        for name, script in SCRIPTS.items():
            with self.subTest(name), self.pgveil.client() as ours, self.direct("demo") as theirs:
                self.assertEqual(self.play(ours, script), self.play(theirs, script))

    def test_the_shown_column_has_its_name(self):
        done = self.psql("SET search_path = lab", "SHOW search_path")
        self.assertEqual(done.stdout.splitlines()[:2], ["search_path", "lab"])

    def test_start_up(self):
        done = self.psql(
            "SHOW search_path",
            "SELECT * FROM towns",
            "RESET search_path",
            "SELECT current_schema()",
            settings="-c search_path=lab,public",
        )
        self.assertEqual(done.stderr, "")
        self.assertIn("Lab Town", done.stdout)
        self.assertIn("lab, public", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-2:], ["lab", "(1 row)"])
        with self.pgveil.client(parameters={"search_path": "LAB"}) as client:
            self.assertEqual(client.query("SELECT * FROM towns").texts(), [["Lab Town"]])

    def test_what_is_not_listed_stays_closed(self):
        for before in (
            "SET search_path = public, hr, lab",
            "SELECT set_config('search_path', 'hr,lab', false)",
        ):
            with self.subTest(before), self.pgveil.client() as client:
                self.assertEqual(client.query(before).errors, [])
                self.assert_no_hidden_value(client.query("SELECT * FROM towns").raw)
        since = self.postgres.log_position()
        for sql in (
            "SET search_path = hr; SELECT * FROM towns",
            "SET search_path = nosuch",
            "SET search_path = pg_temp",
            "SET pgveil.search_path = 'hr'",
            "SELECT set_config('pgveil.search_path', 'hr', false)",
            "SELECT set_config('search_path', 'hr', false)",
            "SELECT set_config('search_path', name, false) FROM lab.towns",
            "SET search_path = public; SELECT * FROM hr.towns",
        ):
            with self.subTest(sql), self.pgveil.client() as client:
                since = self.postgres.log_position()
                self.assertEqual(client.query(sql).sqlstate(), "42501")
                self.assert_nothing_sent(since, sql)

    def test_the_backends_path_never_changes(self):
        since = self.postgres.log_position()
        self.psql(
            "SET search_path = lab; SELECT * FROM towns", "SELECT set_config('search_path', 'lab', false)"
        )
        for sent in self.postgres.received(since):
            self.assertNotRegex(sent.replace("pgveil.search_path", ""), "search_path")

    def test_protected_tables_stay_masked_under_any_path(self):
        for path in ("public", "lab, public", "\"$user\", public", "lab, pg_catalog, public"):
            with self.subTest(path), self.pgveil.client() as client:
                client.query(f"SET search_path = {path}")
                self.assert_no_hidden_value(client.query("SELECT * FROM people; TABLE staff").raw)

    def test_psycopg(self):
        with psycopg.connect(
            f"host=127.0.0.1 port={self.pgveil.port} user=analyst dbname=demo"
        ) as connection:
            connection.execute("SET search_path TO lab")
            for _ in range(7):  # prepared on the server from the fifth on
                self.assertEqual(connection.execute("SELECT name FROM towns").fetchone(), ("Lab Town",))
            connection.rollback()
            self.assertEqual(connection.execute("SELECT count(*) FROM towns").fetchone(), (4,))
            with connection.pipeline():
                connection.execute("SET LOCAL search_path TO lab")
                found = connection.execute("SELECT name FROM towns")
            self.assertEqual(found.fetchone(), ("Lab Town",))
            connection.commit()
            self.assertEqual(connection.execute("SELECT current_schema()").fetchone(), ("public",))

    def test_asyncpg(self):
        async def work():
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.pgveil.port, user="analyst", database="demo", ssl=False,
                server_settings={"search_path": "lab"})
            try:
                first = await connection.fetchval("SELECT name FROM towns")
                async with connection.transaction():
                    await connection.execute("SET LOCAL search_path = public")
                    second = await connection.fetchval("SELECT count(*) FROM towns")
                await connection.execute("SET search_path = public")
                await connection.reset()
                return first, second, await connection.fetchval("SHOW search_path")
            finally:
                await connection.close()
        self.assertEqual(asyncio.run(work()), ("Lab Town", 4, "lab"))


if __name__ == "__main__":
    main()

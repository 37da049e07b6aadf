#!/usr/bin/python3
"""Bypass roles: the same bytes as from PostgreSQL itself, each statement on record, and nobody else ever gets
there."""
import json
import re
import struct

from harness import configuration, world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient

PASSWORDS = {
    "analyst": "analyst's pass",
    "dba": "dba's pass",
    "operator": "operator's pass",
    "dpo": "dpo's pass",
}
RAW_PASSWORD = "raw role secret"
BYPASS = "bypass_roles: [{role: dba, user: dba_raw, password_file: raw_password}]\naudit: {file: audit.log}\n"
FRESH = """
CREATE ROLE dba_raw LOGIN PASSWORD '%s';
CREATE ROLE reader NOLOGIN;
GRANT reader TO dba_raw;
ALTER ROLE dba_raw CREATEDB;
""" % RAW_PASSWORD


class BypassCase(ServerCase):
    policies = (world.PEOPLE,)
    more = BYPASS

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.postgres.run(FRESH)
        cls.postgres.run(
            "GRANT CREATE, USAGE ON SCHEMA public TO dba_raw; GRANT SELECT ON ALL TABLES IN SCHEMA public "
            "TO dba_raw",
            "demo",
        )
        hba = cls.postgres.directory / "data" / "pg_hba.conf"
        hba.write_text("host all dba_raw 127.0.0.1/32 scram-sha-256\n" + hba.read_text())
        cls.postgres.rows("SELECT pg_reload_conf()")
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                cls.policies,
                world.OPEN_TABLES,
                authentication="scram-sha-256",
                passwords=PASSWORDS,
                more=cls.more,
            )
        )
        configuration.write_secret(cls.pgveil.directory / "raw_password", RAW_PASSWORD + "\n")

    def setUp(self):
        # The end of the last complete line: another session's line may be half written.
        self.since = (self.pgveil.directory / "audit.log").read_bytes().rfind(b"\n") + 1

    def lines(self, *events):
        with open(self.pgveil.directory / "audit.log", "rb") as file:
            file.seek(self.since)
            found = [json.loads(line) for line in file.read().decode().split("\n")[:-1]]
        return [line for line in found if not events or line["event"] in events]


class Bypass(BypassCase):
    @classmethod
    def start(cls):
        super().start()
        cls.pgveil.start()
        with RawClient(cls.pgveil.port, "operator", "pgveil", password=PASSWORDS["operator"]) as console:
            cls.build_errors = console.query("BUILD POLICY people_k2").errors

    def client(self, user="dba", **parameters):
        client = RawClient(self.pgveil.port, user, "demo", parameters, password=PASSWORDS[user])
        self.addCleanup(client.close)
        return client

    def direct(self, **parameters):
        client = RawClient(self.postgres.port, "dba_raw", "demo", parameters, password=RAW_PASSWORD)
        self.addCleanup(client.close)
        return client

    def test_the_same_bytes_as_direct(self):
        near, far = self.client(), self.direct()
        for sql in (
            "SELECT * FROM people ORDER BY id",
            "SELECT current_user, session_user",
            "SELECT 1/0",
            "SELECT * FROM diary",
            "CREATE TEMPORARY TABLE t (a integer PRIMARY KEY)",
            "INSERT INTO t VALUES (1), (2); SELECT count(*) FROM t",
            "INSERT INTO t VALUES (1)",
            "DO $$ BEGIN RAISE NOTICE 'a notice'; END $$",
            "SET datestyle = 'German'; SELECT date '2024-02-29'",
            "COPY t TO STDOUT",
            "BEGIN; LOCK TABLE t",
            "ROLLBACK",
            "",
            "RESET ALL",
            "SELECT city FROM people WHERE city = 'Bellevue'; SELECT nothing",
            "SHOW jit",
            "SET ROLE reader",
            "SELECT current_user",
            "RESET ROLE",
            "EXPLAIN (COSTS OFF) SELECT * FROM people",
        ):
            expected, got = far.query(sql), near.query(sql)
            self.assertEqual(
                *(re.sub(rb"pg_temp_\d+", b"pg_temp_N", reply.raw) for reply in (got, expected)), sql
            )
        self.assertEqual({name: value for name, value in near.settings.items()}, far.settings)
        self.assertNotEqual(near.key, far.key)

    def test_notifications_come(self):
        near, far = self.client(), self.direct()
        self.assertEqual(near.query("LISTEN x").errors, [])
        self.assertEqual(far.query("NOTIFY x, 'hello'").errors, [])
        self.assertIn(b"hello", near.collect(until=b"A").raw)

    def test_extended_protocol_and_pipelines(self):
        replies = []
        for client in (self.client(), self.direct()):
            client.parse("SELECT id, city FROM people WHERE id > $1 ORDER BY id", statement="s", types=(23,))
            client.bind((b"3",), statement="s")
            client.describe()
            client.execute(max_rows=2)
            client.execute()
            client.parse("SELECT broken")
            client.bind(())
            client.execute()
            first = client.sync()
            client.bind((b"10",), statement="s")
            client.execute()
            replies.append((first.raw, client.sync().raw))
        self.assertEqual(replies[0], replies[1])
        # What the server dropped after its error has an answer of its own only if it was sent before that
        # came back.
        rows = [line["rows"] for line in self.lines("answer") if line.get("sqlstate") != "42703"]
        self.assertEqual(rows, [0, 6, 1])

    def test_copy_in_both_ways(self):
        client = self.client()
        client.query("CREATE TEMPORARY TABLE c (a integer, b text)")
        client.send(b"Q", b"COPY c FROM STDIN\0")
        self.assertEqual(client.collect(until=b"G").messages, "G")
        for number in range(1000):
            client.send(b"d", f"{number}\tvalue-{number}\n".encode())
        client.send(b"c")
        self.assertEqual(client.collect().tags, ["COPY 1000"])
        self.assertEqual(client.query("SELECT count(*), max(b) FROM c").texts(), [["1000", "value-999"]])
        client.send(b"Q", b"COPY c FROM STDIN\0")
        client.collect(until=b"G")
        client.send(b"f", b"changed my mind\0")
        self.assertEqual(client.collect().sqlstates(), ["57014"])
        self.assertEqual([(line["rows"], line.get("sqlstate")) for line in self.lines("answer")],
                         [(0, None), (1000, None), (1, None), (0, "57014")])
        self.assertNotIn("value-", (self.pgveil.directory / "audit.log").read_text())

    def test_cancel(self):
        client = self.client()
        client.send(b"Q", b"SELECT pg_sleep(60)\0")
        running = "SELECT 1 FROM pg_stat_activity WHERE usename = 'dba_raw' AND wait_event = 'PgSleep'"
        self.until(lambda: self.postgres.rows(running), "the statement does not run")
        with RawClient(self.pgveil.port) as other:
            other.send_bytes(struct.pack("!IIII", 16, 80877102, *client.key))
        self.assertEqual(client.collect().sqlstates(), ["57014"])

    def test_start_up_parameters_are_passed_on(self):
        client = self.client(options="-c geqo=off -c search_path=alt", application_name="mine")
        self.assertEqual(client.query("SHOW geqo").texts(), [["off"]])
        self.assertEqual(client.query("SHOW search_path").texts(), [["alt"]])
        self.assertEqual(client.settings["application_name"], "mine")
        broken = RawClient(self.pgveil.port)
        self.addCleanup(broken.close)
        reply = broken.log_in(
            {"user": "dba", "database": "demo", "options": "-c nonsense=1"}, PASSWORDS["dba"]
        )
        self.assertEqual(reply.sqlstates(), ["42704"])

    def test_each_statement_is_on_record(self):
        client = self.client()
        client.query("SELECT city FROM people WHERE city = 'Bellevue'")
        login, statement, answer = self.lines("login", "statement", "answer")
        self.assertEqual((login["role"], login["as"]), ("dba", "bypass"))
        self.assertEqual(
            (statement["verdict"], statement["sql"]), ("bypass", "SELECT city FROM people WHERE city = ?")
        )
        self.assertEqual((answer["request"], answer["rows"]), (statement["request"], 1))

    def test_others_stay_masked(self):
        for user in ("analyst", "dpo"):
            client = self.client(user)
            for sql in (
                "SET ROLE dba_raw",
                "SET SESSION AUTHORIZATION dba_raw",
                "SET LOCAL ROLE dba_raw",
                "SET ROLE dba",
                "SELECT set_config('role', 'dba_raw', false)",
                "RESET SESSION AUTHORIZATION; SET ROLE dba_raw",
            ):
                self.assertEqual(client.query(sql).sqlstates(), ["42501"], sql)
            self.assertEqual(client.query("SELECT current_user").texts(), [[user]])
            for parameters in (
                {"role": "dba_raw"},
                {"session_authorization": "dba_raw"},
                {"options": "-c role=dba_raw"},
                {"options": "-c session_authorization=dba_raw"},
                {"replication": "database"},
            ):
                other = RawClient(self.pgveil.port)
                self.addCleanup(other.close)
                reply = other.log_in({"user": user, "database": "demo", **parameters}, PASSWORDS[user])
                self.assertEqual(reply.sqlstates(), ["42501"], parameters)
        wrong = RawClient(self.pgveil.port)
        self.addCleanup(wrong.close)
        self.assertEqual(
            wrong.log_in({"user": "dba", "database": "demo"}, PASSWORDS["analyst"]).sqlstates(), ["28P01"]
        )
        masked = self.client("analyst")
        self.assertEqual(masked.query("SELECT city FROM people WHERE id IS NOT NULL").rows, [])

    def test_a_vanished_client_leaves_nothing(self):
        client = self.client()
        client.query("BEGIN; CREATE TABLE half_done (a integer)")
        client.socket.close()
        for _ in range(200):
            if not self.postgres.rows("SELECT 1 FROM pg_stat_activity WHERE usename = 'dba_raw'"):
                break
        self.assertEqual(self.postgres.rows("SELECT 1 FROM pg_class WHERE relname = 'half_done'", "demo"), [])


class StartUp(BypassCase):
    """What keeps pgveil from starting."""

    def setUp(self):
        self.text = self.pgveil.config_path.read_text()
        self.addCleanup(self.pgveil.config_path.write_text, self.text)

    def refusal(self, old, new):
        self.assertIn(old, self.text)
        self.pgveil.config_path.write_text(self.text.replace(old, new))
        done = self.pgveil.command("serve", "--config", str(self.pgveil.config_path))
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_configurations_that_are_refused(self):
        for old, new, what in (
            ("method: scram-sha-256", "method: trust", "trust, because anybody could log in as one"),
            ("audit: {file: audit.log}", "", "requires audit.file"),
            ("user: dba_raw", "user: pgveil_query", "one of pgveil's own roles"),
            ("user: dba_raw", "user: pgveil_admin", "one of pgveil's own roles"),
            ("role: dba,", "role: analyst,", "is a reader of policy people_k2"),
            ("role: dba,", "role: dpo,", "is a reader of policy people_k2, or exempt"),
            ("user: dba_raw", "user: nobody", "can't be used in database demo"),
            (
                "password_file: raw_password",
                "password_file: query_password",
                "can't be used in database demo",
            ),
            # Another role has the right password of the same user.
            (
                "raw_password}]",
                "raw_password}, {role: dba2, user: dba_raw, password_file: query_password}]",
                "can't be used in database demo",
            ),
            ("password_file: raw_password", "password_env: PGVEIL_NOT_SET", "PGVEIL_NOT_SET"),
            ("password_file: raw_password", "databases: [demo]", "one of password_env and password_file"),
            ("raw_password}]", "raw_password, databases: [other]}]", "database \"other\" is not listed"),
            ("role: dba,", "role: dba, rights: all,", "rights"),
        ):
            self.assertIn(what, self.refusal(old, new), new)

    def test_check_says_the_same(self):
        self.pgveil.config_path.write_text(self.text.replace("role: dba,", "role: analyst,"))
        done = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is a reader of policy people_k2", done.stdout + done.stderr)

    def test_a_password_file_that_others_may_read(self):
        path = self.pgveil.directory / "raw_password"
        path.chmod(0o644)
        self.addCleanup(path.chmod, 0o600)
        self.assertIn("chmod 600", self.refusal("audit.log", "audit.log"))


if __name__ == "__main__":
    main()

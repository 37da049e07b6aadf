#!/usr/bin/python3
"""pgveil while it can't read a database: what it says of its health, that RELOAD applies the rest, and that it
ends although a server hangs."""
import contextlib
import http.client
import os
import re
import signal
import time

from harness import world
from harness.pgveil import Pgveil
from harness.ports import free_port
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient

PASSWORDS = {"analyst": "one", "bob": "two", "operator": "three"}


class Unreachable(ServerCase):
    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)

    def setUp(self):
        self.http_port = free_port()
        self.postgres.create_database("demo")
        self.postgres.create_database("shop")
        self.addCleanup(self.drop, "demo")
        self.addCleanup(self.drop, "shop")
        self.postgres.run(world.SCHEMA + world.ROWS, "demo")
        self.pgveil = Pgveil(
            self.postgres, (world.PEOPLE,), database="demo, shop", authentication="scram-sha-256",
            passwords=PASSWORDS, catalog_check_every="1s", limits="drain_timeout: 1s",
            more=f"metrics: {{host: 127.0.0.1, port: {self.http_port}}}\n")
        self.pgveil.policy_path.write_text(
            self.pgveil.policy_path.read_text().replace("database: demo, shop", "database: demo"))
        self.addCleanup(self.pgveil.stop)

    def drop(self, database):
        self.postgres.run(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def client(self, user, database="demo"):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.socket.close)
        reply = client.log_in({"user": user, "database": database}, PASSWORDS[user])
        return client, reply

    def console(self, command):
        client, reply = self.client("operator", "pgveil")
        self.assertEqual(reply.errors, [])
        return client.query(command)

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=60)
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def wait_for(self, what, is_it):
        for _ in range(600):
            if is_it():
                return
            time.sleep(0.1)
        self.fail(f"{what}\n{self.pgveil.log()[-3000:]}")

    def usable(self):
        table = self.console("SHOW DATABASES")
        at = [column.name for column in table.columns].index("disabled")
        return {row[0]: row[at] == "0" for row in table.texts()}

    def test_health_follows_the_server(self):
        self.pgveil.start()
        self.wait_for("not ready at first", lambda: self.get("/readyz")[0] == 200)
        self.postgres.kill()
        try:
            self.wait_for("ready without a server", lambda: self.get("/readyz")[0] == 503)
            # The first one can be of a connection that was open when the server went.
            words = re.compile(r"database (demo|shop) can't be used: connecting to ")
            self.wait_for("another reason", lambda: words.match(self.get("/readyz")[1]))
            # It looks at one database after the other.
            self.wait_for("demo is usable without a server",
                          lambda: 'pgveil_database_usable{database="demo"} 0' in self.get("/metrics")[1])
            self.wait_for("both are not told to be closed",
                          lambda: {self.usable()[name] for name in ("demo", "shop")} == {False})
        finally:
            self.postgres.start()
        self.wait_for("not ready again", lambda: self.get("/readyz") == (200, "ready\n"))
        self.assertIn('pgveil_database_usable{database="demo"} 1', self.get("/metrics")[1])
        self.assertEqual(set(self.usable().values()), {True})

    def test_a_database_that_is_gone_does_not_keep_a_removed_user_in(self):
        self.pgveil.start()
        self.assertEqual(self.client("bob")[1].errors, [])
        self.drop("shop")
        users = self.pgveil.directory / "users.txt"
        kept = [line for line in users.read_text().splitlines(True) if not line.startswith('"bob"')]
        users.write_text("".join(kept))
        steps = {row[0]: row[1:] for row in self.console("RELOAD").texts()}
        self.assertEqual(steps["users"][0], "ok")
        failed = [item for item, (state, _) in steps.items() if state != "ok"]
        self.assertEqual(len(failed), 1, steps)
        self.assertIn("shop", failed[0])
        self.assertEqual(steps[failed[0]][0], "later")
        self.assertIn("operator: done", self.pgveil.log())
        self.assertIn("closed until it can be read", steps[failed[0]][1])
        self.assertEqual(self.client("bob")[1].sqlstate(), "28P01")
        analyst, reply = self.client("analyst")
        self.assertEqual(reply.errors, [])
        self.assertEqual(analyst.query("SELECT 1").texts(), [["1"]])
        self.assertEqual(self.usable()["shop"], False)
        self.postgres.create_database("shop")
        self.wait_for("shop stays closed", lambda: self.usable()["shop"])
        self.assertEqual(self.client("analyst", "shop")[1].errors, [])

    def test_it_starts_with_the_databases_that_are_there(self):
        self.drop("shop")
        self.pgveil.start()
        self.assertIn("closed until it can be read", self.pgveil.log())
        self.assertEqual(self.client("analyst")[1].errors, [])
        self.assertEqual(self.get("/readyz")[0], 503)
        self.postgres.create_database("shop")
        self.wait_for("shop stays closed", lambda: self.get("/readyz")[0] == 200)

    def test_a_reload_that_failed_is_not_said_to_be_done(self):
        self.pgveil.start()
        (self.pgveil.directory / "users.txt").write_text("no user\n")
        os.kill(self.pgveil.pid, signal.SIGHUP)
        self.wait_for("no reload", lambda: "failed, and nothing was changed" in self.pgveil.log())
        self.assertNotIn("[reload] done", self.pgveil.log())
        self.assertEqual(self.client("bob")[1].errors, [])

    def test_it_ends_although_a_server_hangs(self):
        self.pgveil.start()
        with RawClient(self.postgres.port, "postgres", "demo") as owner:
            owner.query("BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
            builder, reply = self.client("operator", "pgveil")
            builder.send(b"Q", b"BUILD POLICY people_k2\0")
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename LIKE 'pgveil%'"
            self.wait_for("no build", lambda: self.postgres.rows(waiting) != [["0"]])
            pids = [int(row[0]) for row in self.postgres.rows(
                "SELECT pid FROM pg_stat_activity WHERE usename LIKE 'pgveil%'")]
            pids.append(self.postgres.pid)
            for pid in pids:
                self.tell(pid, signal.SIGSTOP)
            try:
                os.kill(self.pgveil.pid, signal.SIGTERM)
                self.wait_for("it does not end", lambda: not self.pgveil.is_running())
            finally:
                for pid in pids:
                    self.tell(pid, signal.SIGCONT)

    @staticmethod
    def tell(pid, what):
        """Those of the watch come and go."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)


if __name__ == "__main__":
    main()

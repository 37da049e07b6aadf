#!/usr/bin/python3
"""The backend is down, or dies in mid-query: the client gets a proper error, never a hang."""
import os
import pathlib
import signal

from harness import world
from harness.pgveil import Pgveil
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)
LOST = ("57P01", "57P02", "57P03", "08006", "08001", "08003")


class BackendLoss(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def start_long_query(self, sql=CROSS_JOIN):
        """A client in mid-query, and the pid of its backend."""
        client = self.pgveil.client()
        self.addCleanup(client.socket.close)
        client.send(b"Q", sql.encode() + b"\0")
        return client, self.wait_for_running_query()

    def assert_lost(self, reply):
        self.assertTrue(reply.is_closed)
        self.assertEqual(len(reply.errors), 1, reply.errors)
        self.assertIn(reply.sqlstate(), LOST)
        self.assertEqual(reply.errors[0]["S"], "FATAL")
        self.assertNotIn("Z", reply.messages)

    def assert_recovers(self):
        self.until(self.is_let_in, "pgveil did not recover")

    def is_let_in(self):
        with RawClient(self.pgveil.port) as client:
            if client.log_in({"user": "analyst", "database": "demo"}).errors:
                return False
            self.assert_alive(client)
        return True

    def test_terminated_in_mid_query(self):
        client, pid = self.start_long_query()
        self.postgres.rows(f"SELECT pg_terminate_backend({pid})")
        reply = client.collect()
        self.assert_lost(reply)
        self.assertEqual(reply.sqlstate(), "57P01")

    def test_a_machine_that_is_gone_is_noticed_in_minutes(self):
        """The kernel says when it sends the next probe of keep-alive, in hundredths of a second."""
        lock = RawClient(self.postgres.port, "postgres", "demo")
        self.addCleanup(lock.close)
        self.assertEqual(lock.query("BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE").errors, [])
        build = self.pgveil.client("operator", "pgveil")
        self.addCleanup(build.socket.close)
        build.send(b"Q", b"BUILD POLICY people_k2\0")
        with self.pgveil.client():
            waits = ("SELECT count(*) FROM pg_stat_activity "
                     "WHERE usename = 'pgveil_admin' AND wait_event_type = 'Lock'")
            self.until(lambda: self.postgres.rows(waits) != [["0"]], "the build does not wait for the lock")
            self.until(lambda: len(self.probes()) >= 2 and max(self.probes()) <= 6000, str(self.probes()))
        lock.query("ROLLBACK")
        build.collect()

    def probes(self):
        """Of pgveil's connections to PostgreSQL: when the next probe is due, in hundredths of a second."""
        own = set()
        for file in pathlib.Path(f"/proc/{self.pgveil.pid}/fd").iterdir():
            try:
                own.add(os.readlink(file))
            except FileNotFoundError:  # just closed
                pass
        found = []
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            is_to_server = int(fields[2].split(":")[1], 16) == self.postgres.port
            if is_to_server and f"socket:[{fields[9]}]" in own:
                active, when = fields[5].split(":")
                found.append(int(when, 16) if active == "02" else 10**6)
        return found

    def test_terminated_while_idle(self):
        with self.pgveil.client() as client:
            self.postgres.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pgveil_query'"
            )
            reply = client.collect()
            self.assert_lost(reply)

    def test_terminated_in_the_middle_of_rows(self):
        with self.pgveil.client() as client:
            client.send(
                b"Q",
                b"SELECT repeat('x', 1000) FROM people a, people b, people c, people d, people e, people f\0",
            )
            client.read_bytes(100_000)
            self.postgres.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pgveil_query'"
            )
            tail = b""
            try:
                while True:
                    tail = (tail + client.read_bytes(1))[-600:]
                    tail += client.buffer
                    client.buffer.clear()
            except Exception as error:  # noqa: BLE001
                self.assertEqual(type(error).__name__, "Closed")
            self.assertTrue(b"57P01" in tail[-600:] or b"08006" in tail[-600:], tail[-300:])

    def test_killed_in_mid_query(self):
        client, pid = self.start_long_query()
        os.kill(pid, signal.SIGKILL)
        self.assert_lost(client.collect())
        self.assert_recovers()

    def test_the_server_is_down(self):
        client, _ = self.start_long_query()
        idle = self.pgveil.client()
        self.postgres.kill()
        try:
            self.assert_lost(client.collect())
            self.assert_lost(idle.collect())
            with RawClient(self.pgveil.port) as late:
                reply = late.log_in({"user": "analyst", "database": "demo"})
                self.assertEqual((reply.sqlstates(), reply.errors[0]["S"]), (["08006"], "FATAL"))
            done = psql(self.pgveil.port, "demo", "analyst", "SELECT 1")
            self.assertEqual(done.returncode, 2)
            error = self.pgveil.console("BUILD POLICY people_k2").errors[0]
            self.assertEqual(error["C"][:2], "08")
            self.assertEqual(self.pgveil.console("SHOW VERSION").errors, [])
        finally:
            idle.close()
            self.postgres.start()
        self.assert_recovers()

    def test_sigterm_tells_the_clients(self):
        other = Pgveil(self.postgres, self.policies, self.open_tables, limits="drain_timeout: 0ms").start()
        client = other.client()
        os.kill(other.pid, signal.SIGTERM)
        reply = client.collect()
        self.assertEqual((reply.sqlstates(), reply.is_closed), (["57P01"], True))
        client.close()
        other.stop()


if __name__ == "__main__":
    main()

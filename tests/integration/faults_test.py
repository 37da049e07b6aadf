#!/usr/bin/python3
"""What a bad network, bad peers and a full process do: one session suffers, the others do not notice, and
when it is over all is well again. The figures that these tests print are in docs/reliability.md."""
import os
import re
import resource
import socket
import struct
import unittest
import unittest.mock

from harness import world
from harness.forwarder import Forwarder
from harness.pgveil import Pgveil, binary
from harness.runner import REPOSITORY, main
from harness.stack import StackCase
from harness.wire import RawClient, startup_packet

LOST = ("57P01", "57P02", "57P03", "08006", "08001", "08003")
LONG = "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
BURST = 2000 if os.environ.get("PGVEIL_LONG") == "1" else 600


def memory_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def first_free(pid):
    """The number that the next descriptor would get."""
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    return min(set(range(len(used) + 1)) - used)


class Faults(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {"limits": f"login_timeout: 12s, max_clients: {BURST + 50}, login_clients: {BURST + 50}"}

    def assert_well(self):
        """A new client gets the right answer."""
        with self.pgveil.client() as client:
            self.assert_alive(client)

    def clients_in(self):
        return len(self.pgveil.console("SHOW CLIENTS").rows) - 1  # but for the one who asks


class BadBackend(Faults):
    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            cls.way = super().kept(Forwarder(cls.postgres.port))
            text = each.config_path.read_text()
            each.config_path.write_text(
                re.sub(r"(backend:\n  host: 127.0.0.1\n  port: )\d+", rf"\g<1>{cls.way.port}", text)
            )
        return super().kept(each)

    def tearDown(self):
        self.way.mode = "pass"
        self.assert_well()

    def assert_lost(self, reply):
        self.assertTrue(reply.is_closed)
        self.assertIn(reply.sqlstate(), LOST)
        self.assertNotIn("Z", reply.messages)

    def test_reset_in_each_phase(self):
        def idle(client):
            pass

        def running(client):
            client.send(b"Q", LONG.encode() + b"\0")
            self.wait_for_running_query()

        def in_transaction(client):
            client.query("BEGIN; SELECT count(*) FROM people")

        def in_failed_transaction(client):
            client.query("BEGIN; SELECT 1/0")

        def portal_open(client):
            client.query("BEGIN")
            client.parse("SELECT city FROM people")
            client.bind()
            client.execute(max_rows=2)
            client.sync()

        def parsed_and_not_synced(client):
            client.parse("SELECT city FROM people")
            client.send(b"H")
            client.collect(until=b"1")

        def in_rows(client):
            client.send(
                b"Q",
                b"SELECT repeat('x', 1000) FROM people a, people b, people c, people d, people e, people f\0",
            )
            client.read_bytes(10_000)

        def in_copy(client):
            client.send(
                b"Q",
                b"COPY (SELECT repeat('x', 1000) FROM people a, people b, people c, people d, people e, people f) "
                b"TO STDOUT\0",
            )
            client.read_bytes(10_000)

        for phase in (
            idle,
            running,
            in_transaction,
            in_failed_transaction,
            portal_open,
            parsed_and_not_synced,
            in_rows,
            in_copy,
        ):
            with self.subTest(phase.__name__):
                client = self.pgveil.client()
                self.addCleanup(client.socket.close)
                phase(client)
                self.way.mode = "reset"
                if phase in (in_rows, in_copy):  # rows that were on the way come first
                    last = self.rest_of(client)
                    self.assertTrue(any(state.encode() in last for state in LOST), last[-200:])
                else:
                    self.assert_lost(client.collect())
                self.way.mode = "pass"
                self.assert_well()

    @staticmethod
    def rest_of(client):
        """The end of all that still comes."""
        last, more = client.buffer, b" "
        while more:
            try:
                more = client.socket.recv(1 << 20)
            except OSError:
                more = b""
            last = (last + more)[-2000:]
        return last

    def test_reset_during_the_login(self):
        self.way.mode = "reset"
        with RawClient(self.pgveil.port) as client:
            reply = client.log_in({"user": "analyst", "database": "demo"})
            self.assertIn(reply.sqlstate(), LOST)
            self.assertTrue(client.collect().is_closed)

    def test_a_server_that_takes_connections_and_says_nothing(self):
        self.way.mode = "mute"
        with RawClient(self.pgveil.port) as client:
            reply = client.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(
            (reply.sqlstates(), reply.is_closed or reply.errors[0]["S"] == "FATAL"), (["08006"], True)
        )

    def test_a_half_open_connection_holds_nobody_else_and_ends_with_its_client(self):
        stuck = self.pgveil.client()
        self.way.mode = "stall"
        stuck.send(b"Q", b"SELECT count(*) FROM people\0")
        self.assertEqual(self.pgveil.console("SHOW VERSION").errors, [])
        self.assertGreaterEqual(self.clients_in(), 1)
        stuck.socket.close()
        self.until(lambda: self.clients_in() == 0, "the session of a client that went did not end")


class BadClients(Faults):
    def test_a_slow_reader_does_not_grow_the_proxy(self):
        rows = 11 ** 6
        with self.pgveil.client() as other, self.pgveil.client() as slow:
            before = memory_kb(self.pgveil.pid)
            slow.send(
                b"Q",
                b"SELECT repeat('x', 200) FROM people a, people b, people c, people d, people e, people f\0",
            )
            most, received = 0, 0
            for number in range(400):  # a little at a time, and then what is left at once
                received += len(slow.socket.recv(1 << 14))
                most = max(most, memory_kb(self.pgveil.pid))
                if number % 50 == 0:
                    self.assert_alive(other)
            grown = most - before
            print(f"slow reader: {rows} rows of 200 bytes, proxy grew by {grown} KB")
            self.assertLess(grown, 64 << 10)

    def test_stalled_peers_are_ended_and_hold_nobody(self):
        """Half a packet, half a message, nothing at all."""
        stalled = []
        for data in (
            b"",
            b"\0\0",
            startup_packet({"user": "analyst", "database": "demo"})[:-3],
            struct.pack("!I", 9000),
        ):
            peer = RawClient(self.pgveil.port)
            self.addCleanup(peer.socket.close)
            peer.send_bytes(data)
            stalled.append(peer)
        self.assert_well()
        for peer in stalled:
            self.assertEqual(peer.socket.recv(1), b"", "login_timeout did not end it")
        half = self.pgveil.client()
        half.send_bytes(b"Q\0\0\0\x20SELECT")
        self.assert_well()
        half.socket.close()
        self.until(lambda: self.clients_in() == 0, "half a message kept a session")

    def test_clients_that_reset_leave_nothing(self):
        for number in range(60):
            client = self.pgveil.client()
            if number % 3 == 1:
                client.query("BEGIN; SELECT count(*) FROM people")
            elif (
                number == 5
            ):  # while it runs: a cancel that comes before its query is of no effect, by protocol
                client.send(b"Q", LONG.encode() + b"\0")
                self.wait_for_running_query()
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.socket.close()
        self.until(lambda: self.clients_in() == 0, "sessions of clients that went are left")
        self.until(
            lambda: not self.postgres.rows(
                "SELECT 1 FROM pg_stat_activity WHERE usename = 'pgveil_query' AND state = 'active'"
            ),
            "queries go on",
        )

    def test_a_burst_of_connects(self):
        """More than PostgreSQL has room for: each gets in or hears why not, and those before go on."""
        before = descriptors(self.pgveil.pid)
        with self.pgveil.client() as other:
            peers = []
            for _ in range(BURST):
                peer = socket.socket()
                peer.setblocking(False)
                peer.connect_ex(("127.0.0.1", self.pgveil.port))
                peers.append(peer)
            self.assert_alive(other)
            outcomes = {}
            packet = startup_packet({"user": "analyst", "database": "demo"})
            for peer in peers:
                peer.setblocking(True)
                peer.settimeout(60)
                try:
                    peer.sendall(packet)
                except OSError:
                    pass
            for peer in peers:
                outcome = self.outcome_of(peer)
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
            self.assert_alive(other)
            for peer in peers:
                peer.close()
        print(f"burst: {BURST} connects at once: {outcomes}")
        self.assertLessEqual(set(outcomes), {"in", "53300", "08006", "57014"})
        self.assertGreater(outcomes.get("in", 0), 0)
        self.assertEqual(sum(outcomes.values()), BURST)
        self.until(lambda: self.clients_in() == 0, "sessions are left")
        self.until(lambda: descriptors(self.pgveil.pid) <= before + 2, "descriptors are left")
        self.assert_well()

    @staticmethod
    def outcome_of(peer):
        data = b""
        while True:
            if b"Z\0\0\0\5I" in data:
                return "in"
            if found := re.search(rb"\0C([0-9A-Z]{5})\0", data):
                return found[1].decode()
            try:
                more = peer.recv(4096)
            except OSError as error:
                return type(error).__name__
            if not more:
                return "closed"
            data += more


class FullProcess(Faults):
    """Of a build without sanitizers: those look at memory through a pipe, and where no descriptor is left for
    it they take any object for a wild one."""

    @classmethod
    def start(cls):
        plain = [path for path in (binary(), REPOSITORY / "build" / "release" / "cli" / "pgveil")
                 if path.is_file() and b"__asan_init" not in path.read_bytes()]
        if not plain:
            raise unittest.SkipTest("no build without sanitizers beside this one (./run build)")
        with unittest.mock.patch.dict(os.environ, PGVEIL_BIN=str(plain[0])):
            super().start()

    def setUp(self):
        self.usual = resource.prlimit(self.pgveil.pid, resource.RLIMIT_NOFILE)

    def tearDown(self):
        self.allow()
        self.assert_well()

    def allow(self, count=None):
        """So many descriptors; without a number as many as before."""
        soft, hard = self.usual
        resource.prlimit(self.pgveil.pid, resource.RLIMIT_NOFILE, (soft if count is None else count, hard))

    def test_no_descriptors_left(self):
        with self.pgveil.client() as other:
            self.allow(first_free(self.pgveil.pid))
            late = [socket.create_connection(("127.0.0.1", self.pgveil.port), 60) for _ in range(20)]
            self.until(lambda: "can't accept clients" in self.pgveil.log(), "the log says nothing of it")
            for _ in range(5):
                self.assert_alive(other)
            self.assertTrue(self.pgveil.is_running())
            for each in late:
                each.close()
            self.allow()
            self.assert_well()
        said = self.pgveil.log().count("can't accept clients")
        print(f"descriptors: the log says {said} times that there are none")

    def test_room_for_a_client_and_none_for_its_backend(self):
        with RawClient(self.pgveil.port) as client:
            client.send_bytes(struct.pack("!II", 8, 80877103))
            self.assertEqual(client.read_bytes(1), b"N")  # it is in: its descriptor is taken
            self.allow(first_free(self.pgveil.pid))
            reply = client.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(reply.sqlstates(), ["08006"])


if __name__ == "__main__":
    main()

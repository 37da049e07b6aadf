#!/usr/bin/python3
"""Direct TLS to PostgreSQL, and what the handshake says: the protocol (ALPN), the server's name (SNI). Servers
of before 17 have no direct TLS, so a front that has it stands before them, too."""
import signal
import socket
import ssl
import tempfile
import threading

from harness import libpq, world
from harness.certificates import Authority
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient, cancel_packet

LIBPQ_17 = 170000
CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)


class Front:
    """Ends TLS before a server, whichever way it begins. seen: of each connection, how it began, ALPN, SNI
    and version."""

    def __init__(self, port, own, protocols=("postgresql",)):
        self._target = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(own.certificate, own.key)
        if protocols:
            self._context.set_alpn_protocols(list(protocols))
        self._context.sni_callback = self._note_name
        self._names = {}
        self.seen = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.close()

    def _note_name(self, connection, name, _context):
        self._names[connection] = name

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            kind = "direct" if client.recv(1, socket.MSG_PEEK) == b"\x16" else "asked"
            if kind == "asked":
                client.recv(8, socket.MSG_WAITALL)
                client.sendall(b"S")
            secured = self._context.wrap_socket(client, server_side=True)
        except OSError:
            self.seen.append(("failed", None, None, None))
            return
        name = self._names.get(secured)
        self.seen.append((kind, secured.selected_alpn_protocol(), name, secured.version()))
        server = socket.create_connection(("127.0.0.1", self._target))
        threading.Thread(target=self._carry, args=(server, secured), daemon=True).start()
        self._carry(secured, server)

    @staticmethod
    def _carry(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class DirectBackend(StackCase):
    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-direct-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name)
        cls.own = cls.authority.issue("localhost")
        world.create(cls.postgres)

    def front(self, **more):
        made = Front(self.postgres.port, self.own, **more)
        self.addCleanup(made.stop)
        return made

    def stack(self, front, negotiation, host="localhost"):
        made = Pgveil(front, (world.PEOPLE,), world.OPEN_TABLES,
                      more=f"tls: {{backend: {{mode: verify-full, ca_file: {self.authority.certificate}, "
                           f"negotiation: {negotiation}}}}}\n")
        self.addCleanup(made.stop)
        text = made.config_path.read_text()
        made.config_path.write_text(text.replace("backend:\n  host: 127.0.0.1", f"backend:\n  host: {host}"))
        return made

    def of_a_session(self, negotiation, host="localhost"):
        """How the connections of a client's session and of its cancel request began."""
        front = self.front()
        pgveil = self.stack(front, negotiation, host).start()
        pgveil.build("people_k2")
        since = len(front.seen)
        with pgveil.client() as client:
            self.assert_alive(client)
            client.send(b"Q", CROSS_JOIN.encode() + b"\0")
            self.wait_for_running_query()
            with RawClient(pgveil.port) as other:
                other.send_bytes(cancel_packet(client.pid, client.secret))
                self.assertTrue(other.collect().is_closed)
            self.assertEqual(client.collect().sqlstates(), ["57014"])
            self.assert_alive(client)
        return front.seen[:since], front.seen[since:]

    def test_direct(self):
        """pgveil's sessions begin with TLS. Its libpq does so from 17 on."""
        before, session = self.of_a_session("direct")
        self.assertEqual(session, [("direct", "postgresql", "localhost", "TLSv1.3")] * 2)
        kind = "direct" if libpq.version(libpq.SYSTEM) >= LIBPQ_17 else "asked"
        self.assertEqual({seen[0] for seen in before}, {kind})

    def test_asked_for(self):
        _, session = self.of_a_session("postgres")
        self.assertEqual(session, [("asked", "postgresql", "localhost", "TLSv1.3")] * 2)

    def test_an_address_is_no_name(self):
        _, session = self.of_a_session("direct", "127.0.0.1")
        self.assertEqual(session, [("direct", "postgresql", None, "TLSv1.3")] * 2)

    def test_a_server_that_speaks_something_else(self):
        """It is left before it is told anything."""
        for protocols in ((), ("http/1.1",)):
            front = self.front()
            pgveil = self.stack(front, "direct").start()
            other = self.front(protocols=protocols)
            front._context = other._context
            since = self.postgres.log_position()
            with pgveil.client() as client:
                self.assertEqual(client.login.sqlstates(), ["08006"], protocols)
            self.assertNotIn("pgveil_query@", self.postgres.log(since))
            self.until(lambda: "TLS" in pgveil.log(), "it is not in the log")
            pgveil.stop()

    def test_a_server_of_17_and_newer(self):
        version = int(self.postgres.rows("SHOW server_version_num")[0][0])
        if version < LIBPQ_17:
            self.skipTest(f"direct TLS of the server: it is a {version // 10000}")
        with open(self.postgres.directory / "data" / "postgresql.conf", "a") as conf:
            conf.write(f"ssl = on\nssl_cert_file = '{self.own.certificate}'\nssl_key_file = '{self.own.key}'\n")
        self.postgres.kill(signal.SIGINT)
        self.postgres.start()
        pgveil = self.stack(self.postgres, "direct").start()
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT 1").texts(), [["1"]])
            rows = self.postgres.rows("SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                      "WHERE usename = 'pgveil_query'")
            self.assertEqual(rows, [["t"]])


if __name__ == "__main__":
    main()

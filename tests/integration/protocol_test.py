#!/usr/bin/python3
"""Versions of the protocol with clients: 3.0, 3.2, and what is said to those who ask for something else;
cancel keys of either length; libpq of 15 and of 18; direct TLS."""
import pathlib
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

from harness import libpq, world
from harness.certificates import Authority
from harness.runner import main
from harness.stack import StackCase
from harness.wire import (CANCEL_REQUEST, Closed, PROTOCOL_3_0, PROTOCOL_3_2, RawClient, SSL_REQUEST,
                          cancel_packet)

ANALYST = {"user": "analyst", "database": "demo"}
COUNT = "SELECT count(*) FROM people"
CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)
GREASE = 3 << 16 | 9999
NO_LIBPQ = "PGVEIL_POSTGRES_BIN_18 names no folder beside a libpq of 18"


class ProtocolCase(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def raw(self):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        return client

    def attempt(self, version, database="demo", user="analyst", **options):
        client = self.raw()
        return client, client.log_in({"user": user, "database": database, **options}, version=version)

    def assert_cancels(self, client, *wrong, send=None):
        """Requests with these keys do nothing, and the client's own key ends its query."""
        def request(pid, secret):
            other = send() if send else self.raw()
            other.send_bytes(cancel_packet(pid, secret))
            self.assertEqual(other.collect().messages, "")
        client.send(b"Q", CROSS_JOIN.encode() + b"\0")
        pid = self.wait_for_running_query()
        for key in wrong:
            request(*key)
        time.sleep(0.3)
        self.assertEqual(self.wait_for_running_query(), pid)
        request(client.pid, client.secret)
        self.assertEqual(client.collect().sqlstates(), ["57014"])
        self.assert_alive(client)


class Versions(ProtocolCase):
    def test_what_is_asked_for_and_what_is_told(self):
        for version, options, told, secret_bytes in (
            (PROTOCOL_3_0, {}, None, 4),
            (PROTOCOL_3_2, {}, None, 32),
            (3 << 16 | 1, {}, (PROTOCOL_3_0, []), 4),  # there is no 3.1
            (3 << 16 | 3, {}, (PROTOCOL_3_2, []), 32),
            (GREASE, {}, (PROTOCOL_3_2, []), 32),
            (GREASE, {"_pq_.test_protocol_negotiation": ""},
             (PROTOCOL_3_2, ["_pq_.test_protocol_negotiation"]), 32),
            (PROTOCOL_3_0, {"_pq_.a": "1", "_pq_.b": "x"}, (PROTOCOL_3_0, ["_pq_.a", "_pq_.b"]), 4),
            (PROTOCOL_3_2, {"_pq_.a": "1"}, (PROTOCOL_3_2, ["_pq_.a"]), 32),
        ):
            with self.subTest(hex(version), options=options):
                for database, user in (("demo", "analyst"), ("pgveil", "operator")):
                    client, reply = self.attempt(version, database, user, **options)
                    self.assertEqual((reply.errors, reply.status, reply.negotiated), ([], "I", told))
                    self.assertEqual(len(client.secret), secret_bytes)
                    self.assertEqual(reply.messages[0], "R" if told is None else "v")
                    self.assertGreater(client.pid, 0)

    def test_keys_are_not_alike(self):
        clients = [self.attempt(PROTOCOL_3_2)[0] for _ in range(4)]
        self.assertEqual(len({client.secret for client in clients}), 4)
        self.assertEqual(len({client.secret[:4] for client in clients}), 4)

    def test_cancel(self):
        for version in (PROTOCOL_3_0, PROTOCOL_3_2):
            client, _ = self.attempt(version)
            pid, secret = client.pid, client.secret
            last = secret[:-1] + bytes([secret[-1] ^ 1])
            wrong = [(pid, bytes([secret[0] ^ 1]) + secret[1:]), (pid, last), (pid ^ 1, secret),
                     (pid, secret * 2), (pid, secret + b"\0"), (pid, b"\0" * 256)]
            if version == PROTOCOL_3_2:
                wrong += [(pid, secret[:4]), (pid, secret[:31])]
            self.assert_cancels(client, *wrong)

    def test_a_cancel_does_not_meet_the_next_statement(self):
        """Before PostgreSQL 18 the postmaster signals twice, the process and its group. The next statement
        waits until both signals were sent."""
        client, _ = self.attempt(PROTOCOL_3_2)
        for _ in range(12):
            client.send(b"Q", CROSS_JOIN.encode() + b"\0")
            self.wait_for_running_query()
            self.raw().send_bytes(cancel_packet(client.pid, client.secret))
            self.assertEqual(client.collect().sqlstates(), ["57014"])
            self.assert_alive(client)

    def test_requests_that_are_none(self):
        client, _ = self.attempt(PROTOCOL_3_2)
        for body in (b"", struct.pack("!I", client.pid), struct.pack("!I", client.pid) + b"abc",
                     struct.pack("!I", client.pid) + b"x" * 257):
            other = self.raw()
            other.send_bytes(struct.pack("!II", 8 + len(body), CANCEL_REQUEST) + body)
            self.assertEqual(other.collect().sqlstates(), ["08P01"], body)
        self.assert_alive(client)

    def test_pipelines_work_alike(self):
        client, _ = self.attempt(PROTOCOL_3_2)
        for _ in range(20):
            client.parse(COUNT)
            client.bind()
            client.execute()
        self.assertEqual(client.sync().texts(), [["11"]] * 20)


class SearchPath(ProtocolCase):
    """PostgreSQL reports search_path from 18 on. Then pgveil reports the client's, and never its own."""

    def reported(self, client, sql):
        client.settings.pop("search_path", None)
        reply = client.query(sql)
        self.assertEqual(reply.errors, [], sql)
        return client.settings.get("search_path")

    def test_what_is_reported(self):
        with self.direct("demo") as direct:
            reports = "search_path" in direct.settings
        expected = (lambda text: text) if reports else (lambda text: None)
        client, _ = self.attempt(PROTOCOL_3_2)
        self.assertEqual(client.settings.get("search_path"), expected("public"))
        for sql, path in (
            ("SET search_path TO hr, \"Odd Name\", public", 'hr, "Odd Name", public'),
            ("SELECT 1", None),
            ("BEGIN", None),
            ("SET LOCAL search_path = hr, public", "hr, public"),
            ("ROLLBACK", 'hr, "Odd Name", public'),
            ("RESET search_path", "public"),
            ("SELECT set_config('search_path', 'hr,public', false)", "hr, public"),
            ("DISCARD ALL", "public"),
        ):
            self.assertEqual(self.reported(client, sql), expected(path) if path else None, sql)
        other, _ = self.attempt(PROTOCOL_3_2, search_path="hr,public")
        self.assertEqual(other.settings.get("search_path"), expected("hr, public"))
        self.assertEqual(other.query("SHOW search_path").texts(), [["hr, public"]])


class DirectTlsCase(ProtocolCase):
    mode = "prefer"

    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-direct-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name)
        own = cls.authority.issue("localhost")
        cls.options = {"more": f"tls: {{clients: {{mode: {cls.mode}, cert_file: {own.certificate}, "
                               f"key_file: {own.key}}}}}\n"}
        super().start()

    @classmethod
    def context(cls, protocols=("postgresql",), version=None):
        made = ssl.create_default_context(cafile=str(cls.authority.certificate))
        if protocols:
            made.set_alpn_protocols(list(protocols))
        if version:
            made.minimum_version = made.maximum_version = version
        return made

    def direct_client(self, **more):
        return self.raw().secure_directly(self.context(**more))


class DirectTls(DirectTlsCase):
    def test_with_the_name_of_the_protocol(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for protocols in (("postgresql",), ("h2", "postgresql")):
                client = self.direct_client(version=version, protocols=protocols)
                self.assertEqual(client.socket.selected_alpn_protocol(), "postgresql")
                self.assertEqual(client.log_in(ANALYST, version=PROTOCOL_3_2).status, "I")
                self.assert_alive(client)

    def test_without_it_the_handshake_fails(self):
        since = self.postgres.log_position()
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for protocols in ((), ("h2", "http/1.1"), ("postgres",)):
                with self.assertRaises(ssl.SSLError) as raised:
                    self.direct_client(version=version, protocols=protocols)
                self.assertIn("NO_APPLICATION_PROTOCOL", str(raised.exception).replace(" ", "_").upper())
        self.assertNotIn("pgveil_query@", self.postgres.log(since))

    def test_after_a_request_it_is_echoed_and_may_be_left_out(self):
        for protocols, chosen in ((("postgresql",), "postgresql"), ((), None)):
            client = self.raw().secure(self.context(protocols))
            self.assertEqual(client.socket.selected_alpn_protocol(), chosen)
            self.assertEqual(client.log_in(ANALYST).status, "I")
        with self.assertRaises(ssl.SSLError):
            self.raw().secure(self.context(("h2",)))

    def test_byte_by_byte(self):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self.context().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        client = self.raw()
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    client.send_bytes(bytes([byte]))
                incoming.write(client.socket.recv(1 << 16))
        self.assertEqual(tls.selected_alpn_protocol(), "postgresql")

    def test_cancel(self):
        client = self.direct_client()
        client.log_in(ANALYST, version=PROTOCOL_3_2)
        self.assert_cancels(client, (client.pid, client.secret[:4]), send=self.direct_client)

    def test_what_may_not_follow(self):
        for code in (SSL_REQUEST, 80877104):
            client = self.direct_client()
            client.send_bytes(struct.pack("!II", 8, code))
            self.assertEqual(client.collect().sqlstates(), ["08P01"])
        # Only a connection's first byte begins TLS.
        client = self.raw()
        client.send_bytes(struct.pack("!II", 8, 80877104))
        self.assertEqual(client.read_bytes(1), b"N")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            client.secure_directly(self.context())

    def test_hellos_that_do_not_end_well(self):
        for data in (b"\x16", b"\x16\x03\x01", b"\x16\x03\x01\x02\x00\x01\x00", b"\x16" * 100,
                     b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"):
            client = self.raw()
            client.send_bytes(data)
            client.socket.shutdown(1)
            self.assertNotIn(b"R", client.collect().raw[:1])
        self.assert_alive(self.attempt(PROTOCOL_3_0)[0])


class DirectTlsIsTls(DirectTlsCase):
    mode = "require"
    built = ()

    def test_where_tls_is_required(self):
        self.assertEqual(self.attempt(PROTOCOL_3_2)[1].sqlstates(), ["28000"])
        with self.direct_client() as console:
            console.log_in({"user": "operator", "database": "pgveil"})
            self.assertEqual(console.query("BUILD POLICY people_k2").errors, [])
        client = self.direct_client()
        self.assertEqual(client.log_in(ANALYST).status, "I")
        self.assert_alive(client)


class TlsIsOff(ProtocolCase):
    def test_the_connection_ends_without_a_word(self):
        client = self.raw()
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            client.secure_directly(ssl._create_unverified_context())
        client = self.raw()
        client.send_bytes(b"\x16\x03\x01\x02\x00\x01\x00")
        self.assertEqual(client.collect().raw, b"")
        with self.assertRaises(Closed):
            client.read_bytes(1)


class Libpq(DirectTlsCase):
    """The real clients. Those of 18 ask for 3.2 and for direct TLS when they are told to."""

    def connect(self, library, more, sql=COUNT):
        words = f"host=127.0.0.1 port={self.pgveil.port} user=analyst dbname=demo {more}"
        return libpq.run(library, "ask", words, sql)

    def cancelled(self, library, more):
        """What a client saw whose query it cancelled itself."""
        words = f"host=127.0.0.1 port={self.pgveil.port} user=analyst dbname=demo {more}"
        program = pathlib.Path(libpq.__file__)
        child = subprocess.Popen([sys.executable, program, str(library), "ask", words, COUNT, CROSS_JOIN],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        timer = threading.Timer(libpq.SECONDS, child.kill)
        timer.start()
        try:
            self.wait_for_running_query()
            output, _ = child.communicate("go\n")
        finally:
            timer.cancel()
        self.assertEqual(child.returncode, 0)
        return output

    def test_of_the_system(self):
        for more in ("sslmode=disable", "sslmode=require",
                     f"sslmode=verify-full sslrootcert={self.authority.certificate}"):
            seen = self.connect(libpq.SYSTEM, more)
            self.assertEqual((seen["answer"], seen["is_encrypted"]),
                             ([["11"]], more != "sslmode=disable"), seen)
            self.assertIn('"cancelled": "57014"', self.cancelled(libpq.SYSTEM, more))

    def test_of_18(self):
        library = libpq.newer()
        if library is None:
            self.skipTest(NO_LIBPQ)
        tls = f"sslmode=verify-full sslrootcert={self.authority.certificate}"
        for more, protocol, alpn in (
            ("sslmode=disable", 30000, ""),
            ("sslmode=disable max_protocol_version=3.2", 30002, ""),
            ("sslmode=disable min_protocol_version=3.2 max_protocol_version=latest", 30002, ""),
            (f"{tls} max_protocol_version=3.0", 30000, "postgresql"),
            (f"{tls} max_protocol_version=3.2 sslnegotiation=direct", 30002, "postgresql"),
            (f"{tls} min_protocol_version=3.2 max_protocol_version=3.2", 30002, "postgresql"),
        ):
            with self.subTest(more):
                seen = self.connect(library, more)
                self.assertNotIn("error", seen)
                self.assertEqual((seen["answer"], seen["protocol"], seen["alpn"]), ([["11"]], protocol, alpn))
                self.assertIn('"cancelled": "57014"', self.cancelled(library, more))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""TLS with clients: who has to use it, what is checked, channel binding, cancels, and what comes in the clear
beside it."""
import base64
import hashlib
import hmac
import os
import ssl
import struct
import tempfile

import psycopg
import psycopg2

from harness import world
from harness.certificates import Authority, ED25519, P256, RSA
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase
from harness.wire import Closed, RawClient, SASL_CONTINUE, SASL_REQUEST, SSL_REQUEST, startup_packet

PASSWORDS = {"analyst": "analyst's pass", "operator": "operator's pass"}
CANCEL_REQUEST, GSS_REQUEST = 80877102, 80877104
CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)


def request(code):
    return struct.pack("!II", 8, code)


def context(authority=None, own=None, **limits):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = authority is not None
    made.verify_mode = ssl.CERT_REQUIRED if authority else ssl.CERT_NONE
    if authority:
        made.load_verify_locations(authority.certificate)
    if own:
        made.load_cert_chain(own.certificate, own.key)
    for name, value in limits.items():
        setattr(made, name, value)
    return made


class TlsCase(StackCase):
    policies = (world.PEOPLE,)
    built = ()
    mode = "prefer"
    limits = ""
    has_authority = False
    authority_kind = P256

    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name, kind=cls.authority_kind)
        cls.stranger = Authority(folder.name, "stranger")
        cls.own = cls.authority.issue("localhost", kind=RSA)
        ca = f", ca_file: {cls.authority.certificate}" if cls.has_authority else ""
        cls.options = {
            "authentication": "scram-sha-256",
            "passwords": PASSWORDS,
            "limits": cls.limits,
            "more": (
                f"tls: {{clients: {{mode: {cls.mode}, cert_file: {cls.own.certificate}, key_file: {cls.own.key}{ca}}}}}\n"
            ),
        }
        super().start()
        own = cls.authority.issue("operator")
        with RawClient(cls.pgveil.port).secure(context(cls.authority, own)) as console:
            console.log_in({"user": "operator", "database": "pgveil"}, PASSWORDS["operator"])
            reply = console.query("BUILD POLICY people_k2")
            if reply.errors:
                raise RuntimeError(reply.errors[0])

    def raw(self):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        return client

    def secured(self, own=None, **limits):
        return self.raw().secure(context(self.authority, own, **limits))

    def log_in(self, client, password=PASSWORDS["analyst"]):
        return client.log_in({"user": "analyst", "database": "demo"}, password)

    def ask(self, words, command="SELECT count(*) FROM people", **more):
        return self.psql(command, options=("-t",), password=PASSWORDS["analyst"], more=words, **more)

    def assert_answers(self, words):
        done = self.ask(words)
        self.assertEqual((done.stdout, done.stderr), ("11\n", ""), words)


class Offered(TlsCase):
    """mode: prefer."""

    def test_with_and_without(self):
        root = f"sslrootcert={self.authority.certificate}"
        for words in (
            "sslmode=disable",
            "sslmode=allow",
            "sslmode=prefer",
            "sslmode=require",
            f"sslmode=verify-ca {root}",
            f"sslmode=verify-full {root}",
            f"sslmode=verify-full {root} ssl_min_protocol_version=TLSv1.3",
            f"sslmode=verify-full {root} ssl_max_protocol_version=TLSv1.2",
        ):
            self.assert_answers(words)
        self.assertIn("certificate verify failed",
                      self.ask(f"sslmode=verify-full sslrootcert={self.stranger.certificate}").stderr)

    def test_drivers(self):
        words = (
            f"host=127.0.0.1 port={self.pgveil.port} dbname=demo user=analyst password='{PASSWORDS['analyst']}' "
            "sslmode=verify-full channel_binding=require ".replace("analyst's", "analyst\\'s")
            + f"sslrootcert={self.authority.certificate}"
        )
        with psycopg.connect(words) as connection:
            self.assertTrue(connection.pgconn.ssl_in_use)
            self.assertEqual(connection.execute("SELECT count(*) FROM people", binary=True).fetchone(), (11,))
            with connection.pipeline():
                cursors = [connection.execute("SELECT %s::int", (i,)) for i in range(50)]
                self.assertEqual([cursor.fetchone()[0] for cursor in cursors], list(range(50)))
        connection = psycopg2.connect(words)
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute("SELECT city FROM people WHERE id::text IS NULL AND city IS NOT NULL")
            self.assertEqual(cursor.fetchall(), [("Hamlet",)] * 4)

    def test_clients_of_other_machines_without_tls_are_warned_of(self):
        other = Pgveil(self.postgres, self.policies, self.open_tables, **self.options)
        self.addCleanup(other.stop)
        begins = "listen.host 0.0.0.0 is not a loopback address, and with tls.clients.mode prefer clients may log in"

        def warnings():
            done = other.command("check", "--config", str(other.config_path), "--quick")
            return [line for line in done.stdout.splitlines() if "listen.host" in line]

        text = other.config_path.read_text()
        self.assertEqual(warnings(), [])
        other.config_path.write_text(text.replace("listen: {host: 127.0.0.1", "listen: {host: 0.0.0.0"))
        (warning,) = warnings()
        self.assertTrue(warning.startswith("warning: " + begins), warning)
        other.start()
        self.assertIn(" warning [configuration] " + begins, other.log())
        other.config_path.write_text(other.config_path.read_text().replace("mode: prefer", "mode: require"))
        self.assertEqual(warnings(), [])
        self.assertNotIn("listen.host", self.pgveil.log())

    def test_old_versions_are_refused(self):
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            limits = context(self.authority)
            limits.set_ciphers("ALL:@SECLEVEL=0")
            limits.minimum_version = limits.maximum_version = version
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                self.raw().secure(limits)
        self.assert_answers("sslmode=require")

    def test_weak_ciphers_are_refused(self):
        for ciphers in ("AES128-SHA", "AES256-GCM-SHA384", "aNULL:@SECLEVEL=0"):
            limits = context()
            limits.maximum_version = ssl.TLSVersion.TLSv1_2
            limits.set_ciphers(ciphers)
            with self.assertRaises((ssl.SSLError, ConnectionError), msg=ciphers):
                self.raw().secure(limits)

    # -- channel binding
    def test_channel_binding(self):
        self.assert_answers("sslmode=require channel_binding=require")
        client = self.secured()
        client.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(client.authentication, [(SASL_REQUEST, b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0")])
        clear = self.raw()
        clear.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(clear.authentication, [(SASL_REQUEST, b"SCRAM-SHA-256\0\0")])
        wrong = self.psql("SELECT 1", password="wrong", more="sslmode=require channel_binding=require")
        self.assertIn("password authentication failed", wrong.stderr)

    def exchange(self, client, mechanism, header, binding):
        """A SCRAM exchange with the right password; header and binding as given. → the reply."""
        client.log_in({"user": "analyst", "database": "demo"})
        bare = "n=,r=" + base64.b64encode(os.urandom(18)).decode()
        first = (header + bare).encode()
        client.send(b"p", mechanism + b"\0" + struct.pack("!I", len(first)) + first)
        reply = client.collect(b"RE")
        if reply.errors:
            return reply
        challenge = reply.raw[5:].decode()
        part = dict(item.split("=", 1) for item in challenge.split(","))
        salted = hashlib.pbkdf2_hmac("sha256", PASSWORDS["analyst"].encode(), base64.b64decode(part["s"]),
                                     int(part["i"]))
        key = hmac.digest(salted, b"Client Key", "sha256")
        final = "c=" + base64.b64encode(header.encode() + binding).decode() + ",r=" + part["r"]
        signature = hmac.digest(
            hashlib.sha256(key).digest(), ",".join([bare, challenge, final]).encode(), "sha256"
        )
        proof = base64.b64encode(bytes(x ^ y for x, y in zip(key, signature))).decode()
        client.send(b"p", f"{final},p={proof}".encode())
        return client.collect(b"ZE")

    def end_point(self, client):
        return hashlib.sha256(client.socket.getpeercert(binary_form=True)).digest()

    def test_binding_by_hand(self):
        plus, plain, header = b"SCRAM-SHA-256-PLUS", b"SCRAM-SHA-256", "p=tls-server-end-point,,"
        client = self.secured()
        self.assertEqual(self.exchange(client, plus, header, self.end_point(client)).status, "I")
        self.assertEqual(self.exchange(self.secured(), plain, "n,,", b"").status, "I")
        self.assertEqual(self.exchange(self.raw(), plain, "y,,", b"").status, "I")
        for mechanism, header, binding, state in (
            (plus, header, b"", "28000"),
            (plus, header, b"x" * 32, "28000"),  # somebody else's certificate
            (plain, "y,,", b"", "28000"),  # a client that was not shown PLUS
            (plain, header, b"x" * 32, "08P01"),
            (plus, "n,,", b"", "08P01"),
            (plus, "y,,", b"", "08P01"),
            (plus, "p=tls-unique,,", b"x" * 32, "08P01"),
            (plus, "p=tls-exporter,,", b"x" * 32, "08P01"),
            (plus, "p=,,", b"", "08P01"),
            (b"SCRAM-SHA-256-PLUS2", header, b"", "08P01"),
        ):
            reply = self.exchange(self.secured(), mechanism, header, binding)
            self.assertEqual(
                (reply.sqlstates(), reply.errors[0]["S"]), ([state], "FATAL"), (mechanism, header)
            )
        reply = self.exchange(self.raw(), plus, "p=tls-server-end-point,,", b"x" * 32)  # without TLS
        self.assertEqual(reply.sqlstates(), ["08P01"])

    # -- what is not TLS
    def test_bytes_behind_the_request_are_not_heard(self):
        since = self.postgres.log_position()
        for behind in (startup_packet({"user": "analyst", "database": "demo"}), b"x", request(SSL_REQUEST),
                       b"\x16\x03\x01"):
            client = self.raw()
            client.send_bytes(request(SSL_REQUEST) + behind)
            reply = client.collect()
            self.assertEqual((reply.sqlstates(), reply.is_closed), (["08P01"], True), behind)
        # In a packet of their own they are taken for TLS.
        for behind in (
            startup_packet({"user": "analyst", "database": "demo"}),
            b"\x16\x03\x01\x00\x20" + b"\0" * 32,
            request(CANCEL_REQUEST),
            b"Q\0\0\0\x0dSELECT 1\0",
        ):
            client = self.raw()
            client.send_bytes(request(SSL_REQUEST))
            self.assertEqual(client.read_bytes(1), b"S")
            client.send_bytes(behind)
            self.assertNotIn(b"R", client.collect().raw[:1])
        self.assertNotIn("pgveil_query@", self.postgres.log(since))

    def test_bytes_in_the_clear_within_the_handshake_end_it(self):
        client = self.raw()
        client.send_bytes(request(SSL_REQUEST))
        self.assertEqual(client.read_bytes(1), b"S")
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context(self.authority).wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with self.assertRaises(ssl.SSLWantReadError):
            tls.do_handshake()
        client.send_bytes(outgoing.read() + startup_packet({"user": "analyst", "database": "demo"}))
        data = b""
        try:
            while True:
                data += client.read_bytes(1)
        except Closed:
            pass
        self.assertNotIn(b"SCRAM", data)

    def test_requests_for_encryption_come_once(self):
        client = self.raw()
        client.send_bytes(request(GSS_REQUEST))
        self.assertEqual(client.read_bytes(1), b"N")
        client.secure(context(self.authority))
        self.assertEqual(self.log_in(client).status, "I")
        for code in (SSL_REQUEST, GSS_REQUEST):
            inner = self.secured()
            inner.send_bytes(request(code))
            self.assertEqual(inner.collect().sqlstates(), ["08P01"])

    def test_handshakes_that_end_in_the_middle(self):
        for bytes_sent in (0, 1, 5, 100):
            client = self.raw()
            client.send_bytes(request(SSL_REQUEST))
            client.read_bytes(1)
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context(self.authority).wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                pass
            client.send_bytes(outgoing.read()[:bytes_sent])
            client.socket.close()
        self.assert_answers("sslmode=require")

    def test_a_broken_record_ends_that_session_only(self):
        well, broken = self.secured(), self.secured()
        for client in (well, broken):
            self.assertEqual(self.log_in(client).status, "I")
        os.write(broken.socket.fileno(), b"\x17\x03\x03\x00\x20" + b"\0" * 32)
        self.assertTrue(broken.collect().is_closed)
        self.assert_alive(well)

    # -- content
    def test_large_and_small_pieces(self):
        client = self.secured()
        self.log_in(client)
        reply = client.query("SELECT repeat(n::text, 4000) FROM generate_series(100, 1500) n")
        self.assertEqual(len(reply.rows), 1401)
        self.assertTrue(all(row[0] == str(n).encode() * 4000 for n, row in enumerate(reply.rows, 100)))
        large = "SELECT length('" + "x" * 200_000 + "')"
        self.assertEqual(client.query(large).texts(), [["200000"]])
        for byte in b"Q" + struct.pack("!I", 4 + 9) + b"SELECT 1\0":
            client.send_bytes(bytes([byte]))  # a record each
        self.assertEqual(client.collect().texts(), [["1"]])
        self.assertEqual(
            client.query("COPY (SELECT n FROM generate_series(1, 100000) n) TO STDOUT").copied.count(b"\n"),
            100_000,
        )

    def test_goodbye(self):
        client = self.secured()
        self.log_in(client)
        client.send(b"X")
        self.assertEqual(
            client.socket.recv(1), b""
        )  # close_notify: a socket that just ends is an error in Python
        client = self.secured()
        self.log_in(client)
        client.socket.unwrap()

    # -- cancel
    def test_cancel_over_tls_and_in_the_clear(self):
        for is_secured in (True, False):
            client = self.secured()
            self.log_in(client)
            client.send(b"Q", CROSS_JOIN.encode() + b"\0")
            self.wait_for_running_query()
            other = self.secured() if is_secured else self.raw()
            other.send_bytes(struct.pack("!IIII", 16, CANCEL_REQUEST, *client.key))
            self.assertEqual(client.collect().sqlstates(), ["57014"])
            self.assert_alive(client)

    def test_no_certificate_is_asked_for(self):
        client = self.secured(own=self.stranger.issue("client"))
        self.assertEqual(self.log_in(client).status, "I")


class Required(TlsCase):
    mode = "require"
    limits = "max_clients: 4, login_clients: 30"
    has_authority = True

    def test_nobody_comes_in_the_clear(self):
        since = self.postgres.log_position()
        for user, database in (("analyst", "demo"), ("operator", "pgveil"), ("nobody", "nowhere")):
            client = self.raw()
            reply = client.log_in({"user": user, "database": database}, "whatever")
            self.assertEqual((reply.sqlstates(), reply.messages), (["28000"], "E"))
            client.socket.close()
        self.assertIn("connections without TLS are not accepted here", self.ask("sslmode=disable").stderr)
        self.assertNotIn("pgveil_query@", self.postgres.log(since))
        self.assert_answers("sslmode=prefer")

    def test_a_cancel_request_in_the_clear_is_heard(self):
        client = self.secured()
        self.log_in(client)
        client.send(b"Q", CROSS_JOIN.encode() + b"\0")
        self.wait_for_running_query()
        self.raw().send_bytes(struct.pack("!IIII", 16, CANCEL_REQUEST, *client.key))
        self.assertEqual(client.collect().sqlstates(), ["57014"])

    def test_when_all_places_are_taken(self):
        clients = []
        while len(clients) < 4:  # those of other tests may still be going
            client = self.secured()
            if self.log_in(client).status == "I":
                clients.append(client)
        done = self.ask("sslmode=require")
        self.assertIn("too many connections", done.stderr)
        clients[0].send(b"Q", CROSS_JOIN.encode() + b"\0")
        self.wait_for_running_query()
        other = self.secured()
        other.send_bytes(struct.pack("!IIII", 16, CANCEL_REQUEST, *clients[0].key))
        self.assertEqual(clients[0].collect().sqlstates(), ["57014"])

    def test_half_handshakes_keep_nobody_out(self):
        begun = struct.pack("!II", 8, SSL_REQUEST)
        for number in range(200):
            one = self.raw()
            try:
                one.send_bytes(begun)
                if number % 2 == 0:
                    one.read_bytes(1)
                    one.send_bytes(b"\x16\x03\x01\x02\x00\x01\x00")
            except (OSError, Closed):
                self.fail("the newest was put out")
            if number % 50 == 49:
                self.assert_answers("sslmode=require")

    def test_a_certificate_that_is_shown_is_checked(self):
        self.assertEqual(self.log_in(self.secured(own=self.authority.issue("client"))).status, "I")
        with self.assertRaises((ssl.SSLError, ConnectionError, Closed)):
            self.log_in(self.secured(own=self.stranger.issue("client2")))


class CertificatesRequired(TlsCase):
    mode = "verify-ca"
    has_authority = True

    def test_only_with_a_certificate_of_the_authority(self):
        self.assertEqual(self.log_in(self.secured(own=self.authority.issue("client"))).status, "I")
        for own in (None, self.stranger.issue("client2"), self.authority.issue("old", days=0)):
            with self.assertRaises((ssl.SSLError, ConnectionError, Closed)):
                self.log_in(self.secured(own=own))
        done = self.ask("sslmode=require")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_a_certificate_is_no_password(self):
        reply = self.log_in(self.secured(own=self.authority.issue("analyst")), "wrong")
        self.assertEqual(reply.sqlstates(), ["28P01"])


class EdwardsCurve(TlsCase):
    """A certificate whose signature has no hash of its own: TLS as ever, and no channel binding."""
    authority_kind = ED25519

    def test_without_channel_binding(self):
        self.assert_answers("sslmode=require channel_binding=prefer")
        client = self.secured()
        client.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(client.authentication, [(SASL_REQUEST, b"SCRAM-SHA-256\0\0")])


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""TLS to PostgreSQL: what is checked of its certificate, channel binding, our own certificate; and what
RELOAD makes of new files on either side."""
import os
import pathlib
import re
import signal
import socket
import ssl
import struct
import tempfile
import threading
import time
import urllib.request

from harness import configuration, world
from harness.certificates import Authority
from harness.pgveil import Pgveil
from harness.ports import free_port
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient, SSL_REQUEST

ROLES = "pgveil_query,pgveil_admin"
HBA = "{kind} all {roles} 127.0.0.1/32 scram-sha-256 {more}\nhost all {roles} 127.0.0.1/32 reject\n" \
      "local all all trust\nhost all all 127.0.0.1/32 trust\n"


class Backend(ServerCase):
    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority, cls.stranger = Authority(folder.name), Authority(folder.name, "stranger")
        world.create(cls.postgres)
        cls.serve_with(cls.authority.issue("server"))

    @classmethod
    def serve_with(cls, own, kind="hostssl", more="", is_on=True):
        """The server's certificate, and who may come in how."""
        (cls.postgres.directory / "data" / "pg_hba.conf").write_text(
            HBA.format(kind=kind, roles=ROLES, more=more)
        )
        with open(cls.postgres.directory / "data" / "postgresql.conf", "a") as conf:
            conf.write(f"ssl = {'on' if is_on else 'off'}\nssl_cert_file = '{own.certificate}'\n"
                       f"ssl_key_file = '{own.key}'\nssl_ca_file = '{cls.authority.certificate}'\n")
        cls.postgres.kill(signal.SIGINT)
        cls.postgres.start()

    def serve_normally(self):
        self.serve_with(self.authority.issue("server"))

    def stack(self, tls, more="", **options):
        made = Pgveil(options.pop("postgres", self.postgres), (world.PEOPLE,), world.OPEN_TABLES,
                      more=f"tls: {{backend: {{{tls}}}}}\n" + more, **options)
        self.addCleanup(made.stop)
        return made

    def assert_works(self, tls):
        pgveil = self.stack(tls).start()
        pgveil.build("people_k2")
        with pgveil.client() as client:
            reply = client.query("SELECT count(*) FROM people")
            self.assertEqual((reply.errors, reply.texts()), ([], [["11"]]), tls)
            used = (
                "SELECT usename, ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                "WHERE usename = 'pgveil_query'"
            )
            self.until(  # the connection of the client before may still be going
                lambda: self.postgres.rows(used) == [["pgveil_query", "t", "TLSv1.3"]],
                f"{tls}: there is no single connection over TLS",
            )
        return pgveil

    def assert_does_not_start(self, tls, *words):
        pgveil = self.stack(tls)
        with self.assertRaises(RuntimeError) as raised:
            pgveil.start()
        pgveil._process = None  # it ended by itself
        for word in words:
            self.assertIn(word, str(raised.exception))

    # -- modes
    def test_each_mode(self):
        ca = f"ca_file: {self.authority.certificate}"
        for tls in ("mode: require", f"mode: verify-ca, {ca}", f"mode: verify-full, {ca}",
                    f"mode: verify-full, {ca}, channel_binding: require"):
            self.assert_works(tls)

    def test_connections_that_clients_share(self):
        for mode in ("session", "transaction"):
            pgveil = self.stack(
                f"mode: verify-full, ca_file: {self.authority.certificate}, channel_binding: require",
                f"pool: {{mode: {mode}, size: 1}}\n",
            ).start()
            pgveil.build("people_k2")
            for _ in range(3):
                with pgveil.client() as client:
                    self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]], mode)
                    client.parse("SELECT count(*) FROM people", "s")
                    client.bind(statement="s")
                    client.execute()
                    self.assertEqual(client.sync().texts(), [["11"]], mode)
            if mode == "transaction":
                with pgveil.client() as first, pgveil.client() as second:
                    for client in (first, second, first, second):
                        self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
            used = (
                "SELECT ssl, count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                "WHERE usename = 'pgveil_query' GROUP BY 1"
            )
            self.until(
                lambda: self.postgres.rows(used) == [["t", "1"]],
                f"{mode}: there is no single connection over TLS",
            )
            pgveil.stop()

    def test_in_the_clear_there_is_no_way(self):
        self.assert_does_not_start("mode: disable", "rejects connection")

    def test_a_certificate_of_another_authority(self):
        other = f"ca_file: {self.stranger.certificate}"
        for mode in ("verify-ca", "verify-full"):
            self.assert_does_not_start(f"mode: {mode}, {other}", "certificate verify failed")

    def test_a_certificate_of_another_name(self):
        self.addCleanup(self.serve_normally)
        self.serve_with(self.authority.issue("db.example", alternatives="DNS:db.example"))
        ca = f"ca_file: {self.authority.certificate}"
        self.assert_works(f"mode: verify-ca, {ca}")
        self.assert_does_not_start(f"mode: verify-full, {ca}", "db.example")

    def test_a_certificate_that_was_revoked(self):
        other, own = self.authority.issue("gone"), self.authority.issue("server")
        self.addCleanup(self.serve_normally)
        self.serve_with(own)
        tls = f"mode: verify-full, ca_file: {self.authority.certificate}, crl_file: {self.authority.revoke(other)}"
        pgveil = self.assert_works(tls)
        self.authority.revoke(own)
        self.assert_does_not_start(tls, "certificate verify failed")
        with pgveil.client("operator", "pgveil") as console:
            self.assertTrue(
                any("certificate verify failed" in str(row) for row in console.query("RELOAD").texts())
            )

    def test_a_server_that_changes_its_certificate(self):
        """Our own connections check what libpq checked at the start."""
        ca = f"ca_file: {self.authority.certificate}"
        pgveil = self.assert_works(f"mode: verify-full, {ca}")
        self.addCleanup(self.serve_normally)
        for own in (
            self.stranger.issue("server2"),
            self.authority.issue("db.example", alternatives="DNS:db.example"),
        ):
            self.serve_with(own)
            with pgveil.client() as client:
                self.assertEqual(client.login.sqlstates(), ["08006"])
            self.until(lambda: "certificate verify failed" in pgveil.log(), "it is not in the log")
        self.serve_with(self.authority.issue("server"), is_on=False, kind="host")
        since = self.postgres.log_position()
        with pgveil.client() as client:
            self.assertEqual(client.login.sqlstates(), ["08006"])
        self.assertNotIn("pgveil_query@", self.postgres.log(since))

    def test_our_own_certificate(self):
        self.addCleanup(self.serve_normally)
        self.serve_with(self.authority.issue("server"), more="clientcert=verify-ca")
        own, other = self.authority.issue("pgveil"), self.stranger.issue("pgveil2")
        self.assert_works(f"mode: require, cert_file: {own.certificate}, key_file: {own.key}")
        self.assert_does_not_start("mode: require", "valid client certificate")
        self.assert_does_not_start(f"mode: require, cert_file: {other.certificate}, key_file: {other.key}")

    def test_a_cancel_request(self):
        pgveil = self.assert_works("mode: require")
        with pgveil.client() as client:
            client.send(
                b"Q",
                b"SELECT count(*) FROM people a, people b, people c, people d, people e, people f, "
                b"people g, people h\0",
            )
            # A cancel that comes before the client's own statement is of no effect, by protocol.
            while not self.postgres.rows("SELECT 1 FROM pg_stat_activity WHERE usename = 'pgveil_query' AND "
                                         "state = 'active' AND query LIKE '%count(*)%'"):
                time.sleep(0.05)
            with RawClient(pgveil.port) as other:
                other.send_bytes(struct.pack("!IIII", 16, 80877102, *client.key))
                self.assertEqual(client.collect().sqlstates(), ["57014"])

    # -- somebody in the middle
    def test_somebody_in_the_middle_is_noticed_by_channel_binding(self):
        """mode require believes any certificate; SCRAM-SHA-256-PLUS does not."""
        middle = Middle(self.postgres.port, self.stranger.issue("middle"))
        self.addCleanup(middle.stop)
        pgveil = self.stack("mode: require", postgres=middle).start()
        pgveil.build("people_k2")
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT 1").texts(), [["1"]])
        middle.is_listening = True
        since = self.postgres.log_position()
        with pgveil.client() as client:
            self.assertEqual(client.login.sqlstates(), ["08006"])
        self.assertGreater(middle.heard, 0)
        self.assertIn("channel binding", self.postgres.log(since))

    def test_bytes_behind_the_servers_answer_are_not_heard(self):
        middle = Middle(self.postgres.port, self.stranger.issue("middle2"))
        self.addCleanup(middle.stop)
        pgveil = self.stack("mode: require", postgres=middle).start()
        middle.behind = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"
        with pgveil.client() as client:
            self.assertEqual(client.login.sqlstates(), ["08006"])
        for answer in (b"N", b"E", b"R", b""):
            middle.behind, middle.answer = b"", answer
            with pgveil.client() as client:
                self.assertEqual(client.login.sqlstates(), ["08006"], answer)


class Middle:
    """Stands between pgveil and PostgreSQL: passes on bytes, or takes part in the TLS of both sides."""
    directory = None

    def __init__(self, server_port, own):
        self.server_port, self.is_listening, self.heard = server_port, False, 0
        self.behind, self.answer = b"", b"S"
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(own.certificate, own.key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.server_port))
            if self.behind or self.answer != b"S":
                client.recv(8)
                client.sendall(self.answer + self.behind)
                client.settimeout(5)
                client.recv(1 << 16)
                client.close()
                return
            if self.is_listening:
                client.recv(8)
                client.sendall(b"S")
                server.sendall(struct.pack("!II", 8, SSL_REQUEST))
                server.recv(1)
                client = self.context.wrap_socket(client, server_side=True)
                outward = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                outward.check_hostname, outward.verify_mode = False, ssl.CERT_NONE
                server = outward.wrap_socket(server)
            threading.Thread(target=self.copy, args=(server, client), daemon=True).start()
            self.copy(client, server)
        except OSError:
            pass

    def copy(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.heard += self.is_listening
                target.sendall(data)
        except (OSError, ValueError):
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Reload(ServerCase):
    """New files, good and bad, without a restart."""

    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority = Authority(folder.name)
        world.create(cls.postgres)

    def setUp(self):
        self.first, self.second = self.authority.issue("first"), self.authority.issue("second")
        self.certificate, self.key = self.folder / "current.crt", self.folder / "current.key"
        self.use(self.first)
        self.pgveil = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES, more=self.section())
        self.addCleanup(self.pgveil.stop)
        self.pgveil.start()
        self.pgveil.build("people_k2")

    def section(self, mode="prefer"):
        return f"tls: {{clients: {{mode: {mode}, cert_file: {self.certificate}, key_file: {self.key}}}}}\n"

    def use(self, issued):
        self.certificate.write_bytes(issued.certificate.read_bytes())
        self.key.unlink(missing_ok=True)
        configuration.write_secret(self.key, issued.key.read_text())

    def name_shown(self):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.load_verify_locations(self.authority.certificate)
        with RawClient(self.pgveil.port).secure(made) as client:
            return client.socket.getpeercert()["subject"][0][0][1]

    def reload_row(self):
        reply = self.pgveil.console("RELOAD")
        self.assertEqual(reply.errors, [])
        return next(row for row in reply.texts() if row[0] == "tls")

    def test_new_files_are_shown_to_new_clients(self):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.load_verify_locations(self.authority.certificate)
        old = RawClient(self.pgveil.port).secure(made)
        self.addCleanup(old.close)
        old.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(self.name_shown(), "first")
        self.use(self.second)
        self.assertEqual(self.name_shown(), "first")
        row = self.reload_row()
        self.assertEqual(row[1], "ok")
        self.assertIn("certificate valid until", row[2])
        self.assertEqual(self.name_shown(), "second")
        self.assertEqual(old.query("SELECT count(*) FROM people").texts(), [["11"]])
        self.use(self.first)
        os.kill(self.pgveil.pid, signal.SIGHUP)
        self.until(lambda: self.name_shown() == "first", "SIGHUP did not take up the new certificate")

    def test_bad_files_change_nothing(self):
        def write(path, text):
            path.unlink(missing_ok=True)
            configuration.write_secret(path, text)
        bad = {
            "does not fit": lambda: write(self.key, self.first.key.read_text()),
            "no key can be read": lambda: write(self.key, "hello\n"),
            "no certificate can be read": lambda: write(self.certificate, "hello\n"),
            "it is empty": lambda: write(self.certificate, ""),
            "No such file": lambda: self.certificate.unlink(),
            "others than its owner may read it": lambda: self.key.chmod(0o640),
            "not a regular file": lambda: (self.key.unlink(), self.key.mkdir()),
        }
        for words, spoil in bad.items():
            self.use(self.second)
            spoil()
            item, outcome, message = self.reload_row()
            self.assertEqual((outcome, words in message), ("error", True), message)
            self.assertNotIn("BEGIN", message)
            self.assertEqual(self.name_shown(), "first", words)
            if self.key.is_dir():
                self.key.rmdir()
        self.use(self.second)
        self.key.chmod(0o644)
        os.kill(self.pgveil.pid, signal.SIGHUP)
        self.until(lambda: "others than its owner may read it" in self.pgveil.log(), "SIGHUP found no fault")
        self.assertEqual(self.name_shown(), "first")
        self.use(self.second)
        self.assertEqual(self.reload_row()[1], "ok")
        self.assertEqual(self.name_shown(), "second")

    def test_a_certificate_that_ends_is_warned_of(self):
        """In the log at the start and at RELOAD, by check, and as a metric."""
        port = free_port()
        self.pgveil = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES,
                             more=self.section() + f"metrics: {{port: {port}}}\n")
        self.addCleanup(self.pgveil.stop)
        begins, position = f"tls.clients.cert_file: the certificate in {self.certificate} ", 0

        def warned():
            """What the log says since the last call, and what check says, each from `begins` on."""
            nonlocal position
            said = self.pgveil.log()[position:]
            position += len(said)
            checked = self.pgveil.command("check", "--config", str(self.pgveil.config_path), "--quick").stdout
            return [[line[line.index(begins):] for line in text.splitlines() if begins in line]
                    for text in (said, checked)]

        def days_left():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as page:
                text = page.read().decode()
            samples = re.findall(
                r'(?m)^pgveil_tls_certificate_expiry_timestamp_seconds\{listener="(\w+)"\} (\d+)$', text)
            self.assertEqual([listener for listener, _ in samples], ["clients"])
            return (int(samples[0][1]) - time.time()) / 86400

        self.use(self.authority.issue("soon", days=5))
        self.pgveil.start()
        self.assertAlmostEqual(days_left(), 5, delta=0.1)
        for lines in warned():
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], r"is valid until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, which is in [45] days; "
                                       r"replace the file, then RELOAD$")
        self.use(self.authority.issue("over", days=0))
        time.sleep(2)
        self.assertEqual(self.reload_row()[1], "ok")
        self.assertAlmostEqual(days_left(), 0, delta=0.1)
        for lines in warned():
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], r"was valid until .* UTC, and everybody who checks it refuses to connect; "
                                       r"replace the file, then RELOAD$")
        self.use(self.second)
        self.assertEqual(self.reload_row()[1], "ok")
        self.assertAlmostEqual(days_left(), 30, delta=0.1)
        self.assertEqual(warned(), [[], []])

    def test_the_mode_may_change(self):
        text = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(text.replace("mode: prefer, cert", "mode: require, cert"))
        self.assertEqual(self.reload_row()[1], "ok")
        with RawClient(self.pgveil.port, "analyst", "demo") as client:
            self.assertEqual(client.login.sqlstates(), ["28000"])

    def test_a_bad_file_at_the_start(self):
        self.key.chmod(0o604)
        done = self.pgveil.command("check", "--config", str(self.pgveil.config_path), "--quick")
        self.assertEqual(done.returncode, 1)
        self.assertIn("others than its owner may read it", done.stderr)
        other = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES, more=self.section())
        self.addCleanup(other.stop)
        with self.assertRaises(RuntimeError) as raised:
            other.start()
        other._process = None  # it ended by itself
        self.assertIn("others than its owner may read it", str(raised.exception))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Start-up and login: SCRAM, trust, what is never offered, start-up parameters, requests for encryption, and
crowds that do not log in."""
import re
import socket
import struct
import time
import urllib.request

from harness import world
from harness.pgveil import Pgveil
from harness.ports import free_port
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient, SASL_REQUEST, startup_packet

PASSWORDS = {"analyst": "analyst's pass", "operator": "operator's pass", "outsider": "Unicode nö"}
SSL_REQUEST, GSS_REQUEST = 80877103, 80877104


class Scram(StackCase):
    policies = (world.PEOPLE,)
    built = ()
    options = {"authentication": "scram-sha-256", "passwords": PASSWORDS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with RawClient(cls.pgveil.port, "operator", "pgveil", password=PASSWORDS["operator"]) as console:
            cls.build_errors = console.query("BUILD POLICY people_k2").errors

    def log_in(self, user, password, database="demo"):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        reply = client.log_in({"user": user, "database": database}, password)
        return client, reply

    def test_the_right_password(self):
        self.assertEqual(self.build_errors, [])
        client, reply = self.log_in("analyst", PASSWORDS["analyst"])
        self.assertEqual(reply.status, "I")
        self.assertEqual([code for code, _ in client.authentication], [10, 11, 12, 0])
        self.assert_alive(client)
        self.assertEqual(client.query("SELECT current_user").texts(), [["analyst"]])
        done = self.psql("SELECT count(*) FROM people", options=("-t",), password=PASSWORDS["analyst"])
        self.assertEqual((done.stdout, done.stderr), ("11\n", ""))

    def test_a_wrong_password(self):
        since = self.postgres.log_position()
        _, reply = self.log_in("analyst", "analyst's Pass")
        self.assertEqual((reply.sqlstates(), reply.errors[0]["S"]), (["28P01"], "FATAL"))
        self.assertIn("password authentication failed", self.psql("SELECT 1", password="wrong").stderr)
        self.assertNotIn("pgveil_query@", self.postgres.log(since))

    def test_a_missing_user_looks_like_a_wrong_password(self):
        missing, reply = self.log_in("nobody", "whatever")
        wrong, other = self.log_in("analyst", "whatever")
        self.assertEqual(
            [code for code, _ in missing.authentication], [code for code, _ in wrong.authentication]
        )
        self.assertEqual(
            reply.errors[0]["M"].replace("nobody", "X"), other.errors[0]["M"].replace("analyst", "X")
        )
        self.assertEqual(reply.sqlstates(), ["28P01"])
        # The salt and the iterations of a role that is not there are the same each time.
        again, _ = self.log_in("nobody", "whatever")
        first, second = (client.authentication[1][1].split(b",s=")[1] for client in (missing, again))
        self.assertEqual(first, second)
        self.assertIn(b",i=4096", missing.authentication[1][1])

    def test_only_scram_is_offered(self):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        client.log_in({"user": "analyst", "database": "demo"})
        self.assertEqual(client.authentication, [(SASL_REQUEST, b"SCRAM-SHA-256\0\0")])

    def test_clear_text_in_place_of_scram_ends_the_session(self):
        for body in (
            b"analyst's pass\0",
            b"md5" + b"0" * 32 + b"\0",
            b"SCRAM-SHA-256-PLUS\0\0\0\0\1n",
            b"",
            b"SCRAM-SHA-256\0\xff\xff\xff\xff",
            b"SCRAM-SHA-256\0\0\0\0\x03n,,",
            b"SCRAM-SHA-256\0\0\0\0\x05junk!",
        ):
            client = RawClient(self.pgveil.port)
            client.log_in({"user": "analyst", "database": "demo"})
            client.send(b"p", body)
            reply = client.collect()
            self.assertTrue(reply.is_closed)
            self.assertIn(reply.sqlstate(), ("08P01", "28P01", "28000"), body)
            client.close()

    def test_nothing_else_is_taken_before_the_login_is_done(self):
        since = self.postgres.log_position()
        for tag in b"QPBDESHXFCdcf":
            client = RawClient(self.pgveil.port)
            client.log_in({"user": "analyst", "database": "demo"})
            client.send(bytes([tag]), b"SELECT 1\0")
            reply = client.collect()
            self.assertTrue(reply.is_closed, chr(tag))
            self.assertNotIn("R", reply.messages)
            client.close()
        self.assertNotIn("pgveil_query@", self.postgres.log(since))

    def test_the_console_needs_a_standing(self):
        _, reply = self.log_in("outsider", PASSWORDS["outsider"], "pgveil")
        self.assertTrue(reply.errors)

    def test_the_password_is_in_no_log(self):
        self.log_in("analyst", "tell-tale-password")
        self.assertNotIn("tell-tale-password", self.pgveil.log())
        for secret in (world.QUERY_PASSWORD, world.ADMIN_PASSWORD):
            self.assertNotIn(secret, self.pgveil.log())


class Startup(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def attempt(self, parameters, version=196608):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        return client, client.log_in(parameters, version=version)

    def demo(self, **parameters):
        return self.attempt({"user": "analyst", "database": "demo", **parameters})

    def test_encryption_is_declined_and_the_session_goes_on(self):
        for codes in ((SSL_REQUEST,), (GSS_REQUEST,), (GSS_REQUEST, SSL_REQUEST)):
            client = RawClient(self.pgveil.port)
            for code in codes:
                client.send_bytes(struct.pack("!II", 8, code))
                self.assertEqual(client.read_bytes(1), b"N")
            self.assertEqual(client.log_in({"user": "analyst", "database": "demo"}).status, "I")
            self.assert_alive(client)
            client.close()

    def test_bytes_after_a_request_for_encryption_are_not_taken_for_sql(self):
        client = RawClient(self.pgveil.port)
        client.send_bytes(struct.pack("!II", 8, SSL_REQUEST) + b"Q\0\0\0\x0dSELECT 1\0")
        reply = client.collect()
        self.assertTrue(reply.is_closed)
        self.assertEqual((reply.sqlstates(), "Z" in reply.messages), (["08P01"], False))
        client.close()

    def test_other_major_versions(self):
        for version in (0x00020000, 0x00040000, 0x00010000):
            _, reply = self.attempt({"user": "analyst", "database": "demo"}, version)
            self.assertEqual(reply.errors[0]["S"], "FATAL")
            self.assertIn(reply.sqlstate(), ("0A000", "08P01"))

    def test_forwarded_parameters(self):
        client, _ = self.demo(DateStyle="SQL, DMY", TimeZone="Asia/Tokyo", application_name="report")
        self.assertEqual(client.query("SHOW DateStyle").texts(), [["SQL, DMY"]])
        self.assertEqual(client.query("SHOW TimeZone").texts(), [["Asia/Tokyo"]])
        self.assertEqual(client.settings["application_name"], "report")
        client, _ = self.demo(client_encoding="UTF8", extra_float_digits="3")
        self.assert_alive(client)

    def test_parameters_that_could_subvert_masks_are_refused_or_ignored(self):
        for name, value in (
            ("search_path", "pg_temp"),
            ("role", "postgres"),
            ("session_authorization", "postgres"),
            ("standard_conforming_strings", "off"),
            ("replication", "database"),
            ("replication", "true"),
            ("local_preload_libraries", "x"),
            ("options", "-c search_path=pg_temp"),
            ("options", "-c role=postgres"),
            ("options", "--standard_conforming_strings=off"),
            ("client_encoding", "SJIS"),
            ("transform_null_equals", "on"),
            ("session_preload_libraries", "x"),
            ("client_min_messages", "debug5"),
        ):
            with self.subTest(name, value=value):
                client, reply = self.demo(**{name: value})
                if reply.errors:
                    self.assertEqual(reply.errors[0]["S"], "FATAL")
                    continue
                path = (
                    "{}" if "search_path" in name + value else "{public}"
                )  # temporary schemas are never searched
                self.assertEqual(client.query("SELECT current_user, current_schemas(false)::text").texts(),
                                 [["analyst", path]])
                for setting, pinned in (
                    ("standard_conforming_strings", "on"),
                    ("transform_null_equals", "off"),
                    ("client_encoding", "UTF8"),
                ):
                    shown = client.query(f"SHOW {setting}")
                    self.assertIn(shown.texts(), ([[pinned]], []), setting)

    def test_replication_never_reaches_the_backend(self):
        since = self.postgres.log_position()
        for value in ("database", "true", "1"):
            client, reply = self.demo(replication=value)
            if not reply.errors:
                self.assertNotEqual(client.query("IDENTIFY_SYSTEM").sqlstate(), None)
        self.assertNotIn("IDENTIFY_SYSTEM", self.postgres.log(since))
        self.assertNotIn("walsender", self.postgres.log(since))

    def test_other_databases(self):
        for database in ("postgres", "template1", "nosuch"):
            _, reply = self.attempt({"user": "analyst", "database": database})
            self.assertIn(reply.sqlstate(), ("3D000", "42501", "28000"), database)
        _, reply = self.attempt({"database": "demo"})
        self.assertIn(reply.sqlstate(), ("28000", "08P01"))

    def test_broken_startup_packets(self):
        whole = startup_packet({"user": "analyst", "database": "demo"})
        broken = [
            struct.pack("!I", 4),
            struct.pack("!I", 7) + b"\0\3\0",
            struct.pack("!I", 2**31 - 1) + b"\0\3\0\0",
            struct.pack("!I", 10_001) + b"\0\3\0\0",
            struct.pack("!II", 8, 196608),
            whole[:4] + whole[4:-1] + b"x",
            struct.pack("!II", 12, 196608) + b"user",
            b"GET / HTTP/1.1\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00",
            struct.pack("!II", 9, 196608) + b"\xff",
            struct.pack("!I", 0) + b"\0" * 8,
        ]
        since = self.postgres.log_position()
        for packet in broken:
            client = RawClient(self.pgveil.port)
            client.send_bytes(packet)
            try:
                client.socket.shutdown(1)
                reply = client.collect()
                self.assertTrue(reply.is_closed, packet)
                self.assertNotIn("Z", reply.messages)
            except OSError:
                pass
            client.close()
        self.assertNotIn("pgveil_query@", self.postgres.log(since))
        with self.pgveil.client() as client:
            self.assert_alive(client)

    def test_a_slow_client(self):
        client = RawClient(self.pgveil.port)
        for byte in startup_packet({"user": "analyst", "database": "demo"}):
            client.send_bytes(bytes([byte]))
        self.assertEqual(client.finish_login().status, "I")
        message = b"SELECT count(*) FROM people\0"
        for byte in b"Q" + struct.pack("!I", len(message) + 4) + message:
            client.send_bytes(bytes([byte]))
        self.assertEqual(client.collect().texts(), [["11"]])
        client.close()


class Silent(StackCase):
    """Connections that do not log in, in crowds."""
    policies = (world.PEOPLE,)
    built = ()

    @classmethod
    def start(cls):
        cls.metrics_port = free_port()
        cls.options = {"authentication": "scram-sha-256", "passwords": PASSWORDS,
                       "limits": "max_clients: 4, login_clients: 40, admin_clients: 2, login_timeout: 10m",
                       "more": f"metrics: {{port: {cls.metrics_port}}}\n"}
        super().start()

    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            text = each.config_path.read_text()
            each.config_path.write_text(text.replace("threads: 2}", "threads: 2, socket_dir: .}"))
        return super().kept(each)

    def connect(self, address="127.0.0.1"):
        """address: one of this machine's, to come from; None: over the Unix socket."""
        if address is None:
            one = socket.socket(socket.AF_UNIX)
            one.connect(str(self.pgveil.directory / f".s.PGSQL.{self.pgveil.port}"))
        else:
            one = socket.create_connection(("127.0.0.1", self.pgveil.port), source_address=(address, 0))
        one.settimeout(60)
        self.addCleanup(one.close)
        return one

    def log_in(self, user, database="demo", address="127.0.0.1"):
        client = RawClient(self.pgveil.port)
        client.socket.close()
        client.socket = self.connect(address)
        return client, client.log_in({"user": user, "database": database}, PASSWORDS[user])

    def wait_for_room(self):
        idle = 'pgveil_clients{database="demo",state="idle"}'
        self.until(lambda: self.metric(idle) <= 1, "closed sessions still count")  # one is of the test

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60) as page:
            found = re.search(rf"^{re.escape(name)} (\d+)$", page.read().decode(), re.M)
        return int(found[1]) if found else 0

    def crowd(self, addresses, begun, size=500):
        """So many that say no more than `begun`, one address after the other."""
        left = []
        for number in range(size):
            one = self.connect(addresses[number % len(addresses)])
            try:
                one.sendall(begun)
            except OSError:
                pass  # its place has gone to the next one already
            left.append(one)
        return left

    def test_a_crowd_that_says_nothing_keeps_nobody_out(self):
        start_up = startup_packet({"user": "analyst", "database": "demo"})
        first = b"SCRAM-SHA-256\0" + struct.pack("!i", 30) + b"n,,n=,r=abcdefghijklmnopqrstuv"
        begun_scram = start_up + b"p" + struct.pack("!I", len(first) + 4) + first
        many = [f"127.0.1.{number}" for number in range(1, 101)]
        for what, addresses, begun in (
            ("nothing, one address", ["127.0.0.1"], b""),
            ("nothing, many addresses", many, b""),
            ("nothing, Unix socket", [None], b""),
            ("half a packet", ["127.0.0.1"], start_up[:-3]),
            ("a length", many, struct.pack("!I", 9000)),
            ("a start-up packet", many, start_up),
            ("half a login", ["127.0.0.1"], begun_scram),
        ):
            with self.subTest(what):
                inside, reply = self.log_in("analyst")
                self.assertEqual(reply.status, "I")
                before = self.metric("pgveil_put_out_total")
                left = self.crowd(addresses, begun)
                for address in ("127.0.0.1", "127.0.0.9", None):
                    for user, database in (("analyst", "demo"), ("operator", "pgveil")):
                        client, reply = self.log_in(user, database, address)
                        self.assertEqual((reply.sqlstates(), reply.status), ([], "I"), (user, address))
                        client.close()
                        self.wait_for_room()
                self.assertEqual(inside.query("SELECT 1").texts(), [["1"]])
                self.until(lambda: self.metric("pgveil_put_out_total") - before > 400, "fewer were put out")
                # With those that are just being closed.
                self.until(lambda: self.metric("pgveil_logins") <= 80, "more stay than may")
                inside.close()
                for one in left:
                    one.close()

    def test_who_is_put_out_is_told_and_the_log_says_from_where(self):
        for _ in range(400):
            if self.metric("pgveil_logins") == 0:  # those of the test before are gone
                break
            time.sleep(0.05)
        left = self.crowd(["127.0.0.7"], b"", 60)
        told = b""
        while more := left[0].recv(4096):
            told += more
        self.assertIn(b"C53300\0", told)
        # The log leaves out lines of a kind that come too fast, as those of the test before did.
        words = "a connection of 127.0.0.7 that had not logged in is closed for another"
        for _ in range(12):
            if words in self.pgveil.log():
                return
            time.sleep(0.5)
            self.crowd(["127.0.0.7"], b"", 60)
        self.fail("the log does not say " + words)

    def test_a_slow_login_from_elsewhere_keeps_its_place(self):
        client = RawClient(self.pgveil.port)
        client.socket.close()
        client.socket = self.connect("127.0.0.9")
        self.crowd(["127.0.0.1"], b"", 200)
        self.assertEqual(
            client.log_in({"user": "analyst", "database": "demo"}, PASSWORDS["analyst"]).status, "I"
        )

    def test_an_operator_comes_in_when_all_places_are_taken(self):
        inside = []
        while len(inside) < 4:  # those of other tests may still be going
            client, reply = self.log_in("analyst")
            if reply.status == "I":
                inside.append(client)
        try:
            for user, database in (("analyst", "demo"), ("operator", "demo")):
                self.assertEqual(self.log_in(user, database)[1].sqlstates(), ["53300"], (user, database))
            consoles = [self.log_in("operator", "pgveil") for _ in range(2)]
            self.assertEqual([reply.status for _, reply in consoles], ["I", "I"])
            self.assertEqual(consoles[0][0].query("SHOW LISTS").errors, [])
            self.assertEqual(self.log_in("operator", "pgveil")[1].sqlstates(), ["53300"])
            self.assertGreater(self.metric("pgveil_turned_away_total"), 2)
        finally:
            for client in inside + [client for client, _ in consoles]:
                client.close()


class Limits(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {"limits": "max_clients: 3, login_timeout: 5s, statement_bytes: 2048, session_statements: 5, "
                         "client_message_bytes: 65536, nesting: 20"}

    def test_too_many_clients(self):
        held = []

        def are_three_held():
            client = self.pgveil.client()
            if client.login.errors:  # sessions of the test before may still count
                client.close()
            else:
                held.append(client)
            return len(held) == 3

        try:
            self.until(are_three_held, "three clients are not let in")
            client = RawClient(self.pgveil.port)
            reply = client.log_in({"user": "analyst", "database": "demo"})
            self.assertEqual(reply.sqlstates(), ["53300"])
            client.close()
        finally:
            for client in held:
                client.close()
        self.wait_for_room()

    def wait_for_room(self):
        """Until the sessions of clients that have gone have ended."""
        self.until(self.is_let_in, "closed sessions still count")

    def is_let_in(self):
        with RawClient(self.pgveil.port) as client:
            return not client.log_in({"user": "analyst", "database": "demo"}).errors

    def test_a_login_that_does_not_come(self):
        client = RawClient(self.pgveil.port)
        reply = client.collect()
        self.assertTrue(reply.is_closed)
        client.close()

    def test_long_and_deep_statements(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query("SELECT '" + "x" * 2048 + "'").sqlstates(), ["54000"])
            self.assertIn(client.query("SELECT " + "(" * 30 + "1" + ")" * 30).sqlstate(), ("54001", "54000"))
            self.assert_alive(client)

    def test_too_many_statements(self):
        with self.pgveil.client() as client:
            states = []
            for number in range(8):
                client.parse("SELECT 1", f"s{number}")
                states += client.sync().sqlstates()
            self.assertEqual(set(states), {"54000"})
            self.assert_alive(client)

    def test_a_message_that_is_too_long_ends_the_session(self):
        with self.pgveil.client() as client:
            try:
                client.send(b"Q", b"x" * 70_000)
                reply = client.collect()
                self.assertEqual(reply.sqlstates(), ["08P01"])
                self.assertTrue(reply.is_closed)
            except OSError:
                pass


if __name__ == "__main__":
    main()

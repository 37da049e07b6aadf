#!/usr/bin/python3
"""Several servers behind one pgveil: which of them answers, what a failover leaves, builds on the primary, reads
from standbys; IPv6 on both sides."""
import os
import signal
import socket
import struct
import time

from harness import world
from harness.forwarder import Forwarder
from harness.pgveil import Pgveil
from harness.postgres import Postgres
from harness.runner import main
from harness.stack import StackCase
from harness.standby import Standby, let_standbys_in
from harness.wire import RawClient

QUERY = "SELECT * FROM people"
# Runs until it is cancelled.
LONG = "SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d, numbers e, numbers f, numbers g"
CANCEL_REQUEST = 80877102


class Hosts(StackCase):
    """A primary, and a standby that follows it."""
    has_version_schema = True
    built = ()
    options = {"catalog_check_every": "1s"}

    @classmethod
    def start(cls):
        super().start()
        cls.pgveil.build("people_k2", "staff_k3")
        let_standbys_in(cls.postgres)
        cls.standby = cls.kept(Standby(cls.postgres))

    def stack(self, hosts, wanted, more=(), **options):
        """A pgveil in front of these servers."""
        made = Pgveil(self.postgres, self.policies, self.open_tables, **{**self.options, **options})
        self.addCleanup(made.stop)
        path = made.config_path
        places = ", ".join(f'"{host}"' for host in hosts)
        text = path.read_text().replace(
            f"  host: 127.0.0.1\n  port: {self.postgres.port}\n",
            f"  hosts: [{places}]\n  target_session_attrs: {wanted}\n")
        for old, new in more:
            text = text.replace(old, new)
        path.write_text(text)
        return made.start()

    def places(self):
        return [f"127.0.0.1:{self.postgres.port}", f"127.0.0.1:{self.standby.port}"]

    def until_answered(self, pgveil, expected="f"):
        """Until a new session is answered from a server of this kind; t: a standby."""
        said = None
        for _ in range(600):
            try:
                with pgveil.client() as client:
                    reply = client.query(QUERY)
                    said = reply.errors or client.login.errors
                    kind = client.query("SHOW in_hot_standby").texts()
                    if reply.texts() == world.MASKED_PEOPLE and kind == [["on" if expected == "t" else "off"]]:
                        return
            except OSError as error:
                said = error
            time.sleep(0.1)
        self.fail(f"no masked answer: {said}\n{pgveil.log()[-3000:]}")


class Choice(Hosts):
    def test_each_kind_is_found_wherever_it_is_listed(self):
        for hosts in (self.places(), self.places()[::-1]):
            first = "f" if hosts == self.places() else "t"
            for wanted, kind in {"any": first, "primary": "f", "read-write": "f", "prefer-primary": "f",
                                 "standby": "t", "read-only": "t", "prefer-standby": "t"}.items():
                with self.subTest(wanted=wanted, hosts=hosts):
                    made = self.stack(hosts, wanted)
                    self.until_answered(made, kind)
                    for database in made.console("SHOW DATABASES").texts():
                        if database[0] == "demo":
                            self.assertEqual(database[1], ", ".join(hosts))
                    made.halt()

    def test_builds_use_the_primary_and_reads_a_standby(self):
        made = self.stack(self.places(), "standby")
        self.until_answered(made, "t")
        since = self.standby.log_position()
        made.build("people_k2")  # counts and commits on the primary
        self.assertEqual(self.standby.received(since, "pgveil_admin"), [])
        self.until_answered(made, "t")

    def test_a_cancel_request_reaches_the_server_of_its_statement(self):
        made = self.stack(self.places(), "standby")
        with made.client() as client:
            client.send(b"Q", LONG.encode() + b"\0")
            running = "SELECT 1 FROM pg_stat_activity WHERE usename = 'pgveil_query' AND state = 'active' " \
                      "AND query LIKE '%numbers%numbers%'"
            self.until(lambda: self.standby.rows(running), "the statement does not run")
            with socket.create_connection(("127.0.0.1", made.port)) as other:
                other.sendall(struct.pack("!IIII", 16, CANCEL_REQUEST, *client.key))
                other.recv(1)
            self.assertEqual(client.collect().sqlstate(), "57014")

    def test_without_the_wanted_kind_there_is_no_answer_and_a_reason(self):
        made = self.stack([self.places()[0], self.places()[0]], "any")
        self.until_answered(made)
        made.halt()
        text = made.config_path.read_text().replace("target_session_attrs: any", "target_session_attrs: standby")
        made.config_path.write_text(text)
        done = made.command("serve", "--config", str(made.config_path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("not in hot standby mode", done.stderr)

    def test_another_cluster_is_refused(self):
        other = Postgres(is_copied=False)
        self.addCleanup(other.stop)
        world.create(other)
        made = self.stack(self.places(), "any")
        made.halt()
        path = made.config_path
        path.write_text(path.read_text().replace(self.places()[1], f"127.0.0.1:{other.port}"))
        for verb in ("check", "serve"):
            done = made.command(verb, "--config", str(path))
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("are not a primary and its standby", done.stderr)

    def test_servers_that_do_not_answer_are_passed_over(self):
        """One is down, one takes connections and says nothing, one is here."""
        silent = Forwarder(self.postgres.port)
        self.addCleanup(silent.stop)
        with socket.create_server(("127.0.0.1", 0)) as free:
            down = f"127.0.0.1:{free.getsockname()[1]}"
        made = self.stack([self.places()[0], down, f"127.0.0.1:{silent.port}", self.places()[1]], "standby",
                          more=(("connect_timeout: 5s", "connect_timeout: 2s"),))
        silent.mode = "mute"
        self.until_answered(made, "t")
        self.assertIn(down, made.log())


class Failover(Hosts):
    """The order of the tests is that of their names: the primary dies in the first."""

    def test_a_primary_that_dies_is_left_and_its_standby_promoted(self):
        reading = self.stack(self.places(), "prefer-primary")
        writing = self.stack(self.places(), "primary")
        self.until_answered(reading)
        self.until_answered(writing)
        session = self.pgveil_session(reading)
        self.postgres.kill(signal.SIGKILL)
        with self.subTest("a session of the dead server ends"):
            # Its process in PostgreSQL may still answer until it notices that the server is gone.
            self.until(lambda: session.query(QUERY).errors, "the session goes on")
            session.close()
        with self.subTest("new sessions read from the standby, under the version that it has"):
            self.until_answered(reading, "t")
        with self.subTest("no build without a primary"):
            reply = reading.console("BUILD POLICY people_k2")
            self.assertTrue(reply.errors)
            self.until_answered(reading, "t")
        with self.subTest("who wants a primary is told that there is none"):
            with writing.client() as client:
                self.assertEqual([error["C"] for error in client.login.errors], ["57P03"])
                self.assertIn("is a primary", client.login.errors[0]["M"])
        with self.subTest("a pgveil that starts now serves from the standby"):
            late = self.stack(self.places(), "prefer-primary")
            self.until_answered(late, "t")
        self.standby.run("SELECT pg_promote()")
        with self.subTest("the promoted standby answers and builds"):
            self.until_answered(writing)
            self.until_answered(reading)
            writing.build("people_k2")
            self.until_answered(writing)
            self.until_answered(reading)
        for made in (reading, writing):
            self.assertTrue(made.is_running())

    def pgveil_session(self, pgveil):
        session = pgveil.client()
        self.assertEqual(session.query(QUERY).texts(), world.MASKED_PEOPLE)
        return session


class Ipv6(Hosts):
    @classmethod
    def start(cls):
        if not os.path.exists("/proc/net/if_inet6"):
            cls.skipTest(cls, "needs IPv6 on this machine")
        super().start()
        data = cls.postgres.directory / "data"
        with open(data / "postgresql.conf", "a") as conf:
            conf.write("listen_addresses = '127.0.0.1, ::1'\n")
        hba = (data / "pg_hba.conf").read_text()
        (data / "pg_hba.conf").write_text(hba.replace("127.0.0.1/32", "::1/128") + hba)
        cls.pgveil.halt()
        cls.postgres.kill(signal.SIGINT)
        cls.postgres.start()
        cls.pgveil.start()

    def test_servers_and_clients_over_ipv6(self):
        made = self.stack([f"[::1]:{self.postgres.port}"], "any", authentication="scram-sha-256",
                          passwords={"analyst": "ann's", "operator": "o"},
                          more=(("listen: {host: 127.0.0.1", 'listen: {host: "::"'),))
        for host in ("::1", "127.0.0.1"):
            with RawClient(made.port, "analyst", "demo", password="ann's", host=host) as client:
                self.assertEqual(client.query(QUERY).texts(), world.MASKED_PEOPLE)
                self.assertEqual(self.postgres.rows(
                    "SELECT DISTINCT client_addr FROM pg_stat_activity WHERE usename = 'pgveil_query' "
                    "AND application_name <> 'pgveil'"), [["::1"]])
        made.halt()
        path = made.config_path
        path.write_text(path.read_text().replace(f'hosts: ["[::1]:{self.postgres.port}"]',
                                                 f'host: "::1"\n  port: {self.postgres.port}'))
        made.start()
        with RawClient(made.port, "analyst", "demo", password="ann's", host="::1") as client:
            self.assertEqual(client.query(QUERY).texts(), world.MASKED_PEOPLE)


if __name__ == "__main__":
    main()

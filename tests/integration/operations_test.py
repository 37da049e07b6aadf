#!/usr/bin/python3
"""What operators do and watch: PgBouncer's console commands through psql and psycopg, who may run them,
metrics and health pages, signals and SHUTDOWN."""
import contextlib
import http.client
import os
import re
import signal
import socket
import threading
import time

import psycopg

from harness import world
from harness.pgveil import Pgveil
from harness.ports import free_port
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

SHOWS = ("CLIENTS", "SERVERS", "POOLS", "STATS", "STATS_TOTALS", "DATABASES", "USERS", "LISTS", "MEM")
LONG = "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"


class Operations(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    @classmethod
    def start(cls):
        cls.metrics_port = free_port()
        cls.options = {"more": f"metrics: {{port: {cls.metrics_port}, slow_query: 0ms}}\n"}
        super().start()

    def ask(self, command, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual(reply.errors, [], command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def session_of(self, client):
        """The row of SHOW CLIENTS of this client, found by its own end of the connection."""
        port = str(client.socket.getsockname()[1])
        rows = [row for row in self.ask("SHOW CLIENTS") if row["port"] == port]
        self.assertEqual(len(rows), 1)
        return rows[0]

    def get(self, path, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(method, path)
        response = connection.getresponse()
        return response, response.read().decode()

    def samples(self):
        """name with labels → value."""
        response, text = self.get("/metrics")
        self.assertEqual(response.status, 200)
        found = {}
        for line in text.splitlines():
            if line.startswith("#"):
                self.assertRegex(line, r"^# (HELP|TYPE) pgveil_[a-z_]+ .+$")
                continue
            match = re.fullmatch(
                r'(pgveil_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})?) ([0-9.e+-]+)', line
            )
            self.assertIsNotNone(match, line)
            self.assertNotIn(match[1], found)
            found[match[1]] = float(match[2])
        return found

    # -- SHOW
    def test_every_command_through_psql_and_psycopg(self):
        with psycopg.connect(f"host=127.0.0.1 port={self.pgveil.port} user=operator dbname=pgveil",
                             autocommit=True) as connection:
            for what in (*SHOWS, "CONFIG"):
                done = psql(self.pgveil.port, "pgveil", "operator", f"SHOW {what}")
                self.assertEqual((done.returncode, done.stderr), (0, ""), what)
                for is_binary in (False, True):
                    cursor = connection.execute(f"SHOW {what}", binary=is_binary)
                    names = [column.name for column in cursor.description]
                    self.assertEqual(done.stdout.splitlines()[0].split("|"), names, what)
                    self.assertTrue(all(len(row) == len(names) for row in cursor.fetchall()), what)

    def test_clients_and_servers(self):
        with self.pgveil.client("analyst", parameters={"application_name": "superset"}) as client:
            client.query("BEGIN; SELECT 1")
            client.parse("SELECT 1", statement="s1")
            client.sync()
            row = self.session_of(client)
            self.assertEqual(
                (
                    row["type"],
                    row["user"],
                    row["database"],
                    row["state"],
                    row["addr"],
                    row["tls"],
                    row["application_name"],
                    row["prepared_statements"],
                    row["close_needed"],
                ),
                ("C", "analyst", "demo", "active", "127.0.0.1", "", "superset", "1", "0"),
            )
            server = next(each for each in self.ask("SHOW SERVERS") if each["link"] == row["ptr"])
            self.assertEqual((server["type"], server["user"], server["port"], server["state"], server["ptr"]),
                             ("S", "pgveil_query", str(self.postgres.port), "active", row["link"]))
            pids = self.postgres.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'pgveil_query'")
            self.assertIn([server["remote_pid"]], pids)
            client.query("COMMIT")
            client.query("SET application_name = 'metabase'")
            self.assertEqual(self.session_of(client)["application_name"], "metabase")

    def test_an_unauthenticated_client_has_no_names(self):
        with socket.create_connection(("127.0.0.1", self.pgveil.port)) as silent:
            port = str(silent.getsockname()[1])
            rows = []

            def is_shown():
                rows[:] = [row for row in self.ask("SHOW CLIENTS") if row["port"] == port]
                return bool(rows)

            self.until(is_shown, "the client is not shown")
            self.assertEqual((rows[0]["state"], rows[0]["user"], rows[0]["database"]), ("login", "", ""))

    def test_pools_and_lists(self):
        with self.pgveil.client(), self.pgveil.client(), self.pgveil.client("outsider"):
            pools = {}

            def is_counted():
                pools.update({(row["database"], row["user"]): row for row in self.ask("SHOW POOLS")})
                pool = pools["demo", "analyst"]
                return (pool["cl_active"], pool["sv_active"]) == ("2", "2")

            # Sessions of the test before may still be ending.
            self.until(is_counted, "SHOW POOLS does not count two clients")
            pool = pools["demo", "analyst"]
            self.assertEqual((pool["cl_active"], pool["sv_active"], pool["cl_waiting"], pool["pool_mode"]),
                             ("2", "2", "0", "none"))
            self.assertEqual(pools["demo", "outsider"]["cl_active"], "1")
            self.assertEqual(pools["pgveil", "operator"]["sv_active"], "0")

            def counted():
                lists = {row["list"]: int(row["items"]) for row in self.ask("SHOW LISTS")}
                return lists["databases"], lists["used_servers"], lists["used_clients"]

            # The session that asked before may still be ending.
            self.until(lambda: counted() == (2, 3, 4), "SHOW LISTS counts the three and the one who asks")
        databases = {row["name"]: row for row in self.ask("SHOW DATABASES")}
        self.assertEqual(
            (databases["demo"]["port"], databases["demo"]["force_user"], databases["demo"]["disabled"]),
            (str(self.postgres.port), "pgveil_query", "0"),
        )
        self.assertIn("operator", [row["name"] for row in self.ask("SHOW USERS")])
        self.assertGreater(
            int({row["name"]: row for row in self.ask("SHOW MEM")}["process"]["memtotal"]), 1_000_000
        )

    def test_stats(self):
        def totals():
            rows = {row["database"]: row for row in self.ask("SHOW STATS_TOTALS")}
            return {name: int(value) for name, value in rows["demo"].items() if name != "database"}
        with self.pgveil.client() as client:
            before = totals()
            for _ in range(3):
                client.query("SELECT * FROM people")
            client.query("SELECT * FROM diary")  # refused: answered, too
            client.query("BEGIN")
            client.query("SELECT pg_catalog.repeat('x', 10000)")
            client.query("COMMIT")
            client.extended("SELECT 1")
            after = totals()
        self.assertEqual(after["query_count"] - before["query_count"], 8)
        self.assertEqual(after["xact_count"] - before["xact_count"], 6)
        self.assertGreater(after["bytes_sent"] - before["bytes_sent"], 10_000)
        self.assertLess(after["bytes_received"] - before["bytes_received"], 1_000)
        self.assertGreater(after["query_time"], before["query_time"])
        self.assertGreaterEqual(
            after["xact_time"] - before["xact_time"], after["query_time"] - before["query_time"]
        )
        self.assertGreater(after["server_assignment_count"], 0)

    def test_probes_are_answered_beside_requests_that_are_left(self):
        left = []
        for number in range(400):
            left.append(socket.create_connection(("127.0.0.1", self.metrics_port)))
            self.addCleanup(left[-1].close)
            with contextlib.suppress(OSError):
                left[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            if number % 50 == 49:
                for path in ("/healthz", "/readyz", "/metrics"):
                    self.assertEqual(self.get(path)[0].status, 200)

    def test_pages_are_not_for_other_names(self):
        for host, status in (("localhost", 200), (f"127.0.0.1:{self.metrics_port}", 200), ("10.1.2.3", 200),
                             ("evil.example", 421), (f"localhost.evil.example:{self.metrics_port}", 421)):
            connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=60)
            self.addCleanup(connection.close)
            connection.request("GET", "/metrics", headers={"Host": host})
            self.assertEqual(connection.getresponse().status, status, host)

    def test_config_has_no_secret(self):
        rows = {row["key"]: row for row in self.ask("SHOW CONFIG")}
        self.assertEqual(
            (rows["limits.max_clients"]["value"], rows["limits.max_clients"]["changeable"]), ("500", "no")
        )
        self.assertEqual((rows["listen.port"]["value"], rows["listen.port"]["default"]),
                         (str(self.pgveil.port), "6432"))
        self.assertEqual((rows["admin.admin_users"]["value"], rows["admin.admin_users"]["changeable"]),
                         ("[operator]", "yes"))
        self.assertNotIn("secret", str(rows).replace("people", "").lower())

    # -- who may
    def test_each_command_is_authorized(self):
        for what in SHOWS:
            self.ask(f"SHOW {what}", "watcher")
        with self.pgveil.client() as client:
            number = self.session_of(client)["id"]
            for command in ("SHOW CONFIG", f"KILL_CLIENT {number}", "SHUTDOWN", "SHUTDOWN WAIT_FOR_CLIENTS",
                            "SHUTDOWN WAIT_FOR_SERVERS", "RELOAD", "PAUSE", "PAUSE demo", "RESUME",
                            "RECONNECT", "BUILD POLICY people_k2", "SHOW COHORTS people_k2"):
                reply = self.pgveil.console(command, "watcher")
                self.assertEqual((reply.sqlstates(), reply.rows), (["42501"], []), command)
                with RawClient(self.pgveil.port, "watcher", "pgveil") as console:
                    self.assertEqual(console.extended(command).sqlstates(), ["42501"], command)
            self.assert_alive(client)
        with RawClient(self.pgveil.port, "analyst", "pgveil") as console:
            self.assertEqual(console.login.sqlstates(), ["42501"])

    def test_what_is_shown_holds_no_data(self):
        with self.pgveil.client() as client:
            client.query("SELECT * FROM people WHERE city = 'Withamsville'")
            client.query("SELECT 'Withamsville'::integer")
            shown = "".join(str(self.ask(f"SHOW {what}")) for what in (*SHOWS, "CONFIG", "REFUSALS"))
            shown += self.get("/metrics")[1]
        self.assert_no_hidden_value(shown)
        self.assertNotIn(
            "SELECT", shown.replace("SELECT name, verifier FROM pgveil_auth.verifier_of($1)", "")
        )  # a default of the configuration

    # -- KILL_CLIENT
    def test_kill_client(self):
        with self.pgveil.client() as client, self.pgveil.client() as other:
            client.send(b"Q", LONG.encode() + b"\0")
            self.wait_for_running_query()
            reply = self.pgveil.console(f"KILL_CLIENT {self.session_of(client)['id']}")
            self.assertEqual((reply.errors, reply.tags), ([], ["KILL_CLIENT"]))
            self.assertEqual(client.collect().sqlstates(), ["57P01"])
            self.assert_alive(other)
        for _ in range(400):
            if not self.postgres.rows(
                "SELECT 1 FROM pg_stat_activity WHERE usename = 'pgveil_query' AND state = 'active'"
            ):
                break
            time.sleep(0.05)
        else:
            self.fail("the statement of a killed client still runs")
        self.assertEqual(self.pgveil.console("KILL_CLIENT 999999").sqlstates(), ["22023"])

    # -- pgveil's own connections
    def test_the_queries_of_a_reload_share_a_login(self):
        """Its connections end with it, because an idle one would keep a database from being dropped."""
        began = self.postgres.log_position()
        self.ask("RELOAD")
        text = self.postgres.log(began)
        logins = set(re.findall(r"(?m)^<(pgveil_query|pgveil_admin)@demo (\d+)>", text))
        # The watch for changes may look at the same time, with two connections of pgveil_query and one of
        # pgveil_admin. Versions are also written, and copies without a policy are dropped.
        self.assertLessEqual(sum(role == "pgveil_query" for role, _ in logins), 3, logins)
        self.assertLessEqual(len(logins), 7)
        self.assertIn("DISCARD ALL", text)  # a query finds no setting of the one before
        own = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgveil'"
        self.until(lambda: self.postgres.rows(own)[0][0] == "0", "connections of pgveil's own were left open")

    def test_reloads_are_answered_while_the_server_ends_their_connections(self):
        """With or without an error, by when a connection ends; the next one works."""
        with self.pgveil.client("operator", database="pgveil") as console:
            for _ in range(5):
                console.send(b"Q", b"RELOAD\0")
                for _ in range(3):
                    self.postgres.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                       "WHERE application_name = 'pgveil' AND state = 'idle'")
                self.assertFalse(console.collect().is_closed)
        self.assertEqual({row["outcome"] for row in self.ask("RELOAD")}, {"ok"})

    # -- metrics
    def test_metrics(self):
        self.until(lambda: len(self.ask("SHOW CLIENTS")) == 1, "sessions of before do not end")
        before = self.samples()
        with self.pgveil.client() as client:
            client.query("SELECT city FROM people WHERE state = 'metrics test'")
            client.query("SELECT * FROM diary")
            client.query("SELECT * FROM diary")
            now = self.samples()
            self.assertEqual(now['pgveil_clients{database="demo",state="idle"}'], 1)
            self.assertEqual(now['pgveil_servers{database="demo"}'], 1)

        def grown(name):
            return now[name] - before.get(name, 0)
        self.assertEqual(grown('pgveil_queries_total{database="demo"}'), 3)
        self.assertEqual(grown('pgveil_refusals_total{reason="relation_not_listed"}'), 2)
        self.assertEqual(grown("pgveil_query_seconds_count"), 3)
        self.assertEqual(grown("pgveil_masked_query_seconds_count"), 1)
        self.assertEqual(grown("pgveil_slow_masked_queries_total"), 1)  # slow_query is 0ms
        self.assertGreaterEqual(grown("pgveil_rewrite_seconds_count"), 1)
        for each in ("parse", "resolve", "choose_masks", "print", "verify", "put_masks", "verify_sent"):
            self.assertGreater(grown('pgveil_rewrite_pass_seconds_total{pass="%s"}' % each), 0, each)
        self.assertGreaterEqual(grown("pgveil_verdict_cache_hits_total"), 1)
        self.assertEqual(now['pgveil_policy_open{database="demo",policy="people_k2"}'], 1)
        self.assertEqual(now['pgveil_policy_disclosed_ratio{database="demo",policy="people_k2"}'], 0.45)
        self.assertEqual(now['pgveil_policy_last_build_failed{database="demo",policy="people_k2"}'], 0)
        self.assertLess(now['pgveil_policy_version_age_seconds{database="demo",policy="people_k2"}'], 3600)
        errors = {key: value for key, value in now.items() if key.startswith("pgveil_policy_column_error_ratio")}
        labels = 'pgveil_policy_column_error_ratio{database="demo",policy="people_k2",column="%s"}'
        self.assertEqual(
            {column: errors[labels % column] for column in ("occupation", "city", "state")},
            {"occupation": 0.55, "city": 0.64, "state": 0.45},  # 6, 7 and 5 of 11 rows
        )
        for name in ("pgveil_query_seconds", "pgveil_masked_query_seconds", "pgveil_rewrite_seconds", "pgveil_wait_seconds"):
            buckets = [value for key, value in now.items() if key.startswith(name + "_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(buckets[-1], now[name + "_count"])

    def test_pages(self):
        self.assertEqual((self.get("/healthz")[0].status, self.get("/healthz")[1]), (200, "ok\n"))
        self.assertEqual((self.get("/readyz")[0].status, self.get("/readyz")[1]), (200, "ready\n"))
        self.assertEqual(self.get("/metrics", "HEAD")[1], "")
        self.assertEqual(self.get("/healthz?x=1")[0].status, 200)
        for path, method, status in (
            ("/", "GET", 404),
            ("/metrics/", "GET", 404),
            ("/../etc/passwd", "GET", 404),
            ("/metrics", "POST", 405),
            ("/metrics", "DELETE", 405),
        ):
            self.assertEqual(self.get(path, method)[0].status, status, path)

    def test_bad_requests_end_their_connection_only(self):
        for text in (b"\0" * 100, b"GET /metrics\r\n\r\n", b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nX: " + b"y" * 20000, b"Q\0\0\0\x0dSELECT 1\0"):
            with socket.create_connection(("127.0.0.1", self.metrics_port), timeout=20) as peer:
                with contextlib.suppress(OSError):  # it may have been reset before all was sent
                    peer.sendall(text)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(4096):
                        pass
        silent = [socket.create_connection(("127.0.0.1", self.metrics_port)) for _ in range(20)]
        self.assertEqual(self.get("/healthz")[0].status, 200)
        for peer in silent:
            peer.close()


class Ending(StackCase):
    policies = (world.PEOPLE,)
    built = ()

    def serve(self, limits="drain_timeout: 30s"):
        port = free_port()
        pgveil = Pgveil(self.postgres, self.policies, self.open_tables, limits=limits,
                        more=f"metrics: {{port: {port}}}\n")
        self.addCleanup(pgveil.stop)
        pgveil.metrics_port = port
        return pgveil.start()

    def ready(self, pgveil):
        connection = http.client.HTTPConnection("127.0.0.1", pgveil.metrics_port, timeout=20)
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        return response.status, response.read().decode()

    def assert_ends(self, pgveil):
        self.assertEqual(pgveil._process.wait(timeout=60), 0)

    def test_a_session_ends_at_its_rest(self):
        for how in (signal.SIGTERM, signal.SIGINT, "SHUTDOWN WAIT_FOR_SERVERS"):
            pgveil = self.serve()
            idle, busy = pgveil.client(), pgveil.client()
            busy.query("BEGIN")
            if isinstance(how, str):
                self.assertEqual(pgveil.console(how).tags, ["SHUTDOWN"])
            else:
                os.kill(pgveil.pid, how)
            self.assertEqual(idle.collect().sqlstates(), ["57P01"], how)
            self.assertEqual(busy.query("SELECT 7").texts(), [["7"]], how)
            self.assertEqual(self.ready(pgveil), (503, "shutting down\n"))
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", pgveil.port), timeout=5).close()
            reply = busy.query("COMMIT")
            self.assertEqual((reply.tags, reply.status), (["COMMIT"], "I"))
            self.assertEqual(busy.collect().sqlstates(), ["57P01"], how)
            self.assert_ends(pgveil)

    def test_the_drain_time_is_a_limit(self):
        pgveil = self.serve("drain_timeout: 500ms")
        busy = pgveil.client()
        busy.query("BEGIN")
        os.kill(pgveil.pid, signal.SIGTERM)
        self.assertEqual(busy.collect().sqlstates(), ["57P01"])
        self.assert_ends(pgveil)

    def test_at_once(self):
        for how in (signal.SIGQUIT, "SHUTDOWN"):
            pgveil = self.serve()
            busy = pgveil.client()
            busy.query("BEGIN")
            if isinstance(how, str):
                try:
                    pgveil.console(how)
                except OSError:
                    pass
            else:
                os.kill(pgveil.pid, how)
            self.assertEqual(busy.collect().sqlstates(), ["57P01"], how)
            self.assert_ends(pgveil)

    def test_when_the_clients_have_gone(self):
        pgveil = self.serve()
        idle = pgveil.client()
        with RawClient(pgveil.port, "operator", "pgveil") as console:
            self.assertEqual(console.query("SHUTDOWN WAIT_FOR_CLIENTS").tags, ["SHUTDOWN"])
            self.assertEqual(console.query("SHOW LISTS").sqlstates(), [])
        for _ in range(5):
            self.assertEqual(idle.query("SELECT 7").texts(), [["7"]])
        self.assertTrue(pgveil.is_running())
        idle.close()
        self.assert_ends(pgveil)

    def test_a_second_signal_does_not_wait(self):
        pgveil = self.serve()
        busy = pgveil.client()
        busy.query("BEGIN")
        os.kill(pgveil.pid, signal.SIGINT)
        self.assertEqual(busy.query("SELECT 7").texts(), [["7"]])
        while self.ready(pgveil)[0] == 200:
            pass
        os.kill(pgveil.pid, signal.SIGINT)
        self.assertEqual(busy.collect().sqlstates(), ["57P01"])
        self.assert_ends(pgveil)

    def test_signals_that_pause_and_resume(self):
        pgveil = self.serve()
        with pgveil.client() as client:
            os.kill(pgveil.pid, signal.SIGUSR1)
            while "SIGUSR1" not in pgveil.log():
                time.sleep(0.05)
            self.assertEqual(client.query("SELECT 7").texts(), [["7"]])  # it holds its connection
            results = []
            newcomer = threading.Thread(target=lambda: results.append(pgveil.client()))
            newcomer.start()
            waiting = [None]
            while "waiting" not in waiting:
                waiting = [row[4] for row in pgveil.console("SHOW CLIENTS").texts()]
            self.assertEqual(results, [])
            os.kill(pgveil.pid, signal.SIGUSR2)
            newcomer.join(timeout=20)
            with results[0] as second:
                self.assertEqual(second.query("SELECT 8").texts(), [["8"]])

    def test_metrics_whose_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            pgveil = Pgveil(self.postgres, self.policies, self.open_tables,
                            more=f"metrics: {{port: {taken.getsockname()[1]}}}\n")
            self.addCleanup(pgveil.stop)
            with self.assertRaises(RuntimeError) as raised:
                pgveil.start()
            pgveil._process = None  # it ended by itself
            self.assertIn("for metrics", str(raised.exception))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Connections that clients share, session by session and transaction by transaction: what one leaves behind
never reaches the next, whatever it does and however it ends; and the limits, the line, PAUSE, RESUME and
RECONNECT."""
import socket
import struct
import threading
import time

import psycopg

from harness import world
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
from harness.wire import Closed, RawClient

CANCEL_REQUEST = 80877102
LONG = "SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d, numbers e, numbers f, numbers g"
PID = "SELECT pg_backend_pid()"
SETTINGS = (
    "work_mem",
    "statement_timeout",
    "timezone",
    "datestyle",
    "application_name",
    "search_path",
    "extra_float_digits",
    "bytea_output",
    "default_transaction_isolation",
)
SHOW_SETTINGS = "SELECT " + ", ".join(
    f"current_setting('{name}')" for name in SETTINGS if name != "search_path"
)


class Pooled(StackCase):
    """What holds in both modes. size 1: two clients can only use the same connection."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    mode = None  # of the class
    pool = ""
    limits = ""

    @classmethod
    def start(cls):
        if cls.mode is None:
            return
        cls.options = {"more": f"pool: {{mode: {cls.mode}, size: 1, wait_timeout: 20s{cls.pool}}}\n",
                       "limits": cls.limits}
        super().start()

    def ask(self, command, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual(reply.errors, [], command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def servers(self):
        return int(self.postgres.rows("SELECT count(*) FROM pg_stat_activity WHERE usename = 'pgveil_query' "
                                      "AND datname = 'demo'")[0][0])

    def backends(self):
        """The pids of the pool's connections, and what the server says they do."""
        return self.postgres.rows("SELECT pid, state FROM pg_stat_activity WHERE usename = 'pgveil_query' "
                                  "AND datname = 'demo' AND backend_type = 'client backend'")

    def until_idle(self, count=1):
        """Until no connection is in use, and so many are idle."""
        def is_idle():
            row = self.pool_row()
            return row is not None and (row["sv_active"], row["sv_idle"], row["sv_tested"]) == (
                "0",
                str(count),
                "0",
            )
        self.until(is_idle, f"the pool is not idle: {self.pool_row()}")

    def pool_row(self, user="analyst"):
        rows = [row for row in self.ask("SHOW POOLS") if (row["user"], row["database"]) == (user, "demo")]
        return rows[0] if rows else None

    def cancel(self, key):
        with socket.create_connection(("127.0.0.1", self.pgveil.port)) as other:
            other.sendall(struct.pack("!IIII", 16, CANCEL_REQUEST, *key))
            other.recv(1)

    def settings(self, client):
        reply = client.query(SHOW_SETTINGS)
        self.assertEqual(reply.errors, [])
        return reply.texts()[0] + [client.query("SHOW search_path").texts()[0][0]]


class SessionMode(Pooled):
    mode = "session"

    def test_the_next_client_gets_the_same_connection_clean(self):
        with self.pgveil.client() as first:
            before = self.settings(first)
            pid = first.query(PID).texts()
            told = dict(first.settings)
            for sql in (
                "SET work_mem = '77MB'",
                "SET timezone = 'Asia/Tokyo'",
                "SET datestyle = 'German'",
                "SET search_path = pg_catalog",
                "SET application_name = 'left behind'",
                "SET extra_float_digits = 0",
                "SET bytea_output = 'escape'",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "PREPARE left_behind AS SELECT 1",
                "BEGIN",
                "DECLARE held CURSOR WITH HOLD FOR SELECT 2",
                "COMMIT",
            ):
                self.assertEqual(first.query(sql).errors, [], sql)
            first.parse("SELECT 3", "parsed_behind")
            self.assertEqual(first.sync().errors, [])
            self.assertEqual(first.settings["TimeZone"], "Asia/Tokyo")
        self.until_idle()
        with self.pgveil.client() as second:
            self.assertEqual(second.query(PID).texts(), pid)
            self.assertEqual(second.settings, told)
            self.assertEqual(self.settings(second), before)
            self.assertEqual(second.query("EXECUTE left_behind").sqlstate(), "26000")
            self.assertEqual(second.query("BEGIN; FETCH 1 FROM held").sqlstate(), "34000")
            self.assertEqual(second.query("ROLLBACK").errors, [])
            second.bind(statement="parsed_behind")
            self.assertEqual(second.sync().sqlstate(), "26000")

    def test_start_up_settings_are_what_reset_returns_to(self):
        for zone in ("Asia/Tokyo", "America/New_York", "Asia/Tokyo"):
            with self.pgveil.client(
                parameters={"timezone": zone, "application_name": f"in {zone}"}
            ) as client:
                self.assertEqual(client.settings["TimeZone"], zone)
                self.assertEqual(client.settings["application_name"], f"in {zone}")
                self.assertEqual(client.query("SET timezone = 'UTC'").errors, [])
                self.assertEqual(client.query("RESET timezone").errors, [])
                self.assertEqual(client.query("SHOW timezone").texts(), [[zone]])
            self.until_idle()

    def test_a_client_that_vanishes_leaves_nothing(self):
        def in_transaction(client):
            self.assertEqual(client.query("BEGIN; SELECT 1").status, "T")

        def failed(client):
            self.assertEqual(client.query("BEGIN; SELECT 1/0").status, "E")

        def without_sync(client):
            client.parse("SELECT 1")
            client.send(b"H")
            client.collect(until=b"1")

        def in_copy(client):
            client.send(
                b"Q",
                b"COPY (SELECT a.n FROM numbers a, numbers b, numbers c, numbers d, numbers e) TO STDOUT\0",
            )
            client.collect(until=b"d")

        def in_rows(client):
            client.send(b"Q", b"SELECT a.n FROM numbers a, numbers b, numbers c, numbers d, numbers e\0")
            client.collect(until=b"D")

        def in_query(client):
            client.send(b"Q", LONG.encode() + b"\0")
            self.wait_for_running_query()

        def with_half_a_message(client):
            client.send_bytes(b"Q\0\0\0\xffSELECT")

        def with_a_portal(client):
            client.query("BEGIN")
            client.parse("SELECT n FROM numbers")
            client.bind(portal="p")
            client.execute("p", max_rows=2)
            client.sync()

        for leave in (
            in_transaction,
            failed,
            without_sync,
            in_copy,
            in_rows,
            in_query,
            with_half_a_message,
            with_a_portal,
        ):
            with self.subTest(leave.__name__):
                client = self.pgveil.client()
                leave(client)
                client.socket.close()
                with self.pgveil.client() as next_one:
                    reply = next_one.query("SELECT 5")
                    self.assertEqual((reply.texts(), reply.status, reply.messages), ([["5"]], "I", "TDCZ"))
                    self.assertEqual(next_one.query("FETCH p").sqlstate(), "34000")
                    self.assertEqual(next_one.query("ROLLBACK").status, "I")
                self.until_idle()

    def test_a_key_is_of_no_use_after_its_session(self):
        with self.pgveil.client() as first:
            key = first.key
        self.until_idle()
        with self.pgveil.client() as second:
            second.send(b"Q", b"SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d, numbers e\0")
            self.cancel(key)
            self.assertEqual(second.collect().errors, [])

    def test_the_line_and_its_end(self):
        with self.pgveil.client() as holder:
            waiting = RawClient(self.pgveil.port)
            waiting.send_bytes(b"")
            thread_result = []

            def log_in():
                thread_result.append(waiting.log_in({"user": "analyst", "database": "demo"}))

            thread = threading.Thread(target=log_in)
            thread.start()
            self.until(lambda: self.pool_row()["cl_waiting"] == "1", "nobody waits")
            self.assertEqual((self.pool_row()["cl_active"], self.pool_row()["sv_active"]), ("1", "1"))
            thread.join(timeout=120)
            self.assertEqual(thread_result[0].sqlstate(), "53300")  # wait_timeout
            self.assert_alive(holder)
            waiting.socket.close()

    def test_who_waits_gets_it_next(self):
        holder = self.pgveil.client()
        results = []
        threads = []
        for number in range(3):
            def use(number=number):
                with self.pgveil.client() as client:
                    results.append(client.query(f"SELECT {number}").texts())
            threads.append(threading.Thread(target=use))
            threads[-1].start()
        self.until(lambda: self.pool_row()["cl_waiting"] == "3", "not all wait")
        holder.close()
        for thread in threads:
            thread.join(timeout=120)
        self.assertEqual(sorted(results), [[["0"]], [["1"]], [["2"]]])
        self.assertEqual(self.servers(), 1)

    def test_roles_share_nothing(self):
        with self.pgveil.client() as analyst:
            pid = analyst.query(PID).texts()
        self.until_idle()
        with self.pgveil.client("dpo") as dpo:  # exempt
            self.assertNotEqual(dpo.query(PID).texts(), pid)
            self.assertEqual(dpo.query("SELECT occupation FROM people WHERE id = 1").texts(), [["Lawyer"]])
        self.assert_no_hidden_value(repr(self.texts("SELECT * FROM people")))

    def test_a_connection_that_the_server_ended_is_not_lent(self):
        with self.pgveil.client() as client:
            pid = client.query(PID).texts()[0][0]
        self.until_idle()
        self.postgres.rows(f"SELECT pg_terminate_backend({pid})")
        self.until(lambda: self.servers() == 0, "it lives")
        with self.pgveil.client() as client:
            self.assertNotEqual(client.query(PID).texts()[0][0], pid)

    def test_reconnect_and_reload_replace_connections(self):
        pids = set()
        for command in (None, "RECONNECT", "RECONNECT demo", "RELOAD"):
            if command is not None:
                self.assertEqual(self.pgveil.console(command).errors, [], command)
            with self.pgveil.client() as client:
                pids.add(client.query(PID).texts()[0][0])
            self.until_idle()
        self.assertEqual(len(pids), 4)

    def test_show_servers_and_databases(self):
        with self.pgveil.client() as client:
            pid = client.query(PID).texts()[0][0]
            rows = [row for row in self.ask("SHOW SERVERS") if row["remote_pid"] == pid]
            self.assertEqual([row["state"] for row in rows], ["idle"])
            client.query("BEGIN")
            rows = [row for row in self.ask("SHOW SERVERS") if row["remote_pid"] == pid]
            self.assertEqual([row["state"] for row in rows], ["active"])
            clients = [row for row in self.ask("SHOW CLIENTS") if row["database"] == "demo"]
            self.assertEqual([row["link"] for row in clients], [rows[0]["ptr"]])
            client.query("ROLLBACK")
        self.until_idle()
        rows = [row for row in self.ask("SHOW SERVERS") if row["remote_pid"] == pid]
        self.assertEqual([(row["state"], row["link"]) for row in rows], [("idle", None)])
        demo = [row for row in self.ask("SHOW DATABASES") if row["name"] == "demo"][0]
        self.assertEqual((demo["pool_mode"], demo["pool_size"]), ("session", "1"))

    def test_pause_waits_and_resume_ends_it(self):
        client = self.pgveil.client()
        done = []
        thread = threading.Thread(target=lambda: done.append(self.pgveil.console("PAUSE demo")))
        thread.start()
        paused = lambda: [row["paused"] for row in self.ask("SHOW DATABASES") if row["name"] == "demo"] == [
            "1"
        ]
        self.until(paused, "not paused")
        self.assertEqual(done, [])
        self.assertEqual(self.pgveil.console("PAUSE demo").sqlstates(), ["55000"])
        self.assert_alive(client)
        client.close()
        thread.join(timeout=120)
        self.assertEqual((done[0].errors, done[0].tags), ([], ["PAUSE"]))
        self.assertEqual(self.servers(), 0)
        results = []
        waiting = threading.Thread(target=lambda: results.append(self.texts("SELECT 1")))
        waiting.start()
        self.until(lambda: self.pool_row() and self.pool_row()["cl_waiting"] == "1", "it does not wait")
        reply = self.pgveil.console("RESUME demo")
        self.assertEqual((reply.errors, reply.tags), ([], ["RESUME"]))
        waiting.join(timeout=120)
        self.assertEqual(results, [[["1"]]])
        self.assertEqual(self.pgveil.console("RESUME demo").sqlstates(), ["55000"])

    def test_who_may_pause(self):
        for command in ("PAUSE", "PAUSE demo", "RESUME", "RECONNECT", "RECONNECT demo"):
            self.assertEqual(self.pgveil.console(command, "watcher").sqlstates(), ["42501"], command)
            self.assertNotEqual(psql(self.pgveil.port, "pgveil", "analyst", command).returncode, 0, command)
        for command in ("PAUSE nowhere", "RESUME nowhere", "RECONNECT nowhere"):
            self.assertEqual(self.pgveil.console(command).sqlstates(), ["3D000"], command)
        with psycopg.connect(f"host=127.0.0.1 port={self.pgveil.port} user=operator dbname=pgveil",
                             autocommit=True) as connection:  # the extended protocol
            self.assertEqual(connection.execute("RECONNECT demo").statusmessage, "RECONNECT")


class TransactionMode(Pooled):
    mode = "transaction"
    pool = ", prepared_statements: 3"

    def test_two_clients_on_one_connection_keep_their_settings(self):
        with self.pgveil.client() as one, self.pgveil.client(parameters={"application_name": "two"}) as two:
            self.assertEqual(one.query(PID).texts(), two.query(PID).texts())
            before = self.settings(two)
            for sql in ("SET work_mem = '77MB'", "SET timezone = 'Asia/Tokyo'", "SET datestyle = 'German'",
                        "SET search_path = pg_catalog, public", "SET extra_float_digits = 0",
                        "SELECT set_config('bytea_output', 'escape', false)",
                        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                        "SET application_name = 'it''s \\ one'"):
                self.assertEqual(one.query(sql).errors, [], sql)
            mine = self.settings(one)
            self.assertNotEqual(mine, before)
            for _ in range(3):
                self.assertEqual(self.settings(two), before)
                self.assertEqual(self.settings(one), mine)
            self.assertEqual((one.settings["TimeZone"], one.settings["application_name"]),
                             ("Asia/Tokyo", "it's \\ one"))
            self.assertEqual((two.settings["TimeZone"], two.settings["application_name"]), ("UTC", "two"))
            self.assertEqual(one.query("RESET ALL").errors, [])
            self.assertEqual(self.settings(one)[:3], before[:3])
            self.assertEqual(two.query("SHOW application_name").texts(), [["two"]])

    def test_settings_of_a_transaction_stay_in_it(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            before = self.settings(two)
            for sql in ("BEGIN; SET LOCAL work_mem = '9MB'; COMMIT", "BEGIN; SET work_mem = '9MB'; ROLLBACK",
                        "BEGIN; SAVEPOINT s; SET work_mem = '9MB'; ROLLBACK TO s; COMMIT",
                        "SET work_mem = '9MB'; SELECT 1/0", "BEGIN; SET work_mem = '9MB'; SELECT 1/0"):
                one.query(sql)
                one.query("ROLLBACK")
                self.assertEqual(self.settings(two), before, sql)
                self.assertEqual(self.settings(one), before, sql)

    def test_a_transaction_keeps_its_connection(self):
        with self.pgveil.client() as one:
            self.assertEqual(one.query("BEGIN; SELECT 1").status, "T")
            with self.assertRaises(Closed):
                while True:  # 53300 after the wait
                    RawClient(self.pgveil.port, "analyst", "demo").read_message()
            self.assertEqual(one.query("SELECT 2").texts(), [["2"]])
            self.assertEqual(one.query("COMMIT").status, "I")
            self.assertEqual(self.texts("SELECT 3"), [["3"]])

    def test_prepared_statements_follow_their_client(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            for client, value in ((one, "1"), (two, "2")):
                client.parse(f"SELECT {value} + $1::int", "s")
                self.assertEqual(client.sync().messages, "1Z")
            for _ in range(3):
                for client, expected in ((one, "11"), (two, "12")):
                    client.bind(["10"], "s")
                    client.execute()
                    reply = client.sync()
                    self.assertEqual((reply.messages, reply.texts()), ("2DCZ", [[expected]]))
            one.describe(b"S", "s")
            self.assertEqual(one.sync().messages, "tTZ")
            one.parse("SELECT 9", "s")
            self.assertEqual(one.sync().sqlstate(), "42P05")
            one.close_object(b"S", "s")
            self.assertEqual(one.sync().messages, "3Z")
            one.bind(["10"], "s")
            self.assertEqual(one.sync().sqlstate(), "26000")
            two.bind(["10"], "s")
            two.execute()
            self.assertEqual(two.sync().texts(), [["12"]])

    def test_nobody_reaches_anothers_statement_by_its_real_name(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.parse("SELECT 'of one'", "s")
            one.sync()
            one.parse("SELECT 'unnamed of one'")
            one.sync()
            for name in ("s", "pgveil_1", "pgveil_2", "pgveil_none", ""):
                two.bind(statement=name)
                two.execute()
                self.assertEqual(two.sync().sqlstate(), "26000", name)
                two.describe(b"S", name)
                self.assertEqual(two.sync().sqlstate(), "26000", name)
                if name:
                    self.assertEqual(two.query(f"DEALLOCATE {name}").sqlstate(), "26000")
                    self.assertEqual(two.query(f"EXECUTE {name}").sqlstate(), "0A000")
                    two.close_object(b"S", name)
                    self.assertEqual(two.sync().messages, "3Z")
            one.bind(statement="s")
            one.execute()
            self.assertEqual(one.sync().texts(), [["of one"]])

    def test_the_unnamed_statement_survives_other_clients(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.parse("SELECT 'one' || $1::text")
            one.describe(b"S", "")
            self.assertEqual(one.sync().messages, "1tTZ")
            two.parse("SELECT 'two' || $1::text")
            two.sync()
            one.bind(["!"])
            one.execute()
            self.assertEqual(one.sync().texts(), [["one!"]])
            two.query("SELECT 1")  # drops it
            two.bind(["!"])
            self.assertEqual(two.sync().sqlstate(), "26000")

    def test_more_statements_than_the_connection_keeps(self):
        with self.pgveil.client() as client:
            for number in range(10):
                client.parse(f"SELECT {number}", f"s{number}")
            self.assertEqual(client.sync().messages, "1" * 10 + "Z")
            for number in (*range(10), *range(9, -1, -1)):
                client.bind(statement=f"s{number}")
                client.execute()
            reply = client.sync()
            self.assertEqual(reply.texts(), [[str(n)] for n in (*range(10), *range(9, -1, -1))])
            kept = client.query("SELECT count(*) FROM pg_prepared_statements")
            self.assertIn(kept.sqlstate(), ("42501", None))

    def test_an_error_in_a_pipeline_leaves_no_half_statement(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.parse("SELECT 1/$1::int", "a")
            one.bind(["0"], "a")
            one.execute()
            one.parse("SELECT 'skipped'", "b")
            reply = one.sync()
            self.assertEqual((reply.messages, reply.sqlstate()), ("1EZ", "22012"))
            for client in (two, one):
                client.parse("SELECT 'skipped'", "b")
                client.bind(statement="b")
                client.execute()
                reply = client.sync()
                self.assertEqual((reply.messages, reply.texts()), ("12DCZ", [["skipped"]]))
            one.parse("SELECT no_such_column FROM numbers", "c")
            self.assertEqual(one.sync().sqlstate(), "42703")
            one.bind(statement="c")
            self.assertEqual(one.sync().sqlstate(), "26000")

    def test_pipelined_messages_after_an_error_meet_nobody_else(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.parse("refuse me")
            one.bind()
            one.execute()
            one.send(b"H")
            self.assertEqual(one.collect(until=b"E").sqlstate(), "42601")
            self.assertEqual(two.query("SELECT 2").texts(), [["2"]])  # one holds nothing
            one.parse("SELECT 'never'")
            one.bind()
            one.execute()
            self.assertEqual(one.sync().messages, "Z")
            self.assertEqual(two.query("SELECT 3").texts(), [["3"]])
            one.send_bytes(
                b"".join(
                    b"Q" + struct.pack("!I", len(sql) + 5) + sql + b"\0"
                    for sql in (
                        b"SELECT 1",
                        b"SELECT 1/0",
                        b"BEGIN",
                        b"SELECT 4",
                        b"nonsense",
                        b"SELECT 5",
                        b"ROLLBACK",
                        b"SELECT 6",
                    )
                )
            )
            replies = [one.collect() for _ in range(8)]
            self.assertEqual([reply.status for reply in replies], ["I", "I", "T", "T", "E", "E", "I", "I"])
            self.assertEqual(replies[7].texts(), [["6"]])
            self.assertEqual(two.query("SELECT 7").texts(), [["7"]])

    def test_what_needs_a_session_is_refused(self):
        with self.pgveil.client() as client:
            for sql in ("PREPARE p AS SELECT 1", "EXECUTE p"):
                self.assertEqual(client.query(sql).sqlstate(), "0A000", sql)
                client.parse(sql)
                self.assertEqual(client.sync().sqlstate(), "0A000", sql)
            for sql in ("LISTEN c", "CREATE TEMP TABLE t (a int)", "SELECT pg_advisory_lock(1)"):
                self.assertEqual(client.query(sql).sqlstate(), "42501", sql)
            reply = client.query("BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH c; COMMIT")
            self.assertEqual((reply.errors, reply.texts()), ([], [["1"]]))
            self.assertEqual(client.query("BEGIN; FETCH c").sqlstate(), "34000")
            self.assertEqual(client.query("ROLLBACK").status, "I")

    def test_a_held_cursor_keeps_its_connection(self):
        declare = "DECLARE held SCROLL CURSOR WITH HOLD FOR SELECT city FROM people WHERE city IS NOT NULL ORDER BY 1"
        cities = self.texts("SELECT city FROM people WHERE city IS NOT NULL ORDER BY 1")
        for end in ("CLOSE held", "CLOSE ALL", "DISCARD ALL"):
            for how in ("query", "extended"):
                with self.pgveil.client() as one, self.pgveil.client() as two:
                    self.assertEqual(getattr(one, how)(declare).errors, [])
                    pid = one.query(PID).texts()
                    two.send(b"Q", b"FETCH 1 FROM held\0")  # waits for the connection
                    self.assertEqual(one.query("FETCH 2 FROM held").texts(), cities[:2])
                    self.assertEqual(one.query("FETCH PRIOR FROM held").texts(), cities[:1])
                    self.assertEqual(one.query(PID).texts(), pid)
                    self.assertEqual(one.query(end).errors, [])
                    self.assertEqual(two.collect().sqlstate(), "34000")
                    self.assertEqual(two.query(PID).texts(), pid)

    def test_a_held_cursor_without_its_transaction_is_none(self):
        with self.pgveil.client() as one:
            one.query("BEGIN; DECLARE held CURSOR WITH HOLD FOR SELECT 1; ROLLBACK")
            self.assertEqual(one.query("FETCH 1 FROM held").sqlstate(), "34000")
            self.assertEqual(one.query("DECLARE held CURSOR WITH HOLD FOR SELECT 2").errors, [])
            self.assertEqual(one.query("CLOSE held").errors, [])
            with self.pgveil.client() as two:
                self.assertEqual(two.query("SELECT 3").texts(), [["3"]])

    def test_a_client_that_leaves_takes_its_held_cursor_with_it(self):
        with self.pgveil.client() as one:
            one.query("DECLARE held CURSOR WITH HOLD FOR SELECT 1")
        self.until_idle()
        with self.pgveil.client() as two:
            self.assertEqual(two.query("FETCH 1 FROM held").sqlstate(), "34000")
            self.assertEqual(two.query("DECLARE held CURSOR WITH HOLD FOR SELECT 2").errors, [])
            self.assertEqual(two.query("FETCH 1 FROM held").texts(), [["2"]])

    def test_deallocate_and_discard_touch_only_ones_own(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            two.parse("SELECT 'kept'", "kept")
            two.sync()
            for sql in ("DEALLOCATE s", "DEALLOCATE ALL", "DISCARD ALL", "DEALLOCATE s; SELECT 1"):
                one.parse("SELECT 1", "s")
                self.assertEqual(one.sync().errors, [])
                self.assertEqual(one.query(sql).errors, [], sql)
                one.bind(statement="s")
                self.assertEqual(one.sync().sqlstate(), "26000", sql)
                two.bind(statement="kept")
                two.execute()
                self.assertEqual(two.sync().texts(), [["kept"]], sql)
            one.parse("SELECT 1", "s")
            one.sync()
            reply = one.extended("DEALLOCATE s")
            self.assertEqual(reply.errors, [])
            one.bind(statement="s")
            self.assertEqual(one.sync().sqlstate(), "26000")
            self.assertEqual(one.query("SET work_mem = '5MB'").errors, [])
            self.assertEqual(one.query("DISCARD ALL").errors, [])
            self.assertEqual(one.query("SHOW work_mem").texts(), two.query("SHOW work_mem").texts())

    def test_a_cancel_meets_only_its_own_clients_query(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.query("SELECT 1")
            two.send(b"Q", b"SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d, numbers e\0")
            for _ in range(3):
                self.cancel(one.key)  # one does nothing: two's query is not touched
            self.assertEqual(two.collect().errors, [])
            for _ in range(5):
                two.send(b"Q", LONG.encode() + b"\0")
                self.wait_for_running_query()
                self.cancel(two.key)
                self.assertEqual(two.collect().sqlstate(), "57014")
                self.assertEqual(
                    one.query("SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d").errors, []
                )

    def test_vanishing_clients_leave_nothing(self):
        for start in (
            b"BEGIN; SELECT 1",
            b"BEGIN; SELECT 1/0",
            b"BEGIN; SET work_mem = '88MB'",
            b"COPY (SELECT a.n FROM numbers a, numbers b, numbers c, numbers d, numbers e) TO STDOUT",
            b"SELECT a.n FROM numbers a, numbers b, numbers c, numbers d, numbers e",
            LONG.encode(),
            b"SET work_mem = '88MB'",
        ):
            with self.subTest(start):
                client = self.pgveil.client()
                client.send(b"Q", start + b"\0")
                if start != LONG.encode():
                    client.collect(until=b"ZDd")
                client.socket.close()
                with self.pgveil.client() as other:
                    reply = other.query("SELECT current_setting('work_mem')")
                    self.assertEqual((reply.status, reply.messages), ("I", "TDCZ"))
                    self.assertNotEqual(reply.texts(), [["88MB"]])

    def test_a_statement_timeout_of_one_is_not_the_others(self):
        with self.pgveil.client() as one, self.pgveil.client() as two, self.direct("demo") as owner:
            self.assertEqual(one.query("SET statement_timeout = '2s'").errors, [])
            self.assertEqual(owner.query("BEGIN; LOCK TABLE numbers IN ACCESS EXCLUSIVE MODE").errors, [])
            two.send(b"Q", b"SELECT count(*) FROM numbers\0")
            self.wait_for_running_query()
            time.sleep(2)  # the statement lasts longer than those of the other client may
            owner.query("ROLLBACK")
            reply = two.collect()
            self.assertEqual((reply.errors, reply.texts()), ([], [["20"]]))
            self.assertEqual(one.query(LONG).sqlstate(), "57014")
            self.assertEqual(two.query("SHOW statement_timeout").texts(), [["0"]])
            self.assertEqual(one.query("SHOW statement_timeout").texts(), [["2s"]])

    def test_a_terminated_backend_ends_only_who_holds_it(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            one.query("BEGIN; SELECT 1")
            pid = one.query(PID).texts()[0][0]
            self.postgres.rows(f"SELECT pg_terminate_backend({pid})")
            reply = one.collect()
            self.assertEqual((reply.sqlstate(), reply.is_closed), ("57P01", True))
            self.assertEqual(two.query("SELECT 2").texts(), [["2"]])

    def test_a_new_version_is_what_runs(self):
        with self.pgveil.client() as client:
            client.parse("SELECT occupation FROM people ORDER BY 1 NULLS LAST", "s")
            client.sync()
            client.bind(statement="s")
            client.execute()
            before = client.sync()
            self.assertEqual(before.errors, [])
            self.assert_no_hidden_value(before.raw)
            for _ in range(2):
                self.pgveil.build("people_k2")
                client.bind(statement="s")
                client.describe()
                client.execute()
                after = client.sync()
                self.assertEqual((after.messages.replace("D", ""), after.texts()), ("2TCZ", before.texts()))
            client.parse("SELECT occupation FROM people ORDER BY 1 NULLS LAST", "t")
            client.bind(statement="t")
            client.execute()
            self.assertEqual(client.sync().texts(), before.texts())

    def test_many_idle_clients_use_one_connection(self):
        clients = [self.pgveil.client() for _ in range(30)]
        for number, client in enumerate(clients):
            self.assertEqual(client.query(f"SELECT {number}").texts(), [[str(number)]])
        self.assertEqual(self.servers(), 1)
        self.until_idle()
        self.until(lambda: self.pool_row()["cl_active"] == "30", "clients of before are still counted")
        row = self.pool_row()
        self.assertEqual((row["cl_waiting"], row["pool_mode"]), ("0", "transaction"))
        for client in clients:
            client.close()

    def test_psycopg_as_it_comes(self):
        url = f"host=127.0.0.1 port={self.pgveil.port} user=analyst dbname=demo"
        with psycopg.connect(url, autocommit=True) as one, psycopg.connect(url, autocommit=True) as two:
            for connection in (one, two):
                connection.prepare_threshold = 1
                connection.prepared_max = 2
            for number in range(12):
                for connection in (one, two):
                    found = connection.execute(
                        f"SELECT n, {number % 4} FROM numbers WHERE n = %s", (number + 1,)
                    ).fetchall()
                    self.assertEqual(found, [(number + 1, number % 4)])
            with one.transaction(), one.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM people")
                self.assertEqual(cursor.fetchall(), [(11,)])
            with one.transaction(), one.cursor("named") as cursor:
                cursor.execute("SELECT n FROM numbers ORDER BY n")
                self.assertEqual(len(cursor.fetchmany(5)), 5)
            with one.pipeline():
                results = [one.execute("SELECT %s::int", (number,)) for number in range(5)]
            self.assertEqual([each.fetchone()[0] for each in results], list(range(5)))

    def test_load_on_one_connection_from_all_threads(self):
        failures = []

        def use(number):
            try:
                with self.pgveil.client(parameters={"application_name": f"client {number % 3}"}) as client:
                    client.query(f"SET work_mem = '{number + 1}MB'")
                    for turn in range(25):
                        if client.query("SHOW work_mem").texts() != [[f"{number + 1}MB"]]:
                            failures.append((number, turn, "work_mem"))
                        client.parse(f"SELECT {number} + $1::int", f"s{turn % 5}")
                        client.bind([str(turn)], f"s{turn % 5}")
                        client.execute()
                        client.close_object(b"S", f"s{turn % 5}")
                        if client.sync().texts() != [[str(number + turn)]]:
                            failures.append((number, turn, "prepared"))
                        reply = client.query("BEGIN; SELECT current_setting('application_name'); COMMIT")
                        if reply.texts() != [[f"client {number % 3}"]]:
                            failures.append((number, turn, "name"))
            except Exception as error:  # noqa: BLE001: any of them fails the test
                failures.append((number, repr(error)))

        threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        self.assertEqual(failures, [])
        self.assertEqual(self.servers(), 1)


class Rules(Pooled):
    """Modes by role, the reserve, limits by role, and patience."""
    mode = "session"
    pool = (", reserve_size: 1, reserve_after: 300ms, server_idle_timeout: 1s"
            ", rules: [{role: bi, mode: transaction, size: 2}, {role: dpo, mode: none}]")
    limits = (
        "max_role_clients: 4, client_idle_timeout: 8s, idle_in_transaction_timeout: 1s, query_timeout: 2s"
    )

    def test_modes_by_role(self):
        with self.pgveil.client("bi") as client:
            client.query("SELECT 1")
            modes = {
                row["user"]: row["pool_mode"] for row in self.ask("SHOW POOLS") if row["database"] == "demo"
            }
            self.assertEqual(modes["bi"], "transaction")
            self.assertEqual(client.query("PREPARE p AS SELECT 1").sqlstate(), "0A000")
        with self.pgveil.client("dpo") as client:
            pid = client.query(PID).texts()
            self.assertEqual(client.query("PREPARE p AS SELECT 1").errors, [])
        with self.pgveil.client("dpo") as client:
            self.assertNotEqual(client.query(PID).texts(), pid)

    def test_the_reserve_is_for_those_who_wait(self):
        with self.pgveil.client() as one, self.pgveil.client() as two:
            self.assertNotEqual(one.query(PID).texts(), two.query(PID).texts())

    def test_a_role_has_only_so_many_clients(self):
        clients = [self.pgveil.client("bi") for _ in range(4)]
        fifth = RawClient(self.pgveil.port)
        self.assertEqual(fifth.log_in({"user": "bi", "database": "demo"}).sqlstate(), "53300")
        fifth.socket.close()
        self.assertEqual(self.texts("SELECT 1"), [["1"]])
        clients.pop().close()
        self.until(lambda: self.try_login("bi") is None, "the place is not free again")
        for client in clients:
            client.close()

    def try_login(self, user):
        with RawClient(self.pgveil.port) as client:
            return client.log_in({"user": user, "database": "demo"}).sqlstate()

    def test_patience(self):
        for sql, state in (("SELECT 1", "57P05"), ("BEGIN", "25P03")):
            client = self.pgveil.client("bi")
            client.query(sql)
            reply = client.collect()
            self.assertEqual((reply.sqlstate(), reply.is_closed), (state, True), sql)
        client = self.pgveil.client("bi")
        client.send(b"Q", LONG.encode() + b"\0")
        reply = client.collect()
        self.assertEqual((reply.sqlstate(), reply.is_closed), ("57014", True))
        self.until(lambda: not any(state == "active" for _, state in self.backends()), "the query still runs")

    def test_idle_connections_go(self):
        self.texts("SELECT 1")
        self.until(lambda: self.servers() == 0, "an idle connection stays")


del Pooled

if __name__ == "__main__":
    main()

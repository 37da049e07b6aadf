#!/usr/bin/python3
"""The extended protocol message by message: portals with row limits, Describe, Close, Flush, errors that skip
to Sync, statements by name; and the SQL forms PREPARE, EXECUTE, DECLARE, FETCH that share their names."""
import struct
import threading

from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

CANCEL_CODE = 80877102
CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)


class ExtendedProtocol(StackCase):
    has_masked_copy = True

    def setUp(self):
        self.client = self.pgveil.client()
        self.addCleanup(self.client.close)

    def test_portals_with_row_limits(self):
        client = self.client
        client.query("BEGIN")
        client.parse("SELECT id, job FROM staff ORDER BY id")
        client.bind(portal="p")
        client.execute("p", 7)
        first = client.sync()
        self.assertEqual((first.messages, len(first.rows)), ("12" + "D" * 7 + "sZ", 7))
        rows = first.texts()
        while True:
            client.execute("p", 20)
            more = client.sync()
            rows += more.texts()
            if "C" in more.messages:
                break
            self.assertIn("s", more.messages)
        client.close_object(b"P", "p")
        self.assertEqual(client.sync().messages, "3Z")
        with self.direct() as direct:
            self.assertEqual(rows, direct.query("SELECT id, job FROM staff ORDER BY id").texts())

    def test_describe_before_execute(self):
        client = self.client
        client.parse("SELECT job, grade, $1::integer FROM staff WHERE town = $2", "s")
        client.describe(b"S", "s")
        reply = client.sync()
        self.assertEqual(reply.messages, "1tTZ")
        self.assertEqual([column.name for column in reply.columns], ["job", "grade", "int4"])
        self.assertEqual(struct.unpack("!HII", reply.raw[reply.raw.index(b"t") + 1:][:10]), (2, 23, 25))
        client.parse("SET TimeZone = 'UTC'", "n")
        client.describe(b"S", "n")
        self.assertEqual(client.sync().messages, "1tnZ")

    def test_flush_answers_without_sync(self):
        client = self.client
        client.parse("SELECT count(*) FROM people")
        client.bind()
        client.execute()
        client.send(b"H")
        self.assertEqual(client.collect(until=b"C").texts(), [["11"]])
        self.assertEqual(client.sync().messages, "Z")

    def test_errors_skip_to_sync(self):
        client = self.client
        client.parse("SELECT 1 / (id - 5) FROM staff ORDER BY id")
        client.bind()
        client.execute()
        client.parse("SELECT 2", "later")
        client.bind((), "later")
        client.execute()
        reply = client.sync()
        self.assertEqual((reply.sqlstates(), reply.status, reply.messages[-2:]), (["22012"], "I", "EZ"))
        client.bind((), "later")
        self.assertEqual(client.sync().sqlstates(), ["26000"])
        self.assert_alive(client)

    def test_unknown_names(self):
        client = self.client
        for send, state in (
            (lambda: client.bind((), "nothing"), "26000"),
            (lambda: client.execute("nothing"), "34000"),
            (lambda: client.describe(b"S", "nothing"), "26000"),
            (lambda: client.describe(b"P", "nothing"), "34000"),
        ):
            send()
            self.assertEqual(client.sync().sqlstates(), [state])
        client.close_object(b"S", "nothing")
        client.close_object(b"P", "nothing")
        self.assertEqual(client.sync().messages, "33Z")

    def test_names_are_not_given_twice(self):
        client = self.client
        for _ in range(2):
            client.parse("SELECT 1", "twice")
            reply = client.sync()
        self.assertEqual(reply.sqlstates(), ["42P05"])

    def test_one_statement_only(self):
        self.assertEqual(self.client.extended("SELECT 1; SELECT 2").sqlstates(), ["42601"])
        self.assertEqual(self.client.extended("").messages, "12nIZ")

    def test_wrong_parameters(self):
        client = self.client
        self.assertEqual(
            client.extended("SELECT count(*) FROM people WHERE id = $1", ["word"]).sqlstates(), ["22P02"]
        )
        self.assertEqual(
            client.extended("SELECT count(*) FROM people WHERE state = $1", []).sqlstates(), ["08P01"]
        )
        self.assert_alive(client)

    def test_prepare_and_execute_in_sql(self):
        client = self.client
        self.assertEqual(
            client.query("PREPARE s (text) AS SELECT count(*) FROM staff WHERE job = $1").tags, ["PREPARE"]
        )
        with self.direct() as direct:
            expected = direct.query("SELECT count(*) FROM staff WHERE job = 'Nurse'").texts()
        self.assertEqual(client.query("EXECUTE s('Nurse')").texts(), expected)
        self.assertEqual(client.query("EXECUTE s('only-7')").texts(), [["0"]])
        client.bind(["Nurse"], "s")
        client.execute()
        self.assertEqual(client.sync().texts(), expected)
        self.assertEqual(client.query("DEALLOCATE s").tags, ["DEALLOCATE"])
        self.assertEqual(client.query("EXECUTE s('Nurse')").sqlstates(), ["26000"])

    def test_a_refused_prepare_leaves_nothing(self):
        client = self.client
        self.assertEqual(client.query("PREPARE d AS SELECT * FROM diary").sqlstates(), ["42501"])
        self.assertEqual(client.query("EXECUTE d").sqlstates(), ["26000"])

    def test_cursors_in_sql(self):
        client = self.client
        client.query("BEGIN")
        self.assertEqual(
            client.query("DECLARE c SCROLL CURSOR FOR SELECT state FROM people").tags, ["DECLARE CURSOR"]
        )
        self.assertEqual(client.query("FETCH 3 FROM c").texts(), [[None], [None], ["OH"]])
        self.assertEqual(client.query("MOVE ALL FROM c").tags, ["MOVE 8"])
        self.assertEqual(client.query("FETCH PRIOR FROM c").texts(), [[None]])
        self.assertEqual(client.query("CLOSE c").tags, ["CLOSE CURSOR"])
        self.assertEqual(client.query("COMMIT").status, "I")

    def test_discard_and_deallocate_all(self):
        client = self.client
        client.parse("SELECT count(*) FROM people", "kept")
        client.sync()
        self.assertEqual(client.query("DISCARD ALL").errors, [])
        client.bind((), "kept")
        self.assertEqual(client.sync().sqlstates(), ["26000"])
        self.assert_alive(client)
        self.assertEqual(client.query("SELECT current_user").texts(), [["analyst"]])

    def test_cancel_requests(self):
        """With the keys that the proxy gave; wrong ones are of no effect."""
        client = self.client
        pid, secret = client.key
        client.send(b"Q", CROSS_JOIN.encode() + b"\0")
        self.wait_for_running_query()
        for key in ((pid, secret ^ 1), (pid + 1, secret), (pid, secret)):
            with RawClient(self.pgveil.port) as other:
                other.send_bytes(struct.pack("!IIII", 16, CANCEL_CODE, *key))
                self.assertTrue(other.collect().is_closed)
        self.assertEqual(client.collect().sqlstates(), ["57014"])
        self.assert_alive(client)

    def test_cancel_between_queries_is_of_no_effect(self):
        with RawClient(self.pgveil.port) as other:
            other.send_bytes(struct.pack("!IIII", 16, CANCEL_CODE, *self.client.key))
            self.assertTrue(other.collect().is_closed)
        reply = self.client.query("SELECT 1")
        self.assertIn(reply.sqlstate(), (None, "57014"))
        self.assert_alive(self.client)

    def test_the_backends_keys_are_not_given_away(self):
        pids = [
            row[0]
            for row in self.postgres.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'pgveil_query'")
        ]
        self.assertNotEqual(pids, [])
        self.assertNotIn(str(self.client.key[0]), pids)

    def test_many_sessions_at_once(self):
        wrong = []

        def work(number):
            with self.pgveil.client() as client:
                for _ in range(5):
                    if client.query(f"SELECT count(*) + {number} FROM people").texts() != [
                        [str(11 + number)]
                    ]:
                        wrong.append(number)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(wrong, [])

    def test_statements_of_one_session_are_not_seen_by_another(self):
        self.client.parse("SELECT count(*) FROM people", "mine")
        self.client.sync()
        with self.pgveil.client() as other:
            other.bind((), "mine")
            self.assertEqual(other.sync().sqlstates(), ["26000"])

    def test_terminate_frees_the_backend(self):
        with self.pgveil.client(parameters={"application_name": "leaving"}) as client:
            self.assert_alive(client)
        left = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'pgveil_query'"
        self.until(lambda: self.postgres.rows(left) == [["1"]],
                   "there is not one connection, that of the client that stays")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Frames that are malformed, too long, unknown or out of phase end the session that sent them with 08P01.
None reaches the backend, and no other session notices."""
import random
import struct

from harness import world
from harness.runner import main
from harness.stack import StackCase


def frame(tag, body, length=None):
    return tag + struct.pack("!I", len(body) + 4 if length is None else length) + body


MARK = b"SELECT 'marked-frame'"
BROKEN = {
    "unknown type": frame(b"y", b""),
    "unknown type 0": frame(b"\0", b""),
    "a backend's message": frame(b"T", b"\0\0"),
    "a start-up packet again": struct.pack("!II", 8, 196608),
    "length 0": frame(b"Q", b"", 0),
    "length 3": frame(b"Q", b"", 3),
    "negative length": frame(b"Q", b"", 0xFFFFFFFF),
    "a gigabyte": frame(b"Q", b"", 1 << 30),
    "query without its end": frame(b"Q", MARK),
    "query with bytes after its end": frame(b"Q", MARK + b"\0more\0"),
    "empty query message": frame(b"Q", b""),
    "parse without its counts": frame(b"P", b"s\0" + MARK + b"\0"),
    "parse that lacks types": frame(b"P", b"\0" + MARK + b"\0\0\2\0\0\0\x17"),
    "parse with bytes left": frame(b"P", b"\0" + MARK + b"\0\0\0x"),
    "parse with one string": frame(b"P", b"s\0"),
    "bind that is cut": frame(b"B", b"\0\0\0"),
    "bind with a value that is cut": frame(b"B", b"\0\0\0\0\0\1\0\0\0\x09abc\0\0"),
    "bind with length -2": frame(b"B", b"\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"),
    "bind with a huge count": frame(b"B", b"\0\0\0\0\xff\xff\0\0"),
    "describe of neither": frame(b"D", b"Qname\0"),
    "describe without a name": frame(b"D", b"S"),
    "close of neither": frame(b"C", b"\0name\0"),
    "execute without a limit": frame(b"E", b"\0"),
    "execute with bytes left": frame(b"E", b"\0\0\0\0\0\0"),
    "sync with a body": frame(b"S", b"x"),
    "flush with a body": frame(b"H", b"x"),
    "terminate with a body": frame(b"X", b"x"),
    "a password out of phase": frame(b"p", b"secret\0"),
}
OUT_OF_PHASE = {
    "copy data": frame(b"d", b"1\t2\n"),
    "copy done": frame(b"c", b""),
    "copy fail": frame(b"f", b"why\0"),
}


class Frames(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def setUp(self):
        self.bystander = self.pgveil.client()
        self.addCleanup(self.bystander.close)
        self.bystander.query("BEGIN")

    def send_broken(self, data):
        client = self.pgveil.client()
        self.addCleanup(client.socket.close)
        since = self.postgres.log_position()
        client.send_bytes(data)
        return client, since

    def test_broken_frames(self):
        for name, data in BROKEN.items():
            with self.subTest(name):
                client, since = self.send_broken(data)
                reply = client.collect()
                self.assertEqual(
                    reply.sqlstates(), ["08P01"] if not name.startswith("terminate") or reply.errors else []
                )
                self.assertTrue(reply.is_closed)
                if reply.errors:
                    self.assertEqual(reply.errors[0]["S"], "FATAL")
                self.assertNotIn("Z", reply.messages)
                self.assertEqual(self.postgres.received(since), [])
                self.assert_alive(self.bystander)

    def test_copy_messages_out_of_phase(self):
        """PostgreSQL ignores them; here they end the session or are ignored, but they never reach the
        backend."""
        for name, data in OUT_OF_PHASE.items():
            with self.subTest(name):
                client, since = self.send_broken(data)
                client.socket.settimeout(2)
                try:
                    reply = client.query("SELECT 1")
                except OSError:
                    continue
                self.assertIn(reply.sqlstate(), (None, "08P01"))
                self.assert_alive(self.bystander)

    def test_a_frame_cut_by_the_end_of_the_connection(self):
        whole = frame(b"Q", MARK + b"\0")
        for end in (1, 4, 5, 12, len(whole) - 1):
            client, since = self.send_broken(whole[:end])
            client.socket.shutdown(1)
            reply = client.collect()
            self.assertTrue(reply.is_closed)
            self.assertNotIn("marked-frame", self.postgres.log(since))
        self.assert_alive(self.bystander)

    def test_a_broken_frame_after_good_ones(self):
        client = self.pgveil.client()
        since = self.postgres.log_position()
        client.send_bytes(
            frame(b"P", b"\0SELECT count(*) FROM people\0\0\0")
            + frame(b"B", b"\0\0\0\0\0\0\0\0")
            + frame(b"y", b"")
            + frame(b"Q", MARK + b"\0")
        )
        reply = client.collect()
        self.assertTrue(reply.is_closed)
        self.assertEqual(reply.sqlstates()[-1:], ["08P01"])
        self.assertNotIn("marked-frame", self.postgres.log(since))
        client.socket.close()
        self.assert_alive(self.bystander)

    def test_bytes_that_are_not_utf8(self):
        for sql in (b"SELECT 'marked-frame \xff\xfe'", b"SELECT 'marked-frame \xed\xa0\x80'",
                    b"SELECT 'marked-frame \xc0\xaf'"):
            client, since = self.send_broken(frame(b"Q", sql + b"\0"))
            reply = client.collect()
            self.assertIn(reply.sqlstate(), ("22021", "42501", "08P01"))
            self.assertNotIn("marked-frame", self.postgres.log(since))

    def test_nul_in_a_query(self):
        client, since = self.send_broken(frame(b"Q", b"SELECT 1\0; SELECT 'marked-frame'\0"))
        self.assertEqual(client.collect().sqlstates(), ["08P01"])
        self.assertNotIn("marked-frame", self.postgres.log(since))

    def test_random_bytes(self):
        source = random.Random(7)
        for _ in range(60):
            client, _ = self.send_broken(source.randbytes(source.randint(1, 200)))
            try:
                client.socket.shutdown(1)
                self.assertTrue(client.collect().is_closed)
            except OSError:
                pass
        self.assert_alive(self.bystander)
        self.assertTrue(self.pgveil.is_running())


if __name__ == "__main__":
    main()

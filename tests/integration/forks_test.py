#!/usr/bin/python3
"""Servers that speak PostgreSQL's protocol, call themselves PostgreSQL 15, and are something else: each is
recognized by what it says of itself, and refused in one sentence."""
import re
import socket
import struct
import threading

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase

FORKS = {
    "Greenplum": ("15.4", "PostgreSQL 15.4 (Greenplum Database 8.0.0 build dev) on x86_64-pc-linux-gnu"),
    "YugabyteDB": ("15.12-YB-2025.1.0.0-b0", "PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu"),
    "CockroachDB": ("15.0.0", "CockroachDB CCL v26.1.0 (x86_64-pc-linux-gnu, built 2026/02/01)"),
    "Amazon Redshift": ("8.0.2", "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC, Redshift 1.0.7"),
}


def message(tag, body):
    return tag + struct.pack("!I", len(body) + 4) + body


def row(*cells):
    names = b"".join(b"c\0" + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0) for _ in cells)
    data = b"".join(struct.pack("!i", len(cell)) + cell.encode() for cell in cells)
    return (message(b"T", struct.pack("!H", len(cells)) + names)
            + message(b"D", struct.pack("!H", len(cells)) + data) + message(b"C", b"SELECT 1\0"))


class Fake:
    """A server that says this version; knows_settings: whether it accepts ours in a start-up packet."""

    def __init__(self, server_version, version, knows_settings=True):
        self.said = server_version, version
        self.knows_settings = knows_settings
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self):
        self.listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client):
        with client:
            packet = client.recv(8192)
            while packet[4:7] == b"\x04\xd2\x16":  # asks for encryption
                client.sendall(b"N")
                packet = client.recv(8192)
            if b"options" in packet and not self.knows_settings:
                client.sendall(message(b"E", b"SFATAL\0VFATAL\0C42704\0"
                                             b"Munrecognized configuration parameter \"jit\"\0\0"))
                return
            echo = re.search(rb"pgveil\.echo=(\w+)", packet)
            settings = {"server_version": self.said[0], "client_encoding": "UTF8",
                        "standard_conforming_strings": "on", "in_hot_standby": "off"}
            client.sendall(message(b"R", struct.pack("!I", 0)) + b"".join(
                message(b"S", name.encode() + b"\0" + value.encode() + b"\0")
                for name, value in settings.items()) + message(b"Z", b"I"))
            while query := client.recv(8192):
                if query[:1] == b"X":
                    return
                cells = [self.said[1]]
                if b"current_setting" in query:
                    cells.append(echo[1].decode() if echo else "")
                answer = row(*cells) if b"version()" in query else message(b"C", b"SET\0")
                client.sendall(answer + message(b"Z", b"I"))


class Forks(ServerCase):
    @classmethod
    def start(cls):
        world.create(cls.postgres)

    def assert_refused(self, name, fake):
        self.addCleanup(fake.stop)
        made = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES)
        self.addCleanup(made.stop)
        path = made.config_path
        path.write_text(path.read_text().replace(f"port: {self.postgres.port}", f"port: {fake.port}"))
        for verb in ("check", "serve"):
            done = made.command(verb, "--config", str(path))
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"the server is {name}, not PostgreSQL itself", done.stderr)

    def test_each_is_refused_by_name(self):
        for name, said in FORKS.items():
            with self.subTest(name):
                self.assert_refused(name, Fake(*said))

    def test_also_where_it_does_not_know_our_settings(self):
        for name in ("CockroachDB", "Amazon Redshift"):
            with self.subTest(name):
                self.assert_refused(name, Fake(*FORKS[name], knows_settings=False))

    def test_what_is_unknown_is_refused_too(self):
        self.assert_refused("something else, as its version() tells", Fake("15.1", "NewSQL 15.1 on x86_64"))


if __name__ == "__main__":
    main()

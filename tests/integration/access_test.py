#!/usr/bin/python3
"""Where clients come from: Unix sockets of pgveil and of PostgreSQL, and the access file."""
import os
import socket
import stat
import subprocess
import time

from harness import world
from harness.configuration import serve_arguments
from harness.pgveil import Pgveil, binary
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

PASSWORDS = {"analyst": "analyst's pass", "operator": "operator's pass", "bi": "bi's pass"}


class LocalClient(RawClient):
    """Over a Unix socket."""

    def __init__(self, path, user, database="demo", password=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.buffer = bytearray()
        self.settings, self.key = {}, None
        self.authentication = []
        self.login = self.log_in({"user": user, "database": database}, password)


class Sockets(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {"more": ""}

    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            text = each.config_path.read_text()
            text = text.replace("threads: 2}", "threads: 2, socket_dir: ., socket_mode: '0700'}")
            # PostgreSQL by its socket as well.
            text = text.replace("  host: 127.0.0.1\n", f"  host: {cls.postgres.directory}\n")
            each.config_path.write_text(text)
            hba = cls.postgres.directory / "data" / "pg_hba.conf"
            hba.write_text("local all pgveil_query,pgveil_admin scram-sha-256\n" + hba.read_text())
            cls.postgres.rows("SELECT pg_reload_conf()")
        return super().kept(each)

    def path(self):
        return self.pgveil.directory / f".s.PGSQL.{self.pgveil.port}"

    def test_clients_come_over_both(self):
        self.assertEqual(stat.S_IMODE(self.path().stat().st_mode), 0o700)
        with LocalClient(self.path(), "analyst") as client:
            self.assert_alive(client)
            self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
        with self.pgveil.client() as client:
            self.assert_alive(client)
        done = subprocess.run(
            [
                "psql",
                "-X",
                "-At",
                "-h",
                self.pgveil.directory,
                "-p",
                str(self.pgveil.port),
                "-U",
                "analyst",
                "-d",
                "demo",
                "-c",
                "SELECT count(*) FROM people",
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((done.stdout, done.stderr), ("11\n", ""))

    def test_who_comes_over_it_is_shown_as_unix(self):
        with LocalClient(self.path(), "analyst"):
            reply = self.pgveil.console("SHOW CLIENTS")
        names = [column.name for column in reply.columns]
        rows = [dict(zip(names, row)) for row in reply.texts()]
        self.assertIn(("analyst", "unix"), {(row["user"], row["addr"]) for row in rows})

    def test_cancel_goes_over_the_servers_socket_too(self):
        with LocalClient(self.path(), "analyst") as client:
            client.send(
                b"Q",
                b"SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, "
                b"people h\0",
            )
            self.wait_for_running_query()
            with RawClient(self.pgveil.port) as other:
                other.send_bytes(b"\0\0\0\x10\x04\xd2\x16\x2e" + client.key[0].to_bytes(4, "big")
                                 + client.key[1].to_bytes(4, "big"))
            self.assertEqual(client.collect().sqlstates(), ["57014"])

    def test_a_second_process_leaves_the_first_ones_socket_alone(self):
        text = self.pgveil.config_path.read_text()
        # Another address of this machine, so that only the socket is in the way.
        other = self.pgveil.directory / "other.yaml"
        other.write_text(text.replace("host: 127.0.0.1, port", "host: 127.0.0.2, port").replace(
            "state_dir: state", "state_dir: state2"))
        done = subprocess.run([binary(), *serve_arguments(other)], capture_output=True, text=True, timeout=60,
                              cwd=self.pgveil.directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another process listens there", done.stderr)
        with LocalClient(self.path(), "analyst") as client:
            self.assert_alive(client)

    def test_the_socket_goes_with_the_process_and_a_stale_one_is_replaced(self):
        self.pgveil.halt()
        self.assertFalse(self.path().exists())
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(self.path()))
        self.pgveil.start()
        for _ in range(200):
            try:
                client = LocalClient(self.path(), "analyst")
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        with client:
            self.assert_alive(client)


class AccessFile(StackCase):
    policies = (world.PEOPLE,)
    built = ()
    options = {"authentication": "scram-sha-256", "passwords": PASSWORDS}
    rules = "host demo analyst 127.0.0.1/32 scram-sha-256\nhost pgveil operator 127.0.0.0/8 scram-sha-256\n" \
            "host demo bi all reject\n"

    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            text = each.config_path.read_text()
            each.config_path.write_text(
                text.replace("users_file: users.txt", "users_file: users.txt, hba_file: access")
            )
            (each.directory / "access").write_text(cls.rules)
            (each.directory / "access").chmod(0o640)
        return super().kept(each)

    def log_in(self, user, database="demo", source="127.0.0.1"):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        if source != "127.0.0.1":
            client.socket.close()
            client.socket = socket.create_connection(("127.0.0.1", self.pgveil.port), 60, (source, 0))
        return client, client.log_in({"user": user, "database": database}, PASSWORDS.get(user, "x"))

    def test_who_gets_in(self):
        for user, database, source, states in (
                ("analyst", "demo", "127.0.0.1", []), ("analyst", "demo", "127.0.0.2", ["28000"]),
                ("analyst", "pgveil", "127.0.0.1", ["28000"]), ("operator", "pgveil", "127.0.0.2", []),
                ("bi", "demo", "127.0.0.1", ["28000"]), ("nobody", "demo", "127.0.0.1", ["28000"])):
            client, reply = self.log_in(user, database, source)
            self.assertEqual(reply.sqlstates(), states, (user, database, source))
            if states:  # nothing was asked, so nothing is learned of roles
                self.assertEqual(client.authentication, [])

    def test_a_reload_takes_new_rules_or_none(self):
        access = self.pgveil.directory / "access"
        console, reply = self.log_in("operator", "pgveil")
        self.assertEqual(reply.errors, [])
        access.write_text(self.rules.replace("host demo bi all reject", "host demo bi all scram-sha-256"))
        self.assertEqual(console.query("RELOAD").notices, [])
        self.assertEqual(self.log_in("bi")[1].errors, [])
        access.write_text("host all all all trust\n")
        rows = console.query("RELOAD").texts()
        self.assertTrue(
            any(row[0] == "hba" and row[1] == "error" and "access:1" in row[2] for row in rows), rows
        )
        self.assertEqual(self.log_in("bi")[1].errors, [])
        access.write_text(self.rules)
        console.query("RELOAD")
        self.assertEqual(self.log_in("bi")[1].sqlstates(), ["28000"])

    def test_files_that_others_could_have_put_there_are_not_read(self):
        directory = self.pgveil.directory
        usual = directory.stat().st_mode & 0o7777
        directory.chmod(0o755)  # what lies below a folder that lets nobody else in is nobody else's
        self.addCleanup(directory.chmod, usual)
        shared = directory / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        console, reply = self.log_in("operator", "pgveil")
        self.assertEqual(reply.errors, [])
        for name, step in (("access", "hba"), ("users.txt", "users")):
            path, kept = directory / name, directory / (name + ".kept")
            path.rename(kept)
            # A rule and an account for somebody who must not come in, where others may put files.
            (shared / name).write_text(
                self.rules.replace("host demo bi all reject", "host demo bi all scram-sha-256")
                if step == "hba"
                else ""
            )
            (shared / name).chmod(0o600)
            for what, spoil, words in (
                ("a link to it", lambda: path.symlink_to(shared / name), "in which others may put files"),
                (
                    "a mode",
                    lambda: (path.write_text(kept.read_text()), path.chmod(0o622)),
                    "others than its owner may write it",
                ),
                ("a FIFO", lambda: os.mkfifo(path, 0o600), "not a regular file"),
                ("a folder", path.mkdir, "not a regular file"),
                ("nothing", lambda: None, "No such file"),
            ):
                with self.subTest(name, what=what):
                    spoil()
                    rows = console.query("RELOAD").texts()
                    self.assertTrue(
                        any(row[0] == step and row[1] == "error" and words in row[2] for row in rows), rows
                    )
                    self.assertEqual(self.log_in("bi")[1].sqlstates(), ["28000"])
                    self.assertEqual(self.log_in("analyst")[1].errors, [])
                    if path.is_dir() and not path.is_symlink():
                        path.rmdir()
                    else:
                        path.unlink(missing_ok=True)
            kept.rename(path)
            shared.chmod(0o755)
            path.rename(kept)
            (shared / name).write_text(kept.read_text())
            path.symlink_to(shared / name)  # root's and our own links are followed
            self.assertEqual([row for row in console.query("RELOAD").texts() if row[1] != "ok"], [])
            path.unlink()
            kept.rename(path)
            shared.chmod(0o777)
        self.assertEqual([row for row in console.query("RELOAD").texts() if row[1] != "ok"], [])

    def test_check_warns_of_a_configuration_that_others_could_have_written(self):
        self.pgveil.config_path.chmod(0o666)
        self.addCleanup(self.pgveil.config_path.chmod, 0o644)
        done = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
        self.assertIn("pgveil.yaml: others than its owner may write it", done.stdout)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Passwords that a command prints, as the tokens of rented servers: kept, fetched again before they expire and
after a refused login, never logged; and a command that hangs, fails, or prints anything but one line."""
import json
import pathlib
import signal
import tempfile
import time

from harness import world
from harness.certificates import Authority
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.wire import startup_packet

QUERY = "SELECT * FROM people"
# $1: the folder of one role. The command does what the file `script` there says, and notes that it ran.
COMMAND = 'echo x >> "$1/runs"; . "$1/script"'


class Token:
    """A command of one role, and what it prints."""

    def __init__(self, folder, name, password):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        (self.folder / "runs").touch()
        self.print(password)

    def print(self, password):
        self.script(f"cat '{self.folder}/token'")
        (self.folder / "token").write_text(password + "\n")

    def script(self, text):
        (self.folder / "script.new").write_text(text + "\n")
        (self.folder / "script.new").rename(self.folder / "script")

    def words(self):
        return json.dumps(["sh", "-c", COMMAND, "sh", str(self.folder)])

    def runs(self):
        return len((self.folder / "runs").read_text()) // 2


class TokenCase(ServerCase):
    more = ""
    every = "10m"

    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-token-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        world.create(cls.postgres)
        cls.prepare()
        cls.query = Token(folder.name, "query", world.QUERY_PASSWORD)
        cls.admin = Token(folder.name, "admin", world.ADMIN_PASSWORD)
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (world.PEOPLE,), world.OPEN_TABLES, more=cls.more,
                                     catalog_check_every="1h"))
        path = cls.pgveil.config_path
        text = path.read_text()
        for name, token in (("query", cls.query), ("admin", cls.admin)):
            text = text.replace(f"password_file: {name}_password",
                                f"password_command: {token.words()}, password_command_every: {cls.every}")
        path.write_text(text)
        cls.pgveil.start()
        cls.pgveil.build("people_k2")

    @classmethod
    def prepare(cls):
        """What a test wants of PostgreSQL before pgveil starts."""

    def assert_answers(self):
        with self.pgveil.client() as client:
            self.assertEqual(client.query(QUERY).texts(), world.MASKED_PEOPLE)

    def refusal(self):
        """What a client that logs in now is told."""
        try:
            with self.pgveil.client() as client:
                return client.login.errors
        except OSError:
            return []

    def assert_logged(self, text, pgveil=None, since=0):
        """The client is told first."""
        for _ in range(1200):
            log = (pgveil or self.pgveil).log()[since:]
            if text in log:
                return
            time.sleep(0.05)
        self.fail(f"not logged: {text}\n{log}")

    def set_passwords(self, of_query):
        self.postgres.run(f"ALTER ROLE pgveil_query PASSWORD '{of_query}'")


class Tokens(TokenCase):
    def test_a_token_is_kept(self):
        self.assert_answers()
        runs = self.query.runs(), self.admin.runs()
        for _ in range(5):
            self.assert_answers()
        self.pgveil.build("people_k2")
        self.assertEqual((self.query.runs(), self.admin.runs()), runs)

    def test_a_refused_token_is_fetched_again_at_once(self):
        self.assert_answers()
        time.sleep(1.1)  # one that was just fetched is not fetched again
        runs = self.query.runs()
        self.set_passwords("the next one")
        self.query.print("the next one")
        try:
            self.assert_answers()
            self.assertEqual(self.query.runs(), runs + 1)
            checked = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
            self.assertEqual(checked.returncode, 0, checked.stderr)
        finally:
            self.set_passwords(world.QUERY_PASSWORD)
            self.query.print(world.QUERY_PASSWORD)
            time.sleep(1.1)
        self.assert_answers()

    def test_pgveils_own_logins_fetch_again_too(self):
        time.sleep(1.1)
        runs = self.admin.runs()
        self.postgres.run("ALTER ROLE pgveil_admin PASSWORD 'the next one'")
        self.admin.print("the next one")
        try:
            self.pgveil.build("people_k2")
            self.assertEqual(self.admin.runs(), runs + 1)
        finally:
            self.postgres.run(f"ALTER ROLE pgveil_admin PASSWORD '{world.ADMIN_PASSWORD}'")
            self.admin.print(world.ADMIN_PASSWORD)
            time.sleep(1.1)
        self.pgveil.build("people_k2")

    def test_a_token_that_stays_wrong_ends_in_a_refusal(self):
        self.assert_answers()
        self.query.print("nobody's")
        self.set_passwords("the next one")
        try:
            time.sleep(1.1)
            self.assertTrue(self.refusal())
        finally:
            self.set_passwords(world.QUERY_PASSWORD)
            self.query.print(world.QUERY_PASSWORD)
            time.sleep(1.1)
        self.assert_answers()

    def test_tokens_are_never_logged(self):
        self.assert_answers()
        log = self.pgveil.log()
        for secret in (world.QUERY_PASSWORD, world.ADMIN_PASSWORD, "the next one", "nobody's"):
            self.assertNotIn(secret, log)


class BadCommands(TokenCase):
    """The kept token is due at once, so each login runs the command."""
    every = "1s"

    def broken(self, script):
        time.sleep(1.1)
        self.query.script(script)
        self.addCleanup(self.query.print, world.QUERY_PASSWORD)

    def test_it_is_fetched_again_when_it_is_due(self):
        self.assert_answers()
        runs = self.query.runs()
        time.sleep(1.1)
        self.assert_answers()
        self.assertEqual(self.query.runs(), runs + 1)

    def test_what_is_not_one_line_is_refused_with_the_reason(self):
        for script, said in {
            "true": "printed nothing",
            "echo secret; echo secret": "printed more than one line",
            "echo secret; exit 3": "ended with status 3",
            "kill -9 $$": "was ended by signal 9",
            "sleep 100": "did not end within 5000 ms, and was killed",
        }.items():
            with self.subTest(script):
                self.broken(script)
                since = len(self.pgveil.log())
                self.assertEqual([error["C"] for error in self.refusal()], ["08006"])
                said = f"backend.query_role.password_command: the command {said}"
                self.assert_logged(said, since=since)
                checked = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
                self.assertEqual(checked.returncode, 1)
                self.assertIn(said, checked.stderr)
                self.assertNotIn("secret", checked.stderr + self.pgveil.log()[since:].replace(
                    "query-role secret", ""))
                self.query.print(world.QUERY_PASSWORD)
                self.assert_answers()

    def test_a_command_that_hangs_keeps_nobody_else_waiting(self):
        with self.pgveil.client() as early:
            self.broken("sleep 100")
            since, runs = len(self.pgveil.log()), self.query.runs()
            late = self.pgveil.client(user=None)  # only the socket
            late.send_bytes(startup_packet({"user": "analyst", "database": "demo"}))
            self.until(lambda: self.query.runs() > runs, "the command does not run")
            for _ in range(5):
                self.assertEqual(early.query(QUERY).texts(), world.MASKED_PEOPLE)
            self.assertEqual(self.pgveil.console("SHOW VERSION").errors, [])
            self.assertNotIn("did not end within", self.pgveil.log()[since:])  # the command has 5 s
            late.close()

    def test_serve_does_not_start_without_a_token(self):
        other = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES)
        self.addCleanup(other.stop)
        path = other.config_path
        path.write_text(path.read_text().replace("password_file: query_password",
                                                 "password_command: [sh, -c, 'exit 7']"))
        done = other.command("serve", "--config", str(path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("backend.query_role.password_command: the command ended with status 7", done.stderr)


class InClear(TokenCase):
    """A service compares tokens itself, so it asks for them as they are (method `password` stands for it)."""

    @classmethod
    def prepare(cls):
        authority = Authority(cls.folder)
        own = authority.issue("server")
        cls.more = ("tls: {backend: {mode: verify-ca, ca_file: '%s'}}\n" % authority.certificate)
        data = cls.postgres.directory / "data"
        (data / "pg_hba.conf").write_text(
            "hostssl all pgveil_query,pgveil_admin 127.0.0.1/32 password\n"
            "local all all trust\nhost all all 127.0.0.1/32 trust\n")
        with open(data / "postgresql.conf", "a") as conf:
            conf.write(f"ssl = on\nssl_cert_file = '{own.certificate}'\nssl_key_file = '{own.key}'\n")
        cls.postgres.kill(signal.SIGINT)
        cls.postgres.start()

    def other(self, change):
        made = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES, more=self.more)
        self.addCleanup(made.stop)
        made.config_path.write_text(change(made.config_path.read_text()))
        return made

    def test_over_tls_with_a_checked_certificate_it_is_sent(self):
        self.assert_answers()
        with self.pgveil.client() as client:
            client.query("SELECT 1")
            self.assertEqual(
                self.postgres.rows("SELECT DISTINCT version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                   "WHERE usename = 'pgveil_query' AND ssl"), [["TLSv1.3"]])

    def test_a_password_is_never_sent(self):
        """Not by the proxy: pgveil's own logins are libpq's."""
        made = self.other(lambda text: text).start()
        with made.client() as client:
            self.assertEqual([error["C"] for error in client.login.errors], ["08006"])
        self.assert_logged("it asks for the password itself", made)

    def test_a_certificate_that_is_not_checked_is_not_enough_for_another_machine(self):
        made = self.other(lambda text: text.replace("mode: verify-ca", "mode: require").replace(
            "password_file: query_password", f"password_command: {self.query.words()}"))
        made.start()  # to this machine it may be so, but the token is not sent as it is
        with made.client() as client:
            self.assertEqual([error["C"] for error in client.login.errors], ["08006"])
        made.halt()
        path = made.config_path
        path.write_text(path.read_text().replace("backend:\n  host: 127.0.0.1", "backend:\n  host: db.example"))
        done = made.command("check", "--config", str(path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("password_command requires tls.backend.mode verify-ca or verify-full", done.stderr)


if __name__ == "__main__":
    main()

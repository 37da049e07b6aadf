#!/usr/bin/python3
"""pgveil user add, remove and list: the verifiers are those that PostgreSQL's clients log in with."""
import os
import pty
import select
import subprocess
import time

from harness import world
from harness.pgveil import binary
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient


class Users(StackCase):
    policies = (world.PEOPLE,)
    built = ()
    options = {"authentication": "scram-sha-256", "passwords": {"operator": "operator's"}}

    def user(self, *arguments, password=None, status=0):
        done = subprocess.run([binary(), "user", *arguments], input=password, capture_output=True, text=True,
                              timeout=60, cwd=self.pgveil.directory)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        if password:
            self.assertNotIn(password.split("\n")[0], done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def with_config(self, *arguments, **more):
        return self.user(*arguments, "--config", str(self.pgveil.config_path), **more)

    def reload(self):
        with RawClient(self.pgveil.port, "operator", "pgveil", password="operator's") as console:
            self.assertEqual(console.query("RELOAD").errors, [])

    def logs_in(self, user, password):
        done = psql(self.pgveil.port, "demo", user, "SELECT current_user", options=("-At",), password=password)
        return done.stdout == user + "\n"

    def test_a_user_logs_in_changes_the_password_and_leaves(self):
        before = (self.pgveil.directory / "users.txt").read_text()
        said = self.with_config("add", "analyst", password="first one\n")
        self.assertRegex(said, r"^user analyst may log in by password \(.*users.txt\)\. .*RELOAD\n$")
        self.reload()
        self.assertTrue(self.logs_in("analyst", "first one"))
        self.assertFalse(self.logs_in("analyst", "first one "))
        self.assertIn('user "analyst" already exists', self.with_config("add", "analyst", password="short one\n", status=1))
        self.reload()
        self.assertTrue(self.logs_in("analyst", "first one"))
        self.with_config("add", "analyst", "--replace", password="second $ \"one\"\r\nanother line\n")
        self.reload()
        self.assertTrue(self.logs_in("analyst", 'second $ "one"'))
        self.assertFalse(self.logs_in("analyst", "first one"))
        self.assertEqual(self.with_config("list"), "operator\tpassword\nanalyst\tpassword\n")
        self.with_config("remove", "analyst")
        self.reload()
        self.assertFalse(self.logs_in("analyst", 'second $ "one"'))
        self.assertEqual((self.pgveil.directory / "users.txt").read_text(), before)

    def test_files(self):
        secret = self.pgveil.directory / "bi.pw"
        secret.write_text("from a file\n")
        secret.chmod(0o644)
        self.assertIn("others than its owner may read it",
                      self.user("add", "bi", "--file", "own.txt", "--password-file", "bi.pw", status=1))
        self.assertFalse((self.pgveil.directory / "own.txt").exists())
        secret.chmod(0o600)
        self.user("add", "bi", "--file", "own.txt", "--password-file", "bi.pw")
        own = self.pgveil.directory / "own.txt"
        self.assertEqual(own.stat().st_mode & 0o777, 0o600)
        self.user("add", 'o"brien', "--file", "own.txt", "--certificate")
        self.user("add", "tool", "--file", "own.txt", "--password-file", "-", password="dashed\n")
        self.assertEqual(self.user("list", "--file", "own.txt"),
                         'bi\tpassword\no"brien\tcertificate\ntool\tpassword\n')
        self.assertNotIn("from a file", own.read_text())

    def test_what_can_not_be_done(self):
        for arguments, password, part in (
            (["add", "a", "--file", "new.txt"], "", "the password is empty"),
            (["add", "a", "--file", "new.txt"], "höllisch\n", "printable ASCII"),
            (["add", "", "--file", "new.txt"], "short one\n", "the user name is empty"),
            (["add", "x" * 64, "--file", "new.txt"], "short one\n", "longer than 63 bytes"),
            (["add", "a", "--file", "none/new.txt"], "short one\n", "No such file"),
            (["add", "a", "--config", "none.yaml"], "short one\n", "--file names the users file itself"),
            (["remove", "a", "--file", "new.txt"], "", 'user "a" is not in new.txt'),
            (["list", "--file", "new.txt"], "", "No such file"),
        ):
            with self.subTest(arguments):
                self.assertIn(part, self.user(*arguments, password=password, status=1))
                self.assertFalse((self.pgveil.directory / "new.txt").exists())
        self.user("add", status=2)
        self.user("add", "a", "--certificate", "--password-file", "x", status=2)

    def at_terminal(self, typed):
        """→ exit status and what the terminal showed."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.pgveil.directory)
            os.execv(binary(), ["pgveil", "user", "add", "typist", "--file", "typed.txt"])
        shown = b""
        deadline = time.monotonic() + 60
        try:
            while time.monotonic() < deadline:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                try:
                    got = os.read(terminal, 1000)
                except OSError:  # the program has ended
                    break
                if not got:
                    break
                shown += got
                if got.rstrip().endswith(b":") and typed:
                    os.write(terminal, typed.pop(0).encode() + b"\n")
        finally:
            os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    def test_a_terminal_asks_twice_and_shows_nothing(self):
        status, shown = self.at_terminal(["typed one", "typed two"])
        self.assertEqual(status, 1, shown)
        self.assertIn("the two passwords differ", shown)
        self.assertFalse((self.pgveil.directory / "typed.txt").exists())
        status, shown = self.at_terminal(["typed one", "typed one"])
        self.assertEqual(status, 0, shown)
        self.assertIn("New password of typist:", shown)
        self.assertNotIn("typed one", shown)
        self.assertEqual(self.user("list", "--file", "typed.txt"), "typist\tpassword\n")


if __name__ == "__main__":
    main()

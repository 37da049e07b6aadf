#!/usr/bin/python3
"""The audit log: a line for everything, before it happens; no value in it; whole after rotation; and nothing
without it."""
import hashlib
import json
import os
import pwd
import resource
import subprocess
import time

from harness import world
from harness.configuration import write_secret
from harness.pgveil import binary
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

SECRET = "Bellevue"


class Audited(StackCase):
    """The log of one pgveil; each test reads the lines that are new since it began."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {"more": "audit: {file: audit.log}\n"}

    def setUp(self):
        self.path = self.pgveil.directory / "audit.log"
        # The end of the last complete line: another session's line may be half written.
        self.since = self.path.read_bytes().rfind(b"\n") + 1

    def lines(self):
        """Those that are complete: the last one may be under way."""
        with open(self.path, "rb") as file:
            file.seek(self.since)
            return [json.loads(line) for line in file.read().decode().split("\n")[:-1]]

    def events(self, *names, **fields):
        return [line for line in self.lines() if (not names or line["event"] in names)
                and all(line.get(key) == value for key, value in fields.items())]

    def wait_for(self, name, **fields):
        """Until there is such a line: a session's end is noticed a moment later."""
        for _ in range(400):
            if found := self.events(name, **fields):
                return found[-1]
            time.sleep(0.05)
        raise AssertionError(f"no line {name} {fields} in {self.lines()}")


class Statements(Audited):
    def test_a_session_from_its_login_to_its_end(self):
        with self.pgveil.client() as client:
            port = client.socket.getsockname()[1]
            client.query(f"SELECT city, 4711 FROM people WHERE city <> '{SECRET}' -- {SECRET}")
            client.query("SELECT town FROM towns")
        logout = self.wait_for("logout", client=f"127.0.0.1:{port}")
        lines = [line for line in self.lines() if line.get("session") == logout["session"]]
        self.assertEqual([line["event"] for line in lines],
                         ["login", "statement", "answer", "statement", "answer", "logout"])
        for line in lines:
            self.assertEqual((line["role"], line["database"], line["client"]),
                             ("analyst", "demo", f"127.0.0.1:{port}"))
        login, masked, first, opened, second, _ = lines
        self.assertEqual((login["verdict"], login["method"]), ("let in", "trust"))
        self.assertEqual((masked["verdict"], [each["policy"] for each in masked["policies"]], masked["sql"]),
                         ("masked", ["people_k2"], "SELECT city, ? FROM people WHERE city <> ?"))
        self.assertEqual((first["request"], first["rows"]), (masked["request"], 4))
        self.assertEqual((opened["verdict"], second["rows"]), ("open", 4))
        self.assertNotIn("policies", opened)
        self.assertGreaterEqual(first["took_us"], 0)

    def test_what_an_exempt_role_reads(self):
        with self.pgveil.client("dpo") as client:
            client.query("SELECT count(*) FROM people")
        self.assertEqual([line["verdict"] for line in self.events("statement")], ["exempt"])

    def test_extended_protocol(self):
        with self.pgveil.client() as client:
            client.parse("SELECT count(*) FROM people WHERE city = $1", statement="s", types=(25,))
            client.sync()
            self.assertEqual(self.events("statement"), [])
            for value in (SECRET.encode(), b"Hamlet"):
                client.bind((value,), statement="s")
                client.execute()
                client.sync()
        statements = self.events("statement")
        self.assertEqual(
            [line["sql"] for line in statements], ["SELECT count(*) FROM people WHERE city = $1"] * 2
        )
        self.assertEqual([line["rows"] for line in self.events("answer")], [1, 1])
        self.assertNotIn(SECRET, self.path.read_text())

    def test_refusals_and_errors(self):
        with self.pgveil.client() as client:
            client.query(f"SELECT * FROM diary WHERE secret = '{SECRET}'")
            client.query(f'SELECT city FROM people WHERE city = "{SECRET}"')
            client.query(f"SELECT '{SECRET}")
            client.query("SELECT 1/(id - id) FROM people")
        self.assertEqual([(line["verdict"], line.get("sqlstate"), line.get("reason"), line.get("sql"))
                          for line in self.events("statement")],
                         [("refused", "42501", "relation_not_listed", "SELECT * FROM diary WHERE secret = ?"),
                          ("error", "42703", None, 'SELECT city FROM people WHERE city = "?"'),
                          ("error", "42601", None, None),
                          ("masked", None, None, "SELECT ?/(id - id) FROM people")])
        self.assertEqual([line["rows"] for line in self.events("answer")], [11])
        self.assertNotIn(SECRET, self.path.read_text())

    def test_cursors_prepared_and_copied(self):
        with self.pgveil.client() as client:
            client.query("BEGIN")
            client.query("DECLARE c CURSOR FOR SELECT city FROM people")
            client.query("FETCH 3 FROM c")
            client.query("COMMIT")
            client.query("COPY (SELECT city FROM people) TO STDOUT")
        self.assertEqual([(line["verdict"], line["sql"]) for line in self.events("statement")],
                         [("open", "BEGIN"), ("masked", "DECLARE c CURSOR FOR SELECT city FROM people"),
                          ("masked", "FETCH ? FROM c"), ("open", "COMMIT"),
                          ("masked", "COPY (SELECT city FROM people) TO STDOUT")])
        self.assertEqual([line["rows"] for line in self.events("answer")], [0, 0, 3, 0, 11])

    def test_the_request_id_joins_log_and_audit(self):
        with self.pgveil.client() as client:
            client.query("SELECT * FROM diary")
        refused = self.events("statement")[-1]["request"]
        line = f"[session {refused}] refused (relation_not_listed)"
        # The log is written behind the answer's back.
        self.until(lambda: line in self.pgveil.log(), f"{line} is not in the log")

    def test_the_console(self):
        self.pgveil.console("CHECK POLICY people_k2")
        self.pgveil.console("SET x = 1")
        self.pgveil.console(
            f"EXPLAIN POLICY FOR ROLE analyst 'SELECT city FROM people WHERE city = ''{SECRET}'''"
        )
        self.pgveil.console("RELOAD", user="watcher")
        commands = self.events("command")
        self.assertEqual(
            [(line["role"], line["sql"]) for line in commands],
            [
                ("operator", "CHECK POLICY people_k2"),
                ("operator", "EXPLAIN POLICY FOR ROLE analyst ?"),
                ("watcher", "RELOAD"),
            ],
        )
        self.assertEqual([(line["verdict"], line.get("sqlstate")) for line in self.events("command_end")],
                         [("done", None), ("done", None), ("failed", "42501")])
        self.assertNotIn(SECRET, self.path.read_text())

    def test_a_build_is_on_record(self):
        self.pgveil.build("people_k2")
        line = self.events("policy_published")[-1]
        self.assertEqual(line["policy"], "people_k2")
        with self.pgveil.client() as client:
            client.query("SELECT city FROM people")
        self.assertEqual(self.events("statement")[-1]["policies"],
                         [{"policy": "people_k2", "version": int(line["version"])}])


class Files(Audited):
    """Each test moves the file."""

    def verify(self, *paths, more=()):
        return self.pgveil.command("audit-verify", *more, *map(str, paths))

    def test_a_log_without_its_beginning_or_its_end_is_not_whole(self):
        with self.pgveil.client() as client:
            port = client.socket.getsockname()[1]
            for _ in range(3):
                client.query("SELECT count(*) FROM people")
        self.wait_for("logout", client=f"127.0.0.1:{port}")  # the last line is complete
        lines = self.path.read_bytes().splitlines(keepends=True)
        hashes = [hashlib.sha256(line.rstrip(b"\n")).hexdigest() for line in lines]
        part = self.path.with_suffix(".part")
        self.addCleanup(part.unlink)

        def verdict(written, *more):
            part.write_bytes(b"".join(written))
            done = self.verify(part, more=more)
            return done.returncode, done.stdout + done.stderr
        self.assertEqual(verdict(lines)[0], 0)
        status, said = verdict(lines[2:])
        self.assertEqual(status, 1)
        self.assertIn(f"begins in the middle of a chain, after {hashes[1]}", said)
        self.assertIn("1 breaks", said)
        self.assertEqual(verdict(lines[2:], "--after", hashes[1])[0], 0)
        self.assertEqual(verdict(lines[2:], "--after", hashes[0])[0], 1)
        self.assertEqual(verdict(lines, "--after", hashes[0])[0], 1)
        # Nothing but a hash that was kept tells that the end is missing.
        self.assertEqual(verdict(lines[:-1])[0], 0)
        for written, kept, expected in (
            (lines, hashes[-1], 0),
            (lines, hashes[1], 0),
            (lines[:-1], hashes[-1], 1),
        ):
            status, said = verdict(written, "--includes", kept)
            self.assertEqual((status, "no line has the hash" in said), (expected, expected == 1), said)
        self.assertEqual(verdict(lines[2:], "--after", hashes[1], "--includes", hashes[1])[0], 0)
        for hash_ in ("", "0" * 63, "g" * 64, hashes[0].upper()):
            self.assertEqual(verdict(lines, "--after", hash_)[0], 1, hash_)
        status, said = verdict([])
        self.assertEqual(status, 1)
        self.assertIn("has no line", said)
        self.assertIn("hash of the last line: none", said)
        empty = self.path.with_suffix(".empty")
        empty.touch()
        self.addCleanup(empty.unlink)
        part.write_bytes(b"".join(lines))
        self.assertEqual(self.verify(part, empty).returncode, 1)
        # A file that was rotated goes on where the one before it ends.
        part.write_bytes(b"".join(lines[:2]))
        empty.write_bytes(b"".join(lines[2:]))
        self.assertEqual(self.verify(part, empty).returncode, 0)
        self.assertEqual(self.verify(empty).returncode, 1)
        self.assertEqual(self.verify(empty, more=("--after", hashes[1])).returncode, 0)

    def test_rotation_without_a_signal_and_by_reload(self):
        with self.pgveil.client() as client:
            for number in range(3):
                client.query("SELECT count(*) FROM people")
                os.rename(self.path, self.path.with_suffix(f".{number}"))
            client.query("SELECT count(*) FROM people")
        os.rename(self.path, self.path.with_suffix(".3"))
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.since = 0
        self.assertTrue(self.events("reload"))
        files = [self.path.with_suffix(f".{number}") for number in range(4)] + [self.path]
        for file in files:
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        done = self.verify(*files)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(" 0 breaks", done.stdout)
        # Without one of them, in another order, or with a line changed, the chain is broken.
        self.assertEqual(self.verify(files[0], *files[2:]).returncode, 1)
        self.assertEqual(self.verify(*reversed(files)).returncode, 1)
        files[1].write_text(files[1].read_text().replace('"rows":1', '"rows":2'))
        done = self.verify(*files)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the line before it was changed", done.stdout)
        self.assertEqual(self.verify(self.path, "nowhere").returncode, 1)

    def test_the_chain_goes_on_after_a_restart(self):
        self.pgveil.restart()
        with self.pgveil.client() as client:
            client.query("SELECT 1")
        self.assertEqual([line["event"] for line in self.events("start", "stop")][-2:], ["stop", "start"])
        self.since = 0
        before = self.lines()[0]["prev"]  # of the file that another test has moved away
        self.assertEqual(
            self.verify(self.path, more=("--after", before) if before.strip("0") else ()).returncode, 0
        )


class Verbs(Audited):
    """The command line writes the same file."""

    def run_verb(self, *words):
        return self.pgveil.command(*words, "--config", str(self.pgveil.config_path))

    def test_a_verb_and_how_it_ended(self):
        self.assertEqual(self.run_verb("policy", "explain", "people_k2", f"city={SECRET}").returncode, 0)
        self.assertEqual(self.run_verb("policy", "build", "nosuch").returncode, 1)
        begun = self.events("verb")
        self.assertEqual(
            [(line["verb"], line["on"]) for line in begun],
            [("policy explain", "people_k2"), ("policy build", "nosuch")],
        )
        self.assertEqual({line["user"] for line in begun}, {pwd.getpwuid(os.geteuid()).pw_name})
        self.assertEqual([(line["pid"], line["status"]) for line in self.events("verb_end")],
                         [(begun[0]["pid"], "0"), (begun[1]["pid"], "1")])
        self.assertNotIn(SECRET, json.dumps(self.lines()))
        done = self.pgveil.command("audit-verify", str(self.path))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_workload_is_proposed_from_what_was_asked(self):
        nothing = self.pgveil.command("policy", "suggest", "people_k2", "/nosuch", "--config",
                                      str(self.pgveil.config_path))
        self.assertEqual(nothing.returncode, 1)
        self.assertIn("/nosuch", nothing.stderr)
        with self.pgveil.client("analyst", "demo") as client:
            for _ in range(3):
                client.query("SELECT state, city, count(*) FROM people GROUP BY 1, 2")
            client.query(f"SELECT count(*) FROM people WHERE city = '{SECRET}'")
        found = self.run_verb("policy", "suggest", "people_k2")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("workload:\n  - {group_by: [city, state], weight: ", found.stdout)
        self.assertIn("  - {group_by: [city], weight: ", found.stdout)
        self.assertNotIn(SECRET, found.stdout)
        self.assertEqual(self.run_verb("policy", "suggest", "nosuch").returncode, 1)

    def test_each_verb_that_reads_the_database(self):
        table = ("--table", "public.people", "--database", "demo")
        for words, on in (
            (("check", "--quick"), "everything"),
            (("rewrite", "--role", "analyst", f"SELECT '{SECRET}'"), "role analyst"),
            (("policy", "show", "people_k2"), "people_k2"),
            (("policy", "diff", "people_k2"), "people_k2"),
            (("risk", *table), "table public.people"),
            (("check-table", *table, "--columns", "city", "--k", "2"), "table public.people"),
        ):
            self.run_verb(*words)
            self.assertEqual(self.events("verb")[-1]["on"], on, words)
        self.assertNotIn(SECRET, json.dumps(self.lines()))
        before = self.events("verb")
        self.run_verb("setup-sql")
        self.assertEqual(self.events("verb"), before)

    def test_many_at_once_make_one_chain(self):
        config = str(self.pgveil.config_path)
        running = [
            subprocess.Popen(
                [binary(), "policy", "explain", "people_k2", "--config", config],
                cwd=self.pgveil.directory,
                stdout=subprocess.DEVNULL,
            )
            for _ in range(6)
        ]
        with self.pgveil.client() as client:
            for _ in range(50):
                client.query("SELECT count(*) FROM people")
        self.assertEqual([each.wait(60) for each in running], [0] * 6)
        self.assertEqual((len(self.events("verb")), len(self.events("verb_end"))), (6, 6))
        self.assertEqual(self.pgveil.command("audit-verify", str(self.path)).returncode, 0)

    def test_what_cant_be_put_on_record_does_not_run(self):
        self.path.chmod(0o644)
        try:
            done = self.run_verb("policy", "show", "people_k2")
        finally:
            self.path.chmod(0o600)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("everybody may read it", done.stderr)


class Keyed(Audited):
    options = {"more": "audit: {file: audit.log, key_file: audit.key, sql_bytes: 0}\n"}

    @classmethod
    def prepare(cls):
        pass

    @classmethod
    def start(cls):
        original = cls.kept

        def kept(pgveil):
            if hasattr(pgveil, "directory"):
                write_secret(pgveil.directory / "audit.key", "the key\n")
            return original(pgveil)
        cls.kept = kept
        super().start()

    def test_a_chain_with_a_key_and_no_texts(self):
        with self.pgveil.client() as client:
            client.query("SELECT city FROM people")
        self.assertNotIn("sql", self.events("statement")[-1])
        verify = ("audit-verify", str(self.path))
        self.assertEqual(self.pgveil.command(*verify, "-c", str(self.pgveil.config_path)).returncode, 0)
        self.assertEqual(self.pgveil.command(*verify).returncode, 1)


class FullDisk(Audited):
    """The file may not grow beyond a limit of the process: what a full disk looks like to it."""

    def limit(self, size):
        resource.prlimit(self.pgveil.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def test_nothing_is_answered_while_nothing_can_be_written(self):
        # The end of the session that built the policy may be written later than its answer.
        self.since = 0
        self.until(lambda: len(self.events("logout")) == len(self.events("login", verdict="let in")),
                   "a session that has ended is not written down as ended")
        client = self.pgveil.client()
        self.addCleanup(client.close)
        self.assertEqual(client.query("SELECT count(*) FROM people").errors, [])
        before = self.path.read_bytes()
        self.limit(len(before) + 40)
        try:
            sent = self.postgres.log_position()
            reply = client.query("SELECT city FROM people")
            self.assertEqual((reply.sqlstates(), reply.rows, reply.is_closed), (["58030"], [], True))
            late = RawClient(self.pgveil.port)
            self.addCleanup(late.close)
            self.assertEqual(late.log_in({"user": "analyst", "database": "demo"}).sqlstates(), ["58030"])
            self.assertNotIn("FROM public.people", self.postgres.log(sent))
            self.assertEqual(self.path.read_bytes(), before)
        finally:
            self.limit(resource.RLIM_INFINITY)
        with self.pgveil.client() as again:
            self.assert_alive(again)
        self.assertEqual(self.pgveil.command("audit-verify", str(self.path)).returncode, 0)
        self.assertIn("[audit] works again", self.pgveil.log())


class Refused(Audited):
    def test_a_file_that_everybody_may_read_keeps_pgveil_from_starting(self):
        self.pgveil.halt()
        self.path.chmod(0o644)
        done = subprocess.run(
            [binary(), "serve", "--config", self.pgveil.config_path],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.pgveil.directory,
        )
        self.path.chmod(0o600)
        self.assertEqual(done.returncode, 1)
        self.assertIn("chmod 640", done.stderr)
        self.pgveil.start()


if __name__ == "__main__":
    main()

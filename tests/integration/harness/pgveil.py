"""Starts and stops pgveil, and runs its subcommands."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import configuration, tap
from .ports import free_port
from .runner import REPOSITORY
from .wire import RawClient

START_SECONDS = 60


def binary():
    """$PGVEIL_BIN, or the newest build in this tree."""
    if named := os.environ.get("PGVEIL_BIN"):
        return pathlib.Path(named)
    built = [path for path in REPOSITORY.glob("build/*/cli/pgveil") if path.is_file()]
    if not built:
        raise RuntimeError("no pgveil: build it, or name it in PGVEIL_BIN")
    return max(built, key=lambda path: path.stat().st_mtime)


def serving_environment():
    """Leaks are looked for in the process that serves. In commands, ./run test does not look for them: that
    would take a fifth of their time."""
    return {**os.environ, "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=1"}


class Pgveil:
    """One configuration folder and, between start and stop, one process."""

    def __init__(
        self, postgres, policies, open_tables=(), database="demo", authentication="trust", **options
    ):
        self.postgres = postgres
        self.port = own_port = free_port()
        self._tap = None
        if tap.FOLDER:
            own_port = free_port()
            self._tap = tap.Tap(self.port, own_port)
        self._own_port = own_port
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-conf-"))
        self.log_path = self.directory / "pgveil.log"
        self.database = database
        self._process = None
        self.config_path = configuration.write(
            self.directory, listen_port=own_port, backend_port=postgres.port, database=database,
            open_tables=open_tables, authentication=authentication, **options)
        self.policy_path = self.directory / "policies" / "policies.yaml"
        self.write_policies(policies)

    def write_policies(self, policies):
        self.policy_path.write_text(configuration.policies_yaml(policies, self.database))

    # -- the daemon
    def start(self):
        starts = self._starts()
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                [binary(), *configuration.serve_arguments(self.config_path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env=serving_environment(),
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while self._starts() == starts or not self._accepts():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("pgveil did not start:\n" + self.log())
            time.sleep(0.05)
        return self

    def _starts(self):
        """How often all that a start has to do was done."""
        return self.log().count("listening on ")

    def _accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self._own_port), timeout=1).close()
        except OSError:
            return False
        return True

    def halt(self):
        """Ends the process and keeps what it has stored."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=60)

    def restart(self):
        self.halt()
        return self.start()

    @property
    def pid(self):
        return self._process.pid

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def stop(self):
        """Ends the process; a crash or a sanitizer's report is an error of the test that used it."""
        status = 0
        if self._tap is not None:
            self._tap.close()
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)
            try:
                status = self._process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
                status = "killed: it did not end on SIGTERM"
        log = self.log()
        tap.keep_log(log)
        shutil.rmtree(self.directory, ignore_errors=True)
        if status != 0 or re.search(r"ERROR: AddressSanitizer|ERROR: LeakSanitizer|runtime error:", log):
            raise AssertionError(f"pgveil ended badly ({status}):\n{log[-6000:]}")

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    # -- clients
    def client(self, user="analyst", database=None, **options):
        return RawClient(self.port, user, database or self.database, **options)

    def console(self, command, user="operator"):
        with RawClient(self.port, user, "pgveil") as client:
            return client.query(command)

    def console_bytes(self, user, commands):
        """All that the console answers."""
        with RawClient(self.port, user, "pgveil") as client:
            return b"".join(client.query(command).raw for command in commands)

    def build(self, *names):
        for name in names:
            reply = self.console(f"BUILD POLICY {name}")
            if reply.errors:
                raise RuntimeError(f"BUILD POLICY {name}: {reply.errors[0]}")

    # -- the command line
    def setup_sql(self):
        done = self.command("setup-sql", "--config", str(self.config_path))
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def command(self, *arguments, timeout=180):
        return subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=timeout,
                              cwd=self.directory, stdin=subprocess.DEVNULL)

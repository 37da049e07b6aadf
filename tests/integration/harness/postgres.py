"""A private PostgreSQL in a temporary directory, on a free port, as a user that is not root.

Its log holds every statement, and every Parse and Bind too (log_min_duration_statement = 0), each line with
the role that sent it: tests read it to see what reached the backend. """
import functools
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

from .ports import free_port
from .wire import RawClient

MAJORS = (15, 16, 17, 18)


def server_bin(major):
    """The folder with this major's programs, which ./run test finds; None: it is not on this machine."""
    named = os.environ.get(f"PGVEIL_POSTGRES_BIN_{major}")
    folder = pathlib.Path(named or f"/usr/lib/postgresql/{major}/bin")
    return folder if (folder / "postgres").exists() else None


def usual_bin():
    """The folder of the server that tests use: ./run test --server names it, or the oldest installed."""
    if "PGVEIL_POSTGRES_BIN" in os.environ:
        return pathlib.Path(os.environ["PGVEIL_POSTGRES_BIN"])
    return next((found for found in map(server_bin, MAJORS) if found), pathlib.Path("/usr/bin"))


BIN = usual_bin()
START_SECONDS = 60

SETTINGS = """
track_activity_query_size = 65536
listen_addresses = '127.0.0.1'
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
jit = off
max_connections = 100
shared_buffers = 32MB
password_encryption = 'scram-sha-256'
log_statement = 'all'
log_min_duration_statement = 0
log_line_prefix = '<%%u@%%d %%p> '
log_timezone = 'UTC'
timezone = 'UTC'
lc_messages = 'C'
port = %(port)d
unix_socket_directories = '%(directory)s'
"""

# The roles that pgveil logs in with must prove themselves, everybody else is let in from this machine.
HBA = """
host all pgveil_query,pgveil_admin 127.0.0.1/32 scram-sha-256
local all all trust
host all all 127.0.0.1/32 trust
"""


def plain_user():
    """The account the server runs as: None means the current one."""
    if os.geteuid() != 0:
        return None
    return os.environ.get("PGVEIL_TEST_USER", "postgres")


@functools.cache
def major_of(folder):
    said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    return int(re.search(r"PostgreSQL\) (\d+)", said.stdout).group(1))


def initdb(data, programs=BIN, **user):
    """A fresh cluster in the folder `data`, without the settings of tests."""
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
         "--no-sync", "--no-instructions"],
        check=True, stdout=subprocess.DEVNULL, timeout=120, cwd="/", **user)


# For tests of many statements that never read the log.
SILENT = """
log_statement = 'none'
log_min_duration_statement = -1
log_min_messages = fatal
log_min_error_statement = panic
"""


class Postgres:
    """programs: the folder of the server's; None: the usual one. port: None: a free one. is_copied: a copy of the
    cluster that ./run test makes, if there is one; all of its copies have one system identifier."""

    def __init__(self, is_logging=True, programs=None, port=None, is_copied=True):
        self._is_copied = is_copied
        self.programs = programs or BIN
        self.major = major_of(self.programs)
        self.port = port or free_port()
        in_memory = os.environ.get("PGVEIL_CLUSTERS") or None  # a folder that ./run test names
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-test-", dir=in_memory))
        self.log_path = self.directory / "server.log"
        self._user = plain_user()
        self._process = None
        self._log = None
        self._is_logging = is_logging
        self._prepare()
        self.start()

    def _as_user(self):
        if self._user is None:
            return {}
        entry = pwd.getpwnam(self._user)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def _prepare(self):
        if self._user is not None:
            shutil.chown(self.directory, self._user)
        data = self.directory / "data"
        template = os.environ.get("PGVEIL_CLUSTER_TEMPLATE")
        if template and self._is_copied and self.programs == BIN:
            subprocess.run(["cp", "-R", template, data], check=True, timeout=120, cwd="/", **self._as_user())
            data.chmod(0o700)
        else:
            initdb(data, self.programs, **self._as_user())
        with open(data / "postgresql.conf", "a") as conf:
            conf.write(SETTINGS % {"port": self.port, "directory": self.directory})
            conf.write("" if self._is_logging else SILENT)
        (data / "pg_hba.conf").write_text(HBA)

    def start(self):
        self._log = open(self.log_path, "ab")
        self._process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.directory / "data"], stdin=subprocess.DEVNULL, stdout=self._log,
            stderr=self._log, cwd="/", **self._as_user())
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the private PostgreSQL did not start:\n" + self.log())
            time.sleep(0.05)

    def _is_ready(self):
        return (
            subprocess.run(["pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode
            == 0
        )

    @property
    def pid(self):
        return self._process.pid

    def kill(self, how=signal.SIGQUIT):
        """Ends the server at once; SIGQUIT is PostgreSQL's immediate shutdown."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(timeout=30)
        self._process = None
        if self._log is not None:
            self._log.close()

    def stop(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    # -- past the proxy
    def run(self, script, database="postgres", user="postgres", variables=None):
        """Runs a psql script, each statement in its own transaction; the first error raises."""
        options = [item for name, value in (variables or {}).items() for item in ("-v", f"{name}={value}")]
        done = subprocess.run(
            ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *options, "-h", "127.0.0.1", "-p", str(self.port),
             "-U", user, "-d", database],
            input=script, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def rows(self, sql, database="postgres", user="postgres"):
        """The rows of one query as texts, NULL as None."""
        with RawClient(self.port, user, database) as client:
            reply = client.query(sql)
        if reply.errors:
            raise RuntimeError(f"{reply.errors[0]} in {sql}")
        return reply.texts()

    def create_database(self, name, template=None):
        self.run(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template}"' if template else ""))

    # -- the log
    def log(self, since=0):
        with open(self.log_path, "rb") as log:
            log.seek(since)
            return log.read().decode("utf-8", "replace")

    def log_position(self):
        return self.log_path.stat().st_size

    def received(self, since=0, role="pgveil_query"):
        """What this role's connections sent: one text per statement, Parse, Bind or Execute, and each failed
        one."""
        found = []
        for entry in re.split(r"(?m)^(?=<)", self.log(since)):
            if entry.startswith(f"<{role}@") and re.search(
                    r"(LOG:  statement:|LOG:  (fastpath|execute|duration)|STATEMENT:|ERROR:)", entry):
                found.append(entry)
        return found

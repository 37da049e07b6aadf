"""Does what a page says, as its reader would: in a folder of its own, with a shell, psql and pgveil, against a
private PostgreSQL. On pages PostgreSQL is on port 5432, pgveil on 6432 and its page on 6480; here they are
on free ports, and commands, files and outputs are translated.

The worlds in which a page begins:
  none      no PostgreSQL
  server    a PostgreSQL with a superuser `postgres`, who needs no password, and no database
  hospital  server, with docs/tutorials/hospital.sql in the database hospital
  masked    hospital, and a pgveil in front of it, as `pgveil init` has set it up, with the page and an operator
  people    the worked example in the database demo, and pgveil in front of it
  demo      the same with the table of residents: the database, policies and users of compose.yaml"""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

from . import configuration
from .pgveil import binary
from .ports import free_port
from .postgres import Postgres
from .runner import REPOSITORY

SECONDS = 180
MARKER = "-- end of the answer --"
TUTORIALS = REPOSITORY / "docs" / "tutorials"
SAMPLE = TUTORIALS / "hospital.sql"
OPERATOR = "operator secret"


class Psql:
    """A psql that goes on from statement to statement. Its output is a terminal, so that answers, errors and
    notices come in their order."""

    def __init__(self, command, environment, folder):
        self._terminal, theirs = pty.openpty()
        subprocess.run(["stty", "-onlcr"], stdin=theirs, check=True)
        self._process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=theirs,
                                         stderr=theirs, env=environment, cwd=folder, start_new_session=True)
        os.close(theirs)

    def answer(self, statement):
        self._process.stdin.write(f"{statement}\n\\echo '{MARKER}'\n".encode())
        self._process.stdin.flush()
        said, deadline = b"", time.monotonic() + SECONDS
        while MARKER.encode() not in said:
            if not select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                return said.decode() + f"\n(no end within {SECONDS} s)"
            try:
                said += os.read(self._terminal, 65536)
            except OSError:  # psql has ended
                break
        return said.decode().partition(MARKER)[0]

    def stop(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        os.close(self._terminal)


class Reader:
    def __init__(self, world):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-docs-"))
        self.postgres = self._psql = None
        self._background = []
        self._ports = {"6432": str(free_port()), "6480": str(free_port())}
        self._state = self.folder / ".shell"
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "pgveil").symlink_to(binary().resolve())
        for sample in TUTORIALS.glob("*.sql"):
            shutil.copy(sample, self.folder)
        try:
            WORLDS[world](self)
        except BaseException:
            self.stop()
            raise

    # -- what pages say and what is so here
    def translated(self, text):
        text = text.replace("db.example.org", "127.0.0.1")
        for page, here in self._ports.items():
            text = re.sub(rf"\b{page}\b", here, text)
        return text

    def as_on_pages(self, text):
        for page, here in self._ports.items():
            text = re.sub(rf"\b{here}\b", page, text)
        return text.replace(str(self.folder) + "/", "").replace(str(self.folder), ".")

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return kept | {"PATH": f"{self.folder / 'bin'}:{kept['PATH']}", "HOME": str(self.folder), "PAGER": "cat",
                       "PSQLRC": "/dev/null", "PGCONNECT_TIMEOUT": "60", "PGTZ": "UTC", "LC_ALL": "C.UTF-8",
                       "ROOT": str(REPOSITORY), "PGPASSFILE": str(self.folder / ".pgpass"), "PYTHONDONTWRITEBYTECODE": "1"}

    # -- steps; each returns what was printed, as the page would show it
    def shell(self, command):
        """One command after the other, with the variables and the folder that the last one left."""
        if self._psql:
            self._psql.stop()
            self._psql = None
        command = self.translated(command)
        if re.match(r"psql\b", command) and not re.search(r"(^|\s)(-[cfl]|<)", command):
            # Without a terminal psql would not ask for the next statement.
            self._psql = Psql(self._with_state(f"exec {command}"), self.environment(), self.folder)
            return ""
        done = subprocess.run(["bash", "-c", self._with_state(command, is_kept=True)], env=self.environment(),
                              cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
        self.status = done.returncode
        self._translate_configurations()
        said = self.as_on_pages(done.stdout)
        return said if said.strip() or done.returncode == 0 else f"(status {done.returncode})"

    def _translate_configurations(self):
        """Those that a command wrote have the ports of the pages."""
        for path in self.folder.rglob("pgveil.yaml"):
            text = path.read_text()
            if self.translated(text) != text:
                path.write_text(self.translated(text))

    def _with_state(self, command, is_kept=False):
        begin = f". {self._state} 2>/dev/null\n{command}\n"
        return begin + (f"status=$?; {{ export -p; echo cd \"$PWD\"; }} > {self._state}; exit $status" if is_kept else "")

    def sql(self, statement):
        if not self._psql:
            return "(no psql was started by a command before)"
        return self.as_on_pages(self._psql.answer(self.translated(statement)))

    def background(self, command, ready):
        """→ nothing, or what a program printed that did not come to be ready. A pgveil that is served again takes the
        place of the one before."""
        if command.startswith("pgveil serve"):
            self._end_background()
        log = self.folder / f".background-{len(self._background)}"
        with open(log, "wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", self._with_state(f"exec {self.translated(command)}")], env=self.environment(),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        self._background.append(process)
        deadline = time.monotonic() + SECONDS
        while self.translated(ready) not in log.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                return self.as_on_pages(log.read_text())
            time.sleep(0.05)
        return ""

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        configuration.write_secret(path, self.translated(text))

    def text_of(self, name):
        path = self.folder / name
        return self.as_on_pages(path.read_text()) if path.exists() else f"(there is no file {name})"

    def stop(self):
        if self._psql:
            self._psql.stop()
        self._end_background()
        if self.postgres:
            self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end_background(self):
        for process in reversed(self._background):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    # -- worlds
    def must(self, command):
        said = self.shell(command)
        if self.status != 0:
            raise RuntimeError(f"{command}\n{said}")

    def serve(self, command):
        if said := self.background(command, "listening on "):
            raise RuntimeError(said)

    def add_user(self, name, password, users):
        self.must(f"echo '{password}' | pgveil user add {name} --file {users} --replace")
        with open(os.open(self.folder / ".pgpass", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
            file.write(f"*:{self._ports['6432']}:*:{name}:{password}\n")

    def start_server(self):
        self.postgres = Postgres(is_logging=False)
        self._ports["5432"] = str(self.postgres.port)

    def load_hospital(self):
        self.start_server()
        self.postgres.run("CREATE ROLE owner LOGIN; CREATE DATABASE hospital OWNER owner;")
        self.postgres.run(SAMPLE.read_text(), "hospital", user="owner")

    def mask_hospital(self):
        self.load_hospital()
        self.must("pgveil init postgres://owner@127.0.0.1:5432/hospital")
        config = self.folder / "pgveil" / "pgveil.yaml"
        self.add_user("analyst", "analyst", "pgveil/users.txt")
        self.add_user("operator", OPERATOR, "pgveil/users.txt")
        self.must("psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p 5432 -U postgres -d hospital -f pgveil/setup.sql")
        self.must("pgveil policy build --all -c pgveil/pgveil.yaml")
        self.serve("pgveil serve -c pgveil/pgveil.yaml")

    def start_demo(self, has_residents=True):
        """What the containers of compose.yaml do."""
        self.start_server()
        demo = REPOSITORY / "demo"
        self.postgres.run((demo / "roles.sql").read_text(), variables={
            "owner_password": "owner", "query_password": "query", "admin_password": "admin"})
        self.postgres.run("SET ROLE demo_owner;" + (demo / "example_table.sql").read_text(), "demo")
        shutil.copytree(demo / "policies", self.folder / "policies")
        if has_residents:
            self.postgres.run("SET ROLE demo_owner;" + (demo / "residents_table.sql").read_text(), "demo",
                              variables={"rows": "100000"})
        else:
            (self.folder / "policies" / "residents.yaml").unlink()
        text = (demo / "compose" / "pgveil.yaml").read_text()
        text = text.replace("host: postgres", "host: 127.0.0.1").replace("/var/lib/pgveil/", "")
        self.write("pgveil.yaml", text)
        self.add_user("analyst", "analyst", "users.txt")
        self.add_user("operator", "operator", "users.txt")
        self.must("export PGVEIL_QUERY_PASSWORD=query PGVEIL_ADMIN_PASSWORD=admin")
        self.must("pgveil setup-sql --config pgveil.yaml > setup.sql")
        self.must("psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p 5432 -U postgres -d demo -f setup.sql")
        self.must("pgveil policy build --all --config pgveil.yaml")
        self.serve("pgveil serve -c pgveil.yaml")


WORLDS = {
    "none": lambda reader: None,
    "server": Reader.start_server,
    "hospital": Reader.load_hospital,
    "masked": Reader.mask_hospital,
    "people": lambda reader: reader.start_demo(has_residents=False),
    "demo": Reader.start_demo,
}

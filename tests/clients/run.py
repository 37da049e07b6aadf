"""run.py TOOL…: runs the program of each tool three times, against the masked copy in PostgreSQL itself,
through pgveil, and through pgveil with pooled transactions. Each check must give the same value at all three:
so a tool works, and its numbers are right. What is refused by design must be refused, with a reason."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import needs
import world
from harness.pgveil import Pgveil
from harness.postgres import Postgres

SECONDS = 120
POOL = "pool: {mode: transaction}\n"
POOLED = ", pooled transactions"
COMMANDS = {
    ".py": lambda tool: [tool.folder / "venv/bin/python" if tool.packages["pypi"] else "/usr/bin/python3"],
    ".mjs": lambda tool: ["node"],
    ".java": lambda tool: ["java", "-cp", f"{tool.folder}:{tool.folder}/jars/*", tool.name],
    ".go": lambda tool: [tool.folder / "program"],
    ".rb": lambda tool: ["ruby"],
    ".php": lambda tool: ["php"],
    ".R": lambda tool: ["Rscript"],
}


def command(tool):
    words = COMMANDS[tool.program.suffix](tool)
    is_built = tool.program.suffix in (".java", ".go")
    return [*words, *([] if is_built else [tool.folder / tool.program.name])]


def environment(port, home, way):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {
        "HOME": home,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(port),
        "PGDATABASE": "demo",
        "PGUSER": "analyst",
        "PGPASSWORD": "any",
        "PGTZ": "UTC",
        "TZ": "UTC",
        "PGCONNECT_TIMEOUT": "10",
        "CLIENT_URL": f"postgresql://analyst:any@127.0.0.1:{port}/demo",
        "NODE_NO_WARNINGS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CLIENT_IS_POOLED": "1" if way == POOLED else "",
    }


def outcomes(tool, port, way=""):
    """→ of each check its line, decoded; what else was written."""
    home = tempfile.mkdtemp(prefix="pgveil-client-")
    try:
        done = subprocess.run(
            command(tool),
            env=environment(port, home, way),
            cwd=home,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = f"no end within {SECONDS} s", (late.stdout or b"").decode(), ""
    finally:
        shutil.rmtree(home, ignore_errors=True)
    found, other = {}, []
    for line in out.splitlines():
        if line.startswith('{"check":'):
            outcome = json.loads(line)
            found[outcome.pop("check")] = outcome
        else:
            other.append(line)
    if status != 0:
        found["the program runs to its end"] = {"error": "\n".join([f"status {status}", *other, err])[-3000:]}
    return found, out + err


def problem(name, ours, theirs):
    """Why the outcome of a check through pgveil is not right; None: it is."""
    if ours is None:
        return "was not reached"
    if "refused" in ours:
        return None if ours["refused"] else f"was expected to be refused: {ours.get('error', 'is answered')}"
    if theirs is None or "error" in theirs:
        return f"fails in PostgreSQL itself: {(theirs or {}).get('error', 'not reached')}"
    if "error" in ours:
        return ours["error"]
    if ours["value"] != theirs["value"]:
        return (
            f"differs:\n     PostgreSQL {json.dumps(theirs['value'])[:1500]}\n     pgveil     "
            f"{json.dumps(ours['value'])[:1500]}"
        )
    return None


class Stack:
    """The two servers and the two pgveils."""

    def __init__(self):
        self.started = []
        self.copy = self.kept(Postgres(is_logging=False))
        world.create_masked(self.copy)
        raw = self.kept(Postgres(is_logging=False))
        world.create(raw)
        self.ways = {}
        for name, more in (("", ""), (POOLED, POOL)):
            pgveil = self.kept(Pgveil(raw, [world.PEOPLE], world.OPEN_TABLES, has_notices=True, more=more))
            if not self.ways:
                raw.run(pgveil.setup_sql(), "demo")
            pgveil.start()
            if not self.ways:  # the second one takes the version of the first
                pgveil.build("people_k3")
            self.ways[name] = pgveil

    def kept(self, each):
        self.started.append(each)
        return each

    def stop(self):
        for each in reversed(self.started):
            each.stop()


def run(tool, stack):
    """→ how many checks passed, how many failed."""
    theirs, _ = outcomes(tool, stack.copy.port)
    passed = failed = 0
    for way, pgveil in stack.ways.items():
        ours, written = outcomes(tool, pgveil.port, way)
        problems = {name: problem(name, ours.get(name), theirs.get(name)) for name in theirs | ours}
        seen = [text for text in world.HIDDEN if text in written]
        problems["no hidden value is seen"] = f"seen: {seen}" if seen else None
        for name, why in problems.items():
            if why:
                print(f"FAILED {tool.name}: {name}{way}: {why}", flush=True)
        failed += sum(why is not None for why in problems.values())
        passed += sum(why is None for why in problems.values())
    return passed, failed


def main():
    wanted = {pathlib.Path(each).stem for each in sys.argv[1:]}
    passed = failed = 0
    stack = None
    try:
        for tool in needs.tools():
            if wanted and tool.name not in wanted:
                continue
            reason = tool.folder / "reason"
            if reason.exists() or not (tool.folder / "ready").exists():
                why = reason.read_text() if reason.exists() else "tests/clients/install.py did not install it"
                print(f"skipped: {tool.covers}: {why}")
                continue
            stack = stack or Stack()
            good, bad = run(tool, stack)
            print(f"-- {tool.covers}: {good} passed, {bad} failed", flush=True)
            passed, failed = passed + good, failed + bad
    finally:
        if stack:
            stack.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

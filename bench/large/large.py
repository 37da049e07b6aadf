#!/usr/bin/env python3
"""Publishes a drawn file of six quasi-identifiers, by a full-domain search and by Mondrian, once with all of
its records and once with a tenth of them. Prints seconds, memory, and how time per record grows.
Arguments: --rows=N (10,000,000), --methods=NAME,NAME… (flash,mondrian)."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ["ROOT"])
sys.path.insert(0, str(ROOT / "bench"))
from intervals import print_table  # noqa: E402

BINARY = os.environ.get("PGVEIL_BIN", str(ROOT / "build" / "release" / "cli" / "pgveil"))
DRAW = ROOT / "bench" / "large" / "draw.awk"
COLUMNS = ("age", "sex", "race", "marital_status", "education", "zip")


def argument(name, otherwise):
    for given in sys.argv[1:]:
        if given.startswith(f"--{name}="):
            return given.split("=", 1)[1]
    return otherwise


def draw(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run(["awk", "-v", f"rows={rows}", "-f", DRAW], stdout=file, check=True)


def write_job(path, method, file):
    hierarchies = {"age": "intervals: {widths: [5, 10, 20, 80]}"}
    text = f"version: 1\nname: {method}\ninput: {{file: {file}, separator: ','}}\nattributes:\n"
    for column in COLUMNS:
        if method == "mondrian" and column in ("age", "zip"):
            text += f"  {column}: {{class: quasi_identifier, numeric: true}}\n"
        else:
            hierarchy = hierarchies.get(column, "masking: {}")
            text += f"  {column}: {{class: quasi_identifier, hierarchy: {{{hierarchy}}}}}\n"
    text += "  income: {class: sensitive}\nk: 5\nseed: 1\nlimits: {threads: 2}\n"
    text += "algorithm: mondrian\n" if method == "mondrian" else f"algorithm: {method}\nsuppression: 1%\n"
    path.write_text(text + "output: {file: out.csv, replace: true}\n", encoding="utf-8")


def published(folder, job):
    """→ seconds on the clock, peak of memory in MB."""
    begin = time.monotonic()
    process = subprocess.Popen([BINARY, "anonymize", job], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{job} ended with status {status}")
    return time.monotonic() - begin, usage.ru_maxrss / 1000


def main():
    rows = int(argument("rows", "10000000"))
    methods = argument("methods", "flash,mondrian").split(",")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    table = [["method", "records", "file, MB", "s", "µs per record", "memory, MB", "memory / file", "growth"]]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as place:
        folder = pathlib.Path(place)
        for count in (rows // 10, rows):
            draw(folder / f"{count}.csv", count)
        for method in methods:
            before = None
            for count in (rows // 10, rows):
                file = folder / f"{count}.csv"
                write_job(folder / "job.yaml", method, file.name)
                seconds, memory = published(folder, "job.yaml")
                size = file.stat().st_size / 1e6
                per_record = seconds / count
                growth = "" if before is None else f"{per_record / before:.2f}"
                before = per_record
                figures = (f"{size:,.0f}", f"{seconds:,.1f}", f"{per_record * 1e6:.2f}", f"{memory:,.0f}")
                table.append([method, f"{count:,}", *figures, f"{memory / size:.2f}", growth])
    print_table(table)


main()

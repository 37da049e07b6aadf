#!/usr/bin/env python3
"""Publishes a drawn file of nine columns, plain and packed, in turns with a copy of its records by Python's csv
module. Prints seconds, the ratio of both with its interval, and the peak of memory as a share of the file.
Arguments: --mb=N (250), --rounds=N (5)."""
import csv
import gzip
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ["ROOT"])
sys.path.insert(0, str(ROOT / "bench"))
from intervals import interval, print_table  # noqa: E402

BINARY = os.environ.get("PGVEIL_BIN", str(ROOT / "build" / "release" / "cli" / "pgveil"))
VALUES = {"sex": 2, "race": 5, "status": 7, "education": 16, "country": 40, "work": 8, "job": 14, "income": 2}


def argument(name, otherwise):
    for given in sys.argv[1:]:
        if given.startswith(f"--{name}="):
            return int(given.split("=", 1)[1])
    return otherwise


def draw(path, megabytes):
    draws = random.Random(1)
    block = "".join(
        ",".join([str(17 + min(draws.randrange(70), draws.randrange(70))),
                  *(f"{name} {min(draws.randrange(n), draws.randrange(n))}" for name, n in VALUES.items())]) + "\n"
        for _ in range(30_000)
    )  # fmt: skip
    with open(path, "w") as file:
        file.write("age," + ",".join(VALUES) + "\n")
        while file.tell() < megabytes * 1_000_000:
            file.write(block)


def write_job(folder, name, file, output):
    hierarchy = "hierarchy: {masking: {}}"
    text = f"version: 1\nname: {name}\ninput: {{file: {file}}}\nattributes:\n"
    text += "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20, 80]}}}\n"
    for column in list(VALUES)[:-1]:
        text += f"  {column}: {{class: quasi_identifier, {hierarchy}, max_level: 2}}\n"
    text += "  income: {class: sensitive}\nk: 5\nsuppression: 10%\nseed: 1\nlimits: {threads: 2}\n"
    text += f"output: {{file: {output}, replace: true}}\n"
    (folder / f"{name}.yaml").write_text(text)


def published(folder, name):
    """→ seconds on the clock, peak of memory in MB."""
    begin = time.monotonic()
    process = subprocess.Popen([BINARY, "anonymize", f"{name}.yaml"], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, "the job failed"
    return time.monotonic() - begin, usage.ru_maxrss / 1000


def copied(source, target, opened):
    begin = time.monotonic()
    with opened(source, "rt", newline="") as read, opened(target, "wt", newline="") as write:
        csv.writer(write).writerows(csv.reader(read))
    return time.monotonic() - begin


def main():
    megabytes, rounds = argument("mb", 250), argument("rounds", 5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows = [["file", "MB", "pgveil s", "s for 1 GB", "copy by Python s", "pgveil / copy", "memory / text"]]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as place:
        folder = pathlib.Path(place)
        draw(folder / "in.csv", megabytes)
        size = (folder / "in.csv").stat().st_size / 1e6
        subprocess.run(["gzip", "-1", "-k", "in.csv"], cwd=folder, check=True)
        for packing, opened in (("", open), (".gz", gzip.open)):
            name = "plain" if not packing else "packed"
            write_job(folder, name, f"in.csv{packing}", f"out.csv{packing}")
            pairs = []
            for i in range(rounds):
                halves = [lambda: published(folder, name),
                          lambda: copied(folder / f"in.csv{packing}", folder / f"copy.csv{packing}", opened)]  # fmt: skip
                order = (0, 1) if i % 2 == 0 else (1, 0)
                done = {which: halves[which]() for which in order}
                pairs.append((*done[0], done[1]))
            middle, low, high = interval([one[0] / one[2] for one in pairs])
            seconds = interval([one[0] for one in pairs])[0]
            rows.append([name, f"{size:.0f}", f"{seconds:.2f}", f"{seconds * 1000 / size:.1f}",
                         f"{interval([one[2] for one in pairs])[0]:.2f}", f"{middle:.2f} ({low:.2f}–{high:.2f})",
                         f"{max(one[1] for one in pairs) / size:.2f}"])  # fmt: skip
    print_table(rows)


main()

"""page.py ROOT NAME…: writes docs/benchmarks.md and its pictures. The sections NAME… are made of what
bench/all/run.sh has measured in build/bench on this machine. The others stay as they are."""

import pathlib
import platform
import re
import subprocess
import sys
import textwrap

from losses_picture import losses_picture
from picture import picture
from sections import SHORT, SECTIONS
from tables import tables

INTRODUCTION = """# Benchmarks

This page shows how fast pgveil is, and where it is slow. `./run bench all` writes it. All programs run
together on one small machine, so only ratios can be compared with other machines. Each comparison is made in
turns, in one run. A high load average at the start means that the machine was busy with other work, which
makes the intervals wide. [bench/README.md](../bench/README.md) describes every benchmark and what its figures
mean.

![Ratios of the tables below, as dots with their intervals](pictures/benchmarks.svg)
"""
ABSENT = """## What could not be compared

- **Odyssey, PgDog and PgCat** were looked for in Debian's packages and on crates.io in November 2026. None of
  them is there.
- **PostgreSQL Anonymizer**, whose dynamic masks would be the nearest comparison for ours, is in neither
  Debian's packages nor on PyPI.
- **ClickBench's** statements and table are in no package registry. The section on web analytics uses
  statements of our own instead.
"""


def said(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine(root):
    cpu = re.search(r"(?m)^model name\s*: (.+)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    memory = int(
        re.search(r"MemTotal: +(\d+)", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8")).group(1)
    )
    server = said(
        [
            "bash",
            "-c",
            f"ROOT={root}; . $ROOT/scripts/private_postgres.sh; $(postgres_bin)/postgres --version",
        ]
    )
    cores = said(["nproc"])
    return [
        ("processor", f"{cpu.group(1) if cpu else platform.machine()}, {cores} cores"),
        ("memory", f"{memory / 2**20:.0f} GiB"),
        ("kernel", f"{platform.system()} {platform.release()}"),
        ("PostgreSQL", server.removeprefix("postgres (PostgreSQL) ")),
    ]


def earlier(text):
    """{name: section} of the page as it is."""
    return dict(re.findall(r"(?ms)^<!-- begin (\w+) -->\n(.*?)^<!-- end \1 -->\n", text))


def run_of(results, name):
    lines = (results / f"{name}.run").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def measured_section(root, name, heading, write, here):
    results = root / "build" / "bench"
    run, printed = run_of(results, name), results / f"{name}.md"
    when = (
        f"`{run['command']}` on {run['started']}, at commit {run['commit']}, on {here['processor']} with"
        f" {here['memory']}. It took {lasting(int(run['seconds']))}, and the load average at its start was"
        f" {run['load']}."
    )
    try:
        if run["status"] != "0":
            log = (results / f"{name}.log").read_text(encoding="utf-8").strip().splitlines()
            raise ValueError(log[-1] if log else f"it ended with status {run['status']}")
        text = printed.read_text(encoding="utf-8").strip()
        if not tables(text):
            raise ValueError(text or "it printed nothing")
        parts = list(write(text))
    except (OSError, ValueError, KeyError, IndexError) as reason:
        parts = [f"This benchmark could not be run: `{' '.join(str(reason).split()).replace('`', '')}`."]
    return "\n\n".join([f"## {heading}", *map(wrapped, [*parts, when])]) + "\n"


def lasting(seconds):
    return f"{seconds} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def wrapped(paragraph):
    """A table stays as it is. The items of a list are one line each before."""
    if paragraph.startswith(("|", "![")):
        return paragraph
    indent = "  " if paragraph.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(line, 110, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        for line in (paragraph.splitlines() if indent else [paragraph])
    )


def page(root, names):
    file = root / "docs" / "benchmarks.md"
    here = dict(machine(root))
    kept = earlier(file.read_text(encoding="utf-8")) if file.exists() else {}
    sections = {}
    for name, heading, write in SECTIONS:
        if name in names:
            sections[name] = measured_section(root, name, heading, write, here)
        elif name in kept:
            sections[name] = kept[name]
        else:
            sections[name] = f"## {heading}\n\nThis was not measured.\n"
    short = [
        " ".join(part.removeprefix(SHORT).split())
        for text in sections.values()
        for part in text.split("\n\n")
        if part.startswith(SHORT)
    ]
    lines = [INTRODUCTION, "## Where it falls short\n"]
    lines.append(
        "".join(wrapped(f"- {it[0].upper()}{it[1:]}") + "\n" for it in short) or "No target was missed.\n"
    )
    for name, text in sections.items():
        lines.append(f"<!-- begin {name} -->\n{text}<!-- end {name} -->\n")
    lines.append(ABSENT)
    lines.append(
        "## The machine\n\n| what | at the latest measurement |\n| --- | --- |\n"
        + "".join(f"| {what} | {value} |\n" for what, value in here.items())
    )
    return "\n".join(lines), sections


def main(root, *names):
    root = pathlib.Path(root)
    text, sections = page(root, names)
    (root / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    pictures = root / "docs" / "pictures"
    (pictures / "benchmarks.svg").write_text(picture(sections), encoding="utf-8")
    (pictures / "losses.svg").write_text(losses_picture(sections.get("local", "")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

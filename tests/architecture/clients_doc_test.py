#!/usr/bin/env python3
"""docs/clients.md names the programs and records that back it: each row names one that exists, each version is
the one that is installed, and no program and no record is without a row."""
import pathlib
import re
import sys

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "clients.md"
HEAD_LINES = 20
BACKING = ("tests/clients/tools/", "tests/integration/", "bench/answers/")


def rows(text):
    """(tool, version, the files named) of each row of the tables."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 5 and cells[0] != "tool":
            yield cells[0], cells[1], re.findall(r"`([^`]+)`", cells[4])


def head(path):
    return "\n".join(path.read_text(encoding="utf-8").splitlines()[:HEAD_LINES])


def problems_of(version, files):
    missing = [file for file in files if not (ROOT / file).is_file()]
    if missing:
        return [f"{each} is not there" for each in missing]
    if not any(file.startswith(BACKING) for file in files):
        return ["no program, record or query backs it"]
    programs = [ROOT / file for file in files if file.startswith("tests/clients/")]
    # A package of Debian has no version in its program.
    pinned = [program for program in programs if "needs: apt" not in head(program)]
    wanted = re.findall(r"\d+(?:\.\d+)+", version) if pinned else []
    return [f"its version {each} is not the one in {', '.join(files)}"
            for each in wanted if not any(each in head(program) for program in pinned)]


def backed_files():
    for folder in ("tests/clients/tools", "tests/integration/recorded"):
        yield from (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / folder).iterdir())
                    if path.is_file())


def checks():
    found = list(rows(PAGE.read_text(encoding="utf-8")))
    yield "the page has rows", [] if len(found) > 20 else [f"{len(found)} rows were read"]
    named = {file for _, _, files in found for file in files}
    for tool, version, files in found:
        yield f"the row of {tool}", problems_of(version, files)
    for file in backed_files():
        yield f"a row names {file}", [] if file in named else ["docs/clients.md does not name it"]
    yield "a wrong version is seen", [] if problems_of("9.9.9", ["tests/clients/tools/psycopg3.py"]) else ["not"]
    yield "a missing file is seen", [] if problems_of("", ["tests/clients/tools/gone.py"]) else ["it is not"]


if __name__ == "__main__":
    sys.exit(tally.report(checks()))

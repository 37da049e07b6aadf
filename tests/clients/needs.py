"""What the program of a tool needs, as the lines at its head say:

needs: pypi asyncpg==0.32.0        one package of a registry, pinned: pypi, npm, maven, go
needs: wheel pgadmin4==9.18        a package of PyPI, without what it depends on itself
needs: apt ruby-pg                 a package of Debian, whose version Debian pins
covers: asyncpg                    the name of the tool, as docs/clients.md has it
"""

import dataclasses
import hashlib
import os
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
INSTALLED = pathlib.Path(os.environ.get("PGVEIL_CLIENTS") or REPOSITORY / "build" / "clients")
KINDS = ("apt", "go", "maven", "npm", "pypi", "wheel")  # in the order of installing
HEAD_LINES = 20
LINE = re.compile(r"^\W*\s*(needs|covers): (.+?)\s*$")


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str
    program: pathlib.Path
    covers: str
    packages: dict  # of each kind: the specifications

    @property
    def folder(self):
        return INSTALLED / self.name

    def fingerprint(self):
        """Changes when something else must be installed."""
        return hashlib.sha256(repr(sorted(self.packages.items())).encode()).hexdigest()


def read(program):
    covers, packages = "", {kind: [] for kind in KINDS}
    for line in program.read_text().splitlines()[:HEAD_LINES]:
        found = LINE.match(line)
        if found and found[1] == "covers":
            covers = found[2]
        elif found:
            kind, package = found[2].split(" ", 1)
            packages[kind].append(package)
    if not covers:
        raise ValueError(f'{program}: no line at its head says "covers: TOOL"')
    return Tool(program.stem, program, covers, {kind: tuple(each) for kind, each in packages.items()})


def tools():
    return [read(path) for path in sorted((HERE / "tools").iterdir()) if path.is_file()]

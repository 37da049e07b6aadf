#!/usr/bin/env python3
"""./run build makes the page, and a build without it says so at its end.

Runs scripts/build.sh in a copy of scripts/, with stand-ins for cmake, the package manager and npm. Prints
what is wrong, then 'N passed, N failed'."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPLACED = {"npm", "node", "cmake", "apt-get", "dpkg-query", "sudo", "ccache"}
NOT_THERE = "this build has no page"

# Everything is installed but npm.
DPKG_QUERY = """#!/bin/sh
for name in "$@"; do case $name in -*|nodejs|npm) ;; *) printf 'installed:%s ' "$name" ;; esac; done
"""
NPM = """#!/bin/sh
case "$1 $2" in
  "ci "*) mkdir -p node_modules ;;
  "run "*) mkdir -p dist && echo page >dist/index.html ;;
esac
"""
NOT_IN_ETC = """#!/bin/sh
case "$*" in */etc/*) ;; *) exec /bin/{} "$@" ;; esac
"""
# Installs npm, as apt-get would.
APT_GET = """#!/bin/sh
case "$*" in *install*nodejs\\ npm*) cp "{kept}" "{programs}/npm" ;; esac
"""


def executable(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


class Tree:
    """A copy of the scripts with a page of its own, and programs of which npm is none."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "tree"
        self.programs = pathlib.Path(folder) / "programs"
        self.programs.mkdir()
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        page = self.root / "web/page"
        for name in ("src", "public"):
            (page / name).mkdir(parents=True)
        for name in ("index.html", "vite.config.ts", "package-lock.json"):
            (page / name).write_text("")
        for place in ("/bin", "/usr/bin"):
            for program in pathlib.Path(place).iterdir():
                link = self.programs / program.name
                if program.name not in REPLACED and not link.exists() and not link.is_symlink():
                    link.symlink_to(program)
        executable(self.programs / "cmake", "#!/bin/sh\n")
        executable(self.programs / "dpkg-query", DPKG_QUERY)
        executable(self.programs / "apt-get", "#!/bin/sh\nexit 100\n")
        self.kept = pathlib.Path(folder) / "npm"
        executable(self.kept, NPM)

    def build(self):
        done = subprocess.run(
            ["bash", self.root / "scripts/build.sh"],
            env={"ROOT": str(self.root), "PATH": str(self.programs), "HOME": str(self.root)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr


def wrong(status, output, errors, says_so, tells):
    problems = []
    if status != 0:
        problems.append(f"status {status}: {errors}")
    if (NOT_THERE in output) != says_so:
        problems.append(f"{'no' if says_so else 'a'} line \"{NOT_THERE}\": {output}")
    if tells and tells not in output + errors:
        problems.append(f"nothing about \"{tells}\": {output}{errors}")
    return problems


def without_npm():
    with tempfile.TemporaryDirectory() as folder:
        return wrong(*Tree(folder).build(), True, "going on without it")


def with_npm():
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        shutil.copy(tree.kept, tree.programs / "npm")
        return wrong(*tree.build(), False, "building the page")


def npm_is_installed():
    if os.geteuid() != 0:
        return []  # install_packages asks sudo, which has no stand-in
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        executable(tree.programs / "apt-get", APT_GET.format(kept=tree.kept, programs=tree.programs))
        # Nothing outside of the folder may change.
        for name in ("mkdir", "tee", "rm"):
            (tree.programs / name).unlink()
        executable(tree.programs / "mkdir", NOT_IN_ETC.format("mkdir"))
        executable(tree.programs / "tee", "#!/bin/sh\ncat >/dev/null\n")
        executable(tree.programs / "rm", NOT_IN_ETC.format("rm"))
        return wrong(*tree.build(), False, "installing nodejs npm")


def page_that_can_not_be_made():
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        executable(tree.programs / "npm", "#!/bin/sh\nexit 1\n")
        return wrong(*tree.build(), True, "could not be built")


if __name__ == "__main__":
    sys.exit(tally.report([
        ("a build without npm works and says that it has no page", without_npm()),
        ("a build with npm has the page", with_npm()),
        ("a build installs npm when it is missing", npm_is_installed()),
        ("a build whose page can't be made works and says that it has none", page_that_can_not_be_made()),
    ]))

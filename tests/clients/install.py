"""Installs what the programs in tools/ need, each into a folder of its own below build/clients, by the
ordinary clients of the package registries. What can't be had is written down there as a reason, and its tool
is skipped."""

import json
import pathlib
import shutil
import subprocess
import sys

import needs

SECONDS = 900
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>pgveil</groupId><artifactId>clients</artifactId><version>1</version><dependencies>%s</dependencies>
</project>
"""
DEPENDENCY = (
    "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>" "</dependency>"
)


class NotToBeHad(Exception):
    """A package or the program that installs it is missing; the text is the reason."""


def run(command, folder):
    if shutil.which(command[0]) is None:
        raise NotToBeHad(f"{command[0]} is not here")
    with open(folder / "install.log", "a", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            raise NotToBeHad(f"{command[0]} did not end within {SECONDS} s") from None
    if done.returncode != 0:
        raise NotToBeHad(f"{' '.join(map(str, command[:3]))} … failed, see {folder / 'install.log'}")


def install_apt(packages, folder):
    """By ./run deps' own way; it needs root or sudo."""
    words = " ".join(packages)
    run(
        [
            "bash",
            "-c",
            'source "$ROOT/scripts/packages.sh"; missing=$(missing_packages ' + words + "); "
            "[[ -z $missing ]] || install_packages $missing",
        ],
        folder,
    )


def install_pypi(packages, folder):
    run(["/usr/bin/python3", "-m", "venv", "--clear", "venv"], folder)
    run([folder / "venv/bin/pip", "install", "-q", "--no-input", *packages], folder)


def install_wheel(packages, folder):
    run([folder / "venv/bin/pip", "install", "-q", "--no-input", "--no-deps", *packages], folder)


def install_npm(packages, folder):
    (folder / "package.json").write_text(json.dumps({"name": "clients", "private": True}))
    run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", *packages], folder)


def install_maven(packages, folder):
    (folder / "pom.xml").write_text(
        POM % "".join(DEPENDENCY % tuple(package.split(":")) for package in packages)
    )
    run(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"], folder)


def install_go(packages, folder):
    (folder / "go.mod").write_text("module clients\n\ngo 1.22\n")
    for package in packages:
        run(["go", "get", package], folder)


INSTALL = {
    "apt": install_apt,
    "pypi": install_pypi,
    "wheel": install_wheel,
    "npm": install_npm,
    "maven": install_maven,
    "go": install_go,
}


def place(tool):
    """The program and the report's code of its language, beside what they use; compiled if it must be."""
    folder = tool.folder
    for file in [tool.program, *(needs.HERE / "report").glob("*" + tool.program.suffix)]:
        shutil.copy(file, folder / file.name)
    if tool.program.suffix == ".java":
        run(["javac", "-cp", "jars/*", "-d", ".", *(path.name for path in folder.glob("*.java"))], folder)
    if tool.program.suffix == ".go":
        run(["go", "build", "-mod=mod", "-o", "program", "."], folder)


def install(tool):
    """→ why it can't be run, or None."""
    ready, reason = tool.folder / "ready", tool.folder / "reason"
    reason.unlink(missing_ok=True)
    try:
        if not ready.exists() or ready.read_text() != tool.fingerprint():
            shutil.rmtree(tool.folder, ignore_errors=True)
            tool.folder.mkdir(parents=True)
            for kind in needs.KINDS:
                if tool.packages[kind]:
                    INSTALL[kind](tool.packages[kind], tool.folder)
            ready.write_text(tool.fingerprint())
        place(tool)
    except NotToBeHad as missing:
        reason.write_text(str(missing).replace(str(needs.REPOSITORY) + "/", ""))
        return str(missing)
    return None


def main():
    wanted = {pathlib.Path(each).stem for each in sys.argv[1:]}
    for tool in needs.tools():
        if not wanted or tool.name in wanted:
            missing = install(tool)
            print(f"   {tool.name}: {missing or 'installed'}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""add_licenses.py WHEEL FOLDER: writes the wheel into the folder once more, with the licenses of the libraries
that auditwheel has copied into it: the copyright files of their Debian packages, and the texts that these
refer to.

The same wheel gives the same bytes."""
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

from make_wheel import write_wheel

COMMON = pathlib.Path("/usr/share/common-licenses")


def package_of(library: str) -> str:
    """The package of a library that auditwheel called libssl-59d05945.so.3: the original name, with the beginning
    of the original file's SHA-256."""
    found = re.fullmatch(r"([^.]+)-([0-9a-f]{8})(\..+)", library)
    if not found:
        sys.exit(f"{library} has no name of auditwheel")
    name, digest = found[1] + found[3], found[2]
    listed = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True).stdout
    for line in listed.splitlines():
        package, path = line.split(": ", 1)
        file = pathlib.Path(path)
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest().startswith(digest):
            return package.split(":")[0]
    sys.exit(f"{name} is a file of no package; install the one of the distribution, and build again")


def licenses(libraries: list[str]) -> dict[str, bytes]:
    """Paths below the folder of licenses, and their texts."""
    made = {}
    for package in sorted({package_of(it) for it in libraries}):
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
        made[f"{package}/copyright"] = text
        for name in re.findall(rf"{COMMON}/([A-Za-z0-9.+-]+[A-Za-z0-9])", text.decode()):
            made[f"common-licenses/{name}"] = (COMMON / name).read_bytes()
    return made


def main(wheel: str, folder: str) -> None:
    with zipfile.ZipFile(wheel) as given:
        files = {it: given.read(it) for it in sorted(given.namelist()) if not it.endswith(("/", "/RECORD"))}
    (about,) = {it.split("/")[0] for it in files if it.split("/")[0].endswith(".dist-info")}
    libraries = [it.split("/")[1] for it in files if it.startswith("pgveil.libs/")]
    for path, text in licenses(libraries).items():
        files[f"{about}/licenses/{path}"] = text
    write_wheel(pathlib.Path(folder) / pathlib.Path(wheel).name, about, files)


if __name__ == "__main__":
    main(*sys.argv[1:])

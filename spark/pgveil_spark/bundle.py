"""pgveil's binary with the shared libraries it needs, as an archive that Spark ships with the job: executors
need neither."""
from __future__ import annotations

import os
import re
import subprocess
import tarfile

from .errors import Failure

FOLDER = "pgveil_native"  # what the archive is unpacked as beside each executor
# The C library belongs to the machine: loader and kernel go with it.
_OF_THE_MACHINE = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl)\.so.*)$")


def _libraries(binary: str) -> dict[str, str]:
    """name → path, as the loader of this machine finds them."""
    told = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        return {}  # not dynamic
    missing = re.findall(r"(\S+) => not found", told.stdout)
    if missing:
        raise Failure(
            f"{binary} lacks {', '.join(missing)} on this machine", "install them, or take another binary"
        )
    found = re.findall(r"^\s*(\S+) => (/\S+)", told.stdout, re.M)
    return {name: path for name, path in found if not _OF_THE_MACHINE.match(name)}


def make(binary: str, folder: str) -> str:
    """The archive's path, in `folder`."""
    path = os.path.join(folder, FOLDER + ".tar")
    with tarfile.open(path, "w", dereference=True) as archive:
        archive.add(binary, "pgveil", filter=_runnable)
        for name, library in sorted(_libraries(binary).items()):
            archive.add(library, "lib/" + name, filter=_runnable)
    return path


def _runnable(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mode, entry.uid, entry.gid, entry.uname, entry.gname = 0o755, 0, 0, "", ""
    return entry


def unpacked() -> tuple[str, str]:
    """On an executor: the binary, and the folder of its libraries."""
    from pyspark import SparkFiles

    folder = os.path.join(SparkFiles.getRootDirectory(), FOLDER)
    binary = os.path.join(folder, "pgveil")
    if not os.access(binary, os.X_OK):
        os.chmod(binary, 0o700)  # Spark may unpack without the modes
    return binary, os.path.join(folder, "lib")

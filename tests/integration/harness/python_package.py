"""Imports the Python package over the library of this build."""
import importlib
import os
import pathlib
import re
import subprocess
import sys

from .pgveil import binary
from .runner import REPOSITORY

LIBRARY = pathlib.Path(binary()).resolve().parents[1] / "library" / "libpgveil.so"


def start_with_sanitizers():
    """The library has the sanitizers of the build, so the program starts itself again with their runtime."""
    if "PGVEIL_LIBRARY" in os.environ:
        return
    needed = subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout
    runtime = re.search(r"libasan\S* => (\S+)", needed)
    environment = os.environ | {
        "PGVEIL_LIBRARY": str(LIBRARY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself keeps memory to the end
    }
    if runtime:
        environment["LD_PRELOAD"] = runtime[1]
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)


def load():
    start_with_sanitizers()
    sys.path.insert(0, str(REPOSITORY / "python"))
    return importlib.import_module("pgveil")

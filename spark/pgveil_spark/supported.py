"""Which versions of Python, Spark, Java and the Python packages this package runs with, and which are here. It
looks before Spark is imported or Java is started, so that a version that does not fit is told at once."""
from __future__ import annotations

import glob
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Optional

from .errors import Failure

# Spark → the versions of Python and Java that it runs with. The last number of 4 is open.
_PYTHON = {"3.5": ((3, 9), (3, 11)), "4": ((3, 9), (3, 13))}
_JAVA = {"3.5": (8, 11, 17), "4": (17, 21)}
_LEAST_OF_PACKAGES = {"pyarrow": (15, 0), "pandas": (2, 0), "numpy": (1, 24)}


@dataclass(frozen=True)
class Found:
    """Of what is missing: None."""

    python: tuple[int, int]
    pyspark: Optional[str]
    jars: Optional[str]  # the version of Spark's Java side, which SPARK_HOME may put elsewhere
    packages: dict[str, Optional[str]]
    java: Optional[int]  # its major; 0: it does not start


def _package(name: str) -> Optional[str]:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:  # a package in a folder of PYTHONPATH, as in a distribution of Spark
        return str(__import__(name).__version__)
    except (ImportError, AttributeError):
        return None


def _jars() -> Optional[str]:
    home = os.environ.get("SPARK_HOME")
    if not home:
        return None  # those of the Python package
    found = glob.glob(os.path.join(glob.escape(home), "jars", "spark-core_*.jar"))
    named = re.search(r"-([0-9.]+)\.jar$", found[0]) if found else None
    return named.group(1) if named else None


def _java() -> Optional[int]:
    """Its major; None: there is none; 0: it does not say."""
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not program or not os.path.exists(program):
        return None
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    named = re.search(r'version "(?:1\.)?(\d+)', said.stderr)
    return int(named.group(1)) if named else 0


def found() -> Found:
    return Found(
        (sys.version_info.major, sys.version_info.minor),
        _package("pyspark"),
        _jars(),
        {name: _package(name) for name in _LEAST_OF_PACKAGES},
        _java(),
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers[:-1])) + f" or {numbers[-1]}"


def check(here: Found) -> None:
    """Error: something is missing or does not fit; which version is here, and which ones do."""
    if here.pyspark is None:
        raise Failure("there is no pyspark", "pip install 'pyspark>=4,<5', or add Spark's python folder to PYTHONPATH")
    spark = _numbers(here.pyspark)
    release = "3.5" if spark == (3, 5) else "4" if spark[0] == 4 else None
    if release is None:
        raise Failure(
            f"pyspark {here.pyspark} is not supported", "Spark 3.5 and 4 are: pip install 'pyspark>=4,<5'"
        )
    if here.jars is not None and _numbers(here.jars) != spark:
        raise Failure(
            f"pyspark is {here.pyspark}, and SPARK_HOME has Spark {here.jars}",
            "unset SPARK_HOME, or install the pyspark of the same version",
        )
    least, most = _PYTHON[release]
    if not least <= here.python <= most:
        raise Failure(
            f"Python {here.python[0]}.{here.python[1]} does not fit Spark {here.pyspark}",
            f"take Python {least[0]}.{least[1]} to {most[0]}.{most[1]}",
        )
    for name, enough in _LEAST_OF_PACKAGES.items():
        version, wanted = here.packages[name], f"{enough[0]}.{enough[1]}"
        if version is None:
            raise Failure(f"there is no {name}", f"pip install '{name}>={wanted}'")
        if _numbers(version) < enough:
            raise Failure(f"{name} {version} is too old", f"pip install '{name}>={wanted}'")
    wanted = _listed(_JAVA[release])
    if here.java is None:
        raise Failure("there is no Java", f"install Java {wanted}, and name its folder in JAVA_HOME")
    if here.java == 0:
        raise Failure("Java does not start", "see what java -version says, and what JAVA_HOME names")
    if here.java not in _JAVA[release]:
        raise Failure(
            f"Java {here.java} does not fit Spark {here.pyspark}",
            f"name the folder of Java {wanted} in JAVA_HOME",
        )

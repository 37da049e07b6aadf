"""The command `pgveil-spark`: hands over to the spark-submit that is installed beside this Python, or is in PATH or SPARK_HOME."""
from __future__ import annotations

import os
import shlex
import shutil
import sys

from .main import parser


def _spark_submit() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "spark-submit")
    home = os.environ.get("SPARK_HOME")
    in_home = os.path.join(home, "bin", "spark-submit") if home else ""
    for candidate in (in_home, beside, shutil.which("spark-submit") or ""):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    print("pgveil-spark: there is no spark-submit (install pyspark, or set SPARK_HOME)", file=sys.stderr)
    sys.exit(1)


def main() -> None:
    arguments = sys.argv[1:]
    options: list[str] = []
    while "--submit" in arguments:
        at = arguments.index("--submit")
        options += shlex.split(arguments[at + 1]) if at + 1 < len(arguments) else []
        del arguments[at:at + 2]
    parser().parse_args(arguments)  # usage errors need no Java
    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "entry")
    command = _spark_submit()
    if "extraJavaOptions" not in " ".join(options) and "--driver-java-options" not in options:
        options += ["--driver-java-options", f"-Dlog4j2.configurationFile=file:{entry}/log4j2.properties"]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.execv(command, [command, *options, entry + "/submitted.py", *arguments])


if __name__ == "__main__":
    main()

"""The command `pgveil-spark`: this process is the driver, and starts Spark with the options of --submit.
(spark-submit runs entry/submitted.py as well; it passes what goes to standard error on to standard
output.)"""
from __future__ import annotations

import os
import shlex
import sys
from typing import Sequence

from . import main as program

_ENTRY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "entry")


def _submit_arguments(options: Sequence[str]) -> str:
    words = list(options)
    if "spark.ui.enabled" not in " ".join(words):
        # It listens on all addresses, and shows anybody the values at which the table is divided.
        words += ["--conf", "spark.ui.enabled=false"]
    if "extraJavaOptions" not in " ".join(words) and "--driver-java-options" not in words:
        words += ["--driver-java-options", f"-Dlog4j2.configurationFile=file:{_ENTRY}/log4j2.properties"]
    if not sys.stderr.isatty():
        words += ["--conf", "spark.ui.showConsoleProgress=false"]
    return " ".join(shlex.quote(word) for word in words) + " pyspark-shell"


def main() -> int:
    given = program.parser().parse_args()
    os.environ["PYSPARK_SUBMIT_ARGS"] = _submit_arguments(shlex.split(given.submit))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return program.main()


if __name__ == "__main__":
    sys.exit(main())

"""What is wrong with a job, its data or the cluster, as one line for a terminal. Never quotes a value of the
data, but where the native reader lists those that a hierarchy lacks."""
from __future__ import annotations

import re

# What a task's failure begins with, so that it is found again in what the JVM makes of it.
MARK = "pgveil-spark: "


class Failure(Exception):
    """An expected failure: what, and what to do about it."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what} ({hint})" if hint else what)


class TaskFailure(Exception):
    """The same inside a task."""

    def __init__(self, what: str) -> None:
        super().__init__(MARK + what)


# What Spark says at length, said in a line.
_KNOWN = (
    (re.compile(r"PATH_NOT_FOUND"), "there is no such input path"),
    (
        re.compile(r"CSV header does not conform to the schema"),
        "the input's files have different headers (publish them apart, or give them one header)",
    ),
    (
        re.compile(r"MALFORMED_RECORD_IN_PARSING|Malformed records are detected|FAILED_READ_FILE|FAILFAST"),
        "a file of the input can't be read as what it should be (is the separator right? cells with line ends need --multiline)",
    ),
    (re.compile(r"UNABLE_TO_INFER_SCHEMA"), "the input has no data file"),
    (re.compile(r"PSQLException: (?:FATAL|ERROR): (.{1,200})"), "PostgreSQL answered: {0}"),
    (re.compile(r"Connection to \S+ refused"), "PostgreSQL does not answer (is the URL right?)"),
    (
        re.compile(r"ClassNotFoundException: org\.postgresql\.Driver"),
        "PostgreSQL's JDBC driver is missing (give --submit \"--jars /usr/share/java/postgresql.jar\")",
    ),
    (
        re.compile(r"ExecutorLostFailure|Master removed our application|ExecutorDeadException"),
        "too many executors were lost (their logs say why; --partitions makes parts smaller)",
    ),
)


def one_line(text: str) -> str:
    """Of an exception of Spark's: our own words if a task failed with them, what is known otherwise; else
    only what kind it is, because Spark quotes values."""
    ours = re.search(re.escape(MARK) + r"([^\n]+)", text)
    if ours:
        return ours.group(1).strip()
    for pattern, said in _KNOWN:
        found = pattern.search(text)
        if found:
            return said.format(*(group.strip() for group in found.groups()))
    kind = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", text) or re.search(
        r"((?:[a-z]+\.)+[A-Z]\w*(?:Exception|Error))", text
    )
    return f"Spark failed: {kind.group(1) if kind else 'for a reason of its own'} (PGVEIL_SPARK_TRACE=1 shows all that it says)"

"""What spark-submit runs. Exit status 0: published; 1: nothing was, and standard error says why in a line; 2:
usage."""
from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Iterator, NoReturn, Optional, Sequence

if TYPE_CHECKING:
    from .job import Job
    from .progress import Lines
    from .report import Report
    from .run import Request

_FORMATS = ("csv", "parquet", "jdbc")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        "pgveil-spark",
        description="Publish a k-anonymous table with Apache Spark, as a job of pgveil "
        "anonymize says. docs/spark.md describes it.",
        allow_abbrev=False,
    )
    made.add_argument("job", help="the job's file")
    made.add_argument(
        "--input", help="path or URI of files (hdfs://…, file:///…); default: the job's input file"
    )
    made.add_argument(
        "--format",
        choices=_FORMATS,
        help="of the input; default: jdbc if the job names a table and --input is not given, else parquet "
        "if the input's name ends with .parquet, else csv",
    )
    made.add_argument(
        "--multiline",
        action="store_true",
        help="cells of CSV may have line ends; a file is then read by one task",
    )
    made.add_argument("--url", help="jdbc:postgresql://host/database, for the job's table")
    made.add_argument(
        "--user", help="of the database; its password is read from --password-file or PGPASSWORD"
    )
    made.add_argument("--password-file", help="mode 0600")
    made.add_argument(
        "--connections",
        type=int,
        default=1,
        help="to PostgreSQL, at once; all see one state of the table (default: 1)",
    )
    made.add_argument(
        "--output", help="path or URI of the folder that is made; default: the job's output file"
    )
    made.add_argument(
        "--output-format",
        choices=_FORMATS[:2],
        help="default: by the end of the output's name, .parquet or .csv; else the input's, csv for jdbc",
    )
    made.add_argument("--output-files", type=int, help="how many; default: as many as parts")
    made.add_argument(
        "--partitions", type=int, help="parts of the table, one task each; default: as many as run at once"
    )
    made.add_argument("--partition-by", choices=("multidimensional", "quantiles"), default="multidimensional")
    made.add_argument(
        "--sample",
        default="1%",
        help="share of the records that the driver looks at to find the parts: 1%%, 0.01",
    )
    made.add_argument(
        "--transformation", help="apply these levels to all records instead of cutting groups: 1,1,2"
    )
    made.add_argument(
        "--binary", default=os.environ.get("PGVEIL_BIN"), help="pgveil; default: $PGVEIL_BIN, or in PATH"
    )
    made.add_argument(
        "--submit",
        default="",
        help="options for spark-submit, for example \"--master spark://host:7077 --executor-memory 2g\"",
    )
    made.add_argument(
        "--report", help="also write the report as JSON to this local file; replaces an earlier report only"
    )
    made.add_argument(
        "--json-lines",
        action="store_true",
        help="for programs: progress, report and error as lines of JSON on standard "
        "output; ends when standard input does",
    )
    return made


def _usage(what: str) -> NoReturn:
    print(f"pgveil-spark: {what}; pgveil-spark --help", file=sys.stderr)
    sys.exit(2)


def _share(text: str) -> float:
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        _usage("--sample is no share")
    if not 0 < share <= 1:
        _usage("--sample is not above 0 and at most 1")
    return share


def _count(value: Optional[int], name: str) -> None:
    if value is not None and not 1 <= value <= 100_000:
        _usage(f"{name} is not from 1 to 100,000")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = parser().parse_args(arguments)
    fraction = _share(given.sample)
    _count(given.partitions, "--partitions")
    _count(given.output_files, "--output-files")
    _count(given.connections, "--connections")
    if given.json_lines:
        return _for_programs(given, fraction)
    # Imported late: --help and mistakes need no Spark.
    from .report import Report

    def tell(report: Report) -> None:
        sys.stdout.write(report.text())
        sys.stdout.flush()

    failure = _done(given, fraction, tell)
    if failure is not None:
        print(f"pgveil-spark: {failure}", file=sys.stderr)
    return 0 if failure is None else 1


def _for_programs(given: argparse.Namespace, fraction: float) -> int:
    from .progress import Lines, end_with_standard_input
    from .report import Report

    lines = Lines()
    is_done = end_with_standard_input()

    def tell(report: Report) -> None:
        lines.report(report.json())

    failure = _done(given, fraction, tell, lines, is_done.set)
    if failure is not None:
        is_done.set()
        lines.error(failure)
    return 0 if failure is None else 1


def _done(
    given: argparse.Namespace,
    fraction: float,
    tell: Callable[[Report], None],
    lines: Optional[Lines] = None,
    on_publish: Callable[[], None] = lambda: None,
) -> Optional[str]:
    """None: it is published, and told if that was possible. Otherwise why not, as one line."""
    from . import supported
    from .errors import Failure, one_line

    try:
        supported.check(supported.found())
        report = _published(given, fraction, lines, on_publish)
    except Failure as wrong:
        return str(wrong)
    except KeyboardInterrupt:
        return "interrupted; nothing was published"
    except Exception as wrong:  # Spark's own, of many types
        if os.environ.get("PGVEIL_SPARK_TRACE"):
            raise
        return one_line(str(wrong))
    try:
        tell(report)
    except (OSError, KeyboardInterrupt):
        # What could not be written would be tried again at the end, and make the status 120.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _warn("the report could not be written to standard output")
    return None


def _warn(what: str) -> None:
    with contextlib.suppress(OSError):
        print(f"pgveil-spark: the table is published, but {what}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[bool], None]]:
    """A function that switches them off and on. While the result gets its name nobody could say whether an
    interrupt came before or after."""
    before: list[Any] = []

    def switch(are_on: bool) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if not are_on and not before:
            before.append(signal.signal(signal.SIGINT, signal.SIG_IGN))
        elif are_on and before:
            signal.signal(signal.SIGINT, before.pop())

    try:
        yield switch
    finally:
        switch(True)


def _published(
    given: argparse.Namespace, fraction: float, lines: Optional[Lines], on_publish: Callable[[], None]
) -> Report:
    from .errors import Failure, one_line
    from .output import LocalReport

    begin = time.monotonic()
    request = _request(given, fraction)
    published: list[Report] = []
    try:
        with contextlib.ExitStack() as held:
            file = held.enter_context(LocalReport(given.report)) if given.report else None
            switch = held.enter_context(_interrupts())

            def before(report: Report) -> None:
                on_publish()
                switch(False)
                if file:
                    file.put(report.json())

            def after(report: Report) -> None:
                published.append(report)
                if file:
                    file.keep()
                switch(True)

            _run(given, request, begin, lines, before, after)
    except KeyboardInterrupt:
        if not published:
            raise
        _warn("cleaning up was interrupted")
    except Exception as wrong:
        if not published:
            raise
        said = str(wrong) if isinstance(wrong, Failure) else one_line(str(wrong))
        _warn(f"cleaning up failed: {said}")
    return published[0]


def _run(
    given: argparse.Namespace,
    request: Request,
    begin: float,
    lines: Optional[Lines],
    before: Callable[[Report], None],
    after: Callable[[Report], None],
) -> None:
    """In a session of its own. before, after: the publication."""
    from .progress import Follower
    from .run import run

    follower = Follower(lines, request.job.mondrian is not None) if lines else None
    try:
        spark = _session(request.job.name)
        started = time.monotonic()

        def whole(report: Report) -> None:
            report.phases_ms = {"start": round((started - begin) * 1000, 1), **report.phases_ms}
            before(report)

        try:
            if follower:
                follower.started(spark.sparkContext)
            if request.target.files == 0:
                files = given.partitions or spark.sparkContext.defaultParallelism
                request = replace(request, target=replace(request.target, files=files))
            run(spark, request, follower.phase_ended if follower else lambda _: None, whole, after)
        finally:
            if follower:
                follower.stop()
            spark.stop()
    finally:
        if follower:
            follower.stop()


def _session(name: str):  # type: ignore[no-untyped-def]
    from pyspark.sql import SparkSession

    os.umask(0o077)
    builder = SparkSession.builder.appName("pgveil " + name)
    # Readable by their owner only, like everything that pgveil publishes.
    spark = builder.config("spark.hadoop.fs.permissions.umask-mode", "077").getOrCreate()
    spark.sparkContext.setLogLevel(os.environ.get("PGVEIL_SPARK_LOG", "FATAL"))
    return spark


def _format_of_name(path: str) -> Optional[str]:
    """None: the name does not tell."""
    return next((it for it in _FORMATS[:2] if path.rstrip("/").endswith("." + it)), None)


def _input_format(given: argparse.Namespace, job: Job) -> str:
    if given.format:
        return str(given.format)
    if job.input.get("table") and not given.input:
        return "jdbc"
    return _format_of_name(given.input or job.input.get("file", "")) or "csv"


def _output_format(given: argparse.Namespace, path: str, input_format: str) -> str:
    if given.output_format:
        return str(given.output_format)
    return _format_of_name(path) or ("parquet" if input_format == "parquet" else "csv")


def _request(given: argparse.Namespace, fraction: float):  # type: ignore[no-untyped-def]
    from .errors import Failure
    from .native import Binary
    from .output import Target
    from .run import Request
    from .sources import Source, literal

    path = given.binary or shutil.which("pgveil")
    if not path:
        raise Failure("there is no pgveil in PATH", "name its binary with --binary")
    binary = Binary(path)
    job = binary.read_job(given.job)
    table = job.input.get("table")
    kind = _input_format(given, job)
    if kind == "jdbc":
        if not table or not given.url:
            raise Failure(
                "a PostgreSQL table needs input: {table: …} in the job and --url",
                "give both, or --input with files",
            )
        name = ".".join('"' + part.replace('"', '""') + '"' for part in (job.input["schema"], table))
        source = Source("jdbc", url=given.url, table=name, user=given.user, password_file=given.password_file,
                        connections=given.connections)
    else:
        # The job names one file, and --input may be a pattern.
        where = given.input or literal(job.input.get("file", ""))
        if not where:
            raise Failure("the job's input is a table", "give --url, or --input with files")
        source = Source(kind, where, job.input.get("separator", ","), given.multiline)
    to = given.output or job.output
    if not to:
        raise Failure("the job has no output file", "give --output")
    if literal(to) != to:
        raise Failure(
            f"{to} has one of []{{}}*?\\, and Spark would read it as a pattern", "name another output"
        )
    target = Target(
        to,
        _output_format(given, to, kind),
        job.output_separator or job.input.get("separator", ","),
        given.output_files or 0,
    )
    return Request(
        job, source, target, binary, given.partitions, given.partition_by, fraction, given.transformation
    )


if __name__ == "__main__":
    sys.exit(main())

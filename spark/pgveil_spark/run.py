"""A job from its input to its published output: pre-processing, the partitions' work, wrap-up."""
from __future__ import annotations

import atexit
import contextlib
import json
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Optional

from pyspark.sql import DataFrame, SparkSession, functions as F

from . import alike, anonymize, bundle, classes, full_domain, output, partitions, sources
from .errors import Failure
from .job import Job, Mondrian
from .native import Binary
from .survey import Profile, survey
from .report import Report


@dataclass(frozen=True)
class Request:
    job: Job
    source: sources.Source
    target: output.Target
    binary: Binary
    parts: Optional[int]  # none: as many as the cluster runs at once
    way: str              # multidimensional or quantiles
    fraction: float
    transformation: Optional[str]

    def __post_init__(self) -> None:
        if (self.job.mondrian is None) == (self.transformation is None):
            raise Failure(
                "a job is cut into groups (algorithm: mondrian) or gets a transformation (--transformation 1,1,2)",
                "do one of the two",
            )


def _prepare(spark: SparkSession) -> None:
    for key, value in {"spark.sql.caseSensitive": "true", "spark.sql.session.timeZone": "UTC",
                       "spark.sql.ansi.enabled": "false",  # as in Spark 3.5: no number is NULL, not an error
                       # With it a record that lacks cells which nobody asks for passes as whole.
                       "spark.sql.csv.parser.columnPruning.enabled": "false",
                       "spark.sql.files.ignoreCorruptFiles": "false",  # whose records would be left out
                       "spark.sql.files.ignoreMissingFiles": "false",
                       "spark.sql.execution.arrow.maxRecordsPerBatch": "65536"}.items():
        spark.conf.set(key, value)


_shipped: set[str] = set()  # applications that have it


def _ship(spark: SparkSession, binary: Binary) -> None:
    """The native code and this package, to all executors, once for each application."""
    context = spark.sparkContext
    if context.applicationId in _shipped:
        return
    folder = tempfile.mkdtemp(prefix="pgveil-spark.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    context.addArchive(bundle.make(binary.path, folder) + "#" + bundle.FOLDER)
    package = os.path.dirname(os.path.abspath(__file__))
    context.addPyFile(
        shutil.make_archive(
            os.path.join(folder, "pgveil_spark"), "zip", os.path.dirname(package), os.path.basename(package)
        )
    )
    _shipped.add(context.applicationId)


def _quality(table: DataFrame, records: int, dimensions: int, ranges: str, report: Report) -> None:
    """The parts' penalties, put together: sums of sums, so the same as over all groups at once."""
    told = [
        json.loads(row[0])
        for row in table.filter(F.col(anonymize.QUALITY).isNotNull()).select(anonymize.QUALITY).collect()
    ]
    if sum(it["records"] for it in told) != records:
        raise Failure(
            "parts have answered for more or fewer records than there are",
            "nothing was published; run it again",
        )
    report.details["quality"] = {
        kind: _put_together([it[kind] for it in told]) for kind in ("tight", "region")
    }
    shown = report.details["quality"][ranges]
    report.facts.update(
        groups=shown["groups"],
        smallest_group=shown["smallest"],
        largest_group=shown["largest"],
        discernibility_penalty=shown["discernibility_penalty"],
        certainty_penalty=shown["certainty_penalty"] / (records * dimensions),
    )


def _put_together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"groups": sum(it["groups"] for it in parts), "smallest": min(it["smallest"] for it in parts),
            "largest": max(it["largest"] for it in parts),
            "discernibility_penalty": sum(it["discernibility_penalty"] for it in parts),
            "certainty_penalty": sum(it["certainty_penalty"] for it in parts),
            "certainty_penalties": [sum(one) for one in zip(*(it["certainty_penalties"] for it in parts))]}


def _mondrian(
    spark: SparkSession,
    request: Request,
    mondrian: Mondrian,
    table: DataFrame,
    known: Any,
    null: Optional[str],
    seed: int,
    report: Report,
) -> DataFrame:
    job = request.job
    wanted = request.parts or spark.sparkContext.defaultParallelism
    parts = partitions.planned(
        spark, table, job, mondrian, known, null, wanted, request.way, request.fraction, seed
    )
    report.phase("sample")
    parts = partitions.enough(spark, table, job, known, null, parts)
    report.remarks += parts.remarks
    report.facts.update(sampled=parts.sampled, parts=parts.count, records_by_part=parts.sizes)
    report.phase("partition")
    divided = partitions.divided(spark, table, job, known, null, parts)
    work = anonymize.work_of(job, mondrian, known, null, parts.cut, job.threads)
    made = anonymize.anonymized(divided, work, known).persist()
    _quality(made, known.records, len(job.quasi_identifiers), mondrian.ranges, report)
    report.phase("anonymize")
    return made.drop(anonymize.QUALITY)


def _full_domain(
    spark: SparkSession, request: Request, table: DataFrame, known: Any, report: Report
) -> tuple[DataFrame, int]:
    job = request.job
    assert request.transformation is not None
    levels = full_domain.levels_of(request.transformation, job, known)
    made = full_domain.applied(spark, table, job, known, request.binary, levels)
    report.facts.update(
        levels=levels,
        classes=made.classes,
        suppressed=made.suppressed,
        suppression_limit=made.limit,
        dropped=made.dropped,
    )
    report.phase("apply")
    return made.table, known.records - made.dropped


def _check(
    spark: SparkSession, request: Request, path: str, records: int, known: Profile, report: Report
) -> None:
    """Counted from the files that were written."""
    job = request.job
    published = [it.name for it in job.published]
    keys = [f"c{published.index(it.name)}" for it in job.quasi_identifiers]
    written = output.read_back(spark, job, request.target, path)
    for i in known.unusual:
        texts = alike.plainer(written, i, job.published[i], sources.null_text(job, request.source))
        if texts.num_rows:
            raise Failure(
                f"{job.published[i].name} has a number of two texts in the written table",
                "nothing was published; this is a bug",
            )
    counted = classes.judged(written, keys, job, known, is_recount=True).persist()
    found = (
        counted.agg(F.sum("records"), F.count(F.lit(1)), F.min("records"), F.count(F.when(~F.col("good"), 1)))
        .first()
    )
    if found is None or found[0] != records:
        raise Failure(
            "more or fewer records were written than there are", "nothing was published; run it again"
        )
    if found[3]:
        raise Failure(
            f"{found[3]} of {found[1]} classes of the written table break k or a model",
            "nothing was published; this is a bug",
        )
    sizes = classes.sizes_of(counted) if job.risks else {}
    if request.binary.classes_to_suppress(job, sizes, is_recount=True) > 0:
        raise Failure(
            f"the classes of the written table together break {' or '.join(job.risks)}",
            "nothing was published; this is a bug",
        )
    report.facts.update(classes_counted=int(found[1]), smallest_class=int(found[2]))


def run(spark: SparkSession, request: Request, on_phase: Callable[[str], None] = lambda _: None,
        on_publish: Callable[[Report], None] = lambda _: None,
        on_published: Callable[[Report], None] = lambda _: None) -> Report:
    """on_phase: gets the name of each phase that has ended. on_publish: called before the result gets its
    name. on_published: called when it has it. What fails later is the cleaning up."""
    job = request.job
    report = Report(job.name, on_phase)
    _prepare(spark)
    place = output.Place(spark, request.target.path)
    place.refuse_existing()
    _ship(spark, request.binary)
    report.phase("ship")
    with contextlib.ExitStack() as held:
        held.callback(place.discard)
        seed = job.seed if job.seed is not None else secrets.randbits(63)
        null = sources.null_text(job, request.source)
        table = sources.read(spark, job, request.source, held)
        known, table = survey(
            table,
            job,
            null,
            request.binary,
            lambda name: output.written(table, request.target, name),
            request.target.format == "csv",
            (lambda: sources.is_utf8(spark, request.source)) if request.source.format == "csv" else None,
        )
        report.facts.update(records=known.records, k=job.k, seed=seed)
        report.phase("profile")
        if job.mondrian is not None:
            made, records = (
                _mondrian(spark, request, job.mondrian, table, known, null, seed, report),
                known.records,
            )
        else:
            made, records = _full_domain(spark, request, table, known, report)
        output.write(output.mixed(made, request.target, seed), job, request.target, place.hidden)
        report.phase("write")
        _check(spark, request, place.hidden, records, known, report)
        report.phase("check")
        on_publish(report)
        place.publish()
        on_published(report)
        return report

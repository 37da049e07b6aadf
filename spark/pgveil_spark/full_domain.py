"""A full-domain scheme, found by the lattice engine on a sample, applied to all records: each
quasi-identifier at one level of its hierarchy, classes that break k or a model suppressed within the job's
limit."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Sequence

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from . import classes, compatibility
from .errors import Failure
from .job import Job
from .native import Binary
from .survey import Profile

SUPPRESSED = "*"


@dataclass(frozen=True)
class Applied:
    table: DataFrame
    classes: int
    suppressed: int
    dropped: int
    limit: int


def levels_of(text: str, job: Job, profile: Profile) -> list[int]:
    try:
        levels = [int(level) for level in text.split(",")]
    except ValueError:
        raise Failure(
            "--transformation is no list of levels", "write one for each quasi-identifier: 1,1,2"
        ) from None
    names = [it.name for it in job.quasi_identifiers]
    if len(levels) != len(names):
        raise Failure(
            f"{len(levels)} levels for {len(names)} quasi-identifiers",
            f"write one for each of {', '.join(names)}",
        )
    for attribute, level in zip(job.quasi_identifiers, levels):
        name, height = attribute.name, profile.domains[attribute.name].height
        low = 0 if attribute.min_level is None else attribute.min_level
        high = height if attribute.max_level is None else attribute.max_level
        if not low <= high <= height:
            raise Failure(f"levels {low} to {high} of {name} do not exist", f"it has levels 0 to {height}")
        if not low <= level <= high:
            raise Failure(
                f"level {level} of {name} is outside {low} to {high}", "choose one that the job allows"
            )
    return levels


def generalized(
    spark: SparkSession, table: DataFrame, job: Job, profile: Profile, levels: Sequence[int]
) -> DataFrame:
    """By a small table of each attribute's values, sent to all executors."""
    columns = table.columns
    published = [it.name for it in job.published]
    for attribute, level in zip(job.quasi_identifiers, levels):
        if level == 0:
            continue
        name = f"c{published.index(attribute.name)}"
        rows = profile.domains[attribute.name].rows
        values = compatibility.small_table(
            spark, "value string, shown string", [row[0] for row in rows], [row[level] for row in rows]
        )
        table = table.join(F.broadcast(values), F.col(name) == F.col("value"), "left").drop("value", name)
        table = table.withColumnRenamed("shown", name)
    return table.select(*columns)


def _without_smallest(found: DataFrame, keys: Sequence[str], job: Job, gone: int) -> DataFrame:
    """With so many of the smallest good classes marked as not good. Ties are broken by their texts, in the
    order of the attributes' names, as on one machine."""
    by_name = [key for _, key in sorted(zip((it.name.encode() for it in job.quasi_identifiers), keys))]
    smallest = found.filter("good").orderBy("records", *by_name).limit(gone)
    left = classes.joined(found, smallest.select(*keys, F.lit(True).alias("gone")), keys, "left")
    good = F.col("good") & F.col("gone").isNull()
    return left.select(*keys, "records", good.alias("good"))


def applied(
    spark: SparkSession,
    table: DataFrame,
    job: Job,
    profile: Profile,
    binary: Binary,
    levels: Sequence[int],
) -> Applied:
    """Errors: more records would have to be suppressed than the job lets be; no record would be left."""
    published = [it.name for it in job.published]
    keys = [f"c{published.index(it.name)}" for it in job.quasi_identifiers]
    shown = generalized(spark, table, job, profile, levels)
    found = classes.judged(shown, keys, job, profile).persist()
    gone = binary.classes_to_suppress(job, classes.sizes_of(found.filter("good")) if job.risks else {})
    if gone > 0:
        found = _without_smallest(found, keys, job, gone).persist()
    totals = found.agg(F.sum("records"), F.sum(F.when(~F.col("good"), F.col("records")).otherwise(0)),
                       F.count(F.when(F.col("good"), 1))).first()
    assert totals is not None
    records, suppressed, good = int(totals[0]), int(totals[1]), int(totals[2])
    limit = math.floor(job.suppression * records + 1e-9)
    if records != profile.records:
        raise Failure("the input changed while it was read", "nothing was published; run it again")
    if suppressed > limit:
        raise Failure(
            f"{suppressed} of {records} records are in classes that break k or a model, {limit} may be suppressed",
            "take higher levels: what was anonymous on a sample need not be on all records",
        )
    if suppressed == 0:
        return Applied(shown, good, 0, 0, limit)
    bad = found.filter(~F.col("good")).select(*keys, F.lit(True).alias("bad"))
    joined = classes.joined(shown, bad, keys, "left")
    if job.suppressed_records != "drop":
        hidden = joined.select(
            *[
                F.when(F.col("bad"), F.lit(SUPPRESSED)).otherwise(F.col(c)).alias(c) if c in keys else F.col(c)
                for c in shown.columns
            ]
        )
        # The suppressed are one class with the records that show * by themselves.
        is_star = _all([F.col(key) == F.lit(SUPPRESSED) for key in keys])
        star = classes.judged(hidden.filter(is_star), keys, job, profile).first()
        assert star is not None
        others = found.filter(F.col("good") & ~is_star)
        if star["good"] and _keep_risks(others, star["records"], job, binary):
            return Applied(hidden, others.count() + 1, suppressed, 0, limit)
    if good == 0:
        raise Failure("no record would be left", "lower k, weaken a model, or take other levels")
    # Those that show * by themselves are a class that keeps the models without the suppressed.
    kept = joined.filter(F.col("bad").isNull()).select(*shown.columns)
    return Applied(kept, good, suppressed, suppressed, limit)


def _keep_risks(shown: DataFrame, starred: int, job: Job, binary: Binary) -> bool:
    """Whether the classes that are shown do, together with the one of all suppressed records."""
    if not job.risks:
        return True
    sizes = classes.sizes_of(shown)
    sizes[starred] = sizes.get(starred, 0) + 1
    return binary.classes_to_suppress(job, sizes) == 0


def _all(tests: Sequence[Column]) -> Column:
    return reduce(lambda one, other: one & other, tests)

"""Counting records that look alike, in Spark: sizes and the diversity of sensitive columns. The last word on
k and l, as common/frequencies.hpp has it."""
from __future__ import annotations

import math
from functools import reduce
from typing import Sequence

from pyspark.sql import Column, DataFrame, functions as F

from .job import Job

TOLERANCE = 1e-9


def counted(table: DataFrame, by: Sequence[str], job: Job) -> DataFrame:
    """One row for each class: `records`, and for each sensitive column with a model d<i> different values
    (NULL is one) and entropy e<i>."""
    published = [it.name for it in job.published]
    made = None
    for i, attribute in enumerate(job.diverse):
        column = f"c{published.index(attribute.name)}"
        values = table.groupBy(*by, column).agg(F.count(F.lit(1)).alias("f"))
        found = values.groupBy(*by).agg(
            F.sum("f").alias("records"),
            F.count(F.lit(1)).alias(f"d{i}"),
            (
                F.log(F.sum("f").cast("double"))
                - F.sum(F.col("f") * F.log(F.col("f").cast("double"))) / F.sum("f")
            ).alias(f"e{i}"),
        )
        made = found if made is None else made.join(found.drop("records"), list(by))
    return made if made is not None else table.groupBy(*by).agg(F.count(F.lit(1)).alias("records"))


def is_good(job: Job) -> Column:
    tests = [F.col("records") >= F.lit(job.k)]
    for i, attribute in enumerate(job.diverse):
        for model in attribute.models:
            l = float(model.l)
            tests.append(F.col(f"d{i}") >= F.lit(math.ceil(l)))
            if model.kind == "entropy":
                tests.append(F.col(f"e{i}") >= F.lit(math.log(l) + math.log1p(-TOLERANCE)))
    return reduce(lambda one, other: one & other, tests)

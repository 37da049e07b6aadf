"""Counting records that look alike, in Spark, and judging which of these classes keep k and the models. Spark's
own sums are enough for the number of different values and their entropy. For all other models, each class's
counts go to the judges of the native code (docs/spark.md), which no second program has to repeat."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import reduce
from typing import Callable, Iterable, Iterator, Optional, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, functions as F
from pyspark.sql.types import BooleanType, LongType, StructField, StructType

from . import bundle, frames, native
from .errors import TaskFailure
from .job import Attribute, Job
from .survey import Profile

TOLERANCE = 1e-9
_SUMMED = ("distinct", "entropy")


@dataclass(frozen=True)
class Judged:
    """A column whose counts the native code judges, as each task needs it."""

    name: str  # of the column of counts
    whole: bytes  # frames of the whole table's values
    values: Optional[pa.Array]  # by code; none: values are only told apart


def _is_summed(attribute: Attribute) -> bool:
    return all(model.split()[0] in _SUMMED for model in attribute.models)


def joined(table: DataFrame, other: DataFrame, keys: Sequence[str], how: str = "inner") -> DataFrame:
    """With the further columns of `other`, by columns that both have. NULL is a key like another, unlike in
    SQL's own join by names."""
    further = [name for name in other.columns if name not in keys]
    renamed = other.select(*[F.col(key).alias(f"other_{key}") for key in keys], *further)
    is_same = [F.col(key).eqNullSafe(F.col(f"other_{key}")) for key in keys]
    return table.join(renamed, is_same, how).drop(*[f"other_{key}" for key in keys])


def _counted(table: DataFrame, by: Sequence[str], job: Job, profile: Profile) -> DataFrame:
    """One row for each class: `records`, and for each sensitive column with a model either d<i> different
    values (NULL is one) and entropy e<i>, or h<i>, how often each value occurs."""
    published = [it.name for it in job.published]
    made = None
    for i, attribute in enumerate(job.diverse):
        column = F.col(f"c{published.index(attribute.name)}")
        value = profile.compared_text(column) if attribute.is_compared else column
        values = table.groupBy(*by, value.alias("v")).agg(F.count(F.lit(1)).alias("f"))
        if _is_summed(attribute):
            told = [
                F.count(F.lit(1)).alias(f"d{i}"),
                (
                    F.log(F.sum("f").cast("double"))
                    - F.sum(F.col("f") * F.log(F.col("f").cast("double"))) / F.sum("f")
                ).alias(f"e{i}"),
            ]
        else:
            told = [F.collect_list(F.struct("v", "f") if attribute.is_compared else F.struct("f")).alias(f"h{i}")]
        found = values.groupBy(*by).agg(F.sum("f").alias("records"), *told)
        made = found if made is None else joined(made, found.drop("records"), by)
    return made if made is not None else table.groupBy(*by).agg(F.count(F.lit(1)).alias("records"))


def _by_sums(job: Job) -> Column:
    tests = [F.col("records") >= F.lit(job.smallest_class)]
    for i, attribute in enumerate(job.diverse):
        for kind, l in (model.split() for model in attribute.models if _is_summed(attribute)):
            tests.append(F.col(f"d{i}") >= F.lit(math.ceil(float(l))))
            if kind == "entropy":
                tests.append(F.col(f"e{i}") >= F.lit(math.log(float(l)) + math.log1p(-TOLERANCE)))
    return reduce(lambda one, other: one & other, tests)


def _request(batch: pa.RecordBatch, header: dict[str, object], columns: Sequence[Judged]) -> Iterator[bytes]:
    yield frames.BEGIN
    yield frames.text(json.dumps({**header, "classes": batch.num_rows}))
    for column in columns:
        yield column.whole
    yield frames.wide_numbers(batch["records"])
    for column in columns:
        counted = batch[column.name]
        values = counted.flatten()
        yield frames.numbers(pc.list_value_length(counted))
        if column.values is None:
            yield frames.numbers(np.arange(len(values)))
        else:
            codes = pc.index_in(pc.struct_field(values, "v"), value_set=column.values)
            if codes.null_count:
                raise TaskFailure("classes have a value that the whole table did not have when it was surveyed")
            yield frames.numbers(codes)
        yield frames.wide_numbers(pc.struct_field(values, "f"))


def _task(
    by: Sequence[str], header: dict[str, object], columns: Sequence[Judged]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        binary, libraries = bundle.unpacked()
        for batch in batches:
            if batch.num_rows == 0:
                continue
            command = [binary, "spark-worker", "--classes"]
            try:
                answer = frames.Reader(native.run(command, _request(batch, header, columns), libraries))
            except native.NativeError as wrong:
                raise TaskFailure(str(wrong)) from None
            kept = pa.array(answer.numbers(batch.num_rows).astype(bool))
            answer.end()
            yield pa.RecordBatch.from_arrays(
                [batch[name] for name in (*by, "records")] + [pc.and_(batch["summed"], kept)],
                names=[*by, "records", "good"],
            )

    return run


def sizes_of(found: DataFrame) -> dict[int, int]:
    """Of the classes that judged() found: how many have a size."""
    return {row[0]: row[1] for row in found.groupBy("records").agg(F.count(F.lit(1))).collect()}


def judged(
    table: DataFrame, by: Sequence[str], job: Job, profile: Profile, is_recount: bool = False
) -> DataFrame:
    """One row for each class: `by`, `records`, and `good`, whether it keeps k and all models. is_recount: the
    table was read from the files that were written, and the models have their second judge."""
    counted = _counted(table, by, job, profile)
    columns = []
    for i, attribute in enumerate(job.diverse):
        if _is_summed(attribute):
            continue
        whole = profile.whole.get(attribute.name)
        if whole is None:
            columns.append(Judged(f"h{i}", b"", None))
        else:
            values = pa.array(whole.written if is_recount else whole.values, pa.string())
            columns.append(Judged(f"h{i}", whole.as_frames(), values))
    if not columns:
        return counted.select(*by, "records", _by_sums(job).alias("good"))
    header = {
        "k": job.smallest_class,
        "is_recount": is_recount,
        "sensitive": [list(it.models) for it in job.diverse if not _is_summed(it)],
    }
    asked = counted.select(*by, "records", _by_sums(job).alias("summed"), *[it.name for it in columns])
    fields = [asked.schema[name] for name in by] + [StructField("records", LongType())]
    schema = StructType(fields + [StructField("good", BooleanType())])
    return asked.mapInArrow(_task(tuple(by), header, columns), schema)

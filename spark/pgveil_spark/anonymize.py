"""One partition in one task: its records as Arrow columns, their codes to the native worker, its labels
back."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Optional

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StringType, StructField, StructType

from . import bundle, frames, native
from .errors import TaskFailure
from .job import Job, Mondrian
from .survey import Profile

QUALITY = "quality"  # of the part, in one of its records
TEXT = "text_"  # before the name of a column: the texts that its values are compared as


@dataclass(frozen=True)
class Work:
    """What each task needs to know, sent once with the function."""

    header: dict[str, object]
    quasi_identifiers: tuple[tuple[str, bytes], ...]  # column, frames before its dictionary
    sensitive: tuple[tuple[str, bytes, Optional[pa.Array]], ...]  # column, frames before it, values by code
    columns: tuple[str, ...]
    in_order: bool  # relaxed cuts: which of equal records comes first matters


def work_of(
    job: Job, mondrian: Mondrian, profile: Profile, null: str | None, cut_before: set[int], threads: int
) -> Work:
    published = [it.name for it in job.published]
    before, dimensions = [], []
    for d, attribute in enumerate(job.quasi_identifiers):
        domain = profile.domains[attribute.name]
        rows = b"" if attribute.is_numeric else frames.hierarchy(domain.rows)
        before.append((f"c{published.index(attribute.name)}", rows + frames.text_list(domain.values)))
        dimensions.append(
            {"name": attribute.name, "numeric": attribute.is_numeric, "cut_before": d in cut_before}
        )
    sensitive = []
    for attribute in job.diverse:
        column, whole = f"c{published.index(attribute.name)}", profile.whole.get(attribute.name)
        if whole is None:
            sensitive.append((column, b"", None))
        else:
            sensitive.append((column, whole.as_frames(), pa.array(whole.values, pa.string())))
    header: dict[str, object] = {
        "k": job.k,
        "threads": threads,
        "cut_by": mondrian.cut_by,
        "cuts": mondrian.cuts,
        "ranges": mondrian.ranges,
        "dimensions": dimensions,
        "sensitive": [list(it.models) for it in job.diverse],
    }
    if null is not None:
        header["null"] = null
    return Work(header, tuple(before), tuple(sensitive), tuple(f"c{i}" for i in range(len(published))),
                mondrian.cuts == "relaxed")


def _number_names(count: int) -> bytes:
    return frames.texts(pa.array(np.arange(count)).cast(pa.large_string()))


def _compared(column: pa.ChunkedArray, values: pa.Array) -> bytes:
    """Values by their place among those of the whole table."""
    codes = pc.index_in(column, value_set=values)
    if codes.null_count:
        raise TaskFailure("a part has a value that the whole table did not have when it was surveyed")
    return _number_names(len(values)) + frames.numbers(codes)


def _told_apart(column: pa.ChunkedArray) -> bytes:
    """Values are only told apart; the worker gets numbers in their place. NULL is one of them."""
    values, indices = native.text_column(column)
    codes = indices.to_numpy(zero_copy_only=False)
    null_code = len(values)
    codes = np.where(np.isnan(codes), null_code, codes) if codes.dtype.kind == "f" else codes
    return _number_names(null_code + 1) + frames.numbers(codes)


def _request(table: pa.Table, work: Work) -> Iterator[bytes]:
    yield frames.BEGIN
    yield frames.text(json.dumps({**work.header, "records": table.num_rows}))
    for name, before in work.quasi_identifiers:
        values, indices = native.text_column(table[name])
        yield before + frames.texts(values)
        yield frames.numbers(indices)
    for name, before, whole in work.sensitive:
        yield before
        yield _told_apart(table[name]) if whole is None else _compared(table[TEXT + name], whole)


def cut(table: pa.Table, work: Work, binary: str, libraries: str) -> pa.Table:
    """One part. Errors: what the worker says; it quotes no value."""
    if work.in_order:
        table = table.sort_by(
            [(name, "ascending") for name in work.columns if not pa.types.is_nested(table[name].type)]
        )
    try:
        answer = frames.Reader(native.run([binary, "spark-worker"], _request(table, work), libraries))
    except native.NativeError as wrong:
        raise TaskFailure(str(wrong)) from None
    quality = answer.text()
    if json.loads(quality)["records"] != table.num_rows:
        raise TaskFailure("the native worker answered for other records")
    for name, _ in work.quasi_identifiers:
        labels = answer.texts()
        codes = pa.array(answer.numbers(table.num_rows).astype(np.int32))
        shown = labels.cast(pa.string()).take(codes)
        table = table.set_column(table.schema.get_field_index(name), name, shown)
    answer.end()
    table = table.drop_columns([TEXT + name for name, _, whole in work.sensitive if whole is not None])
    told = pa.array([quality] + [None] * (table.num_rows - 1), pa.string())
    return table.append_column(QUALITY, told)


def _task(work: Work) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept = list(batches)
        if not kept:
            return
        table = pa.Table.from_batches(kept)
        del kept
        binary, libraries = bundle.unpacked()
        # Keys are chosen so that a task has one part; if it ever has more, each is still cut by itself.
        for part in pc.unique(table["part"]).to_pylist():
            one = table.filter(pc.equal(table["part"], part)).drop_columns(["part"])
            yield from cut(one, work, binary, libraries).to_batches(max_chunksize=1 << 16)

    return run


def anonymized(divided: DataFrame, work: Work, profile: Profile) -> DataFrame:
    fields = [field for field in divided.schema.fields if field.name != "part"]
    quasi_identifiers = {name for name, _ in work.quasi_identifiers}
    schema = StructType(
        [
            StructField(it.name, StringType() if it.name in quasi_identifiers else it.dataType, True)
            for it in fields
        ]
        + [StructField(QUALITY, StringType(), True)]
    )
    texts = [
        profile.compared_text(F.col(name)).alias(TEXT + name)
        for name, _, whole in work.sensitive
        if whole is not None
    ]
    return divided.select("*", *texts).mapInArrow(_task(work), schema)

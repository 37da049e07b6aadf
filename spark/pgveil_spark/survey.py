"""One pass over the table before anything else: how many records, the values of categories, the ends of
numbers."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
from pyspark.sql import Column, DataFrame, functions as F

from . import alike, frames
from .errors import Failure
from .job import Attribute, Job
from .native import Binary, Domain

# Like the native reader's: decimal, at most 15 digits, so that a double tells all of them apart.
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)\z"
_MOST_DIGITS = 15
REPLACEMENT = "\ufffd"  # Spark reads it in place of bytes that are not UTF-8


@dataclass(frozen=True)
class WholeColumn:
    """A sensitive column of the whole table that a model compares with. The place of a value is its code."""

    values: list[str]
    written: list[str]  # the same as texts of the files that are written
    counts: list[int]
    rows: list[list[str]]  # of the hierarchy; none: no distance needs one

    def as_frames(self) -> bytes:
        numbered = [[str(code), *row[1:]] for code, row in enumerate(self.rows)]
        hierarchy = frames.hierarchy(numbered) if numbered else b""
        return hierarchy + frames.number(len(self.counts)) + frames.wide_numbers(np.array(self.counts))


@dataclass
class Profile:
    records: int
    domains: dict[str, Domain]  # by attribute
    whole: dict[str, WholeColumn]  # by sensitive attribute that is compared with the whole table
    null: str | None  # what NULL is compared as
    unusual: list[int]  # places of sensitive columns with numbers in unusual forms, which may equal others

    def compared_text(self, column: Column) -> Column:
        return _compared_text(column, self.null)


def _compared_text(column: Column, null: str | None) -> Column:
    text = column.cast("string")
    return text if null is None else F.coalesce(text, F.lit(null))


def number_of(column: Column) -> Column:
    """As a double; null where it is none, because ANSI mode is off."""
    return column.cast("double")


def _is_number(column: Column) -> Column:
    digits = F.length(F.regexp_replace(column, "[^0-9]", ""))
    return column.rlike(_NUMBER) & (digits <= _MOST_DIGITS)


def _asked(table: DataFrame, job: Job, null: str | None, is_decoded: bool) -> list[Column]:
    asked = [F.count(F.lit(1)).alias("records")]
    for i, _ in alike.columns(table, job):
        asked.append(F.count(F.when(alike.is_unusual_number(F.col(f"c{i}"), null), 1)).alias(f"unusual{i}"))
    for i, attribute in enumerate(job.published):
        column = F.col(f"c{i}")
        if is_decoded:
            asked.append(F.count(F.when(column.contains(REPLACEMENT), 1)).alias(f"undecoded{i}"))
        if attribute.models:
            is_blank = F.coalesce(column.cast("string"), F.lit("")) == F.lit("")
            asked.append(F.collect_set(F.when(is_blank, column.isNull())).alias(f"blanks{i}"))
        if attribute.must_be_numbers:
            text = _compared_text(column, null)
            asked.append(F.count(F.when(alike.has_no_place(text, null), 1)).alias(f"strange{i}"))
        if not attribute.is_quasi_identifier:
            continue
        asked.append(F.count(F.when(column.isNull(), 1)).alias(f"nulls{i}"))
        if not attribute.is_numeric:
            asked.append(F.collect_set(column).alias(f"values{i}"))
            continue
        is_null = column == F.lit(null) if null is not None else F.lit(False)
        good = ~is_null & _is_number(column)
        # The text of an end: the shortest of equal numbers, then the first.
        asked.append(
            F.min(F.when(good, F.struct(number_of(column), F.length(column), column))).alias(f"least{i}")
        )
        asked.append(
            F.max(F.when(good, F.struct(number_of(column), -F.length(column), column))).alias(f"greatest{i}")
        )
        asked.append(F.count(F.when(is_null, 1)).alias(f"null_texts{i}"))
        asked.append(
            F.count(F.when(column.isNotNull() & ~is_null & ~_is_number(column), 1)).alias(f"others{i}")
        )
    return asked


def _counts(
    table: DataFrame, name: str, null: str | None, attribute: Attribute, written: Column
) -> dict[str, tuple[str, int]]:
    """Value → how it is written, and how often it occurs."""
    # By the texts, as they are compared. NULL and the text that stands for it stay apart.
    texts = [F.col(name).cast("string").alias("value"), written.cast("string").alias("written")]
    found = (
        table.groupBy(*texts)
        .agg(F.count(F.lit(1)).alias("f"))
        .select(_compared_text(F.col("value"), null), _compared_text(F.col("written"), null), "f")
        .collect()
    )
    if any(text is None for text, _, _ in found):
        raise Failure(
            f"{attribute.name} has NULLs, and its values are compared",
            "say what stands for them: input: {\"null\": …}",
        )
    if len({text for text, _, _ in found}) < len(found) or len({text for _, text, _ in found}) < len(found):
        raise Failure(
            f"two values of {attribute.name} would be written as the same text",
            "it is NULL and the text that stands for it",
        )
    return {text: (shown, count) for text, shown, count in found}


def _check_order(table: DataFrame, i: int, attribute: Attribute, null: str | None) -> None:
    text = _compared_text(F.col(f"c{i}"), null)
    texts = table.select(text.alias("text")).distinct()
    others = texts.filter(alike.has_no_place(F.col("text"), null)).count()
    if others:
        raise Failure(
            f"{others} values of {attribute.name} are no numbers",
            "remove order: number, or name the text that stands for NULL",
        )


def survey(
    table: DataFrame,
    job: Job,
    null: str | None,
    binary: Binary,
    written: Callable[[str], Column],
    is_csv: bool,
    is_utf8: Callable[[], bool] | None,
) -> tuple[Profile, DataFrame]:
    """The table is returned with one text for each number of a sensitive column, and with NULL for its empty
    texts if it has NULLs and the job a text for them. written: a column as its texts in the files that are
    written. is_csv: these are CSV. is_utf8: looks at the input; None: it is not CSV. Errors: no records;
    NULLs that the job has no text for; bytes that are not UTF-8; what is no number; values that a hierarchy
    lacks (all are named); values of a compared column that are written as the same text; NULL and the empty
    text in one column with models, for CSV."""
    found = table.agg(*_asked(table, job, null, is_utf8 is not None)).first()
    if found is None or found["records"] == 0:
        raise Failure("the input has no records", "there is nothing to publish")
    values: dict[str, list[str]] = {}
    for i, attribute in enumerate(job.published):
        if is_utf8 is not None and found[f"undecoded{i}"] and not is_utf8():
            raise Failure(
                f"{found[f'undecoded{i}']} values of {attribute.name} are not UTF-8",
                "convert the input to UTF-8",
            )
        # One is an empty cell and the other is "", but most programs read both as the same.
        if attribute.models and len(found[f"blanks{i}"]) > 1:
            if null is not None:
                name = f"c{i}"
                table = table.withColumn(name, F.when(F.col(name) != F.lit(""), F.col(name)))
            elif is_csv:
                raise Failure(
                    f"{attribute.name} has NULLs and empty texts, which look alike in CSV",
                    "say what stands for NULL: input: {\"null\": …}; or write Parquet",
                )
        if not attribute.is_quasi_identifier:
            continue
        if found[f"nulls{i}"]:
            raise Failure(
                f"{attribute.name} has {found[f'nulls{i}']} NULLs",
                "say what stands for them: input: {\"null\": …}",
            )
        if not attribute.is_numeric:
            values[attribute.name] = found[f"values{i}"]
            continue
        if found[f"others{i}"]:
            raise Failure(
                f"{found[f'others{i}']} records have a value of {attribute.name} that is no number of at most "
                f"{_MOST_DIGITS} digits",
                "give the attribute a hierarchy, or name the text that stands for NULL",
            )
        ends = [found[f"{end}{i}"][2] for end in ("least", "greatest") if found[f"{end}{i}"] is not None]
        values[attribute.name] = sorted(
            set(ends) | ({null} if found[f"null_texts{i}"] and null is not None else set())
        )
    unusual = [i for i, _ in alike.columns(table, job) if found[f"unusual{i}"]]
    for i in unusual:
        table = alike.joined(table, i, alike.plainer(table, i, job.published[i], null))
    counts = {}
    for i, attribute in enumerate(job.published):
        if attribute.must_be_numbers and found[f"strange{i}"]:
            _check_order(table, i, attribute, null)
        if attribute.is_compared:
            name = f"c{i}"
            counts[attribute.name] = _counts(table, name, null, attribute, written(name))
            values[attribute.name] = list(counts[attribute.name])
    domains = {it.attribute.name: it for it in binary.domains(job, values)}
    whole = {
        name: WholeColumn(
            domains[name].values,
            [counted[value][0] for value in domains[name].values],
            [counted[value][1] for value in domains[name].values],
            domains[name].rows,
        )
        for name, counted in counts.items()
    }
    return Profile(found["records"], domains, whole, null, unusual), table

"""One pass over the table before anything else: how many records, the values of categories, the ends of
numbers."""
from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, functions as F

from .errors import Failure
from .job import Job
from .native import Binary, Domain

# Like the native reader's: decimal, at most 15 digits, so that a double tells all of them apart.
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)\z"
_MOST_DIGITS = 15


@dataclass
class Profile:
    records: int
    domains: dict[str, Domain]  # by attribute


def number_of(column: Column) -> Column:
    """As a double; null where it is none, because ANSI mode is off."""
    return column.cast("double")


def _is_number(column: Column) -> Column:
    digits = F.length(F.regexp_replace(column, "[^0-9]", ""))
    return column.rlike(_NUMBER) & (digits <= _MOST_DIGITS)


def _asked(job: Job, null: str | None) -> list[Column]:
    asked = [F.count(F.lit(1)).alias("records")]
    for i, attribute in enumerate(job.published):
        if not attribute.is_quasi_identifier:
            continue
        column = F.col(f"c{i}")
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


def survey(table: DataFrame, job: Job, null: str | None, binary: Binary) -> Profile:
    """Errors: no records; NULLs that the job has no text for; what is no number; values that a hierarchy
    lacks (all are named)."""
    found = table.agg(*_asked(job, null)).first()
    if found is None or found["records"] == 0:
        raise Failure("the input has no records", "there is nothing to publish")
    values: dict[str, list[str]] = {}
    for i, attribute in enumerate(job.published):
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
    domains = binary.domains(job, values)
    return Profile(found["records"], {it.attribute.name: it for it in domains})

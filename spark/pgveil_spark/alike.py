"""Texts of a sensitive column that are one number (1, 1.0, 1e0). They get one text before anything is
counted, as on one machine (jobs/input/alike_values.hpp), so a class is not diverse because of them."""
from __future__ import annotations

from typing import Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame, functions as F
from pyspark.sql.types import StringType

from . import compatibility
from .errors import Failure
from .job import Attribute, Job

MOST_JOINED = 1_000_000  # texts that the driver keeps in memory

# Possessive, or else the time for a long text of digits would grow with the square of its length.
_DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)"
_EXPONENT = r"[eE][+-]?(?:0*+(?:[1-9][0-9]{0,5}|1000000)|0++)"  # a million at most
_NUMBER = rf"[+-]?{_DECIMAL}(?:{_EXPONENT})?\z"
# Every number has one text of this form at most. So of two texts of one number, one has another form.
_NORMAL = r"(?:0|-?[1-9][0-9]*+|-?(?:0|[1-9][0-9]*+)\.[0-9]*[1-9])\z"
# Of the numbers that one machine can order.
_ORDERED = rf"^-?{_DECIMAL}(?:[eE][+-]?[0-9]++)?\z"


def columns(table: DataFrame, job: Job) -> Iterator[tuple[int, Attribute]]:
    """Those that can have such texts. Columns of numbers, as sources.read() has them, have one for each."""
    for i, attribute in enumerate(job.published):
        if attribute.models and isinstance(table.schema[f"c{i}"].dataType, StringType):
            yield i, attribute


def _matches(column: Column, pattern: str, null: str | None) -> Column:
    """null: this text is no number."""
    matches = column.rlike(pattern)
    return matches if null is None else matches & (column != F.lit(null))


def is_unusual_number(column: Column, null: str | None) -> Column:
    """A number in another form than the normal one. Most columns have none, and nothing has to be joined."""
    return _matches(column, f"^(?!{_NORMAL}){_NUMBER}", null)


def has_no_place(column: Column, null: str | None) -> Column:
    """Whether the text has no place in an order of numbers."""
    number = column.cast("double")
    is_tiny = (number == 0) & column.rlike("^[^eE]*[1-9]")  # too small for a double
    is_number = column.rlike(_ORDERED) & (F.abs(number) < float("inf")) & ~is_tiny
    return ~is_number if null is None else ~is_number & (column != F.lit(null))


def _with_key(texts: DataFrame) -> DataFrame:
    """With `key`, which is the same for all numbers that are equal: the digits without zeros at either end,
    and the power of ten."""
    fraction = F.regexp_extract("text", r"\.([0-9]*)", 1)
    exponent = F.coalesce(F.regexp_extract("text", r"[eE](.+)\z", 1).cast("int"), F.lit(0))
    digits = F.concat(F.regexp_extract("text", "^[+-]?([0-9]*)", 1), fraction)
    parts = texts.select("text", digits.alias("digits"), (exponent - F.length(fraction)).alias("power"))
    kept = parts.withColumn("kept", F.expr("trim(TRAILING '0' FROM digits)"))
    power = F.col("power") + F.length("digits") - F.length("kept")
    sign = F.when(F.col("text").startswith("-"), "-").otherwise("")
    key = F.concat(sign, F.expr("trim(LEADING '0' FROM kept)"), F.lit("e"), power.cast("string"))
    return kept.select("text", F.when(F.col("kept") == "", "0").otherwise(key).alias("key"))


def plainer(table: DataFrame, i: int, attribute: Attribute, null: str | None) -> pa.Table:
    """`text`: each text that equals a plainer one in the column. `plain`: the plainest, which is the shortest
    without an exponent."""
    numbers = table.filter(_matches(F.col(f"c{i}"), f"^{_NUMBER}", null))
    texts = _with_key(numbers.select(F.col(f"c{i}").alias("text")).distinct())
    by_plainness = F.struct(F.col("text").rlike("[eE]"), F.length("text"), F.col("text").alias("plain"))
    several = (
        texts.groupBy("key")
        .agg(F.collect_list("text").alias("texts"), F.min(by_plainness).alias("least"))
        .filter(F.size("texts") > 1)
    )
    found = several.select(F.explode("texts").alias("text"), "least.plain").filter("text != plain")
    made = compatibility.to_arrow(found.limit(MOST_JOINED + 1))
    if made.num_rows > MOST_JOINED:
        raise Failure(
            f"{attribute.name} has more than {MOST_JOINED:,} texts of numbers that have other texts, too",
            "write each number in one way",
        )
    return made


def joined(table: DataFrame, i: int, texts: pa.Table) -> DataFrame:
    """With the plain text of each. The records stay where they are, so a sample of them stays the same."""
    if texts.num_rows == 0:
        return table
    small = compatibility.small_table(
        table.sparkSession, "text string, plain string", texts["text"].to_pylist(), texts["plain"].to_pylist()
    )
    name = f"c{i}"
    made = table.join(F.broadcast(small), F.col(name) == F.col("text"), "left")
    return made.withColumn(name, F.coalesce("plain", name)).select(*table.columns)

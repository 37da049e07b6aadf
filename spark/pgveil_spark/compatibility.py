"""What Spark 3.5 and 4 do by different names."""
from __future__ import annotations

from typing import Any, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession


def to_arrow(table: DataFrame) -> pa.Table:
    """All records, on the driver."""
    if hasattr(table, "toArrow"):
        return table.toArrow()
    from pyspark.sql.pandas.types import to_arrow_schema

    return pa.Table.from_batches(table._collect_as_arrow(), to_arrow_schema(table.schema))


def small_table(spark: SparkSession, schema: str, *columns: Sequence[Any]) -> DataFrame:
    """Of values on the driver. Spark 3.5 takes no Arrow table, and both take rows."""
    return spark.createDataFrame(list(zip(*columns)), schema)

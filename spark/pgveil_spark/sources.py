"""What is read: CSV or Parquet of any file system that Hadoop knows, or a PostgreSQL table."""
from __future__ import annotations

import os
import re
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Optional

from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    MapType,
    NumericType,
    StringType,
    StructField,
    StructType,
)

from . import postgres
from .errors import Failure
from .job import Job

NULL_OF_TABLES = "NULL"
# Types with the same text in a comparison and in a written file.
_COMPARED: tuple[type[DataType], ...] = (StringType, BooleanType, NumericType, DateType)


@dataclass(frozen=True)
class Source:
    format: str                   # csv, parquet or jdbc
    path: Optional[str] = None    # of files
    separator: str = ","
    multiline: bool = False
    url: Optional[str] = None     # jdbc:postgresql://…
    table: Optional[str] = None
    user: Optional[str] = None
    password_file: Optional[str] = None
    connections: int = 1          # to PostgreSQL, at once


def _password(source: Source) -> Optional[str]:
    if source.password_file is None:
        return os.environ.get("PGPASSWORD")
    try:
        with open(source.password_file, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise Failure(f"{source.password_file} can be read by others", "chmod 600 it")
            return file.read().rstrip("\n")
    except OSError as wrong:
        raise Failure(f"can't read {source.password_file}: {wrong.strerror}") from wrong


def _read_jdbc(spark: SparkSession, job: Job, source: Source, held: ExitStack) -> DataFrame:
    assert source.url and source.table
    options = {
        "url": source.url,
        "dbtable": source.table,
        "driver": "org.postgresql.Driver",
        "fetchsize": "10000",
    }
    if source.user:
        options["user"] = source.user
    password = _password(source)
    if password is not None:
        options["password"] = password
    wanted = {it.name: it.is_quasi_identifier or bool(it.models) for it in job.published}
    # Kept: several steps read it.
    table = postgres.read_table(spark, options, wanted, source.connections, held).persist()
    _check_nulls(table, job, source)
    return table


def _check_nulls(table: DataFrame, job: Job, source: Source) -> None:
    """As on one machine, NULL and the text that stands for it can't both be in one column."""
    names = [it.name for it in job.published if it.name in table.columns]
    asked = []
    for i, name in enumerate(names):
        column = F.col(quoted(name))
        asked.append(F.count(F.when(column.isNull(), 1)).alias(f"nulls{i}"))
        is_text = column.cast("string") == F.lit(null_text(job, source))
        asked.append(F.count(F.when(is_text, 1)).alias(f"texts{i}"))
    found = table.agg(*asked).first() if asked else None
    for i, name in enumerate(names):
        if found is not None and found[f"nulls{i}"] and found[f"texts{i}"]:
            raise Failure(
                f"column {name} has NULL and also the text that stands for it",
                "let input.null be a text that the column does not have",
            )


def is_utf8(spark: SparkSession, source: Source) -> bool:
    """Of the lines as they are, whose decoded text may show the character of what can't be decoded."""
    line = F.col("value")
    lines = spark.read.text(source.path)
    return lines.filter(F.encode(line, "UTF-8") != line.cast("binary")).first() is None


def literal(path: str) -> str:
    """The path as a pattern that it alone fits, because Spark takes every path for one."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)


def _check_lines(spark: SparkSession, source: Source, columns: int) -> None:
    """Spark divides a cell with a line end into two records without an error, and leaves out blank lines."""
    line = F.col("value")
    # By bytes, because lengths in characters mean nothing if the text is not UTF-8.
    quotes = F.expr("octet_length(value) - octet_length(replace(value, '\"', ''))")
    is_blank = line.rlike(r"^[\x00-\x20]*\z")
    if columns > 1:
        is_blank = is_blank & (line != "")  # as on one machine, nothing is there
    found = (
        spark.read.text(source.path)
        .agg(F.count(F.when(quotes % 2 == 1, 1)), F.count(F.when(is_blank, 1)))
        .first()
    )
    assert found is not None
    if found[0]:
        raise Failure(
            f"{found[0]} lines of the input have an odd number of quotes",
            "give --multiline if cells have line ends; a quote within a cell is written twice",
        )
    if found[1]:
        raise Failure(
            f"{found[1]} lines of the input are blank", 'remove them; the text of an empty cell is ""'
        )


def _read_csv(spark: SparkSession, _job: Job, source: Source, _held: ExitStack) -> DataFrame:
    # Texts only, as the native reader has it; a header that differs in one of the files is an error.
    table = spark.read.csv(
        source.path,
        header=True,
        sep=source.separator,
        quote='"',
        escape='"',
        mode="FAILFAST",
        inferSchema=False,
        enforceSchema=False,
        multiLine=source.multiline,
        ignoreLeadingWhiteSpace=False,
        ignoreTrailingWhiteSpace=False,
        nullValue="",
        emptyValue="",
        maxCharsPerColumn=-1,
    )
    if not source.multiline:
        _check_lines(spark, source, len(table.columns))
    return table


def _without_metadata(kind: DataType) -> DataType:
    if isinstance(kind, StructType):
        return StructType(
            [StructField(it.name, _without_metadata(it.dataType), it.nullable) for it in kind.fields]
        )
    if isinstance(kind, ArrayType):
        return ArrayType(_without_metadata(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(
            _without_metadata(kind.keyType), _without_metadata(kind.valueType), kind.valueContainsNull
        )
    return kind


def _read_parquet(spark: SparkSession, _job: Job, source: Source, _held: ExitStack) -> DataFrame:
    """Columns without the metadata that Spark finds in the files: comments, even values. Else Spark would
    write it into the output. (It keeps metadata that is only taken from a column later.)"""
    table = spark.read.parquet(source.path)
    _check_one_schema(spark, table)
    schema = _without_metadata(table.schema)
    assert isinstance(schema, StructType)
    return spark.read.schema(schema).parquet(source.path)


def _check_one_schema(spark: SparkSession, table: DataFrame) -> None:
    """Spark takes one file's columns for all and reads NULL where another file lacks one. Footers only, on
    the driver."""
    jvm = spark._jvm
    configuration = spark._jsc.hadoopConfiguration()
    first = None
    for name in sorted(table.inputFiles()):
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(name))
        file = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(path, configuration)
        reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(file)
        try:
            columns = sorted(
                str(field.toString()) for field in reader.getFileMetaData().getSchema().getFields()
            )
        finally:
            reader.close()
        first = first or (columns, name)
        if columns != first[0]:
            raise Failure(f"{name} has other columns or types than {first[1]}",
                          "publish them apart, or write them with one schema")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _texts(table: DataFrame, job: Job, source: Source) -> DataFrame:
    """Quasi-identifiers as texts without nulls. The others as they are, with NULL for the text that stands
    for it. Columns are named c0, c1 … in the job's order."""
    null = null_text(job, source)
    columns = []
    for i, attribute in enumerate(job.published):
        column = F.col(quoted(attribute.name))
        kind = table.schema[attribute.name].dataType
        is_nested = isinstance(kind, (ArrayType, MapType, StructType))
        if is_nested and (attribute.is_quasi_identifier or attribute.models):
            raise Failure(
                f"{attribute.name} is of the type {kind.simpleString()}",
                "quasi-identifiers and models need plain values",
            )
        if attribute.is_compared and not isinstance(kind, _COMPARED):
            raise Failure(
                f"{attribute.name} is of the type {kind.simpleString()}",
                "a model that compares with the whole table needs texts, numbers or dates",
            )
        if isinstance(kind, BinaryType) and (attribute.is_quasi_identifier or attribute.models):
            raise Failure(f"{attribute.name} is of the type binary", "write texts, or leave it out")
        if isinstance(kind, MapType):
            raise Failure(
                f"{attribute.name} is of the type {kind.simpleString()}",
                "maps can't be compared; leave it out",
            )
        if isinstance(kind, (DoubleType, FloatType)):
            if source.format == "parquet":
                column = F.when(~F.isnan(column), column)  # NaN is NULL
            column = F.when(column == 0, F.lit(0).cast(kind)).otherwise(column)  # -0.0 is 0.0
        if source.format == "csv":
            column = F.coalesce(column, F.lit(""))  # an empty cell is the empty text
        if attribute.is_quasi_identifier:
            column = column.cast("string")
            if null is not None:
                column = F.coalesce(column, F.lit(null))
        elif null is not None and not is_nested and not isinstance(kind, BinaryType):
            column = F.when(column.cast("string") == F.lit(null), F.lit(None)).otherwise(column)
        columns.append(column.alias(f"c{i}"))
    return table.select(*columns)


def null_text(job: Job, source: Source) -> Optional[str]:
    """What stands for NULL in quasi-identifiers and hierarchies, and as what NULL of a sensitive column is
    compared."""
    if job.null is None and source.format == "jdbc":
        return NULL_OF_TABLES
    return job.null


def read(spark: SparkSession, job: Job, source: Source, held: ExitStack) -> DataFrame:
    """held: what must stay open until nothing is read any more."""
    readers = {"csv": _read_csv, "parquet": _read_parquet, "jdbc": _read_jdbc}
    table = readers[source.format](spark, job, source, held)
    missing = [it.name for it in job.published if it.name not in table.columns]
    if missing:
        raise Failure(
            f"the input has no column {', '.join(missing)}",
            "names are case-sensitive; is the separator right?",
        )
    if len(set(table.columns)) != len(table.columns):
        raise Failure("the input has two columns of one name")
    return _texts(table, job, source)

"""What is read: CSV or Parquet of any file system that Hadoop knows, or a PostgreSQL table."""
from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Optional

from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
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


def _read_jdbc(spark: SparkSession, source: Source, held: ExitStack) -> DataFrame:
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
    # Kept: several steps read it.
    return postgres.read_table(spark, options, source.connections, held).persist()


def _read_csv(spark: SparkSession, source: Source, _: ExitStack) -> DataFrame:
    # Texts only, as the native reader has it; a header that differs in one of the files is an error.
    return spark.read.csv(
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


def _read_parquet(spark: SparkSession, source: Source, _: ExitStack) -> DataFrame:
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
    """Quasi-identifiers as texts without nulls; the others as they are. Columns are named c0, c1 … in the
    job's order."""
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
        if isinstance(kind, MapType):
            raise Failure(
                f"{attribute.name} is of the type {kind.simpleString()}",
                "maps can't be compared; leave it out",
            )
        if source.format == "csv" and not attribute.is_quasi_identifier and null is None:
            column = F.coalesce(column, F.lit(""))
        elif attribute.is_quasi_identifier and source.format == "csv":
            column = F.coalesce(column, F.lit(""))  # an empty cell is the empty text
        elif attribute.is_quasi_identifier and null is not None:
            text = column.cast("string")
            column = F.coalesce(text, F.lit(null))
        elif attribute.is_quasi_identifier:
            column = column.cast("string")
        columns.append(column.alias(f"c{i}"))
    return table.select(*columns)


def null_text(job: Job, source: Source) -> Optional[str]:
    """What stands for NULL in quasi-identifiers and hierarchies."""
    if job.null is None and source.format == "jdbc":
        return NULL_OF_TABLES
    return job.null


def null_of_compared(job: Job, source: Source) -> Optional[str]:
    """What NULL of a sensitive column is compared as: an empty cell of CSV is the empty text."""
    return "" if source.format == "csv" else null_text(job, source)


def read(spark: SparkSession, job: Job, source: Source, held: ExitStack) -> DataFrame:
    """held: what must stay open until nothing is read any more."""
    readers = {"csv": _read_csv, "parquet": _read_parquet, "jdbc": _read_jdbc}
    table = readers[source.format](spark, source, held)
    missing = [it.name for it in job.published if it.name not in table.columns]
    if missing:
        raise Failure(
            f"the input has no column {', '.join(missing)}",
            "names are case-sensitive; is the separator right?",
        )
    if len(set(table.columns)) != len(table.columns):
        raise Failure("the input has two columns of one name")
    return _texts(table, job, source)

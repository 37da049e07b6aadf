"""Where the result goes: a folder of files that has no name until it is whole and was counted again."""
from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import dataclass
from typing import Optional

from pyspark.sql import Column, DataFrame, SparkSession, functions as F
from pyspark.sql.types import StringType

from .errors import Failure
from .job import Job

_MOST_REPORT_BYTES = 64 << 20  # reports are much smaller

@dataclass(frozen=True)
class Target:
    path: str
    format: str  # csv or parquet
    separator: str
    files: int


class Place:
    """A path of a Hadoop file system, and its temporary neighbour, whose name Spark and Hadoop take for
    hidden."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._path = spark._jvm.org.apache.hadoop.fs.Path(path)
        self._system = self._path.getFileSystem(spark._jsc.hadoopConfiguration())
        self._path = self._system.makeQualified(self._path)
        parent = self._path.getParent()
        if parent is None:
            raise Failure(f"{path} can't be an output")
        name = f"_pgveil.{self._path.getName()}.{secrets.token_hex(8)}"
        self._hidden = spark._jvm.org.apache.hadoop.fs.Path(parent, name)

    @property
    def hidden(self) -> str:
        return str(self._hidden.toString())

    def refuse_existing(self) -> None:
        if self._system.exists(self._path):
            raise Failure(
                f"the output {self._path.toString()} exists",
                "remove it, or choose another path; nothing is replaced",
            )

    def publish(self) -> None:
        self.refuse_existing()
        if not self._system.rename(self._hidden, self._path):
            raise Failure(f"{self._path.toString()} could not be given its name", "nothing was published")

    def discard(self) -> None:
        """What is left of an unpublished result; nothing when it was published."""
        self._system.delete(self._hidden, True)


def written(table: DataFrame, target: Target, name: str) -> Column:
    """The column as it is written: in CSV, texts that a spreadsheet would run begin with ', and so do those
    that have only ' before such a text, so that no two texts are written alike."""
    column = F.col(name)
    if target.format != "csv" or not isinstance(table.schema[name].dataType, StringType):
        return column
    runs = column.rlike(r"^'*[=+\-@\t\r]") & ~column.rlike(r"^[+-]?[0-9]+\.?[0-9]*\z")
    return F.when(runs, F.concat(F.lit("'"), column)).otherwise(column).alias(name)


def mixed(table: DataFrame, target: Target, seed: int) -> DataFrame:
    """File and place of a record depend on what is published of it and the seed alone: not on its part, nor
    on the input's order."""
    columns = [F.col(name) for name in table.columns]
    place = F.xxhash64(F.lit(seed), *columns)
    return table.repartition(target.files, place).sortWithinPartitions(place, *columns)


def write(table: DataFrame, job: Job, target: Target, path: str) -> None:
    table = table.select(*[written(table, target, name) for name in table.columns])
    named = table.toDF(*[it.name for it in job.published])
    if target.format == "parquet":
        named.write.mode("errorifexists").parquet(path)
        return
    named.write.mode("errorifexists").csv(
        path,
        header=True,
        sep=target.separator,
        quote='"',
        escape='"',
        emptyValue='""',
        nullValue="",
        ignoreLeadingWhiteSpace=False,
        ignoreTrailingWhiteSpace=False,
    )


def read_back(spark: SparkSession, job: Job, target: Target, path: str) -> DataFrame:
    if target.format == "parquet":
        table = spark.read.parquet(path)
    else:
        table = spark.read.csv(
            path,
            header=True,
            sep=target.separator,
            quote='"',
            escape='"',
            mode="FAILFAST",
            multiLine=True,
            inferSchema=False,
            enforceSchema=False,
            maxCharsPerColumn=-1,
            ignoreLeadingWhiteSpace=False,
            ignoreTrailingWhiteSpace=False,
            # As write() has it, an empty cell is NULL and "" is the empty text. By default both are NULL.
            # Spark takes the text of nullValue for NULL, too, so it is one that no table has.
            nullValue=secrets.token_hex(16),
            emptyValue="",
        )
    return table.toDF(*[f"c{i}" for i in range(len(job.published))])


class LocalReport:
    """A local file with mode 0600, whole or not at all. It is made before the work, so that a wrong path is
    told early. It gets its name just before the result does, and loses it if the result does not get its
    own. A file that is there is replaced only if it is such a report: it could be the job, or one of its
    hierarchies."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._part = f"{path}.{secrets.token_hex(8)}"
        self._former: Optional[str] = None  # another name of what is replaced
        self._is_named = self._is_kept = False
        if os.path.lexists(path) and not _is_report(path):
            raise Failure(
                f"{path} exists, and is no report of pgveil-spark", "name another file with --report"
            )
        try:
            os.close(os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as wrong:
            raise Failure(f"can't write {path}: {wrong.strerror}") from wrong

    def __enter__(self) -> LocalReport:
        return self

    def put(self, text: str) -> None:
        try:
            with open(self._part, "w", encoding="utf-8") as file:
                file.write(text)
            if os.path.lexists(self._path):
                if not _is_report(self._path):  # the work took its time
                    raise Failure(
                        f"{self._path} is no report of pgveil-spark any more",
                        "nothing was published; name another file with --report",
                    )
                self._former = _second_name(self._path, self._part + ".former")
            os.rename(self._part, self._path)
            self._is_named = True
        except OSError as wrong:
            raise Failure(f"can't write {self._path}: {wrong.strerror}") from wrong

    def keep(self) -> None:
        self._is_kept = True

    def __exit__(self, *_: object) -> None:
        if not self._is_named:
            os.unlink(self._part)
        if self._is_named and not self._is_kept:
            if self._former:
                os.rename(self._former, self._path)
            else:
                os.unlink(self._path)
        elif self._former:
            os.unlink(self._former)


def _second_name(path: str, name: str) -> str:
    try:
        os.link(path, name, follow_symlinks=False)
    except OSError:  # some file systems have no second names
        shutil.copy2(path, name)
    return name


def _is_report(path: str) -> bool:
    """An empty file counts as one: nothing is lost with it."""
    if not os.path.isfile(path):
        return False
    size = os.path.getsize(path)
    if size == 0 or size > _MOST_REPORT_BYTES:
        return size == 0
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        return isinstance(found, dict) and {"job", "phases_ms"} <= set(found)
    except (OSError, ValueError):
        return False

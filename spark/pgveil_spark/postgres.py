"""A PostgreSQL table read over several connections at once, all of one snapshot, which a connection of the
driver's holds until the job ends: a part that is read again, because its executor was lost, sees the same
rows."""
from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from pyspark.sql import DataFrame, SparkSession

# The largest of its partitions; of a table without any, itself.
_PAGES = """
SELECT pg_catalog.pg_export_snapshot(),
       GREATEST(pg_catalog.pg_relation_size(c.oid),
                (SELECT pg_catalog.max(pg_catalog.pg_relation_size(t.relid)) FROM pg_catalog.pg_partition_tree(c.oid) t))
           / pg_catalog.current_setting('block_size')::int8
  FROM pg_catalog.pg_class c WHERE c.oid = '%s'::pg_catalog.regclass"""
_COLUMNS = """
SELECT a.attname, pg_catalog.format_type(a.atttypid, NULL)
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid = '%s'::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped"""
# Types of which Spark and PostgreSQL have the same values and texts. All others are read as texts that
# PostgreSQL makes.
_PLAIN = ("smallint", "integer", "bigint", "boolean", "text", "character varying")
# Beside them those whose texts differ, but not what they mean. Where texts are compared, they are texts, too.
_TYPED = ("real", "double precision")
# As pgveil sets it on one machine.
_SETTINGS = "SET TimeZone = 'UTC'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'"


def _connected(spark: SparkSession, options: dict[str, str], held: ExitStack) -> Any:
    """By Spark's own factory, which finds a driver that --jars brought."""
    jvm: Any = spark._jvm
    given = jvm.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(
        options["url"],
        options["dbtable"],
        jvm.PythonUtils.toScalaMap({key: it for key, it in options.items() if key not in ("url", "dbtable")}),
    )
    connection = (
        jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(options["url"])
        .createConnectionFactory(given)
        .apply(-1)
    )
    held.callback(connection.close)
    return connection


def _state(connection: Any, table: str) -> tuple[str, int]:
    """Its name, and how many pages the table has. The table keeps its columns as long as the connection is
    open."""
    connection.setAutoCommit(False)
    statement = connection.createStatement()
    statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    statement.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
    found = statement.executeQuery(_PAGES % table.replace("'", "''"))
    found.next()
    return found.getString(1), found.getLong(2)


def _types(connection: Any, table: str) -> dict[str, str]:
    """Column → PostgreSQL's name of its type."""
    found = connection.createStatement().executeQuery(_COLUMNS % table.replace("'", "''"))
    made = {}
    while found.next():
        made[found.getString(1)] = found.getString(2)
    return made


def _selected(table: str, wanted: dict[str, bool], types: dict[str, str]) -> str:
    """ctid: for the conditions of ranges()."""
    cells = []
    for name, is_compared in wanted.items():
        if name in types:
            column = '"' + name.replace('"', '""') + '"'
            is_kept = types[name] in _PLAIN or (not is_compared and types[name] in _TYPED)
            cells.append(column if is_kept else f"{column}::pg_catalog.text AS {column}")
    return f"(SELECT {', '.join([*cells, 'ctid'])} FROM {table}) AS pgveil_rows"


def ranges(pages: int, count: int) -> list[str]:
    """Conditions that divide a table by the places of its rows; each row meets one."""
    borders = sorted({pages * i // count for i in range(1, count)} - {0})
    conditions = []
    for first, end in zip([0, *borders], [*borders, None]):
        begins = f"ctid >= '({first},0)'::tid"
        conditions.append(begins if end is None else f"{begins} AND ctid < '({end},0)'::tid")
    return conditions


def read_table(spark: SparkSession, options: dict[str, str], wanted: dict[str, bool], connections: int,
               held: ExitStack) -> DataFrame:
    """options: of Spark's JDBC source, with url and dbtable, a quoted name. wanted: the columns to read, and
    whether texts of theirs are compared. Those that the table lacks are left out."""
    connection = _connected(spark, options, held)
    snapshot, pages = _state(connection, options["dbtable"])
    types = _types(connection, options["dbtable"])
    inside = {**options, "sessionInitStatement": "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; "
                                                 f"SET TRANSACTION SNAPSHOT '{snapshot}'; {_SETTINGS}"}
    rest = {key: it for key, it in inside.items() if key not in ("url", "dbtable")}
    rows = spark.read.jdbc(
        options["url"],
        _selected(options["dbtable"], wanted, types),
        predicates=ranges(pages, connections),
        properties=rest,
    )
    return rows.drop("ctid")

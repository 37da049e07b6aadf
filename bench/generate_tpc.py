"""generate_tpc.py SCALE FOLDER SET…: the tables of TPC-H (tpch), TPC-DS (tpcds) or both as a script for psql,
and their queries, one a file. DuckDB's extensions of these names make both."""

import pathlib
import sys

import duckdb
from duckdb_extensions import import_extension

SETS = {"tpch": ("CALL dbgen(sf={})", "tpch_queries()"), "tpcds": ("CALL dsdgen(sf={})", "tpcds_queries()")}
TYPES = {"VARCHAR": "text", "FLOAT": "real", "DOUBLE": "double precision"}


def tables(connection, schema, folder, script):
    """Without constraints: in a masked copy any column may be NULL."""
    columns = {}
    for table, column, kind in connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = ? "
        "AND schema_name = 'main' ORDER BY table_name, column_index",
        [schema],
    ).fetchall():
        columns.setdefault(table, []).append((column, TYPES.get(kind, kind)))
    script.append(f"CREATE SCHEMA {schema};")
    for table, typed in columns.items():
        path = folder / f"{schema}.{table}.csv"
        connection.execute(f"COPY {schema}.{table} TO '{path}' (FORMAT csv, HEADER false)")
        body = ", ".join(f"{name} {kind}" for name, kind in typed)
        script += [
            f"CREATE TABLE {schema}.{table} ({body});",
            f"\\copy {schema}.{table} FROM '{path}' (FORMAT csv)",
        ]
        script += [
            f"CREATE INDEX ON {schema}.{table} ({name});"
            for name, _ in typed
            if name.endswith(("key", "_sk"))
        ]


def main(scale, folder, names):
    script = []
    for name in names:
        generate, queries = SETS[name]
        connection = duckdb.connect()
        import_extension(name, con=connection)
        connection.execute(f"LOAD {name}; ATTACH ':memory:' AS {name}; USE {name}")
        connection.execute(generate.format(scale))
        tables(connection, name, folder, script)
        for number, text in connection.execute(f"SELECT query_nr, query FROM {queries}").fetchall():
            (folder / f"{name}.{number:02}.sql").write_text(text)
    (folder / "tables.sql").write_text("\n".join(script) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:])

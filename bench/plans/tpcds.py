"""tpcds.py SCALE FOLDER: writes the tables of TPC-DS as CSV, schema.sql, and the queries, q01.sql and on."""
import pathlib
import sys

import duckdb
import duckdb_extension_tpcds


def main(scale, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    package = pathlib.Path(duckdb_extension_tpcds.__file__).parent
    extension = next(package.rglob("tpcds.duckdb_extension"))
    connection = duckdb.connect()
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL dsdgen(sf = {float(scale)})")
    for number, query in connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall():
        (folder / f"q{number:02}.sql").write_text(query)
    tables = connection.execute("SELECT table_name, sql FROM duckdb_tables() ORDER BY 1").fetchall()
    for table, _ in tables:
        options = "(HEADER false, DELIMITER '|', NULLSTR '')"
        connection.execute(f"COPY {table} TO '{folder}/{table}.csv' {options}")
    (folder / "schema.sql").write_text("\n".join(sql for _, sql in tables) + "\n")


main(*sys.argv[1:])

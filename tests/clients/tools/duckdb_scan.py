# covers: DuckDB's postgres extension
# needs: pypi duckdb==1.5.5
# needs: pypi duckdb-extensions==1.5.5
# needs: pypi duckdb-extension-postgres-scanner==1.5.5
import os

import duckdb
from checks import check, rows
from duckdb_extensions import import_extension

ATTACH = (
    f"ATTACH 'host=127.0.0.1 port={os.environ['PGPORT']} dbname=demo user=analyst password=any' "
    "AS pg (TYPE postgres, READ_ONLY)"
)


def attached(*settings):
    connection = duckdb.connect()
    import_extension("postgres_scanner", con=connection)
    connection.execute("LOAD postgres_scanner")
    for setting in settings:
        connection.execute(setting)
    connection.execute(ATTACH)
    return connection


def fetch(sql, *settings):
    return rows(attached(*settings).execute(sql).fetchall())


@check("tables and columns")
def _():
    return fetch(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'pg' AND "
        "schema_name = 'public' AND table_name <> 'diary' ORDER BY 1, column_index"
    )


@check("a scan")
def _():
    return fetch("SELECT city, born, mood, is_member, height, tags FROM pg.public.people ORDER BY seen")


@check("a join of persons and an open table")
def _():
    return fetch(
        "SELECT t.town, count(*), avg(p.height) FROM pg.people p JOIN pg.towns t ON t.town = p.city "
        "GROUP BY 1 ORDER BY 1"
    )


@check("filters that the server applies")
def _():
    return fetch(
        "SELECT count(*) FROM pg.people WHERE city = 'Aber' AND born < DATE '1973-01-01'",
        "SET pg_experimental_filter_pushdown = true",
    )


@check("a view")
def _():
    return fetch("SELECT * FROM pg.members ORDER BY ALL")


@check("a query of the server's own")
def _():
    return fetch(
        "SELECT * FROM postgres_query('pg', 'SELECT city, count(*) FROM people GROUP BY 1 ORDER BY 1')"
    )


@check("without binary and without row numbers")
def _():
    return fetch(
        "SELECT count(DISTINCT town), sum(cost) FROM pg.visits",
        "SET pg_use_binary_copy = false",
        "SET pg_use_ctid_scan = false",
    )

# covers: psqlodbc
# needs: apt odbc-postgresql
# needs: apt python3-pyodbc
import pathlib
import sys

import pyodbc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import HOST, PORT, check, rows  # noqa: E402

SQL = "SELECT city, born, mood, is_member, height, tags FROM people ORDER BY seen"
DRIVER = f"DRIVER={{PostgreSQL Unicode}};SERVER={HOST};PORT={PORT};DATABASE=demo;UID=analyst;PWD=any;"
OPTIONS = (
    "",
    "UseDeclareFetch=1;Fetch=20;",
    "UseServerSidePrepare=0;",
    "ReadOnly=1;",
    "Protocol=7.4-2;",
    "BoolsAsChar=0;",
    "TextAsLongVarchar=0;",
    "ByteaAsLongVarBinary=1;",
    "ConnSettings=SET search_path TO public;",
)


def fetch(options, sql, *parameters):
    connection = pyodbc.connect(DRIVER + options, timeout=10)
    try:
        return rows(connection.execute(sql, *parameters).fetchall())
    finally:
        connection.close()


for OPTION in OPTIONS:
    @check(f"rows with the options {OPTION!r}")
    def _():
        return fetch(OPTION, SQL)

    @check(f"parameters with the options {OPTION!r}")
    def _():
        return fetch(OPTION, "SELECT count(*) FROM people WHERE city = ? AND height > ?", "Aber", 160)


@check("cursors outside of a transaction (Tableau)")
def _():
    connection = pyodbc.connect(DRIVER + "UseDeclareFetch=1;Fetch=20;", autocommit=True)
    return rows(connection.execute(SQL).fetchall())


@check("the catalog functions")
def _():
    cursor = pyodbc.connect(DRIVER).cursor()
    found = [
        sorted(
            [row.table_name, row.table_type]
            for row in cursor.tables(schema="public").fetchall()
            if row.table_name != "diary"
        )
    ]
    found.append(
        [[row.column_name, row.type_name, row.nullable] for row in cursor.columns(table="visits").fetchall()]
    )
    found.append([row.column_name for row in cursor.primaryKeys(table="towns", schema="public").fetchall()])
    found.append(
        [
            [row[3], row[7]]
            for row in cursor.foreignKeys(foreignTable="visits", foreignSchema="public").fetchall()
        ]
    )
    found.append(
        [
            [row.index_name, row.column_name]
            for row in cursor.statistics("towns", schema="public").fetchall()
            if row.index_name
        ]
    )
    return found

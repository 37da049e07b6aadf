# covers: ADBC, polars, connectorx
# needs: pypi polars==2.1.0
# needs: pypi connectorx==0.4.6
# needs: pypi adbc-driver-postgresql==1.13.0
# needs: pypi pyarrow==26.0.1
import adbc_driver_postgresql.dbapi
import polars
from checks import URL, check

SQL = "SELECT city, born, height::float8 AS height, is_member FROM people ORDER BY seen"


def cells(frame):
    return [frame.columns, [[str(cell) for cell in row] for row in frame.rows()]]


@check("polars with connectorx")
def _():
    return cells(polars.read_database_uri(SQL, URL, engine="connectorx"))


for PROTOCOL in ("binary", "csv", "cursor", "simple"):

    @check(f"connectorx: {PROTOCOL}")
    def _():
        import connectorx

        return cells(connectorx.read_sql(URL, SQL, protocol=PROTOCOL, return_type="polars"))


@check("connectorx in partitions")
def _():
    import connectorx

    frame = connectorx.read_sql(
        URL, "SELECT id, town, cost FROM visits", partition_on="id", partition_num=3, return_type="polars"
    )
    return cells(frame.sort("id"))


@check("polars with ADBC")
def _():
    return cells(polars.read_database_uri(SQL, URL, engine="adbc"))


@check("ADBC: arrays, an enum, times")
def _():
    with adbc_driver_postgresql.dbapi.connect(URL) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT tags, mood::text, seen FROM people ORDER BY seen")
        return cursor.fetch_arrow_table().to_pylist()


@check("ADBC: the schema of a table")
def _():
    with adbc_driver_postgresql.dbapi.connect(URL) as connection:
        return str(connection.adbc_get_table_schema("towns"))


@check("ADBC: the objects of the database")
def _():
    with adbc_driver_postgresql.dbapi.connect(URL) as connection:
        found = connection.adbc_get_objects(depth="columns", db_schema_filter="public").read_all().to_pylist()
        tables = [
            t for catalog in found for s in catalog["catalog_db_schemas"] or [] for t in s["db_schema_tables"]
        ]
        return {
            t["table_name"]: [c["column_name"] for c in t["table_columns"]]
            for t in tables
            if t["table_name"] in ("people", "towns", "visits", "members")
        }


@check("ADBC: transactions")
def _():
    with adbc_driver_postgresql.dbapi.connect(URL) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM people WHERE city = $1", ("Aber",))
        first = cursor.fetchone()
        connection.rollback()
        cursor.execute("SELECT count(*) FROM visits")
        return [first, cursor.fetchone()]

# covers: psycopg 3
# needs: pypi psycopg[binary]==3.3.9
# needs: pypi psycopg-pool==3.3.3
import psycopg
import psycopg_pool
from checks import URL, check, refused, rows
from psycopg.rows import dict_row
from psycopg.types.enum import EnumInfo, register_enum


def connect(**options):
    return psycopg.connect(URL, **options)


@check("rows, with parameters on the server")
def _():
    with connect() as connection:
        return rows(
            connection.execute(
                "SELECT city, born, mood, tags, details FROM people WHERE height > %s ORDER BY seen", (160,)
            )
        )


@check("binary rows")
def _():
    with connect() as connection, connection.cursor(binary=True) as cursor:
        return rows(cursor.execute("SELECT id, city, height, seen, tags FROM people ORDER BY seen"))


@check("an enum by its type")
def _():
    with connect() as connection:
        info = EnumInfo.fetch(connection, "mood")
        register_enum(info, connection)
        return [str(row[0]) for row in connection.execute("SELECT mood FROM people ORDER BY seen")]


@check("a pool")
def _():
    with psycopg_pool.ConnectionPool(URL, min_size=2, max_size=3, open=True) as pool:
        found = []
        for number in range(8):
            with pool.connection() as connection:
                found.append(connection.execute("SELECT count(*) + %s FROM people", (number,)).fetchone()[0])
        return found


@check("read-write and read-only transactions")
def _():
    found = []
    for is_read_only in (True, False, None):
        with connect() as connection:
            connection.read_only = is_read_only
            found.append(connection.execute("SELECT count(*) FROM people").fetchone()[0])
            connection.rollback()
    return found


@check("isolation levels")
def _():
    found = []
    for level in psycopg.IsolationLevel:
        with connect() as connection:
            connection.isolation_level = level
            found.append(connection.execute("SHOW transaction_isolation").fetchone()[0])
    return found


@check("a cursor on the server")
def _():
    with connect() as connection, connection.cursor("held", scrollable=True) as cursor:
        cursor.execute("SELECT town, at FROM visits ORDER BY id")
        first = cursor.fetchmany(7)
        cursor.scroll(0, mode="absolute")
        return rows(first) + rows(cursor.fetchall())


@check("a pipeline")
def _():
    with connect() as connection, connection.pipeline():
        cursors = [connection.execute("SELECT count(*) + %s FROM visits", (n,)) for n in range(6)]
        return [cursor.fetchone()[0] for cursor in cursors]


@check("COPY in binary and text")
def _():
    with connect() as connection, connection.cursor() as cursor:
        with cursor.copy("COPY (SELECT city, born FROM people ORDER BY seen) TO STDOUT") as copy:
            found = rows(copy.rows())
        with cursor.copy("COPY (SELECT size FROM towns ORDER BY 1) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int4"])
            return found + rows(copy.rows())


@check("a session that only another server should answer")
def _():
    with connect(target_session_attrs="read-write", row_factory=dict_row) as connection:
        return connection.execute("SELECT count(*) AS n FROM people").fetchone()


@check("a client encoding of its own")
def _():
    with connect(client_encoding="latin1") as connection:
        return rows(connection.execute("SELECT town FROM towns ORDER BY 1"))


@refused("a write", because="is not answered")
def _():
    with connect() as connection:
        connection.execute("UPDATE towns SET size = 1")

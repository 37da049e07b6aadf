# covers: psycopg 2
# needs: pypi psycopg2-binary==2.9.13
import io

import psycopg2
import psycopg2.extensions
import psycopg2.extras
from checks import URL, check, rows


def fetch(sql, parameters=None, prepare=None, **options):
    connection = psycopg2.connect(URL, **options)
    try:
        if prepare:
            prepare(connection)
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return rows(cursor.fetchall())
    finally:
        connection.close()


@check("rows")
def _():
    return fetch("SELECT city, born, mood, tags, details FROM people WHERE height > %s ORDER BY seen", (160,))


@check("sessions that read and write")
def _():
    return fetch("SELECT count(*) FROM people", prepare=lambda c: c.set_session(readonly=False))


@check("sessions that only read, at each isolation level")
def _():
    return [
        fetch(
            "SHOW transaction_isolation",
            prepare=lambda c, level=level: c.set_session(isolation_level=level, readonly=True),
        )
        for level in ("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
    ]


@check("each statement by itself")
def _():
    return fetch("SELECT count(*) FROM people", prepare=lambda c: c.set_session(autocommit=True))


@check("a client encoding of its own")
def _():
    return fetch("SELECT town FROM towns ORDER BY 1", prepare=lambda c: c.set_client_encoding("LATIN1"))


@check("a cursor on the server")
def _():
    connection = psycopg2.connect(URL)
    with connection, connection.cursor("held", scrollable=True) as cursor:
        cursor.itersize = 7
        cursor.execute("SELECT town, at FROM visits ORDER BY id")
        return rows(cursor)


@check("json, arrays and dictionaries")
def _():
    connection = psycopg2.connect(URL)
    with connection, connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("SELECT tags, details, is_member FROM people ORDER BY seen")
        return [dict(row) for row in cursor]


@check("COPY to a file")
def _():
    out = io.StringIO()
    connection = psycopg2.connect(URL)
    with connection, connection.cursor() as cursor:
        cursor.copy_expert("COPY people TO STDOUT (FORMAT csv, HEADER)", out)
    return out.getvalue()

# covers: asyncpg
# needs: pypi asyncpg==0.32.0
import asyncio
import io

import asyncpg
from checks import URL, check, rows

ONE = "SELECT city, count(*), sum(height) FROM people GROUP BY city ORDER BY city NULLS LAST"


def connected(work):
    async def run():
        connection = await asyncpg.connect(URL, timeout=10, command_timeout=20)
        try:
            return await work(connection)
        finally:
            await connection.close(timeout=5)

    return asyncio.run(run())


def pooled(work, **options):
    async def run():
        async with asyncpg.create_pool(URL, min_size=2, max_size=4, command_timeout=20, **options) as pool:
            return await work(pool)

    return asyncio.run(run())


@check("rows by binary values")
def _():
    return rows(connected(lambda c: c.fetch("SELECT id, city, born, height, seen FROM people ORDER BY seen")))


@check("an enum, arrays and json, whose types are looked up")
def _():
    return rows(connected(lambda c: c.fetch("SELECT mood, tags, details FROM people ORDER BY seen")))


@check("a parameter that is an enum")
def _():
    return connected(lambda c: c.fetchval("SELECT count(*) FROM visits WHERE how = $1::mood", "grim"))


@check("a pool that is used again")
def _():
    async def work(pool):
        return [rows(await pool.fetch(ONE)) for _ in range(6)]

    return pooled(work)


@check("a pool under load")
def _():
    async def work(pool):
        return await asyncio.gather(
            *[
                pool.fetchval("SELECT count(*) + $1::int FROM people WHERE city = $2", n, "Aber")
                for n in range(20)
            ]
        )

    return pooled(work)


@check("a pool that sets up each connection")
def _():
    async def init(connection):
        await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=str, decoder=len)

    async def work(pool):
        return rows(await pool.fetch("SELECT details FROM people ORDER BY seen LIMIT 3"))

    return pooled(work, init=init)


@check("transactions and savepoints")
def _():
    async def work(connection):
        found = []
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            found.append(await connection.fetchval("SELECT count(*) FROM people"))
            try:
                async with connection.transaction():
                    await connection.fetchval("SELECT 1 / (size - 4) FROM towns")
            except asyncpg.DivisionByZeroError:
                found.append("undone")
            found.append(await connection.fetchval("SELECT count(*) FROM towns"))
        return found

    return connected(work)


@check("a cursor")
def _():
    async def work(connection):
        async with connection.transaction():
            return [
                list(row)
                async for row in connection.cursor("SELECT town, at FROM visits ORDER BY id", prefetch=50)
            ]

    return connected(work)


@check("COPY to a file")
def _():
    async def work(connection):
        out = io.BytesIO()
        await connection.copy_from_query(
            "SELECT city, is_member FROM people ORDER BY seen", output=out, format="csv"
        )
        return out.getvalue().decode()

    return connected(work)


@check("a prepared statement's columns")
def _():
    async def work(connection):
        statement = await connection.prepare("SELECT city, mood, height FROM people WHERE born > $1")
        return [[a.name, a.type.name] for a in statement.get_attributes()] + [
            p.name for p in statement.get_parameters()
        ]

    return connected(work)

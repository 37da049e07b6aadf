# covers: SQLAlchemy 2
# needs: pypi sqlalchemy[asyncio]==2.1.9
# needs: pypi psycopg2-binary==2.9.13
# needs: pypi psycopg[binary]==3.3.9
# needs: pypi asyncpg==0.32.0
# needs: pypi pg8000==1.31.6
import asyncio

import sqlalchemy as sa
from checks import URL, check, rows
from sqlalchemy.ext.asyncio import create_async_engine

DRIVERS = ("psycopg2", "psycopg", "pg8000")


def engine(driver, **options):
    return sa.create_engine(URL.replace("postgresql:", f"postgresql+{driver}:"), **options)


def shapes(metadata):
    return {
        name: [[column.name, str(column.type)] for column in table.columns]
        for name, table in sorted(metadata.tables.items())
        if name != "diary"
    }


for DRIVER in DRIVERS:

    @check(f"{DRIVER}: reflect a schema with an expression index")
    def _():
        metadata = sa.MetaData()
        metadata.reflect(engine(DRIVER), views=True)
        return shapes(metadata)

    @check(f"{DRIVER}: a query of reflected tables")
    def _():
        base = engine(DRIVER)
        people = sa.Table("people", sa.MetaData(), autoload_with=base)
        with base.connect() as connection:
            return rows(
                connection.execute(
                    sa.select(people.c.city, sa.func.count(), sa.func.avg(people.c.height))
                    .where(people.c.is_member)
                    .group_by(people.c.city)
                    .order_by(people.c.city)
                )
            )

    @check(f"{DRIVER}: what the inspector says of open tables")
    def _():
        inspector = sa.inspect(engine(DRIVER))
        return [
            sorted(set(inspector.get_table_names()) - {"diary"}),
            sorted(inspector.get_view_names()),
            inspector.get_schema_names(),
            inspector.get_pk_constraint("towns"),
            inspector.get_foreign_keys("visits"),
            inspector.get_indexes("towns"),
            inspector.get_enums(),
            inspector.get_table_comment("towns"),
            inspector.get_unique_constraints("towns"),
            inspector.get_check_constraints("towns"),
            inspector.get_sequence_names(),
            [
                [c["name"], str(c["type"]), c["nullable"], c["comment"]]
                for c in inspector.get_columns("visits")
            ],
        ]

    @check(f"{DRIVER}: columns that masks may hide are nullable")
    def _():
        columns = sa.inspect(engine(DRIVER)).get_columns("people")
        return [[c["name"], c["nullable"]] for c in columns]

    @check(f"{DRIVER}: an option for one connection, and the pool's reset")
    def _():
        base, found = engine(DRIVER, pool_size=1), []
        for option in (
            {"postgresql_readonly": True},
            {"isolation_level": "SERIALIZABLE"},
            {"isolation_level": "AUTOCOMMIT"},
            {},
        ):
            with base.connect().execution_options(**option) as connection:
                found.append(connection.execute(sa.text("SELECT count(*) FROM people")).scalar())
        return found


@check("asyncpg: rows with an enum, from a pool")
def _():
    async def run():
        base = create_async_engine(URL.replace("postgresql:", "postgresql+asyncpg:"), pool_size=1)
        found = []
        for _ in range(3):
            async with base.connect() as connection:
                found += rows(
                    await connection.execute(sa.text("SELECT mood, tags FROM people ORDER BY seen"))
                )
        await base.dispose()
        return found

    return asyncio.run(run())

# covers: SQLAlchemy 1.4 (as Superset has it)
# needs: pypi sqlalchemy==1.4.54
# needs: pypi psycopg2-binary==2.9.13
import sqlalchemy as sa
from checks import URL, check, rows


@check("reflect a schema with an expression index")
def _():
    metadata = sa.MetaData()
    metadata.reflect(sa.create_engine(URL), views=True)
    return {
        name: [[c.name, str(c.type)] for c in table.columns]
        for name, table in sorted(metadata.tables.items())
        if name != "diary"
    }


@check("what Superset asks the inspector of a table")
def _():
    inspector = sa.inspect(sa.create_engine(URL))
    return [
        [(c["name"], str(c["type"])) for c in inspector.get_columns("people", "public")],
        inspector.get_indexes("towns", "public"),
        inspector.get_pk_constraint("towns", "public"),
        inspector.get_foreign_keys("visits", "public"),
        inspector.get_table_comment("towns", "public"),
        sorted(inspector.get_view_names("public")),
        inspector.get_schema_names(),
    ]


@check("the indexes of a table of persons can be listed")
def _():
    inspector = sa.inspect(sa.create_engine(URL))
    return len(inspector.get_indexes("people", "public")) >= 0


@check("a chart of Superset")
def _():
    with sa.create_engine(URL).connect() as connection:
        return rows(
            connection.execute(
                sa.text(
                    "SELECT DATE_TRUNC('month', seen) AS __timestamp, city AS city, count(*) AS \"COUNT(*)\", "
                    "AVG(height) AS \"AVG(height)\" FROM public.people WHERE seen >= '2024-03-01 00:00:00' "
                    "GROUP BY DATE_TRUNC('month', seen), city ORDER BY 1, 2 LIMIT 10000"
                )
            )
        )

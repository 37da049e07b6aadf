# covers: pandas
# needs: pypi pandas==3.1.1
# needs: pypi sqlalchemy==2.1.9
# needs: pypi psycopg2-binary==2.9.13
import pandas
import sqlalchemy as sa
from checks import URL, check, refused

ENGINE = sa.create_engine(URL.replace("postgresql:", "postgresql+psycopg2:"))


def cells(frame):
    return [list(frame.columns), frame.astype(str).values.tolist()]


@check("read_sql of a query")
def _():
    return cells(pandas.read_sql("SELECT city, born, height, is_member FROM people ORDER BY seen", ENGINE))


@check("read_sql_table of a table of persons")
def _():
    return cells(pandas.read_sql_table("people", ENGINE).sort_values("seen"))


@check("read_sql_table of an open table, with its key as index")
def _():
    return cells(pandas.read_sql_table("towns", ENGINE, index_col="town"))


@check("in portions")
def _():
    with ENGINE.connect().execution_options(stream_results=True) as connection:
        return [len(part) for part in pandas.read_sql("SELECT * FROM visits", connection, chunksize=120)]


@check("a group in pandas is a group in SQL")
def _():
    frame = pandas.read_sql("SELECT city, height FROM people", ENGINE)
    return frame.groupby("city").height.sum().to_dict()


@refused("to_sql writes", because="")
def _():
    pandas.DataFrame({"a": [1]}).to_sql("mine", ENGINE)

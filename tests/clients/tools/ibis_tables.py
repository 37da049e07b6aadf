# covers: Ibis
# needs: pypi ibis-framework[postgres]==12.0.0
# needs: pypi packaging==25.0
import os

import ibis
from checks import check, refused

BASE = ibis.postgres.connect(
    host="127.0.0.1", port=int(os.environ["PGPORT"]), user="analyst", password="any", database="demo"
)


@check("the list of tables")
def _():
    return sorted(set(BASE.list_tables()) - {"diary"})


@check("the schema of persons: what masks hide may be null")
def _():
    return str(BASE.table("people").schema())


@check("to_pyarrow")
def _():
    table = BASE.table("people")
    return table.drop("details").order_by("seen").to_pyarrow().to_pylist()


@check("a group and a join")
def _():
    people, towns = BASE.table("people"), BASE.table("towns")
    joined = people.join(towns, people.city == towns.town)
    found = joined.group_by("town").agg(n=joined.count(), tall=joined.height.max()).order_by("town")
    return found.to_pyarrow().to_pylist()


@refused("a local table in a query needs a temporary table", because="")
def _():
    BASE.table("towns").join(ibis.memtable({"town": ["Aber"]}), "town").to_pyarrow()

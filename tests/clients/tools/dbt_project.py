# covers: dbt-postgres
# needs: pypi dbt-core==1.10.15
# needs: pypi dbt-postgres==1.9.1
import os
import pathlib

from checks import check, refused
from dbt.cli.main import dbtRunner

ROOT = pathlib.Path.cwd()
FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0.0'\nprofile: shop\nmodel-paths: [models]\n"
    "flags: {send_anonymous_usage_stats: false, use_colors: false}\n",
    "profiles.yml": "shop: {target: dev, outputs: {dev: {type: postgres, host: 127.0.0.1, port: %s, user: analyst,"
    " password: any, dbname: demo, schema: public, threads: 2}}}\n" % os.environ["PGPORT"],
    "models/by_city.sql": "select city, count(*) as n, avg(height) as height from {{ source('raw', 'people') }} "
    "group by city order by city",
    "models/schema.yml": "version: 2\nsources: [{name: raw, schema: public, tables: [{name: people}, {name: visits, "
    "loaded_at_field: at, freshness: {warn_after: {count: 1, period: day}}},"
    " {name: towns, columns: [{name: town, data_tests: [unique, not_null]}]}]}]\n",
}
for name, text in FILES.items():
    (ROOT / name).parent.mkdir(exist_ok=True)
    (ROOT / name).write_text(text)


def dbt(*words):
    result = dbtRunner().invoke([*words, "--quiet", "--profiles-dir", str(ROOT), "--project-dir", str(ROOT)])
    if not result.success:
        messages = [each.message or str(each.status) for each in getattr(result.result, "results", [])]
        raise RuntimeError(f"{result.exception or messages}")
    return result.result


@check("debug")
def _():
    return bool(dbt("debug"))


@check("compile")
def _():
    return sorted(each.node.compiled_code for each in dbt("compile").results)


@check("show")
def _():
    return [
        [list(map(str, row)) for row in each.agate_table.rows]
        for each in dbt("show", "--select", "by_city").results
    ]


@check("tests of an open table")
def _():
    return [str(each.status) for each in dbt("test").results]


@check("docs generate")
def _():
    catalog = dbt("docs", "generate")
    return {name: sorted(table.columns) for name, table in catalog.sources.items()}


@refused("run creates relations", because="")
def _():
    dbt("run")

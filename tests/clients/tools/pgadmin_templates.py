# covers: pgAdmin 4
# needs: pypi jinja2==3.1.6
# needs: pypi psycopg[binary]==3.3.9
# needs: wheel pgadmin4==9.18
"""What pgAdmin sends, without a browser: the texts in its own connection class, and each SQL template of the
objects in its tree that can be rendered for this database and only reads."""

import ast
import collections
import importlib.util
import pathlib
import re

import jinja2
import psycopg
from checks import URL, check, put

ROOT = pathlib.Path(importlib.util.find_spec("pgadmin4").submodule_search_locations[0]) / "pgadmin"
CONNECTION = ROOT / "utils/driver/psycopg3/connection.py"
NODES = ROOT / "browser/server_groups/servers"
VERSION = re.compile(r"^(?:(\d+)_plus|default)$")
# Of other servers than PostgreSQL, and of pgAgent, whose tables are not here.
FOREIGN = (
    "ppas",
    "pgd_",
    "pgagent",
    "replica_nodes",
    "resource_groups",
    "directories",
    "dbms_job",
    "synonyms",
    "languages/sql/default/templates.sql",
)
# PostgreSQL itself denies these to a role without rights of its own.
DENIED = (
    "columns/stats.sql",
    "languages/acl.sql",
    "subscriptions/properties.sql",
    "tables/reset_stats.sql",
    "tablespaces/stats.sql",
)
# The server's own word that a template is not for it: wrong syntax, no such name, no such value.
NOT_FOR_IT = (
    "42601",
    "42P01",
    "42703",
    "42883",
    "42704",
    "22P02",
    "42P18",
    "42804",
    "42809",
    "3F000",
    "22023",
)


def connect():
    return psycopg.connect(URL, autocommit=True)


def texts_of(name):
    """The SQL in a method of the connection class; {} in it is the encoding."""
    for node in ast.walk(ast.parse(CONNECTION.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    if re.match(r"\s*(SELECT|SET|WITH)\b", each.value):
                        yield each.value.replace("{0}", "UTF8")


@check("connecting: the first statement")
def _():
    with connect() as connection:
        for text in texts_of("_initialize"):
            if text.lstrip().startswith("SET"):
                connection.execute(text)
        return connection.execute("SHOW bytea_output").fetchone()


@check("connecting: what it asks of the server and the user")
def _():
    with connect() as connection:
        found = []
        for method in ("_initialize", "_set_user_info"):
            for text in texts_of(method):
                if text.lstrip().startswith("SELECT"):
                    found.append([column.name for column in connection.execute(text).description])
        return found


def literal(value, *_, **__):
    return "'" + str(value).replace("'", "''") + "'"


def identifier(_, *names, **__):
    return ".".join('"' + str(name) + '"' for name in names)


def environment():
    loader = jinja2.ChoiceLoader(
        [jinja2.FileSystemLoader(path) for path in sorted(ROOT.rglob("templates")) if path.is_dir()]
    )
    made = jinja2.Environment(loader=loader, extensions=["jinja2.ext.do"])
    made.filters |= {
        "qtLiteral": literal,
        "qtIdent": identifier,
        "qtTypeIdent": identifier,
        "tojson": str,
        "hasAny": lambda data, *_: bool(data),
    }
    made.globals |= {"_": str, "gettext": str}
    return made


def objects():
    """What the templates' variables stand for."""
    with connect() as connection:

        def one(sql):
            return connection.execute(sql).fetchone()[0]

        table = one("SELECT 'public.towns'::regclass::oid")
        return {
            "did": one("SELECT oid FROM pg_database WHERE datname = 'demo'"),
            "scid": 2200,
            "tid": table,
            "clid": 1,
            "cid": one("SELECT oid FROM pg_constraint WHERE conname = 'visits_town_fkey'"),
            "idx": one("SELECT 'public.towns_pkey'::regclass::oid"),
            "vid": one("SELECT 'town_sizes'::regclass::oid"),
            "seid": one("SELECT 'visits_id_seq'::regclass::oid"),
            "conn": None,
            "show_system_objects": False,
            "show_sysobj": False,
            "schema_name": "public",
            "table_name": "towns",
            "parent_id": 2200,
            "data": {"name": "towns", "schema": "public"},
            "datlastsysoid": 0,
            "last_system_oid": 0,
            "database": "demo",
            "fnid": 0,
            "conid": 0,
            "rid": 0,
            "trid": 0,
            "tgid": 0,
        }


def templates():
    """→ of each kind of object the newest templates for version 15."""
    best = {}
    for path in NODES.rglob("*.sql"):
        found = VERSION.match(path.parent.name)
        if (
            not found
            or "/templates/" not in str(path)
            or any(word in str(path) for word in FOREIGN)
            or int(found[1] or 0) > 15
        ):
            continue
        if path.parent.parent.name == "macros":
            continue
        key = (path.parent.parent, path.name)
        if int(found[1] or 0) >= best.get(key, (-1, None))[0]:
            best[key] = (int(found[1] or 0), path)
    kinds = collections.defaultdict(list)
    for _, path in best.values():
        kind = str(path).split("/templates/")[1].split("/")[0]
        kinds[kind].append(path)
    return {kind: sorted(paths) for kind, paths in sorted(kinds.items())}


def rendered(made, path, context):
    """The text, where it only reads; None otherwise."""
    try:
        text = made.get_template(str(path).split("/templates/")[1]).render(context)
    except (jinja2.TemplateError, TypeError, AttributeError, KeyError, ValueError):
        return None
    text = re.sub(r"(?m)^\s*--.*$", "", text).strip().rstrip(";")
    return text if re.match(r"(?i)(SELECT|WITH)\b", text) and ";" not in text else None


MADE, CONTEXT = environment(), objects()
with connect() as BASE:
    for KIND, PATHS in templates().items():
        for PATH in PATHS:
            TEXT = rendered(MADE, PATH, CONTEXT)
            if not TEXT or f"{KIND}/{PATH.name}" in DENIED:
                continue
            NAME = f"template {KIND}/{PATH.name}"
            try:
                put(check=NAME, value=[column.name for column in BASE.execute(TEXT).description])
            except psycopg.Error as failure:
                if failure.sqlstate not in NOT_FOR_IT:
                    put(check=NAME, error=str(failure).splitlines()[0])

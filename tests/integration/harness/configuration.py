"""Writes pgveil's own files: the configuration, its secrets and the policies."""
import json
import os

from . import world
from .wire import scram_verifier

CONFIG = """\
listen: {{host: 127.0.0.1, port: {listen_port}, threads: 2}}
backend:
  host: 127.0.0.1
  port: {backend_port}
  databases: [{databases}]
  schemas: [{schemas}]
  connect_timeout: 5s
  catalog_check_every: {catalog_check_every}
  query_role: {{user: {query_user}{query_password}}}
  accept_excess: [{accept_excess}]{mask_views}
  admin_role: {{user: pgveil_admin, password_file: admin_password}}
auth: {{method: {authentication}{users}}}
admin: {{admin_users: [operator], stats_users: [watcher]}}
masks: {{form: {mask_form}, estimates: {estimates}, notices: {notices}}}
limits: {{{limits}}}
log: {{level: debug}}
policies: [policies/*.yaml]
jobs: [jobs/*.yaml]
open_tables: [{open_tables}]
state_dir: state
export_dir: exports
{more}"""

# The tests' query role may read every table of the schemas they make, so that nothing but the proxy protects
# them.
ACCEPT_EXCESS = ("temp", "select:public.*", "select:hr.*", "select:lab.*", "select:alt.*")

# masks.form of all tests that do not choose it themselves.
MASK_FORM = os.environ.get("PGVEIL_MASK_FORM", "cheapest")

# pool.mode of all tests that do not choose it themselves.
POOL_MODE = os.environ.get("PGVEIL_POOL_MODE", "none")


def write_secret(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def write(
    directory,
    *,
    listen_port,
    backend_port,
    database,
    open_tables,
    authentication,
    query_user="pgveil_query",
    query_password=None,
    passwords=None,
    schemas=("public",),
    limits="",
    catalog_check_every="1h",
    accept_excess=ACCEPT_EXCESS,
    mask_views=False,
    mask_form=None,
    estimates="large_tables",
    has_notices=False,
    more="",
):
    """→ the path of the configuration. passwords: of the client roles, for scram-sha-256. has_notices: readers
    are told what masks do; without it answers are compared with PostgreSQL's own. more: further sections."""
    if POOL_MODE != "none" and "pool:" not in more:
        more += f"pool: {{mode: {POOL_MODE}}}\n"
    (directory / "policies").mkdir()
    (directory / "exports").mkdir(mode=0o700)
    password = world.QUERY_PASSWORD if query_password is None else query_password
    if password:
        write_secret(directory / "query_password", password + "\n")
    write_secret(directory / "admin_password", world.ADMIN_PASSWORD + "\n")
    if passwords:
        write_secret(directory / "users.txt", "".join(
            f'"{role}" "{scram_verifier(secret)}"\n' for role, secret in passwords.items()))
    path = directory / "pgveil.yaml"
    path.write_text(
        CONFIG.format(
            listen_port=listen_port,
            backend_port=backend_port,
            databases=database,
            authentication=authentication,
            schemas=", ".join(schemas),
            query_user=query_user,
            mask_form=mask_form or MASK_FORM,
            estimates=estimates,
            notices="true" if has_notices else "false",
            limits=limits,
            more=more,
            catalog_check_every=catalog_check_every,
            query_password=", password_file: query_password" if password else "",
            users=", users_file: users.txt" if passwords else "",
            mask_views="\n  mask_views: true" if mask_views else "",
            accept_excess=", ".join(f'"{word}"' for word in accept_excess),
            open_tables=", ".join(table if table.startswith("{") else f'"{table}"' for table in open_tables),
        )
    )
    return path


def serve_arguments(config_path):
    return ["serve", "--config", str(config_path)]


def generalize(policy, source):
    """The column's levels, from fine to coarse."""
    levels = sorted(
        (level.step, name, level) for name, level in policy.levels.items() if level.source == source
    )
    texts = []
    for _, name, level in levels:
        value = f"[{', '.join(level.arguments)}]" if level.method == "bounds" else level.arguments[0]
        if level.method == "groups":
            value = json.dumps({label: list(values) for label, values in level.arguments}, ensure_ascii=False)
        texts.append(f"{{{level.method}: {value}"
                     + (f", origin: {level.arguments[1]}" if level.method == "width" else "")
                     + (f", column: {name}" if name != source else "")
                     + (f", show: {level.show}" if level.method not in ("prefix", "groups") else "") + "}")
    return f", generalize: [{', '.join(texts)}]" if texts else ""


def policies_yaml(policies, database):
    lines = ["version: 1", "policies:" if policies else "policies: []"]
    for policy in policies:
        lines += [f"  - name: {policy.name}", f"    database: {database}", f"    table: {policy.table}",
                  f"    k: {policy.k}"]
        if policy.strategy:
            lines.append(f"    strategy: {policy.strategy}")
        if policy.enforcement != "query":
            lines.append(f"    enforcement: {policy.enforcement}")
        if policy.unit:
            lines.append(f"    unit: {policy.unit}")
        if policy.priority:
            lines.append(f"    priority: [{', '.join(policy.priority)}]")
        lines.append(f"    readers: [{', '.join(policy.readers)}]")
        if policy.exempt:
            lines.append(f"    exempt_roles: [{', '.join(policy.exempt)}]")
        lines.append("    columns:")
        for name, kind in policy.columns.items():
            if name in policy.levels and policy.levels[name].source != name:
                continue
            weight = f", weight: {policy.weights[name]}" if name in policy.weights else ""
            constraints = "".join(f", {each.yaml()}" for each in policy.constraints if each.column == name)
            lines.append(f"      {name}: {{class: {kind}{constraints}{generalize(policy, name)}{weight}}}")
    return "\n".join(lines) + "\n"

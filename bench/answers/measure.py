"""The measurement of bench/answers/run.sh: measure.py --port=N. README.md says what is counted."""

import argparse
import collections
import io
import pathlib
import re
import subprocess
import time

import psycopg2
import psycopg2.extensions

from bench_clients import connected, listen_port
from intervals import print_table

CONFIG = pathlib.Path("pgveil.yaml").read_text()
LISTEN = listen_port()
SECONDS = 120
SCHEMAS = ("tpch", "tpcds", "films", "shop")
# A policy of answers.yaml, with its table.
POLICY = re.compile(r"(?ms)^  - name: .*?table: (\w+)\.(\w+)\n.*?(?=^  - name: |\Z)")


def fetched(cursor, sql):
    cursor.execute(sql)
    return cursor.fetchall()


class Proxy:
    """pgveil over all tables: those of answers.yaml by their policies, the others open."""

    def __init__(self, port):
        owner = connected(port, "postgres", "bench").cursor()
        tables = fetched(owner, f"SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN {SCHEMAS}")
        text = pathlib.Path("answers.yaml").read_text()
        policies = {
            match.groups(): match.group(0) for match in POLICY.finditer(text) if match.groups() in tables
        }
        pathlib.Path("answers.yaml").write_text("version: 1\npolicies:\n" + "".join(policies.values()))
        self.protected = list(policies)
        owner.execute("REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC")
        schemas = sorted({schema for schema, _ in tables})
        for schema in schemas:
            owner.execute(
                f"GRANT USAGE ON SCHEMA {schema} TO bench; "
                f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO bench"
            )
        opened = ", ".join(f"{schema}.{name}" for schema, name in tables if (schema, name) not in policies)
        pathlib.Path("pgveil.yaml").write_text(
            CONFIG.replace("level: warning", "level: error").replace(
                "databases: [bench]", f"databases: [bench]\n  schemas: [{', '.join(schemas)}]"
            )
            + f"open_tables: [{opened}]\n"
        )
        built = subprocess.run(
            ["./pgveil", "policy", "build", "--all", "--config", "pgveil.yaml"],
            capture_output=True,
            text=True,
        )
        if built.returncode != 0:
            raise SystemExit(built.stderr)
        self.process = subprocess.Popen(["./pgveil", "serve", "--config", "pgveil.yaml"])
        while True:
            try:
                self.connection = connected(LISTEN, "analyst", "bench")
                break
            except psycopg2.OperationalError:
                if self.process.poll() is not None:
                    raise SystemExit("pgveil serve ended") from None
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def masked_copy(port, proxy):
    """→ a connection to `masked`, in which the protected tables now hold what COPY through pgveil gives."""
    copy = connected(port, "postgres", "masked")
    for schema, name in proxy.protected:
        rows = io.BytesIO()
        proxy.connection.cursor().copy_expert(f"COPY {schema}.{name} TO STDOUT", rows)
        rows.seek(0)
        copy.cursor().execute(f"TRUNCATE {schema}.{name}")
        copy.cursor().copy_expert(f"COPY {schema}.{name} FROM STDIN", rows)
    copy.cursor().execute("ANALYZE")
    return copy


def queries():
    """(set, name, text, the search path) of every query."""
    for path in sorted(pathlib.Path("tpc").glob("*.[0-9]*.sql")):
        schema, number, _ = path.name.split(".")
        yield {"tpch": "TPC-H", "tpcds": "TPC-DS"}[schema], number, path.read_text().strip().rstrip(
            ";"
        ), schema
    for file in ("films_queries.sql", "shop_queries.sql"):
        tool, number = "", 0
        for part in re.split(r";\n\s*", pathlib.Path(file).read_text()):
            for heading in re.findall(r"(?m)^-- (.+)$", part):
                tool, number = heading, 0
            text = re.sub(r"(?m)^-- .*$", "", part).strip()
            if text:
                number += 1
                yield tool, str(number), text, file.split("_")[0]


def answer(connection, sql, path):
    """→ the rows, or the error of the server."""
    cursor = connection.cursor()
    cursor.execute(f"SET search_path TO {path}")
    cursor.execute(f"SET statement_timeout = '{SECONDS}s'")
    try:
        begin = time.perf_counter()
        return fetched(cursor, sql), time.perf_counter() - begin
    except psycopg2.Error as error:
        return error, time.perf_counter() - begin


def verdict(theirs, ours):
    """answered and equal, or how it was not. Rows that are equal in another order are equal: ties."""
    if isinstance(ours, psycopg2.Error):
        return "refused" if ours.pgcode == "42501" else "error"
    return (
        "equal"
        if collections.Counter(map(repr, ours)) == collections.Counter(map(repr, theirs))
        else "differs"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    counted, seconds, told = collections.defaultdict(collections.Counter), collections.Counter(), []
    with Proxy(port) as proxy:
        copy = masked_copy(port, proxy)
        for name, number, sql, path in queries():
            theirs, direct = answer(copy, sql, path)
            if isinstance(theirs, psycopg2.Error):
                told.append(f"{name} {number} is no query of PostgreSQL's: {str(theirs).splitlines()[0]}")
                continue
            ours, through = answer(proxy.connection, sql, path)
            found = verdict(theirs, ours)
            counted[name][found] += 1
            counted[name]["empty"] += found == "equal" and not theirs
            seconds[name, "copy"] += direct
            seconds[name, "pgveil"] += through
            if found != "equal":
                why = f"{len(ours)} rows, {len(theirs)} in the copy" if isinstance(ours, list) else ours
                told.append(f"{name} {number} {found}: {' '.join(str(why).split())[:300]}")
    report(counted, seconds)
    print("\n".join(["", *told]))


def report(counted, seconds):
    rows = [["set", "queries", "answered", "equal", "of these empty", "copy, s", "pgveil, s"]]
    for name, found in counted.items():
        total = sum(found[each] for each in ("equal", "differs", "refused", "error"))
        answered = found["equal"] + found["differs"]
        rows.append(
            [
                name,
                str(total),
                str(answered),
                str(found["equal"]),
                str(found["empty"]),
                f"{seconds[name, 'copy']:.1f}",
                f"{seconds[name, 'pgveil']:.1f}",
            ]
        )
    sums = [sum(int(row[column]) for row in rows[1:]) for column in range(1, 5)]
    rows.append(
        ["all", *map(str, sums), *(f"{sum(seconds[n, w] for n in counted):.1f}" for w in ("copy", "pgveil"))]
    )
    print_table(rows)
    print(
        f"\nanswered: {100 * sums[1] / sums[0]:.1f} %; equal to the masked copy: {100 * sums[2] / sums[0]:.1f} %"
    )


if __name__ == "__main__":
    main()

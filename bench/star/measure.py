"""The measurements of bench/star/run.sh. README.md says what they mean."""
import argparse
import os
import random
import statistics
import subprocess
import time

import psycopg2

import ask
import policies
from intervals import interval, print_table

SHOWN = ("clinic", "flat", "tpch")
LEAST_SECONDS = 0.0005  # shorter answers count as this long

# What a BUILD has to do at least: the persons' columns beside each of their rows, written once.
JOINS = {
    "clinic": [
        f"SELECT p.sex, p.city, p.birth_year, p.occupation, f.* FROM {facts} f JOIN public.persons p ON p.id = f.person_id"
        for facts in ("public.visits", "public.stays", "public.prescriptions",
                      f"({next(table.source for table in policies.CLINIC if table.source)})")
    ],
    "flat": [policies.FLAT[0].source],
}
BUILT = {"clinic": "persons", "flat": "visit_facts"}  # one policy of each group
# One row of a hundred, other ones each time.
CHANGES = {
    "clinic": """
      UPDATE public.persons SET occupation = 'clerk' WHERE hashtextextended(id::text, {0}) % 100 = 0;
      UPDATE public.visits SET day = day + 31 WHERE hashtextextended(id::text, {0}) % 100 = 0;
      UPDATE public.stays SET nights = nights + 1, ward = 'eyes' WHERE hashtextextended(id::text, {0}) % 100 = 0;
      UPDATE public.prescriptions SET day = day + 31 WHERE hashtextextended(id::text, {0}) % 100 = 0;""",
    "flat": """
      UPDATE public.persons SET city = 'Kiel' WHERE hashtextextended(id::text, {0}) % 100 = 0;
      UPDATE public.visits SET day = day + 31 WHERE hashtextextended(id::text, {0}) % 100 = 0;""",
}
SIZES = """SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relkind IN ('r', 'm') AND """


class Server:
    """The superuser's session, or a client's of pgveil."""
    def __init__(self, port, database, user="postgres"):
        connection = psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname=database)
        connection.autocommit = True
        self.cursor = connection.cursor()

    def seconds(self, sql):
        start = time.perf_counter()
        self.cursor.execute(sql)
        if self.cursor.description:
            self.cursor.fetchall()
        return max(time.perf_counter() - start, LEAST_SECONDS)

    def value(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchone()[0]


def geometric_mean(ratios):
    return statistics.geometric_mean(ratios)


# -- questions
def raw_server(port, database):
    """Finds the raw rows, with their levels filled in and with the indexes of the raw tables, under the
    published names. So nothing is computed there that a copy has ready."""
    server = Server(port, database)
    tables = policies.ALL[database]
    server.cursor.execute("DROP SCHEMA IF EXISTS raw CASCADE; CREATE SCHEMA raw")
    ask.show_truth(server.cursor, tables, "raw")
    for table in tables:
        columns = {*table.columns, *table.levels}
        if table.source:
            indexed = [(table.key,)] if "key" in table.columns[table.key] else []
        else:
            server.cursor.execute(
                "SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a ON a.attrelid = "
                "i.indrelid AND a.attnum = ANY (i.indkey::int2[]) WHERE i.indrelid = %s::regclass GROUP BY i.indexrelid",
                [f"public.{table.table or table.name}"])
            indexed = [tuple(row[0]) for row in server.cursor.fetchall()]
        for names in indexed:
            if columns.issuperset(names):
                server.cursor.execute(f"CREATE INDEX ON raw.{table.name} ({', '.join(names)})")
    server.cursor.execute("VACUUM (ANALYZE)")
    server.cursor.execute("SET search_path = raw, public")
    return server


def copies_server(port, database):
    server = Server(port, database)
    ask.show_copies(server.cursor, policies.ALL[database])
    return server


def measure_questions(options):
    sessions = {}
    for database in SHOWN:
        sessions[database] = (Server(options.pgveil, database, "bench"), raw_server(options.port, database),
                              copies_server(options.port, database))
    rows = [["question", "raw, ms", "copies, ms", "pgveil, ms", "pgveil ÷ raw", "pgveil ÷ copies"]]
    ratios, beside = {}, {}
    for question in ask.questions():
        pgveil, raw, copies = sessions[question.database]
        bare = question.without_schemas()
        runs = [(pgveil, question.sql), (raw, bare), (copies, bare)]
        try:
            pgveil.seconds(question.sql)
        except psycopg2.Error as refusal:
            rows.append([question.name, "", "", str(refusal).splitlines()[0], "", ""])
            continue
        for server, sql in runs[1:]:
            server.seconds(sql)
        times = []
        for pair in range(options.pairs):
            taken = {}
            for turn in range(3):
                which = (pair + turn) % 3
                server, sql = runs[which]
                taken[which] = server.seconds(sql)
            times.append(taken)
        median = lambda which: statistics.median(taken[which] for taken in times)
        ratios[question.name] = statistics.median(taken[0] / taken[1] for taken in times)
        beside[question.name] = statistics.median(taken[0] / taken[2] for taken in times)
        rows.append([question.name, *(f"{1000 * median(which):.2f}" for which in (1, 2, 0)),
                     f"{ratios[question.name]:.2f}", f"{beside[question.name]:.2f}"])
    print_table(rows)
    print()
    forty = [name for name in ratios if name.split("/")[0] in SHOWN]
    for label, names in (("the questions", forty), ("with the texts of tools", list(ratios))):
        if names:
            print(f"Geometric mean over {len(names)} ({label}): pgveil ÷ raw {geometric_mean(ratios[n] for n in names):.2f}, "
                  f"pgveil ÷ copies {geometric_mean(beside[n] for n in names):.2f}")
    print()


# -- builds
def build(policy, fresh=True):
    """→ seconds, and the most memory in MB."""
    start = time.perf_counter()
    with open("build.log", "wb") as log:
        process = subprocess.Popen(
            ["./pgveil", "policy", "build", policy, *(["--fresh"] if fresh else []), "--config", "pgveil.yaml"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        with open("build.log", encoding="utf-8") as log:
            raise RuntimeError(log.read())
    return seconds, used.ru_maxrss / 1024


def join(server, database):
    taken = sum(server.seconds(f"CREATE TEMP TABLE joined_{at} AS {select}")
                for at, select in enumerate(JOINS[database]))
    server.cursor.execute("DISCARD TEMP")
    return taken


def shown(ratios):
    middle, low, high = interval(ratios)
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def measure_builds(options):
    rows = [["database", "facts", "join, s", "BUILD, s", "BUILD ÷ join", "memory, MB", "raw, MB", "copies, MB"]]
    for database, policy in BUILT.items():
        server = Server(options.port, database)
        pairs, most = [], 0
        for pair in range(options.builds):
            taken = {}
            for which in ((0, 1), (1, 0))[pair % 2]:
                if which == 0:
                    taken[0] = join(server, database)
                else:
                    taken[1], memory = build(policy)
                    most = max(most, memory)
            pairs.append((taken[0], taken[1]))
        facts = sum(server.value(f"SELECT count(*) FROM {table.raw} r")
                    for table in policies.ALL[database] if not table.is_entity)
        copies = "', '".join(name.split('"')[1] for name in ask.copy_names(server.cursor, policies.ALL[database]).values())
        raw = server.value(SIZES + "relnamespace = 'public'::regnamespace")
        copied = server.value(f"{SIZES} relnamespace = 'pgveil'::regnamespace AND relname IN ('{copies}')")
        rows.append([database, f"{facts:,}", *(f"{statistics.median(pair[i] for pair in pairs):.2f}" for i in (0, 1)),
                     shown([b / a for a, b in pairs]), f"{most:.0f}", f"{raw / 2**20:.0f}", f"{copied / 2**20:.0f}"])
    print_table(rows)
    print()


def measure_rebuilds(options):
    """One row of a hundred is changed before each build, also before the fresh ones."""
    draw = random.Random(1)
    rows = [["database", "BUILD FRESH, s", "BUILD after 1 % changed, s", "ratio"]]
    for database, policy in BUILT.items():
        server = Server(options.port, database)
        pairs = []
        for pair in range(options.builds):
            taken = {}
            for fresh in ((True, False), (False, True))[pair % 2]:
                server.cursor.execute(CHANGES[database].format(draw.randrange(2**31)))
                taken[fresh] = build(policy, fresh)[0]
            pairs.append((taken[True], taken[False]))
        rows.append([database, *(f"{statistics.median(pair[i] for pair in pairs):.2f}" for i in (0, 1)),
                     shown([b / a for a, b in pairs])])
    print_table(rows)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pgveil", type=int, required=True)
    arguments.add_argument("--pairs", type=int, default=10)
    arguments.add_argument("--builds", type=int, default=5)
    arguments.add_argument("--only", choices=("questions", "build", "rebuild"))
    options = arguments.parse_args()
    parts = {"questions": measure_questions, "build": measure_builds, "rebuild": measure_rebuilds}
    for name, measure in parts.items():
        if options.only in (None, name):
            measure(options)


if __name__ == "__main__":
    main()

"""The measurements of bench/masks/run.sh: measure.py --port=N --pairs=N [--only=TEXT]. README.md says what
they mean."""
import argparse
import json
import subprocess
import statistics
import time

import psycopg2

from intervals import interval, print_table

FIVE = ["sex", "age", "race", "marital_status", "education"]
NINE = FIVE + ["native_country", "workclass", "occupation", "salary_class"]


def aggregate(table, columns):
    names = ", ".join(columns)
    return f"SELECT {names}, count(*) FROM {table} GROUP BY {names}"


def counts(table, columns):
    return f"SELECT {', '.join(f'count({name})' for name in columns)} FROM {table}"


# (name, table, statement, parallel query too)
STATEMENTS = [
    ("one column", "people5", aggregate("people5", ["education"]), True),
    ("three columns", "people5", aggregate("people5", ["education", "sex", "marital_status"]), True),
    ("all columns", "people5", aggregate("people5", FIVE), True),
    ("all columns, no groups", "people5", counts("people5", FIVE), True),
    ("row by its key", "people5", "SELECT education, sex FROM people5 WHERE id = 4711", False),
    ("rows by a masked column", "people5", "SELECT id, sex FROM people5 WHERE age = 76", False),
    ("one column", "people9", aggregate("people9", ["occupation"]), True),
    ("three columns", "people9", aggregate("people9", ["occupation", "sex", "marital_status"]), True),
    ("all columns", "people9", aggregate("people9", NINE), True),
    ("all columns, no groups", "people9", counts("people9", NINE), True),
    ("row by its key", "people9", "SELECT occupation, sex FROM people9 WHERE id = 4711", False),
    ("rows by a masked column", "people9", "SELECT id, sex FROM people9 WHERE age = 76", False),
]


# (name, table, statement with $1, its parameter), prepared: executed many times, planned once.
PREPARED = [
    ("row by its key", "people5", "SELECT education, sex FROM people5 WHERE id = $1", "4711"),
    ("rows by a masked column", "people5", "SELECT id, sex FROM people5 WHERE age = $1", "76"),
    ("a value that is never shown", "people5", "SELECT id, sex FROM people5 WHERE age = $1", "-1"),
    ("row by its key", "people9", "SELECT occupation, sex FROM people9 WHERE id = $1", "4711"),
    ("rows by a masked column", "people9", "SELECT id, sex FROM people9 WHERE age = $1", "76"),
]
WARM = 8  # PostgreSQL looks at five custom plans before it takes a generic one
EXECUTIONS = 50


def masked(statement):
    done = subprocess.run(
        ["./pgveil", "rewrite", "--config", "pgveil.yaml", "--role", "bench", "--full", statement],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip().removesuffix(";")


class Server:
    def __init__(self, port):
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user="bench", dbname="bench")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute("SET jit = off")

    def parallel(self, workers):
        self.cursor.execute("SET max_parallel_workers_per_gather = %s", [workers])

    def execute(self, statement):
        """Milliseconds that the server says it executed, and that it planned."""
        self.cursor.execute("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + statement)
        plan = self.cursor.fetchone()[0][0]
        return plan["Execution Time"], plan["Planning Time"]

    def prepared(self, name, statement, parameter):
        """→ a function that executes it: microseconds of one execution, the median of some."""
        self.cursor.execute(f"PREPARE {name} AS {statement}")
        explained = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE {name}({parameter})"

        def run(count=EXECUTIONS):
            times = []
            for _ in range(count):
                self.cursor.execute(explained)
                times.append(self.cursor.fetchone()[0][0]["Execution Time"] * 1000)
            return statistics.median(times)
        run(WARM)
        return run

    def parse(self, statement):
        """Milliseconds for PREPARE, which reads and resolves the text and does not plan it."""
        start = time.perf_counter()
        self.cursor.execute("PREPARE measured AS " + statement)
        taken = time.perf_counter() - start
        self.cursor.execute("DEALLOCATE measured")
        return taken * 1000


def compare(server, raw, text, pairs):
    """Interleaved pairs, each in the other order: execution, planning, parsing of both."""
    runs = {raw: [], text: []}
    for statement in (raw, text):
        server.execute(statement)
    for pair in range(pairs):
        for statement in ((raw, text), (text, raw))[pair % 2]:
            executed, planned = server.execute(statement)
            runs[statement].append((executed, planned, server.parse(statement)))
    return runs[raw], runs[text]


def row(name, table, raw, text, server, pairs, workers):
    server.parallel(workers)
    raws, ours = compare(server, raw, text, pairs)
    middle, low, high = interval([b[0] / a[0] for a, b in zip(raws, ours)])
    median = lambda runs, i: statistics.median(run[i] for run in runs)
    return [table, name, "on" if workers else "off", f"{len(text) / 1024:.1f}", f"{median(raws, 0):.3g}",
            f"{median(ours, 0):.3g}", f"{middle:.2f} ({low:.2f}–{high:.2f})",
            f"{median(ours, 1) - median(raws, 1):.2f}", f"{median(ours, 2) - median(raws, 2):.2f}"]


def prepared_row(name, table, raw, text, parameter, server, pairs):
    server.parallel(0)
    runs = server.prepared("raw", raw, parameter), server.prepared("ours", text, parameter)
    measured = []
    for pair in range(pairs):
        first = pair % 2
        times = {number: runs[number]() for number in (first, 1 - first)}
        measured.append((times[0], times[1]))
    server.cursor.execute("DEALLOCATE ALL")
    middle, low, high = interval([ours / raw for raw, ours in measured])
    median = lambda i: statistics.median(each[i] for each in measured)
    return [
        table,
        name,
        f"{len(text) / 1024:.1f}",
        f"{median(0):.0f}",
        f"{median(1):.0f}",
        f"{middle:.2f} ({low:.2f}–{high:.2f})",
    ]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pairs", type=int, required=True)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    server = Server(options.port)
    rows = [
        [
            "table",
            "statement",
            "parallel",
            "SQL, KB",
            "raw, ms",
            "masked, ms",
            "ratio (95 %)",
            "planning + ms",
            "parsing + ms",
        ]
    ]
    for name, table, raw, has_parallel in STATEMENTS:
        if options.only not in f"{table} {name}":
            continue
        text = masked(raw)
        for workers in (0, 2) if has_parallel else (0,):
            rows.append(row(name, table, raw, text, server, options.pairs, workers))
    print_table(rows)
    print()
    rows = [["table", "prepared statement", "SQL, KB", "raw, µs", "masked, µs", "ratio (95 %)"]]
    for name, table, raw, parameter in PREPARED:
        if options.only in f"{table} {name}":
            rows.append(prepared_row(name, table, raw, masked(raw), parameter, server, options.pairs))
    print_table(rows)


if __name__ == "__main__":
    main()

"""The measurements of bench/guards/run.sh: measure.py --port=N --rounds=N. README.md says what they mean."""
import argparse
import re
import statistics
import subprocess
import time

import psycopg2

from intervals import interval, print_table

STATEMENTS = [
    ("masked row by its key", "SELECT city, state, seen FROM people WHERE id = 17"),
    ("masked rows, all columns", "SELECT * FROM people WHERE id < 20"),
    ("open row by its key", "SELECT city, size FROM cities WHERE id = 17"),
    ("two open tables", "SELECT a.city, b.size FROM cities a JOIN cities b USING (id) WHERE a.id = 17"),
    ("open table in partitions", "SELECT count(*) FROM log WHERE day = '2024-05-05'"),
]
EXECUTIONS = 100  # in one batch
TYPES = re.compile(
    r" AND pgveil\.has_type\(\(\(?NULL::[^)]*\)\)?\.[^,]*, '\d+'::pg_catalog\.oid, '\d+'::pg_catalog\.oid\)"
)
SECURITY = re.compile(
    r" AND \(?pg_catalog\.row_security_active\('\d+'::pg_catalog\.oid\) OPERATOR\(pg_catalog\.=\) false\)?"
)
OPEN = re.compile(
    r"\(?CASE WHEN pgveil\.is_open\([^()]*\) THEN true ELSE \(?pg_catalog\.concat\('pgveil:open'\)\)?::pg_catalog\.int4 IS NULL END\)?"
)


def sent(statement):
    """What is sent for it, on one line."""
    done = subprocess.run(
        ["./pgveil", "rewrite", "--config", "pgveil.yaml", "--role", "bench", "--full", statement],
        check=True,
        capture_output=True,
        text=True,
    )
    return " ".join(done.stdout.split()).replace("( ", "(").replace(" )", ")").removesuffix(";")


def without(text):
    """The same statement without the conditions that are measured."""
    before = OPEN.sub("true", SECURITY.sub("", TYPES.sub("", text)))
    if before == text or "has_type" in before or "is_open" in before or "row_security" in before:
        raise SystemExit("the conditions are not where they were expected: " + text)
    return before


class Server:
    def __init__(self, port):
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user="bench", dbname="bench")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()

    def batch(self, statement):
        """Microseconds of one execution, in a batch."""
        start = time.perf_counter()
        for _ in range(EXECUTIONS):
            self.cursor.execute(statement)
            self.cursor.fetchall()
        return (time.perf_counter() - start) * 1e6 / EXECUTIONS

    def prepare(self, name, statement):
        self.cursor.execute(f"PREPARE {name} AS {statement}")
        return f"EXECUTE {name}"


def compare(server, before, after, rounds):
    """Batches that take turns, each round in the other order."""
    server.batch(before), server.batch(after)
    measured = []
    for each in range(rounds):
        order = (before, after) if each % 2 else (after, before)
        times = {statement: server.batch(statement) for statement in order}
        measured.append((times[before], times[after]))
    middle, low, high = interval([b / a for a, b in measured])
    return [
        f"{statistics.median(a for a, _ in measured):.1f}",
        f"{statistics.median(b for _, b in measured):.1f}",
        f"{middle:.3f} ({low:.3f}–{high:.3f})",
    ]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--rounds", type=int, required=True)
    options = arguments.parse_args()
    server = Server(options.port)
    rows = [["statement", "", "without, µs", "with, µs", "ratio (95 %)"]]
    for name, statement in STATEMENTS:
        after = sent(statement)
        before = without(after)
        rows.append([name, "planned each time", *compare(server, before, after, options.rounds)])
        kept = server.prepare("before", before), server.prepare("after", after)
        rows.append([name, "prepared", *compare(server, *kept, options.rounds)])
        server.cursor.execute("DEALLOCATE ALL")
    print_table(rows)


if __name__ == "__main__":
    main()

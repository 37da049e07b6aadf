"""The measurements of bench/plans/run.sh: through pgveil, and on the masked copy, in pairs. README.md says
what they mean."""
import argparse
import decimal
import pathlib
import random
import statistics
import subprocess
import time

import psycopg2

from intervals import print_table
from joins import COLUMNS, KEYS, Draw

LEAST_SECONDS = 0.001  # shorter executions count as this long
WORST = 15


class Server:
    """Reads `schema` before public: the masked copies are there."""
    def __init__(self, port, timeout, user="bench", schema=None):
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname="bench")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        if schema:
            self.cursor.execute(f"SET search_path = {schema}, public")
        self.cursor.execute(f"SET statement_timeout = '{timeout}s'")
        self.cursor.execute("SET plan_cache_mode = force_generic_plan")

    def run(self, statement, executions):
        """→ (seconds of the first answer, of the best later execution if there are any, rows). The last is
        None where the time is over, and seconds are the limit then."""
        start = time.perf_counter()
        try:
            self.cursor.execute(f"PREPARE q AS {statement}")
            self.cursor.execute("EXECUTE q")
            rows = self.cursor.fetchall()
            total, best = time.perf_counter() - start, []
            for _ in range(executions):
                start = time.perf_counter()
                self.cursor.execute("EXECUTE q")
                rows = self.cursor.fetchall()
                best.append(time.perf_counter() - start)
            return total, min(best, default=total), rows
        except psycopg2.errors.QueryCanceled:
            took = time.perf_counter() - start
            return took, took, None
        finally:
            self.cursor.execute("DEALLOCATE ALL")


def comparable(rows):
    return sorted(repr(tuple(float(cell) if isinstance(cell, decimal.Decimal) else cell for cell in row))
                  for row in rows)


def drawn(server, count, seed):
    values = {}
    for table in KEYS:
        for column in COLUMNS[table]:
            server.cursor.execute(
                f"SELECT {column}::text FROM {table} WHERE id % 7 = 0 AND {column} IS NOT NULL"
            )
            values[table, column] = sorted(value for value, in server.cursor.fetchall())
    draw = Draw(seed, values)
    return ((f"join {number}", draw.statement()) for number in range(count))


def of_files(folder):
    for file in sorted(pathlib.Path(folder).glob("q*.sql")):
        yield file.stem, file.read_text().strip().rstrip(";")


def measure(statements, masked, copy, executions, seed, log):
    """→ a list of (name, statement, seconds on the copy, masked, of the first answers)."""
    measured, skipped, wrong = [], 0, []
    order = random.Random(seed)
    for name, statement in statements:
        try:
            if copy.run(statement, 0)[2] is None:
                skipped += 1
                continue
            if order.random() < 0.5:
                theirs = copy.run(statement, executions)
                mine = masked.run(statement, executions)
            else:
                mine = masked.run(statement, executions)
                theirs = copy.run(statement, executions)
        except psycopg2.Error as error:
            print(f"{name} failed: {error}".strip(), file=log, flush=True)
            wrong.append(name)
            continue
        if theirs[2] is None:
            skipped += 1
            continue
        # LIMIT of TPC-DS may cut between rows that its ORDER BY does not tell apart.
        is_certain = mine[2] is not None and (name.startswith("join") or " LIMIT " not in statement.upper())
        if is_certain and comparable(mine[2]) != comparable(theirs[2]):
            wrong.append(name)
        measured.append((name, statement, theirs[1], mine[1], theirs[0], mine[0]))
        seconds = (f"{each:.5f}" for each in (theirs[1], mine[1], theirs[0], mine[0]))
        print(name, *seconds, " ".join(statement.split())[:2000], sep="\t", file=log, flush=True)
    return measured, skipped, wrong


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def ratio(masked, copy):
    return max(masked, LEAST_SECONDS) / max(copy, LEAST_SECONDS)


def report(measured, skipped, wrong):
    executions = [ratio(mine, theirs) for _, _, theirs, mine, _, _ in measured]
    firsts = [ratio(mine, theirs) for _, _, _, _, theirs, mine in measured]
    print_table([
        ["masked / copy", "median", "90 %", "95 %", "99 %", "most", "above 2", "above 10"],
        *([words, *(f"{percentile(those, p):.2f}" for p in (50, 90, 95, 99)), f"{max(those):.1f}",
           str(sum(r > 2 for r in those)), str(sum(r > 10 for r in those))]
          for words, those in (("execution", executions), ("first answer", firsts))),
    ])
    print(f"\n{len(measured)} statements; seconds of all executions: copy {sum(m[2] for m in measured):.1f}, "
          f"masked {sum(m[3] for m in measured):.1f}; {skipped} took too long on the copy; "
          f"{len(wrong)} failed or gave other rows{': ' + ', '.join(wrong[:10]) if wrong else ''}\n")
    worst = sorted(measured, key=lambda m: ratio(m[3], m[2]), reverse=True)[:WORST]
    print_table([["statement", "copy, ms", "masked, ms", "ratio"],
                 *([f"`{' '.join(statement.split())[:300]}`" if name.startswith("join") else name,
                    f"{theirs * 1000:.1f}", f"{mine * 1000:.1f}", f"{ratio(mine, theirs):.1f}"]
                   for name, statement, theirs, mine, _, _ in worst)])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pgveil", type=int, required=True)
    arguments.add_argument("--queries", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--files", help="a folder of statements, instead of drawn ones")
    arguments.add_argument("--executions", type=int, default=2)
    arguments.add_argument("--timeout", type=int, default=10, help="seconds; of the copy a tenth")
    arguments.add_argument("--log", default="plans.tsv")
    options = arguments.parse_args()
    masked = Server(options.pgveil, options.timeout)
    copy = Server(options.port, max(options.timeout // 10, 1), "postgres", "copy")
    raw = Server(options.port, options.timeout, "postgres")
    statements = of_files(options.files) if options.files else drawn(raw, options.queries, options.seed)
    with open(options.log, "w", encoding="utf-8") as log:
        report(*measure(statements, masked, copy, options.executions, options.seed, log))


if __name__ == "__main__":
    main()

"""The measurements of bench/analytics/run.sh, for one set of statements and one way of masking: appends a
line for each statement of each pair to analytics.tsv. README.md says what they mean."""

import argparse
import decimal
import pathlib
import re
import time

import psycopg2

SCHEMAS = {"tpch": "tpch", "hits": "web"}


class Server:
    def __init__(self, port, user, schema, timeout):
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname="bench")
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.cursor.execute(f"SET search_path = {schema}, public")
        self.cursor.execute(f"SET statement_timeout = '{timeout}s'")

    def run(self, statement):
        """→ (seconds, rows, what went wrong or nothing)"""
        start = time.perf_counter()
        try:
            self.cursor.execute(statement)
            rows, wrong = self.cursor.fetchall(), ""
        except psycopg2.errors.QueryCanceled:
            rows, wrong = None, "out of time"
        except psycopg2.Error as error:
            rows, wrong = None, "refused: " + " ".join(str(error).split("\n")[0].split())
        return time.perf_counter() - start, rows, wrong


def comparable(rows):
    return sorted(
        repr(tuple(float(cell) if isinstance(cell, decimal.Decimal) else cell for cell in row))
        for row in rows
    )


def statements(name):
    if name == "tpch":
        for file in sorted(pathlib.Path("tpc").glob("tpch.*.sql")):
            yield f"Q{int(file.name.split('.')[1])}", file.read_text().strip().rstrip(";")
        return
    text = re.sub(r"(?m)^--.*\n", "", pathlib.Path("hits_queries.sql").read_text())
    for number, statement in enumerate(filter(str.strip, re.split(r";\s*\n", text)), 1):
        yield f"{number}", statement.strip().rstrip(";")


def identifiers():
    """The columns that are NULL in every row behind pgveil."""
    texts = (file.read_text() for file in pathlib.Path().glob("*.yaml"))
    return re.compile(
        r"\b(%s)\b" % "|".join(re.findall(r"(?m)^ +(\w+): +{class: identifier}", "\n".join(texts)))
    )


def main():
    arguments = argparse.ArgumentParser()
    for name in ("port", "pgveil", "pairs", "timeout"):
        arguments.add_argument(f"--{name}", type=int, required=True)
    arguments.add_argument("--set", choices=SCHEMAS, required=True)
    arguments.add_argument("--enforcement", required=True)
    options = arguments.parse_args()
    raw = Server(options.port, "postgres", SCHEMAS[options.set], options.timeout)
    masked = Server(options.pgveil, "bench", SCHEMAS[options.set], options.timeout)
    hidden = identifiers()
    with open("analytics.tsv", "a", encoding="utf-8") as out:
        for name, statement in statements(options.set):
            # Unmeasured: both have then planned it once, and its tables are in memory.
            _, expected, failed = raw.run(statement)
            _, rows, wrong = masked.run(statement)
            if failed:
                raise SystemExit(f"{options.set} {name} on the raw tables: {failed}")
            same = "" if wrong else "same" if comparable(rows) == comparable(expected) else "other"
            for pair in range(options.pairs if not wrong.startswith("refused") else 1):
                taken = {}
                for server in ((raw, masked), (masked, raw))[pair % 2]:
                    taken[server], _, said = server.run(statement)
                    wrong = said if server is masked else wrong
                    if server is raw and said:
                        raise SystemExit(f"{options.set} {name} on the raw tables: {said}")
                print(
                    options.set,
                    options.enforcement,
                    name,
                    pair,
                    f"{taken[raw]:.6f}",
                    f"{taken[masked]:.6f}",
                    same,
                    "identifier" if hidden.search(statement) else "",
                    wrong,
                    sep="\t",
                    file=out,
                    flush=True,
                )


if __name__ == "__main__":
    main()

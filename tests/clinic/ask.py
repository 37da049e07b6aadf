#!/usr/bin/python3
"""Asks the questions of the folder questions/ three times: through pgveil; on the server itself, with the
masked copies under the published names; and on the raw rows, with their levels filled in. Checks that pgveil
answers what the copies answer, and prints how wrong that is, as a table in Markdown.

The error of a question is, for each number that it asks for, the sum of absolute differences over all groups
divided by the sum of the true numbers; then the mean over its numbers. Hidden values make a group of their
own, which the truth does not have.

  ask.py --host=H --port=SERVER --pgveil=PORT --clinic=DATABASE --flat=DATABASE --tpch=DATABASE
         [--reader=ROLE] [--admin=ROLE] [--only=TEXT]

Without --pgveil only the copies are compared with the truth."""
import argparse
import collections
import dataclasses
import decimal
import numbers
import pathlib
import re

import psycopg2

import policies

FOLDER = pathlib.Path(__file__).resolve().parent / "questions"
COPY = """SELECT relname FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace AND relkind = 'r'
  AND obj_description(oid, 'pg_class') = 'pgveil: masked rows of policy ' || %s
  ORDER BY length(relname) DESC, relname COLLATE "C" DESC LIMIT 1"""
COLUMNS = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"""


@dataclasses.dataclass(frozen=True)
class Question:
    name: str      # folder/file
    database: str  # clinic, flat or tpch
    keys: int      # so many columns tell groups apart, the others are numbers
    asks: str
    sql: str

    def without_schemas(self):
        """The same text for a session that finds copies or raw rows under the bare names."""
        names = "|".join(table.name for table in policies.ALL[self.database])
        return re.sub(rf'(?<![\w".])("?)(public|pgveil)\1\.(?="?({names})\b)', "", self.sql)


def questions(only=""):
    found = []
    for path in sorted(FOLDER.glob("*/*.sql")):
        name = f"{path.parent.name}/{path.stem}"
        if only not in name:
            continue
        asks, where, sql = path.read_text().split("\n", 2)
        database, keys = re.fullmatch(r"-- database: (\w+), keys: (\d)", where).groups()
        found.append(Question(name, database, int(keys), asks.removeprefix("-- "), sql))
    return found


# -- sessions that find other rows under the published names
def connect(**words):
    connection = psycopg2.connect(**words)
    connection.autocommit = True
    return connection


def copy_names(cursor, tables):
    """The newest copy of each policy."""
    found = {}
    for table in tables:
        cursor.execute(COPY, [table.name])
        row = cursor.fetchone()
        if row is None:
            raise LookupError(f"there is no masked copy of policy {table.name}")
        found[table.name] = f'pgveil."{row[0]}"'
    return found


def show_truth(cursor, tables, schema="pg_temp"):
    """Tables of the raw rows, with their levels, under the published names."""
    for table in tables:
        cursor.execute(f"CREATE TABLE {schema}.{table.name} AS {table.truth()}; ANALYZE {schema}.{table.name}")


def show_copies(cursor, tables):
    """Views of the newest copies, under the published names. A copy may lack columns that are always NULL."""
    names = copy_names(cursor, tables)
    for table in tables:
        cursor.execute(f"CREATE TEMP TABLE shape_{table.name} AS {table.truth()} WITH NO DATA")
        cursor.execute(COLUMNS, [names[table.name]])
        copied = {name for name, _ in cursor.fetchall()}
        cursor.execute(COLUMNS, [f"pg_temp.shape_{table.name}"])
        columns = ", ".join(name if name in copied else f"NULL::{kind} AS {name}" for name, kind in cursor.fetchall())
        cursor.execute(f"CREATE TEMP VIEW {table.name} AS SELECT {columns} FROM {names[table.name]}")


# -- answers
def rows_of(cursor, sql):
    cursor.execute(sql)
    return cursor.fetchall()


def same(ours, theirs):
    """In any order: most questions leave the order of ties open."""
    return collections.Counter(map(repr, ours)) == collections.Counter(map(repr, theirs))


def error(answer, truth, keys):
    """None where the truth is nothing at all."""
    width = len((truth or answer or [()])[0])
    shares = []
    for column in range(keys, width):
        groups = [collections.Counter(), collections.Counter()]
        for counted, rows in zip(groups, (answer, truth)):
            for row in rows:
                value = row[column]
                if isinstance(value, (numbers.Number, decimal.Decimal)):
                    counted[row[:keys]] += float(value)
        whole = sum(map(abs, groups[1].values()))
        if whole:
            wrong = sum(abs(groups[0][key] - groups[1][key]) for key in {*groups[0], *groups[1]})
            shares.append(wrong / whole)
    return sum(shares) / len(shares) if shares else None


@dataclasses.dataclass
class Answer:
    question: Question
    error: float
    groups: int
    refused: str = ""     # what pgveil said
    is_copys: bool = None  # pgveil's answer is the copy's; None: it was not asked


def ask(question, pgveil, copies, truth):
    """pgveil, copies, truth: cursors; pgveil may be None."""
    bare = question.without_schemas()
    copied, true = rows_of(copies, bare), rows_of(truth, bare)
    answer = Answer(question, error(copied, true, question.keys), len(true))
    if pgveil is None:
        return answer
    try:
        answer.is_copys = same(rows_of(pgveil, question.sql), copied)
    except psycopg2.Error as refusal:
        answer.refused = f"{refusal.pgcode}: {(refusal.pgerror or str(refusal)).strip().splitlines()[0]}"
    return answer


def ask_all(asked, sessions):
    """sessions: of each database, cursors for pgveil, copies and truth."""
    return [ask(each, *sessions[each.database]) for each in asked if each.database in sessions]


def table(answers):
    """In Markdown."""
    lines = ["| question | what it asks | groups | error | answer |", "| --- | --- | --- | --- | --- |"]
    for each in answers:
        wrong = "" if each.error is None else f"{100 * each.error:.1f} %"
        said = each.refused or {None: "", True: "the copy's", False: "NOT THE COPY'S"}[each.is_copys]
        lines.append(f"| {each.question.name} | {each.question.asks} | {each.groups} | {wrong} | {said} |")
    return "\n".join(lines)


def summary(answers):
    refused = sum(bool(each.refused) for each in answers)
    other = sum(each.is_copys is False for each in answers)
    return f"{len(answers)} questions, {refused} refused, {other} answered otherwise than the copies"


def open_sessions(what, database, options):
    """→ three cursors."""
    words = {"host": options.host, "dbname": database}
    tables = policies.ALL[what]
    copies, truth = (connect(port=options.port, user=options.admin, **words).cursor() for _ in range(2))
    show_copies(copies, tables)
    show_truth(truth, tables)
    pgveil = connect(port=options.pgveil, user=options.reader, **words).cursor() if options.pgveil else None
    return pgveil, copies, truth


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--host", default="127.0.0.1")
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pgveil", type=int)
    for what in policies.ALL:
        arguments.add_argument(f"--{what}")
    arguments.add_argument("--reader", default="analyst")
    arguments.add_argument("--admin", default="postgres")
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    sessions = {what: open_sessions(what, getattr(options, what), options)
                for what in policies.ALL if getattr(options, what)}
    answers = ask_all(questions(options.only), sessions)
    print(table(answers))
    print()
    print(summary(answers))
    raise SystemExit(any(each.refused or each.is_copys is False for each in answers))


if __name__ == "__main__":
    main()

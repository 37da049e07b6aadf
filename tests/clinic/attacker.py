#!/usr/bin/python3
"""Counts how many persons share what a reader can see of them in tables that pseudonyms join. It shares
nothing with pgveil: it reads the published tables as a reader, keeps them in a database of its own, and joins
them there.

- paths: the tables are joined by their keys in every way: alone, in pairs, triples, … all of them, and each
  of them once or twice (the entity's table once, where a row is a person). Of each joined row the visible
  quasi-identifiers are one combination (NULL, which stands for hidden, is a value). Combinations of fewer
  columns can only be shared by more persons.
- profiles: what a person's pseudonym collects, the own row and the set of visible combinations in each table.
- rows without keys: nobody outside can tell their persons. Where a policy of a test publishes the rows' own
  numbers, the raw tables tell whose rows they are, and each visible combination is counted in persons.

A finding is a combination with fewer than k persons.

  attacker.py clinic --host=H --port=N --database=D --reader=ROLE --k=5 --scratch='dbname=… …' [--truth='…']"""
import argparse
import dataclasses
import io
import itertools

import psycopg2

import policies

# Rows of one path. Where k persons share what is shown, there are never so many.
MOST_JOINED = 20_000_000


@dataclasses.dataclass
class Finding:
    where: str
    persons: int   # fewer than k
    how_many: int  # combinations that so few persons have
    example: str

    def __str__(self):
        return f"{self.where}: {self.how_many} combinations with {self.persons} persons and more, below k: {self.example}"


class Attacker:
    """reader: a connection that sees what readers see; scratch: one that may make temporary tables; truth: one
    that sees the raw tables, or None. names: what `FROM` says for a published table, if not its name."""

    def __init__(self, tables, k, reader, scratch, truth=None, names=None):
        self.tables, self.k, self.names = tables, k, names or {}
        self._reader, self._truth = reader, truth
        self._scratch = scratch.cursor()
        self.joined = 0     # paths that were counted
        self.too_long = []  # paths with too many rows to be joined
        self.linked = {}    # rows with a key, and without one, per table
        for table in tables:
            self._load(table)

    # -- reading
    def _copy(self, connection, query, to):
        data = io.StringIO()
        with connection.cursor() as cursor:
            cursor.copy_expert(f"COPY ({query}) TO STDOUT", data)
        data.seek(0)
        self._scratch.copy_expert(f"COPY {to} FROM STDIN", data)

    def _load(self, table):
        """seen_NAME: the rows; has_NAME: the distinct combinations of each pseudonym, numbered."""
        run, name = self._scratch.execute, table.name
        run(f"DROP TABLE IF EXISTS seen_{name}, has_{name}, look_{name}, whose_{name}")
        columns = [*table.quasi, *([table.raw_id] if self._has_rows_numbers(table) else [])]
        run(f"CREATE TEMP TABLE seen_{name} (key text, {', '.join(column + ' text' for column in columns)})")
        self._copy(self._reader, f"SELECT {table.key}, {', '.join(columns)} FROM {self.names.get(name, name)}",
                   f"seen_{name}")
        looks = ", ".join(table.quasi)
        run(f"CREATE TEMP TABLE look_{name} AS SELECT row_number() OVER () AS look, * "
            f"FROM (SELECT DISTINCT {looks} FROM seen_{name}) AS t")
        same = " AND ".join(f"s.{column} IS NOT DISTINCT FROM l.{column}" for column in table.quasi)
        # A join by IS NOT DISTINCT FROM would compare all pairs; whole rows as texts can be hashed.
        run(f"CREATE TEMP TABLE has_{name} AS SELECT DISTINCT s.key, l.look FROM "
            f"(SELECT *, row({looks})::text AS whole FROM seen_{name} WHERE key IS NOT NULL) AS s "
            f"JOIN (SELECT *, row({looks})::text AS whole FROM look_{name}) AS l ON s.whole = l.whole AND {same}")
        run(f"CREATE INDEX ON has_{name} (key)")
        run(f"ANALYZE has_{name}")
        run(f"SELECT count(key), count(*) - count(key) FROM seen_{name}")
        self.linked[name] = self._scratch.fetchone()

    def _has_rows_numbers(self, table):
        return bool(table.raw_id) and table.columns[table.raw_id] == "{class: insensitive}"

    # -- counting
    def findings(self):
        found = self.of_entity() + self.of_profiles() + self.of_paths()
        return found + (self.of_rows_without_keys() if self._truth else [])

    def _finding(self, where, counted, look):
        """counted: a query of combinations and how many persons have them, in columns `look` and persons."""
        self._scratch.execute(
            f"SELECT min(persons), count(*), min({look}) FILTER (WHERE persons = least) FROM "
            f"(SELECT *, min(persons) OVER () AS least FROM ({counted}) AS c WHERE persons < {self.k}) AS few")
        persons, how_many, example = self._scratch.fetchone()
        return [Finding(where, persons, how_many, example)] if how_many else []

    def of_entity(self):
        """Each person has one row in the entity's table, and every key of another table is there."""
        found = []
        entity = self.tables[0].name
        self._scratch.execute(f"SELECT count(*) - count(DISTINCT key) FROM seen_{entity}")
        if twice := self._scratch.fetchone()[0]:
            found.append(Finding(f"{entity}: rows without a key of their own", 0, twice, ""))
        for table in self.tables[1:]:
            self._scratch.execute(f"SELECT count(*), min(key) FROM seen_{table.name} s WHERE key IS NOT NULL "
                                  f"AND NOT EXISTS (SELECT FROM seen_{entity} e WHERE e.key = s.key)")
            strangers, example = self._scratch.fetchone()
            if strangers:
                found.append(Finding(f"{table.name}: keys of nobody", 0, strangers, example))
        return found

    def of_profiles(self):
        sets = [f"(SELECT array_agg(look ORDER BY look)::text FROM has_{table.name} h WHERE h.key = e.key)"
                for table in self.tables[1:]]
        profile = " || ' / ' || ".join(["e.look::text", *(f"coalesce({each}, '-')" for each in sets)])
        return self._finding(
            "profiles", f"SELECT {profile} AS profile, count(DISTINCT e.key) AS persons FROM "
            f"has_{self.tables[0].name} e GROUP BY 1", "profile")

    def paths(self):
        """How often each table is on the path, from short to long."""
        times = itertools.product((0, 1), *[(0, 1, 2)] * (len(self.tables) - 1))
        return sorted((each for each in times if sum(each)), key=lambda each: (sum(each), each))

    def of_paths(self):
        found = []
        for path in self.paths():
            on_path = [table.name for table, times in zip(self.tables, path) for _ in range(times)]
            label = " ⋈ ".join(on_path)
            if self._rows(path) > MOST_JOINED:
                self.too_long.append(label)
                continue
            aliases = [f"t{number}" for number in range(len(on_path))]
            joins = f"has_{on_path[0]} t0" + "".join(
                f" JOIN has_{name} {alias} USING (key)" for name, alias in zip(on_path[1:], aliases[1:]))
            # Of two rows of one table each pair is looked at once.
            order = [f"{a}.look <= {b}.look" for a, b, name, following in zip(
                aliases, aliases[1:], on_path, on_path[1:]) if name == following]
            looks = " || ' ' || ".join(f"{alias}.look::text" for alias in aliases)
            where = f" WHERE {' AND '.join(order)}" if order else ""
            found += self._finding(label, f"SELECT {looks} AS looks, count(DISTINCT key) AS persons FROM {joins}{where} "
                                   "GROUP BY 1", "looks")
            self.joined += 1
        return found

    def _rows(self, path):
        counts = [(f"(SELECT key, count(*) AS n FROM has_{table.name} GROUP BY 1) c{at}", f"c{at}", times)
                  for at, (table, times) in enumerate(zip(self.tables, path)) if times]
        joins = counts[0][0] + "".join(f" JOIN {query} USING (key)" for query, _, _ in counts[1:])
        product = " * ".join(f"{alias}.n::float8" if times == 1 else f"({alias}.n * ({alias}.n + 1) / 2)::float8"
                             for _, alias, times in counts)
        self._scratch.execute(f"SELECT coalesce(sum({product}), 0) FROM {joins}")
        return self._scratch.fetchone()[0]

    def of_rows_without_keys(self):
        found = []
        for table in self.tables:
            if not self._has_rows_numbers(table):
                continue
            name = table.name
            self._scratch.execute(f"CREATE TEMP TABLE whose_{name} (id text, person text)")
            self._copy(self._truth, f"SELECT {table.raw_id}, {table.key} FROM {table.raw} AS r", f"whose_{name}")
            looks = ", ".join(f"s.{column}" for column in table.quasi)
            found += self._finding(
                f"{name}, rows without a key", f"SELECT row({looks})::text AS looks, count(DISTINCT w.person) AS persons "
                f"FROM seen_{name} s JOIN whose_{name} w ON w.id = s.{table.raw_id} WHERE s.key IS NULL GROUP BY 1", "looks")
        return found


def connect(words):
    connection = psycopg2.connect(words)
    connection.autocommit = True
    return connection


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=("clinic", "tpch"))
    arguments.add_argument("--host", default="127.0.0.1")
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--database", required=True)
    arguments.add_argument("--reader", default="analyst")
    arguments.add_argument("--k", type=int, default=5)
    arguments.add_argument("--scratch", required=True, help="where temporary tables can be made")
    arguments.add_argument("--truth", help="where the raw tables are; needs a policy with the rows' numbers")
    options = arguments.parse_args()
    tables = policies.ALL[options.what]
    attacker = Attacker(
        policies.with_row_ids(tables) if options.truth else tables, options.k,
        connect(f"host={options.host} port={options.port} dbname={options.database} user={options.reader}"),
        connect(options.scratch), connect(options.truth) if options.truth else None)
    findings = attacker.findings()
    for finding in findings:
        print(finding)
    for path in attacker.too_long:
        print(f"{path}: too many rows to join")
    print(f"{attacker.joined} paths, {len(findings)} findings")
    raise SystemExit(1 if findings or attacker.too_long else 0)


if __name__ == "__main__":
    main()

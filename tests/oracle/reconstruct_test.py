#!/usr/bin/python3
"""The reader of the attack model who wants what the tree hides: has one masked GROUP BY, knows the columns'
values and how trees are made, and computes what follows (reconstruct.py). Held against the truth, against all
tables that answer alike, and against the figures that pgveil prints."""
import collections
import csv
import itertools
import json
import os
import pathlib
import random
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "integration")]
import naive  # noqa: E402
import reconstruct  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.runner import Case, main, shared_folder  # noqa: E402
from harness.server import ServerCase  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
DATASETS = os.environ.get("PGVEIL_DATASETS") or shared_folder("datasets")
STRATEGIES = ("greedy", "thorough")


def width(size):
    def level(text):
        low = int(text) // size * size
        return f"[{low},{low + size})"
    return level


def classes_of(rules, chain, table):
    """What a class shows → its rows as they are."""
    classes = collections.defaultdict(list)
    for row in table:
        classes[reconstruct.shown(rules, reconstruct.walk(chain, row)[1], row)].append(row)
    return classes


def computed(rules, domains, answer, chain):
    """Under greedy the reader rebuilds the splits; under thorough they are given: more than any reader
    has."""
    if rules.strategy == "greedy":
        chain = reconstruct.rebuild_greedy(rules, answer)
    return reconstruct.Attack(rules, domains, answer, chain).certain()


def is_blank(shows):
    return all(value is None for value in shows)


class Tally:
    """Hidden cells of one table that a reader computes."""

    def __init__(self, classes, certain):
        self.cells = sum(len(rows) * len(shows) for shows, rows in classes.items())
        self.shown = sum(
            len(rows) * sum(value is not None for value in shows) for shows, rows in classes.items()
        )
        self.right = self.wrong = self.in_blank = 0
        for (shows, attribute), value in certain.items():
            hits = sum(row[attribute] == value for row in classes[shows])
            known = sum(row[attribute] is not None for row in classes[shows])
            self.right += hits
            self.wrong += known - hits
            self.in_blank += hits if is_blank(shows) else 0

    def per_cent_of_hidden(self):
        return 100 * self.right / (self.cells - self.shown)


class AllTables(Case):
    """Every table of a few rows, grouped by what it answers: what all of a group agree on is certain, and
    nothing else."""

    def study(self, rules, domains, size):
        rows = [reconstruct.with_levels(rules, exact) for exact in itertools.product(*domains.values())]
        alike = collections.defaultdict(list)
        for table in itertools.combinations_with_replacement(rows, size):
            chain = reconstruct.Grower(rules, table).run()
            classes = classes_of(rules, chain, table)
            alike[frozenset((shows, len(members)) for shows, members in classes.items())].append(
                (chain, classes)
            )
        certain = collections.Counter()
        for group in alike.values():
            answer = collections.Counter({shows: len(members) for shows, members in group[0][1].items()})
            agreed = self.agreed(rules, answer, group)
            for chain, classes in group:
                found = computed(rules, domains, answer, chain)
                self.assertEqual(Tally(classes, found).wrong, 0)
                if rules.strategy == "greedy":
                    self.assertEqual(reconstruct.rebuild_greedy(rules, answer), chain)
                    self.assertEqual(found, agreed)
                for shows, _ in agreed:
                    certain[is_blank(shows)] += answer[shows]
        return certain

    @staticmethod
    def agreed(rules, answer, group):
        values = collections.defaultdict(set)
        for _, classes in group:
            for shows, members in classes.items():
                for attribute in range(len(rules.attributes)):
                    if shows[attribute] is None:
                        values[shows, attribute].update(row[attribute] for row in members)
        return {cell: one for cell, (one, *others) in values.items() if not others}

    def test_greedy_tells_what_follows_and_thorough_only_in_the_class_that_shows_nothing(self):
        two_three = {0: ("a", "b"), 1: ("x", "y", "z")}
        plain = tuple(
            reconstruct.Attribute(name, number) for number, name in enumerate(("first", "second", "third"))
        )
        numbers = (
            reconstruct.Attribute("n", 0),
            reconstruct.Attribute("s", 1),
            reconstruct.Attribute("n_2", 0, 1, width(2)),
        )
        cases = [(plain[:2], two_three, 6, 2), (plain[:2], two_three, 7, 3),
                 (plain, {0: ("a", "b"), 1: ("x", "y"), 2: ("p", "q")}, 6, 2),
                 (numbers, {0: ("0", "1", "2", "3"), 1: ("x", "y")}, 6, 2)]
        if IS_LONG:
            cases += [(plain[:2], two_three, 9, 3), (plain, cases[2][1], 8, 2), (numbers, cases[3][1], 8, 2)]
        for attributes, domains, size, k in cases:
            for strategy in STRATEGIES:
                with self.subTest(columns=len(attributes), size=size, k=k, strategy=strategy):
                    certain = self.study(reconstruct.Rules(attributes, k, strategy), domains, size)
                    self.assertGreater(certain[True], 0)
                    if strategy == "thorough":
                        self.assertEqual(certain[False], 0)
                    elif len(attributes) == 3:
                        self.assertGreater(certain[False], 0)


class Adult(Case):
    """The census extract of the papers. Its rows are not the project's: without them nothing is tried."""

    @classmethod
    def setUpClass(cls):
        path = pathlib.Path(DATASETS or "", "data", "adult.csv")
        if not DATASETS or not path.exists():
            raise unittest.SkipTest(
                "no datasets beside the source tree (PGVEIL_DATASETS names another folder)"
            )
        with path.open() as file:
            cls.names, *cls.rows = csv.reader(file, delimiter=";")

    def tally(self, columns, k, strategy, with_levels):
        attributes = [reconstruct.Attribute(name, number) for number, name in enumerate(self.names[:columns])]
        if with_levels:
            age = self.names.index("age")
            attributes += [
                reconstruct.Attribute(f"age_{size}", age, step, width(size))
                for step, size in enumerate((5, 10, 20), 1)
            ]
        rules = reconstruct.Rules(tuple(attributes), k, strategy)
        table = [reconstruct.with_levels(rules, tuple(row[:columns])) for row in self.rows]
        chain = reconstruct.Grower(rules, table).run()
        answer = reconstruct.answer_of(rules, chain, table)
        self.assertGreaterEqual(min(answer.values()), k)
        if strategy == "greedy":
            self.assertEqual(reconstruct.rebuild_greedy(rules, answer), chain)
        domains = {number: {row[number] for row in self.rows} for number in range(columns)}
        tally = Tally(classes_of(rules, chain, table), computed(rules, domains, answer, chain))
        print(
            f"\nadult, {columns} columns, k = {k}, {strategy}{', ages in levels' if with_levels else ''}: {len(answer)} classes, "
            f"{100 * tally.shown / tally.cells:.1f} % shown, {tally.right} hidden cells computed "
            f"({tally.per_cent_of_hidden():.1f} %), {tally.wrong} of them wrong"
        )
        return tally

    def test_greedy_gives_away_what_it_hides_and_thorough_does_not(self):
        # Of the hidden cells: what was measured, less a margin.
        least = {(9, 2): 41, (9, 5): 30, (9, 100): 17, (5, 2): 74, (5, 5): 54, (5, 100): 22}
        for (columns, k), per_cent in least.items() if IS_LONG else [((5, 5), 54)]:
            for with_levels in (False, True):
                with self.subTest(columns=columns, k=k, levels=with_levels):
                    greedy = self.tally(columns, k, "greedy", with_levels)
                    thorough = self.tally(columns, k, "thorough", with_levels)
                    self.assertEqual((greedy.wrong, thorough.wrong), (0, 0))
                    self.assertGreater(greedy.right, 9000)
                    if not with_levels:
                        self.assertGreater(greedy.per_cent_of_hidden(), per_cent)
                    self.assertGreater(thorough.shown, greedy.shown)
                    self.assertEqual(thorough.right, thorough.in_blank)
                    self.assertLessEqual(thorough.in_blank, 4)
                    if k > 2:
                        self.assertEqual(thorough.right, 0)


COLUMNS = ("sex", "town", "n")
LEVELS = {"n_2": naive.Level("n", 1, "width", ("2", "0")), "n_6": naive.Level("n", 2, "width", ("6", "0"))}


def random_rows(source, count):
    return [
        (
            source.choices("fm", (3, 2))[0],
            source.choices(("Aber", "Bree", "Cork", "Dale"), (5, 3, 2, 1))[0],
            str(min(source.randrange(12), source.randrange(12))),
        )
        for _ in range(count)
    ]


class AskedThroughPgveil(ServerCase):
    """The same reader with pgveil's own answers."""
    is_logging = False

    @classmethod
    def start(cls):
        source = random.Random(SEED)
        people = [
            tuple(row)
            for row in (
                ("Lawyer", "Washington", "DC"),
                ("Lawyer", "Washington", "DC"),
                ("Lawyer", "Hamlet", "OH"),
                ("Accountant", "Hamlet", "OH"),
                ("Farmer", "Hamlet", "OH"),
                ("Farmer", "Hamlet", "OH"),
                ("Lawyer", "Columbus", "OH"),
                ("Accountant", "Withamsville", "OH"),
                ("Accountant", "Whately", "MA"),
                ("Accountant", "College Park", "MD"),
                ("Accountant", "Bellevue", "KY"),
            )
        ]
        tables = [("people", people, 2, False)] + [
            (
                f"t{number}",
                random_rows(source, source.randint(60, 200)),
                source.choice((2, 3, 5)),
                number % 2 == 1,
            )
            for number in range(24 if IS_LONG else 8)
        ]
        cls.cases = [(f"{name}_{strategy[0]}", rows, k, has_levels, strategy)
                     for name, rows, k, has_levels in tables for strategy in STRATEGIES]
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("asked")
        cls.postgres.run(
            "".join(
                f"CREATE TABLE {name} (sex text, town text, n {'text' if name.startswith('people') else 'integer'}, n_2 text, n_6 text);\n"
                + naive.copy_script(name, [[*row, None, None] for row in rows])
                for name, rows, *_ in cls.cases
            )
            + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            "asked",
        )
        policies = [
            naive.Policy(
                name,
                f"public.{name}",
                k,
                dict.fromkeys(COLUMNS + (tuple(LEVELS) if has_levels else ()), "quasi_identifier"),
                strategy=strategy,
                levels=LEVELS if has_levels else {},
            )
            for name, _, k, has_levels, strategy in cls.cases
        ]
        cls.pgveil = cls.kept(Pgveil(cls.postgres, policies, (), "asked")).start()
        cls.pgveil.build(*(policy.name for policy in policies))

    def disclosure(self, name):
        return json.loads(self.pgveil.console(f"SHOW TREE {name} AS JSON").texts()[0][0])["disclosure"]

    def test_none_is_wrong_and_pgveil_counts_as_many(self):
        found = collections.Counter()
        for name, exact, k, has_levels, strategy in self.cases:
            with self.subTest(name, k=k):
                attributes = [reconstruct.Attribute(column, number) for number, column in enumerate(COLUMNS)]
                if has_levels:
                    attributes += [
                        reconstruct.Attribute("n_2", 2, 1, width(2)),
                        reconstruct.Attribute("n_6", 2, 2, width(6)),
                    ]
                rules = reconstruct.Rules(tuple(attributes), k, strategy)
                table = [reconstruct.with_levels(rules, row) for row in exact]
                chain = reconstruct.Grower(rules, table).run()
                columns = ", ".join(attribute.name for attribute in attributes)
                with self.pgveil.client("analyst", "asked") as client:
                    rows = client.query(f"SELECT {columns}, count(*) FROM {name} GROUP BY {columns}").texts()
                answer = collections.Counter({tuple(row[:-1]): int(row[-1]) for row in rows})
                self.assertEqual(answer, reconstruct.answer_of(rules, chain, table))
                domains = {number: {row[number] for row in exact} for number in range(len(COLUMNS))}
                tally = Tally(classes_of(rules, chain, table), computed(rules, domains, answer, chain))
                self.assertEqual(tally.wrong, 0)
                printed = self.disclosure(name)
                self.assertEqual(printed["disclosed"], tally.shown)
                if strategy == "thorough":
                    self.assertEqual(tally.right, tally.in_blank)
                    self.assertLessEqual(printed["computable"], tally.right)
                else:
                    self.assertEqual(printed["computable"], tally.right)
                found[strategy] += tally.right
        self.assertGreater(found["greedy"], 100)
        self.assertLess(found["thorough"], found["greedy"] / 4)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""The attacker of the attack model: knows the quasi-identifiers of everybody and how the tree was made, asks
through pgveil, and counts in how many ways people and rows can belong together. In tables of up to eight rows
all worlds are tried."""
import collections
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import naive  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
TABLES = 60 if IS_LONG else 15
COLUMNS = ("job", "town", "plan")
VALUES = ("a", "b", "c", None)


def small_table(source, number):
    """→ (name, policy, rows of id and quasi-identifiers)"""
    k, name = source.choice((2, 2, 3)), f"w{number}"
    count = source.randint(2 * k, 8)
    rows = [[str(identity)] + [source.choices(VALUES, (6, 3, 2, 1))[0] for _ in COLUMNS]
            for identity in range(1, count + 1)]
    classes = {"id": "insensitive", **{column: "quasi_identifier" for column in COLUMNS}}
    return name, naive.Policy(
        f"{name}_policy", f"public.{name}", k, classes, strategy=source.choice(("greedy", "thorough"))), rows


def worlds_of(people, image, limit=50000):
    """All ways to give each person a row that looks as the mask would show that person: lists of row
    numbers."""
    fits = [[number for number, row in enumerate(image) if row == shown] for shown in people]

    def extend(taken):
        if len(taken) == len(fits):
            yield taken
            return
        for number in fits[len(taken)]:
            if number not in taken:
                yield from extend(taken + (number,))
    for count, found in enumerate(extend(())):
        if count >= limit:
            raise AssertionError("too many worlds to count")
        yield found


def persons_table(source, number):
    """Persons with one row or several, a sensitive column of each kind, and constraints that the tree is
    grown by."""
    name = f"p{number}"
    models = [
        naive.Constraint("illness", "distinct", (2,), is_refined=True),
        naive.Constraint("illness", "entropy", (source.choice((1.5, 1.9)),), is_refined=True),
        naive.Constraint("illness", "recursive", (source.choice((1.5, 3)), 2), is_refined=True),
        naive.Constraint("illness", "closeness", (source.choice((0.2, 0.35)),), is_refined=True),
        naive.Constraint(
            "income", "closeness", (source.choice((0.15, 0.3)),), is_refined=True, is_ordered=True
        ),
    ]
    constraints = (
        (models[number % len(models)], models[-1]) if number % 5 == 0 else (models[number % len(models)],)
    )
    policy = naive.Policy(
        f"{name}_policy", f"public.{name}", source.choice((2, 3, 5)),
        {"person": "identifier", "id": "insensitive", **{column: "quasi_identifier" for column in COLUMNS},
         "illness": "sensitive", "income": "sensitive"},
        unit="person" if number % 2 else None, constraints=constraints)
    while True:
        rows = [
            [
                str(identity),
                (
                    source.choice((None, *map(str, range(1, 30))))
                    if source.random() < 0.3
                    else str(100 + identity)
                ),
            ]
            + [source.choices(VALUES, (6, 3, 2, 1))[0] for _ in COLUMNS]
            + [
                source.choices(("flu", "gout", "ache", None), (4, 3, 2, 1))[0],
                source.choice(("1000", "900", "90", "20000")),
            ]
            for identity in range(1, source.randint(25, 60))
        ]
        release = naive.Release(policy, PERSON_COLUMNS)
        if all(release.keeps(constraint, rows, rows) for constraint in constraints):
            return name, policy, rows


PERSON_COLUMNS = [naive.TableColumn("id", "integer"), naive.TableColumn("person", "integer"),
                  *(naive.TableColumn(column, "text") for column in COLUMNS),
                  naive.TableColumn("illness", "text"), naive.TableColumn("income", "integer")]


class AttackerTest(ServerCase):
    is_logging = False

    @classmethod
    def start(cls):
        source = random.Random(SEED)
        cls.tables = [small_table(source, number) for number in range(TABLES)]
        cls.persons = [persons_table(source, number) for number in range(TABLES)]
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("small")
        cls.postgres.run(
            "".join(
                f"CREATE TABLE {name} (id integer, job text, town text, plan text);\n"
                + naive.copy_script(f"public.{name}", rows)
                for name, _, rows in cls.tables
            )
            + "".join(
                f"CREATE TABLE {name} (id integer, person integer, job text, town text, plan text, illness text, income integer);\n"
                + naive.copy_script(f"public.{name}", rows)
                for name, _, rows in cls.persons
            )
            + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            "small",
        )
        cls.pgveil = cls.kept(
            Pgveil(cls.postgres, [policy for _, policy, _ in cls.tables + cls.persons], (), "small")
        ).start()
        cls.pgveil.build(*(policy.name for _, policy, _ in cls.tables + cls.persons))

    def answers(self, name):
        """What the analyst sees of each row, in the rows' own order."""
        with self.pgveil.client("analyst", "small") as client:
            return [
                tuple(row)
                for row in client.query(f"SELECT {', '.join(COLUMNS)} FROM {name} ORDER BY id").texts()
            ]

    def people(self, name, policy, rows):
        columns = [naive.TableColumn("id", "integer")] + [
            naive.TableColumn(column, "text") for column in COLUMNS
        ]
        return [tuple(row[1:]) for row in naive.Release(policy, columns).build(rows).mask(rows)]

    def test_every_person_can_be_k_rows_and_every_row_k_people(self):
        worlds_tried = 0
        for name, policy, rows in self.tables:
            with self.subTest(name, k=policy.k, rows=rows):
                image = self.answers(name)
                rows_of_person = collections.defaultdict(set)
                for found in worlds_of(self.people(name, policy, rows), image):
                    worlds_tried += 1
                    for person, row in enumerate(found):
                        rows_of_person[person].add(row)
                self.assertEqual(
                    len(rows_of_person), len(rows), "the true world is not among those that are possible"
                )
                people_of_row = collections.Counter(row for found in rows_of_person.values() for row in found)
                self.assertGreaterEqual(min(map(len, rows_of_person.values())), policy.k)
                self.assertGreaterEqual(min(people_of_row.values()), policy.k)
        print(f"\nattacker: {worlds_tried} worlds of {len(self.tables)} tables")

    def test_counts_by_query_agree_with_the_rows(self):
        """What GROUP BY says of the visible combinations is what the rows say."""
        for name, policy, _ in self.tables:
            image = collections.Counter(self.answers(name))
            with self.pgveil.client("analyst", "small") as client:
                counted = client.query(
                    f"SELECT {', '.join(COLUMNS)}, count(*) FROM {name} GROUP BY 1, 2, 3"
                ).texts()
            self.assertEqual({tuple(row[:-1]): int(row[-1]) for row in counted}, dict(image))
            self.assertGreaterEqual(min(image.values()), policy.k)

    def test_every_visible_tuple_has_k_persons_and_keeps_the_constraints(self):
        """Who knows whose each row is counts persons and their values in what looks alike."""
        shown = 0
        for name, policy, rows in self.persons:
            with self.subTest(name, k=policy.k, constraints=policy.constraints):
                with self.pgveil.client("analyst", "small") as client:
                    seen = client.query(
                        f"SELECT id, {', '.join(COLUMNS)}, illness, income FROM {name}"
                    ).texts()
                by_id = {row[0]: row for row in rows}
                alike = collections.defaultdict(list)
                for row in seen:
                    self.assertEqual(row[-2:], by_id[row[0]][-2:])
                    alike[tuple(row[1:-2])].append(by_id[row[0]])
                    shown += sum(cell is not None for cell in row[1:-2])
                release = naive.Release(policy, PERSON_COLUMNS)
                for image, members in alike.items():
                    persons = {row[1] for row in members} - {None} if policy.unit else members
                    self.assertGreaterEqual(len(persons), policy.k, image)
                    for constraint in policy.constraints:
                        self.assertTrue(release.keeps(constraint, members, rows), (image, constraint))
                self.assertEqual(sorted(map(tuple, seen)), sorted(
                    tuple([row[0], *row[2:]]) for row in release.build(rows).mask(rows)))
        self.assertGreater(shown, 10 * TABLES)

    def test_the_counting_finds_a_row_that_stands_alone(self):
        people = [("a", None), ("a", None), ("b", None)]
        found = list(worlds_of(people, [("a", None), ("b", None), ("a", None)]))
        self.assertEqual(len(found), 2)
        self.assertEqual({each[2] for each in found}, {1})


if __name__ == "__main__":
    main()

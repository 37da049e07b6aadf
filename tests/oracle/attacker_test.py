#!/usr/bin/python3
"""The attacker of the attack model: knows the quasi-identifiers of everybody and how the tree was made, asks through pgveil, and
counts in how many ways people and rows can belong together. In tables of up to eight rows all worlds are tried."""
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
    """All ways to give each person a row that looks as the mask would show that person: lists of row numbers."""
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


class AttackerTest(ServerCase):
    is_logging = False

    @classmethod
    def start(cls):
        source = random.Random(SEED)
        cls.tables = [small_table(source, number) for number in range(TABLES)]
        cls.postgres.run(world.ROLES)
        cls.postgres.create_database("small")
        cls.postgres.run("".join(
            f"CREATE TABLE {name} (id integer, job text, town text, plan text);\n"
            + naive.copy_script(f"public.{name}", rows) for name, _, rows in cls.tables)
            + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;", "small")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, [policy for _, policy, _ in cls.tables], (), "small")).start()
        cls.pgveil.build(*(policy.name for _, policy, _ in cls.tables))

    def answers(self, name):
        """What the analyst sees of each row, in the rows' own order."""
        with self.pgveil.client("analyst", "small") as client:
            return [tuple(row) for row in client.query(f"SELECT {', '.join(COLUMNS)} FROM {name} ORDER BY id").texts()]

    def people(self, name, policy, rows):
        columns = [naive.TableColumn("id", "integer")] + [naive.TableColumn(column, "text") for column in COLUMNS]
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
                self.assertEqual(len(rows_of_person), len(rows), "the true world is not among those that are possible")
                people_of_row = collections.Counter(row for found in rows_of_person.values() for row in found)
                self.assertGreaterEqual(min(map(len, rows_of_person.values())), policy.k)
                self.assertGreaterEqual(min(people_of_row.values()), policy.k)
        print(f"\nattacker: {worlds_tried} worlds of {len(self.tables)} tables")

    def test_counts_by_query_agree_with_the_rows(self):
        """What GROUP BY says of the visible combinations is what the rows say."""
        for name, policy, _ in self.tables:
            image = collections.Counter(self.answers(name))
            with self.pgveil.client("analyst", "small") as client:
                counted = client.query(f"SELECT {', '.join(COLUMNS)}, count(*) FROM {name} GROUP BY 1, 2, 3").texts()
            self.assertEqual({tuple(row[:-1]): int(row[-1]) for row in counted}, dict(image))
            self.assertGreaterEqual(min(image.values()), policy.k)

    def test_the_counting_finds_a_row_that_stands_alone(self):
        people = [("a", None), ("a", None), ("b", None)]
        found = list(worlds_of(people, [("a", None), ("b", None), ("a", None)]))
        self.assertEqual(len(found), 2)
        self.assertEqual({each[2] for each in found}, {1})


if __name__ == "__main__":
    main()

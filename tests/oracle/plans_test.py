#!/usr/bin/python3
"""The rule for errors that the planner decides: what it excuses, and that it excuses nothing else."""
import pathlib
import struct
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import comparison  # noqa: E402
import plans  # noqa: E402
import worlds  # noqa: E402
from harness import world  # noqa: E402
from harness.runner import Case, main  # noqa: E402
from harness.server import ServerCase  # noqa: E402
from queries import Query  # noqa: E402

QUERY = Query("SELECT 1", [], False)


def rows(*cells):
    body = [struct.pack("!H", 1) + struct.pack("!I", len(cell)) + cell for cell in cells]
    return [(b"D", each) for each in body] + [(b"C", f"SELECT {len(cells)}".encode() + b"\0"), (b"Z", b"I")]


def error(state):
    return [(b"E", b"SERROR\0C" + state.encode() + b"\0Mwords\0\0"), (b"Z", b"I")]


def settled(mine, theirs, fenced):
    """→ (differences, decided by the plan)."""
    tally = worlds.Tally()
    tally.take(QUERY, mine, theirs)
    tally.settle([fenced] * len(tally.differences))
    return len(tally.differences), tally.by_plan


class Rule(Case):
    def test_an_error_that_the_other_plan_has_too_is_decided_by_the_plan(self):
        self.assertEqual(settled(error("2201B"), rows(), error("2201B")), (0, 1))
        self.assertEqual(settled(error("22012"), rows(b"a"), error("22012")), (0, 1))
        self.assertEqual(settled(error("22012"), error("2201B"), error("22012")), (0, 1))

    def test_an_answer_that_the_other_plan_has_too_is_decided_by_the_plan(self):
        self.assertEqual(settled(rows(b"a"), error("22012"), rows(b"a")), (0, 1))

    def test_another_answer_or_error_of_the_other_plan_decides_nothing(self):
        for fenced in (rows(), rows(b"a"), error("22012"), None):
            self.assertEqual(settled(error("2201B"), rows(), fenced), (1, 0))
        for fenced in (rows(b"b"), rows(b"a", b"a"), error("2201B"), error("57014"), None):
            self.assertEqual(settled(rows(b"a"), error("22012"), fenced), (1, 0))

    def test_an_invalid_statement_is_no_matter_of_the_plan(self):
        """The fenced copy's tables are views, without keys: that pgveil forgets a key too is no excuse."""
        self.assertEqual(settled(error("42803"), rows(b"a"), error("42803")), (1, 0))
        self.assertEqual(settled(error("42803"), rows(b"a"), error("42883")), (1, 0))

    def test_other_rows_are_a_difference_whatever_the_other_plan_says(self):
        mine = rows(b"a")
        for fenced in (mine, rows(b"b"), None):
            self.assertEqual(settled(mine, rows(b"b"), fenced), (1, 0))
            self.assertEqual(settled(mine, rows(), fenced), (1, 0))
        self.assertFalse(
            plans.is_decided_by_plan(QUERY, comparison.difference(QUERY, mine, rows(b"b")), mine, mine)
        )

    def test_equal_answers_ask_for_no_other_plan(self):
        tally = worlds.Tally()
        tally.take(QUERY, rows(b"a"), rows(b"a"))
        tally.take(QUERY, error("22012"), error("22012"))
        self.assertEqual((tally.differences, tally.doubtful, tally.by_plan), ([], [], 0))


class FencedCopy(ServerCase):
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.world = cls.kept(worlds.World(cls.postgres, 3)).start()

    def test_it_holds_the_rows_of_the_masked_copy_in_their_order(self):
        fenced = self.world.fence(self.world.masked)
        for table in self.world.tables + self.world.views:
            found, expected = (self.postgres.rows(f"SELECT * FROM {table.full_name()}", database)
                               for database in (fenced, self.world.masked))
            if table.is_view:
                found, expected = sorted(map(repr, found)), sorted(map(repr, expected))
            self.assertEqual(found, expected, table.name)

    def test_a_contradiction_beside_a_guard_is_not_seen(self):
        """PostgreSQL 15 looks for WHERE false only where it is the one condition on a table."""
        table = next(each.name for each in self.world.protected if not each.partitions)
        sql = (
            f"SELECT count(*) FROM (SELECT id::text AS c FROM {table} WHERE '{{8}}'::integer[] && '{{1,4}}'::integer[] "
            "OFFSET 0) a WHERE a.c ~ '('"
        )
        tally = self.world.compare([Query(sql, [], False)])
        self.assertEqual((tally.failed, tally.differences, tally.by_plan), (1, [], 1))

    def test_a_column_that_is_never_shown_is_computed_with_before_a_row_is_read(self):
        """An operator of intarray refuses NULL in an array, also where no row is left to compute it for."""
        table, column = next((table.name, column.name) for table in self.world.protected
                             for column in table.columns if plans.is_hidden(table, column))
        sql = f"SELECT ('{{5,3}}'::integer[] || {column}::text::integer) - 3 FROM {table} WHERE 1 > 2 + length('')"
        tally = self.world.compare([Query(sql, [], False)])
        self.assertEqual((tally.failed, tally.differences, tally.by_plan), (1, [], 1))

    def test_a_wrong_cell_is_no_matter_of_the_plan(self):
        """Through compare(): a copy whose rows are others differs in rows, and its fenced copy excuses
        nothing."""
        copy = f"{self.world.masked}_less"
        self.postgres.create_database(copy, template=self.world.masked)
        table = self.world.protected[0]
        self.postgres.run(f"DELETE FROM {table.full_name()};", copy)
        tally = self.world.compare([Query(f"SELECT id FROM {table.name} ORDER BY id", [], True),
                                    Query(f"SELECT 1 / count(*) FROM {table.name}", [], True)], copy)
        self.assertEqual((len(tally.differences), tally.by_plan), (2, 0))


if __name__ == "__main__":
    main()

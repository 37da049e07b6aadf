#!/usr/bin/python3
"""The oracle: random tables, policies and statements. What pgveil answers over the raw table must be what
PostgreSQL answers over the masked copy that the naive implementation made. A refusal is no answer and is
counted apart.

PGVEIL_SEED picks the tables and statements, PGVEIL_LONG=1 (./run test --long) runs a million. docs/testing.md
says how to read a difference. """
import collections
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import campaign  # noqa: E402
import naive  # noqa: E402
import node_kinds  # noqa: E402
import queries  # noqa: E402
import worlds  # noqa: E402
from harness import world  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
STATEMENTS = int(os.environ.get("PGVEIL_STATEMENTS", "1000000" if IS_LONG else "5000"))
STATEMENTS_OF_A_WORLD = 5000 if IS_LONG else 1250
ANSWERED_SHARE = 0.80
# Statements that PostgreSQL itself answers with an error compare little.
FAILED_SHARE = 0.15
# Errors that depend on the plan over the same masked data (plans.py): more would mean that something else
# hides there.
BY_PLAN_SHARE = 1 / 10_000
TIMES_EACH_KIND = 100 if IS_LONG else 1


class OracleTest(ServerCase):
    test_seconds = 12 * 3600 if IS_LONG else 600
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.world = cls.kept(worlds.World(cls.postgres, SEED * 100000)).start()

    def test_the_naive_implementation_reproduces_the_paper(self):
        columns = [naive.TableColumn(name, "text") for name in ("id", "occupation", "city", "state")]
        self.postgres.create_database("paper")
        self.postgres.run(
            world.SCHEMA + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query;" + world.ROWS,
            "paper",
        )
        rows = naive.read_rows(self.postgres, "paper", "public.people")
        release = naive.Release(world.PEOPLE, columns).build(rows)
        leaf = ([], False, False)
        in_hamlet = ([(1, "Farmer", leaf)], False, False)
        self.assertEqual(
            release.tree,
            ([(3, "OH", ([(2, "Hamlet", in_hamlet)], False, False)), (1, "Accountant", leaf)], False, False),
        )
        self.assertEqual(release.mask(rows), world.MASKED_PEOPLE)
        later = [["12", "Accountant", "New York", "NY"], ["13", "President", "Washington", "DC"], [None] * 4]
        self.assertEqual(release.mask(later), [[None, "Accountant", None, None], [None] * 4, [None] * 4])

    def test_answers_equal_those_of_the_masked_copy(self):
        tally, kinds = worlds.Tally(), collections.Counter()
        progress = campaign.Progress(STATEMENTS)
        count = -(-STATEMENTS // STATEMENTS_OF_A_WORLD)
        for share in campaign.run(
            self.postgres, [SEED * 1000 + n for n in range(count)], STATEMENTS_OF_A_WORLD
        ):
            tally.add(share.tally)
            kinds.update(share.kinds)
            for words in share.shown:
                print(f"\nDIFFERENCE {words}")
            print(progress.line(tally), flush=True)
        for message, times in tally.refusals.most_common(20):
            print(f"  refused {times} times: {message}")
        self.report_kinds(kinds)
        self.assertEqual(len(tally.differences), 0, f"PGVEIL_SEED={SEED} shows them again")
        self.assertGreaterEqual(tally.answered, ANSWERED_SHARE * tally.statements)
        self.assertLessEqual(tally.failed, FAILED_SHARE * tally.answered)
        self.assertLessEqual(tally.by_plan, max(1, BY_PLAN_SHARE * tally.answered))
        self.assertLessEqual(tally.unraised + tally.timed_out, 0.005 * tally.statements)

    def report_kinds(self, kinds):
        """Each kind of node that the verifier may let through was really answered, and no other one."""
        listed = node_kinds.listed()
        nodes, fields = [what for what in listed if "." not in what], [what for what in listed if "." in what]
        rare = {what: kinds[what] for what in sorted(nodes) if kinds[what] < TIMES_EACH_KIND}
        unseen = sorted(what for what in fields if kinds[what] == 0)
        print(
            f"oracle: {len(nodes) - len(rare)} of {len(nodes)} kinds of nodes answered {TIMES_EACH_KIND} times or more, "
            f"{len(fields) - len(unseen)} of {len(fields)} fields and values of fields answered"
        )
        print("  never answered: " + " ".join(unseen))
        self.assertEqual(rare, {})
        self.assertEqual(
            [what for what in kinds if "." not in what and what not in listed], [], "answered, not listed"
        )

    def test_every_cell_in_physical_order(self):
        through, direct = self.world.clients()
        with through, direct:
            for table in self.world.tables:
                sql = f"SELECT * FROM {table.name}"
                self.assertEqual(through.query(sql).rows, direct.query(sql).rows, table.name)

    def test_no_visible_combination_has_fewer_than_k_units(self):
        """The attacker's counter: counted on the answers, with the units of the raw table."""
        for table in self.world.protected:
            names = [c.name for c in table.columns if c.column_class == "quasi_identifier"]
            with self.world.pgveil.client("analyst") as client:
                shown = {row[0]: tuple(row[1:]) for row in client.query(
                    f"SELECT id, {', '.join(names)} FROM {table.name}").texts()}
            numbers = [c.name for c in table.columns]
            unit, identity = numbers.index(table.policy.unit or "id"), numbers.index("id")
            units = collections.defaultdict(set)
            for row in table.rows:
                if row[unit] is not None:
                    units[shown[row[identity]]].add(row[unit])
            self.assertGreaterEqual(min(map(len, units.values())), table.policy.k, table.name)

    def test_conditions_of_the_grammar_read_indexes_of_masked_columns(self):
        generator = queries.Generator(random.Random(SEED), self.world.protected)
        looked_up = read = 0
        for _ in range(100):
            sql, source = generator.table_source(may_rename=False)
            text = self.world.rewritten(f"SELECT id FROM {sql} WHERE {generator.look_up([source])}")
            if text is not None and "ORDER BY t.ctid" in text:
                looked_up += 1
                read += "_idx" in str(self.postgres.rows(f"EXPLAIN {text}", self.world.raw))
        print(f"oracle: {looked_up} look-ups of 100 conditions, {read} of them read an index")
        self.assertGreater(looked_up, 0)
        self.assertGreater(read, looked_up // 2)

    def test_one_wrong_cell_in_the_copy_is_found(self):
        """The oracle can fail: a copy that hides, or shows, one cell too many makes a difference."""
        for change in ("hide", "show"):
            with self.subTest(change=change):
                copy = f"{self.world.masked}_{change}"
                self.postgres.create_database(copy, template=self.world.masked)
                self.change_one_cell(copy, change)
                # Whether a statement's answer holds that one cell is a matter of the seed.
                self.assertTrue(any(self.world.compare(self.world.queries(500, more), copy).differences
                                    for more in range(10)))

    def change_one_cell(self, copy, change):
        """Hides a shown cell of a quasi-identifier, or shows a value in a hidden one."""
        for table in self.world.protected:
            for column in table.columns:
                if column.column_class != "quasi_identifier" or column.family == "bool":
                    continue
                test = "IS NOT NULL" if change == "hide" else "IS NULL"
                found = self.postgres.rows(
                    f"SELECT id FROM {table.name} WHERE {column.name} {test} LIMIT 1", copy
                )
                raw = self.postgres.rows(f"SELECT quote_literal({column.name}) FROM {table.name} "
                                         f"WHERE {column.name} IS NOT NULL LIMIT 1", self.world.raw)
                if found and raw:
                    value = "NULL" if change == "hide" else raw[0][0]
                    self.postgres.run(
                        f"UPDATE {table.name} SET {column.name} = {value} WHERE id = {found[0][0]};", copy
                    )
                    return
        self.fail("no cell to change")


if __name__ == "__main__":
    main()

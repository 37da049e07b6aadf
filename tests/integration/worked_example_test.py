#!/usr/bin/python3
"""The paper's worked example, end to end: policy file → BUILD → psql."""
from harness import world
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase

PAPER_QUERY = "SELECT occupation, state, count(*) AS group_count FROM people GROUP BY occupation, state"


class WorkedExample(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    open_tables = ()

    def ask(self, *commands, user="analyst", options=("-t",)):
        done = psql(self.pgveil.port, "demo", user, *commands, options=options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_the_papers_query(self):
        self.assertEqual(sorted(self.ask(PAPER_QUERY)), sorted([
            "<null>|<null>|2", "<null>|OH|4", "Farmer|OH|2", "Accountant|<null>|3"]))
        self.assertEqual(self.ask(PAPER_QUERY, options=())[0], "occupation|state|group_count")

    def test_the_masked_table_in_physical_order(self):
        expected = [
            "|".join("<null>" if cell is None else cell for cell in row) for row in world.MASKED_PEOPLE
        ]
        self.assertEqual(self.ask("SELECT * FROM people"), expected)
        self.assertEqual(self.ask("TABLE public.people"), expected)

    def test_later_rows_show_only_what_the_rules_say(self):
        self.postgres.run(
            """
            INSERT INTO people VALUES (12, 'Accountant', 'New York', 'NY'),
              (13, 'President of the United States of America', 'Washington', 'DC'), (14, NULL, NULL, NULL),
              (15, 'Farmer', 'Hamlet', NULL), (16, NULL, 'Hamlet', 'OH'), (17, 'Farmer', NULL, 'OH')""",
            "demo",
        )
        try:
            self.assertEqual(
                self.ask("SELECT * FROM people")[11:],
                [
                    "<null>|Accountant|<null>|<null>",
                    "<null>|<null>|<null>|<null>",
                    "<null>|<null>|<null>|<null>",
                    "<null>|<null>|<null>|<null>",
                    "<null>|<null>|Hamlet|OH",
                    "<null>|<null>|<null>|OH",
                ],
            )
        finally:
            self.postgres.run("DELETE FROM people WHERE id > 11", "demo")

    def test_the_raw_view_beside_it(self):
        raw = psql(
            self.postgres.port, "demo", "postgres", "SELECT count(DISTINCT city) FROM people", options=("-t",)
        )
        self.assertEqual(raw.stdout.strip(), "7")
        self.assertEqual(self.ask("SELECT count(DISTINCT city) FROM people"), ["1"])

    def test_hidden_values_match_nothing(self):
        for condition in ("city = 'Washington'", "occupation = 'Lawyer'", "id = 1", "city LIKE 'W%'",
                          "state = 'DC'", "occupation || city = 'LawyerColumbus'"):
            self.assertEqual(self.ask(f"SELECT count(*) FROM people WHERE {condition}"), ["0"], condition)
        self.assertEqual(self.ask("SELECT count(*) FROM people WHERE city <> 'Hamlet'"), ["0"])

    def test_an_exempt_role_sees_the_table_and_is_still_checked(self):
        self.assertEqual(self.ask("SELECT occupation FROM people WHERE id = 1", user="dpo"), ["Lawyer"])
        refused = psql(self.pgveil.port, "demo", "dpo", "DELETE FROM people")
        self.assertIn("permission denied" if "permission" in refused.stderr else "ERROR", refused.stderr)
        self.assertNotEqual(refused.returncode, 0)

    def test_what_was_sent_is_masked_sql(self):
        since = self.postgres.log_position()
        self.ask(PAPER_QUERY)
        received = "".join(self.postgres.received(since))
        self.assertIn("OPERATOR(pg_catalog.=)", received)
        self.assertIn("NULL", received)
        self.assertNotIn("<>", received)


if __name__ == "__main__":
    main()

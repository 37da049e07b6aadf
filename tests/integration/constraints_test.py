#!/usr/bin/python3
"""l-diversity and t-closeness of sensitive columns against a real PostgreSQL: what BUILD refuses and says,
what a refined tree shows, what drift and exports make of it."""
import collections

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from naive import Constraint, Policy

# OH {HIV, HIV}, MA {flu, cold, gout, ache}: the table of the attack model; the rest is for order and units.
TABLES = """
CREATE TYPE public.stage AS ENUM ('none', 'early', 'late', 'last');
CREATE TABLE public.cases (id integer, state text, disease text, stage public.stage, since date, cost numeric, code citext);
INSERT INTO public.cases (id, state, disease) VALUES
  (1, 'OH', 'HIV'), (2, 'OH', 'HIV'), (3, 'MA', 'flu'), (4, 'MA', 'cold'), (5, 'MA', 'gout'), (6, 'MA', 'ache');
CREATE TABLE public.stays (person integer, town text, stage public.stage, since date, cost numeric);
INSERT INTO public.stays
  SELECT g / 2, (ARRAY['Aber', 'Bree', 'Cork', 'Dale'])[1 + g / 20 % 4], (ARRAY['none', 'last', 'early', 'late']::public.stage[])[1 + g % 4],
         date '0044-03-15 BC' + (g * 7 % 5) * 40000, (ARRAY[1.0, 1.00, 20, 3, 'NaN'])[1 + g * 3 % 5]
    FROM generate_series(0, 79) g;
"""
CASES = {"id": "identifier", "state": "quasi_identifier", "disease": "sensitive"}
STAYS = {
    "person": "identifier",
    "town": "quasi_identifier",
    "stage": "sensitive",
    "since": "sensitive",
    "cost": "sensitive",
}


def cases(*constraints, k=2):
    return Policy("cases", "public.cases", k, CASES, constraints=constraints)


def stays(*constraints, k=3):
    return Policy("stays", "public.stays", k, STAYS, unit="person", constraints=constraints)


class ConstraintsTest(ServerCase):
    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.count = 0

    def pgveil(self, policy):
        type(self).count += 1
        name = f"d{self.count}"
        self.postgres.create_database(name)
        self.postgres.run(
            "CREATE EXTENSION citext;"
            + TABLES
            + "GRANT USAGE ON SCHEMA public TO pgveil_query, pgveil_admin; GRANT CREATE ON SCHEMA public "
            "TO pgveil_admin; GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;",
            name,
        )
        started = Pgveil(self.postgres, [policy], (), name)
        self.addCleanup(started.stop)
        return started.start()

    def counted(self, pgveil, sql):
        with pgveil.client() as client:
            reply = client.query(sql)
        self.assertEqual(reply.errors, [])
        return collections.Counter(map(tuple, reply.texts()))

    def refusal(self, pgveil, command):
        reply = pgveil.console(command)
        self.assertEqual(len(reply.errors), 1, reply.texts())
        return reply.errors[0]

    def test_a_cohort_of_one_disease_fails_and_says_what_k_would_do(self):
        pgveil = self.pgveil(cases(Constraint("disease", "distinct", (2,))))
        error = self.refusal(pgveil, "BUILD POLICY cases")
        self.assertEqual(error["C"], "42501")
        self.assertIn("some cohorts violate the constraints of column \"disease\"", error["M"])
        self.assertEqual(error["H"], "D2: at least 2 distinct values, found 1; k = 4 would satisfy it")
        self.assertNotIn("HIV", str(error))
        pgveil.write_policies([cases(Constraint("disease", "distinct", (2,)), k=4)])
        pgveil.console("RELOAD")
        pgveil.build("cases")
        self.assertEqual(self.counted(pgveil, "SELECT state FROM cases"), {(None,): 6})

    def test_a_refined_tree_hides_the_state_instead_and_check_warns_of_it(self):
        pgveil = self.pgveil(cases(Constraint("disease", "entropy", (1.9,), is_refined=True)))
        pgveil.build("cases")
        self.assertEqual(self.counted(pgveil, "SELECT state FROM cases"), {(None,): 6})
        checked = pgveil.command("check", "--config", str(pgveil.config_path))
        self.assertIn('column "disease" has mode: refine', checked.stdout)

    def test_mode_hide_joins_the_cohort_that_fails_and_builds(self):
        pgveil = self.pgveil(stays(Constraint("stage", "distinct", (3,), hides=True), k=2))
        self.postgres.run("UPDATE stays SET stage = 'none' WHERE town = 'Bree'", pgveil.database)
        pgveil.build("stays")
        towns = self.counted(pgveil, "SELECT town FROM stays")
        self.assertNotIn(("Bree",), towns)
        self.assertGreaterEqual(len(towns), 3)
        stages = collections.defaultdict(set)
        with pgveil.client() as client:
            for town, stage in client.query("SELECT town, stage FROM stays").texts():
                stages[town].add(stage)
        self.assertTrue(all(len(each) >= 3 for each in stages.values()), stages)
        checked = pgveil.command("check", "--config", str(pgveil.config_path))
        self.assertIn('column "stage" has mode: hide', checked.stdout)

    def test_mode_hide_keeps_a_cohort_joined_when_its_values_are_mixed_again(self):
        pgveil = self.pgveil(stays(Constraint("stage", "distinct", (3,), hides=True), k=2))
        self.postgres.run("UPDATE stays SET stage = 'none' WHERE town = 'Bree'", pgveil.database)
        pgveil.build("stays")
        self.postgres.run("UPDATE stays SET stage = ('{none,early,late,last}'::stage[])[1 + person % 4]",
                          pgveil.database)
        pgveil.build("stays")
        self.assertNotIn(("Bree",), self.counted(pgveil, "SELECT town FROM stays"))

    def test_mode_hide_repairs_what_drifts(self):
        pgveil = self.pgveil(stays(Constraint("stage", "distinct", (3,), hides=True), k=2))
        pgveil.build("stays")
        self.assertIn(("Bree",), self.counted(pgveil, "SELECT town FROM stays"))
        self.postgres.run("UPDATE stays SET stage = 'none' WHERE town = 'Bree'", pgveil.database)
        row = pgveil.console("CHECK POLICY stays").texts()[0]
        self.assertEqual(row[-2], "1", row)
        pgveil.build("stays")
        self.assertNotIn(("Bree",), self.counted(pgveil, "SELECT town FROM stays"))

    def test_mode_hide_does_not_save_a_table_that_fails_as_a_whole(self):
        pgveil = self.pgveil(cases(Constraint("disease", "entropy", (5.5,), hides=True)))
        error = self.refusal(pgveil, "BUILD POLICY cases")
        self.assertEqual(error["C"], "42501")
        self.assertIn("the whole table", error["H"])

    def test_a_table_that_breaks_a_constraint_as_a_whole_is_refused(self):
        for is_refined in (False, True):
            pgveil = self.pgveil(cases(Constraint("disease", "entropy", (5.5,), is_refined=is_refined)))
            error = self.refusal(pgveil, "BUILD POLICY cases")
            self.assertEqual(error["C"], "42501")
            self.assertIn("log 4.", error["H"])
            self.assertIn("the whole table" if not is_refined else "as a whole", error["H"] + error["M"])

    def test_every_model_on_ordered_types_keeps_what_it_promises(self):
        for column in ("stage", "since", "cost"):
            for model, numbers in (("distinct", (3,)), ("recursive", (3, 2)), ("closeness", (0.4,))):
                with self.subTest(column, model=model):
                    pgveil = self.pgveil(stays(Constraint(column, model, numbers, is_refined=True,
                                                          is_ordered=model == "closeness")))
                    pgveil.build("stays")
                    towns = self.counted(pgveil, "SELECT town FROM stays")
                    self.assertGreater(len(towns), 1)

    def test_the_order_is_the_types_own(self):
        """Bree's stages are 'none' and 'early' only: neighbours in the enum, far apart in the order of their
        texts."""
        def built(t):
            pgveil = self.pgveil(stays(Constraint("stage", "closeness", (t,), is_ordered=True)))
            self.postgres.run(
                "TRUNCATE stays; INSERT INTO stays SELECT g, 'Aber', ('{none,early,late,last}'::stage[])[1 + g % 4], NULL, NULL "
                "FROM generate_series(0, 19) g; INSERT INTO stays SELECT 100 + g, 'Bree', ('{none,early}'::stage[])[1 + g % 2], "
                "NULL, NULL FROM generate_series(0, 9) g",
                pgveil.database,
            )
            return pgveil.console("BUILD POLICY stays").errors
        # Of 30: none 10, early 10, late 5, last 5. Bree is (1/2, 1/2, 0, 0): (1/6 + 2/6 + 1/6) / 3 = 0.222;
        # by text 0.111.
        self.assertEqual(built(0.223), [])
        self.assertIn("found 0.222", built(0.22)[0]["H"])

    def test_drift_closes_a_verified_policy_and_collapses_a_refined_one(self):
        for is_refined in (False, True):
            with self.subTest(is_refined=is_refined):
                pgveil = self.pgveil(cases(Constraint("disease", "distinct", (2,), is_refined=is_refined)))
                self.postgres.run("UPDATE cases SET disease = 'flu' WHERE id = 2", pgveil.database)
                pgveil.build("cases")
                self.assertEqual(self.counted(pgveil, "SELECT state FROM cases"), {("MA",): 4, (None,): 2})
                self.postgres.run("UPDATE cases SET disease = 'HIV' WHERE id = 2", pgveil.database)
                row = pgveil.console("CHECK POLICY cases").texts()[0]
                self.assertEqual(row[-2], "1" if is_refined else "0", row)
                self.assertIn("splits" if is_refined else "some cohorts violate", row[-1])
                error = None if is_refined else self.refusal(pgveil, "EXPORT POLICY cases TO FILE 'x.csv'")
                if error:
                    self.assertIn("some cohorts violate", error["M"])
                    continue
                self.assertEqual(pgveil.console("EXPORT POLICY cases TO TABLE public.out").errors, [])
                self.assertEqual(
                    self.postgres.rows("SELECT state, count(*) FROM public.out GROUP BY 1", pgveil.database),
                    [[None, "6"]],
                )

    def test_what_can_not_be_counted_or_ordered_is_refused_by_check(self):
        for column, kind, words in (
            ("code", "l_diversity: {distinct: 2}", "column \"code\" of type public.citext"),
            ("disease", "t_closeness: {t: 0.5, distance: ordered}", "no order that a distance could follow"),
            ("nothing", "l_diversity: {distinct: 2}", "no column \"nothing\""),
        ):
            with self.subTest(column):
                pgveil = self.pgveil(cases())
                text = pgveil.policy_path.read_text().replace(
                    "disease: {class: sensitive}", f"{column}: {{class: sensitive, {kind}}}"
                )
                pgveil.policy_path.write_text(text)
                checked = pgveil.command("check", "--config", str(pgveil.config_path))
                self.assertEqual(checked.returncode, 1)
                self.assertIn(words, checked.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""pgveil check-table: what a table satisfies, what it breaks, jobs held against what they published, and that
no cell is shown unless it was asked for."""
import json
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase

# Two classes: three flu and one cold, two HIV.
PEOPLE = "age,zip,illness,note\n" + "3*,1*,flu,n\n" * 3 + "3*,1*,cold,n\n" + "secret-4*,1*,HIV,n\n" * 2

JOB = """\
version: 1
name: visitors
input: {table: public.visits}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
  illness:
    class: sensitive
    l_diversity: {distinct: 2, entropy: 1.5}
    t_closeness: {t: 0.4, distance: hierarchical}
    hierarchy: {tree: {all: [{lung: [flu, cold]}, {other: [HIV, gout]}, "NULL"]}}
  income: {class: sensitive, t_closeness: {t: 0.4, distance: ordered}, order: number, beta_likeness: {beta: 4, kind: basic}}
k: 4
suppression: 20%
seed: 1
output: {table: public.visits_k4}
"""

PREPARE = """
CREATE TABLE public.visits (age integer, zip text, illness text, income integer);
INSERT INTO public.visits SELECT 20 + g * 7 % 40, 10000 + g * 13 % 90, (ARRAY['flu', 'cold', 'HIV', 'gout', NULL])[1 + g % 5],
                                 1000 * (g % 7) FROM generate_series(1, 150) g;
GRANT SELECT ON public.visits TO pgveil_admin;
"""


class CheckTable(VerbCase):
    tables = PREPARE

    def setUp(self):
        super().setUp()
        self.postgres.run("DROP TABLE IF EXISTS public.visits_k4", "demo")
        self.people = self.folder / "people.csv"
        self.people.write_text(PEOPLE)

    def run_verb(self, verb, *arguments, status=0, **options):
        done = subprocess.run(
            [binary(), verb, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
            **options,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def check(self, *arguments, status=0, **options):
        done = self.run_verb("check-table", *arguments, "--format", "json", status=status, **options)
        return json.loads(done.stdout)

    def refused(self, words, *arguments, status=1, **options):
        done = self.run_verb("check-table", *arguments, status=status, **options)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_what_a_table_satisfies(self):
        found = self.check(self.people, "--columns", "age,zip", "--sensitive", "illness")
        self.assertEqual((found["records"], found["classes"], found["k"], found["is_kept"]), (6, 2, 2, True))
        (column,) = found["columns"]
        self.assertEqual(column["distinct_l"], 1)
        self.assertEqual(column["recursive_c2"], None)
        self.assertAlmostEqual(column["t_equal"], 2 / 3)  # two HIV of two, where the table has a third
        self.assertAlmostEqual(column["beta_basic"], 2)
        self.assertEqual(column["t_ordered"], None)

    def test_what_is_demanded(self):
        demand = (self.people, "--columns", "age,zip")
        self.assertTrue(self.check(*demand, "--k", 2)["is_kept"])
        found = self.check(
            *demand,
            "--k",
            3,
            "--require",
            "illness=distinct 2",
            "--require",
            "illness=t_closeness 0.5 equal",
            status=1,
        )
        self.assertEqual(
            [(it["column"], it["model"], it["classes"], it["records"]) for it in found["demands"]],
            [
                (None, "k 3", 1, 2),
                ("illness", "distinct 2", 1, 2),
                ("illness", "t_closeness 0.5 equal", 1, 2),
            ],
        )
        self.assertEqual(
            (found["offending_classes"], found["offending_records"], found["offending"]), (1, 2, [])
        )
        ordered = self.check(
            *demand, "--order", "illness=flu,cold,HIV", "--require", "illness=t_closeness 1 ordered"
        )
        self.assertAlmostEqual(ordered["columns"][0]["t_ordered"], (1 / 2 + 2 / 3) / 2)

    def test_cells_are_shown_only_when_asked_for(self):
        demand = (self.people, "--columns", "age,zip", "--k", 3)
        self.assertNotIn("secret", self.run_verb("check-table", *demand, status=1).stdout)
        self.assertIn("2 records: age = secret-4*, zip = 1*",
                      self.run_verb("check-table", *demand, "--show-classes", 5, status=1).stdout)
        self.assertEqual(self.check(*demand, "--show-classes", 5, status=1)["offending"],
                         [{"key": ["secret-4*", "1*"], "records": 2}])

    def test_suppressed_records(self):
        self.people.write_text(PEOPLE + "*,*,flu,n\n")
        demand = (self.people, "--columns", "age,zip", "--k", 2)
        self.assertEqual(self.check(*demand, status=1)["starred_records"], 1)
        self.assertTrue(self.check(*demand, "--ignore-suppressed")["is_kept"])
        self.people.write_text(PEOPLE + "*,*,,\n")
        self.assertEqual(self.check(*demand)["hidden_records"], 1)

    def test_a_page(self):
        demand = (self.people, "--columns", "age,zip", "--k", 3, "--sensitive", "illness", "--format", "html")
        page = self.run_verb("check-table", *demand, status=1).stdout
        self.assertTrue(page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>"))
        self.assertNotIn("secret", page)
        for words in ("k 3", "broken by 1 classes, 2 records", "distinct l", "illness"):
            self.assertIn(words, page)
        self.assertIn(
            "secret-4*", self.run_verb("check-table", *demand, "--show-classes", 5, status=1).stdout
        )
        self.people.write_text(PEOPLE.replace("secret-4*", "<script>x</script>"))
        self.assertNotIn(
            "<script>", self.run_verb("check-table", *demand, "--show-classes", 5, status=1).stdout
        )

    def test_standard_input(self):
        found = self.check("-", "--columns", "age,zip", "--separator", ";", input=PEOPLE.replace(",", ";"))
        self.assertEqual(found["k"], 2)

    def test_what_jobs_publish_keeps_what_they_promise(self):
        """Counted before it was published, and again of the file and of the table by this verb."""
        job = self.folder / "job.yaml"
        job.write_text(JOB)
        config = ("--config", self.pgveil.config_path)
        self.run_verb("anonymize", job, *config)
        stored = self.check("--table", "public.visits_k4", "--job", job, *config)
        self.assertGreaterEqual(stored["k"], 4)
        self.assertEqual(
            {it["model"] for it in stored["demands"]},
            {
                "k 4",
                "distinct 2",
                "entropy 1.5",
                "t_closeness 0.4 hierarchical",
                "t_closeness 0.4 ordered",
                "beta_likeness 4 basic",
            },
        )
        job.write_text(JOB.replace("table: public.visits_k4", "file: out.csv"))
        self.run_verb("anonymize", job, *config)
        self.assertTrue(self.check(self.folder / "out.csv", "--job", job)["is_kept"])
        job.write_text(JOB.replace("k: 4", "k: 100"))
        self.assertFalse(self.check(self.folder / "out.csv", "--job", job, status=1)["is_kept"])

    def test_hidden_records_need_no_place_in_a_hierarchy(self):
        (self.folder / "in.csv").write_text("age,ill\n" + "1,flu\n1,hiv\n" * 4 + "9,hiv\n")
        job = self.folder / "job.yaml"
        job.write_text("""\
version: 1
name: hidden
input: {file: in.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {tree: {a: ["1"], b: ["9"]}}}
  ill:
    class: sensitive
    t_closeness: {t: 0.2, distance: hierarchical}
    hierarchy: {tree: {all: {r: [flu], o: [hiv]}}}
k: 2
suppression: 20%
suppressed_records: keep_or_hide
output: {file: out.csv}
""")
        self.run_verb("anonymize", job)
        found = self.check("out.csv", "--job", job)
        self.assertEqual((found["hidden_records"], found["is_kept"]), (1, True))

    def test_a_population_of_texts_that_begin_like_formulas(self):
        (self.folder / "everybody.csv").write_text(
            "age,t,study\n" + "1,-a,yes\n1,-a,yes\n1,-a,no\n" * 4
        )
        job = self.folder / "job.yaml"
        job.write_text("""\
version: 1
name: study
input: {file: everybody.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {tree: {all: ["1"]}}}
  t: {class: quasi_identifier, hierarchy: {tree: {all: {"-x": ["-a", "-b"]}}}}
k: 2
k_map: 3
subset: {column: study, value: 'yes'}
output: {file: study.csv}
""")
        self.run_verb("anonymize", job)
        self.assertIn("\"'-a\"", (self.folder / "study.csv").read_text())
        found = self.check("study.csv", "--job", job, "--population", "everybody.csv")
        self.assertEqual((found["is_kept"], found["population"]["smallest"]), (True, 12))

    def test_the_raw_table_keeps_little(self):
        job = self.folder / "job.yaml"
        job.write_text(JOB)
        found = self.check(
            "--table", "public.visits", "--job", job, "--config", self.pgveil.config_path, status=1
        )
        self.assertGreater(found["offending_classes"], 0)

    def test_models_that_a_published_table_can_not_show_are_named(self):
        job = self.folder / "job.yaml"
        job.write_text(JOB + "subset: {column: zip, value: '10013'}\nk_map: 2\npresence: {most: 50%}\n")
        found = self.check(
            "--table", "public.visits", "--job", job, "--config", self.pgveil.config_path, status=1
        )
        self.assertEqual(len(found["not_checked"]), 2)

    def test_a_file_has_the_separator_of_the_job(self):
        (self.folder / "in.csv").write_text("age;illness\n" + "21;flu\n22;cold\n" * 4)
        job = self.folder / "job.yaml"
        job.write_text("""\
version: 1
name: tabs
input: {file: in.csv, separator: ";"}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10]}}}
  illness: {class: sensitive, l_diversity: {distinct: 2}}
k: 4
seed: 1
output: {file: tabs.csv, separator: tab}
""")
        self.run_verb("anonymize", job)
        published = self.folder / "tabs.csv"
        self.assertIn("\t", published.read_text())
        self.assertTrue(self.check(published, "--job", job)["is_kept"])
        self.assertTrue(self.check(published, "--job", job, "--separator", "tab")["is_kept"])
        self.refused("fields", published, "--job", job, "--separator", ",")

    def test_a_population_is_compared_with(self):
        """What a job with presence and k_map publishes, of a file with another separator; then with a
        population that is another one."""
        population = "age;zip;in_study\n" + "".join(
            f"{20 + g * 7 % 40};{10000 + g * 13 % 90};{'yes' if g % 3 == 0 else 'no'}\n" for g in range(150))
        (self.folder / "everybody.csv").write_text(population)
        job = self.folder / "job.yaml"
        job.write_text("""\
version: 1
name: study
input: {file: everybody.csv, separator: ";"}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
k: 2
k_map: 8
subset: {column: in_study, value: 'yes'}
presence: {most: 60%}
suppression: 10%
seed: 1
output: {file: study.csv}
""")
        self.run_verb("anonymize", job)
        study = self.folder / "study.csv"
        found = self.check(study, "--job", job, "--population", "everybody.csv")
        self.assertEqual(found["not_checked"], [])
        self.assertEqual([it["model"] for it in found["demands"]], ["k 2", "presence 0 to 0.6", "k_map 8"])
        self.assertEqual(found["population"]["records"], 150)
        self.assertGreaterEqual(found["population"]["smallest"], 8)
        self.assertLessEqual(found["population"]["most_share"], 0.6)
        lines = population.splitlines()
        (self.folder / "half.csv").write_text(
            "\n".join([lines[0], *(it for it in lines[1:] if it.endswith("yes"))]) + "\n"
        )
        found = self.check(study, "--job", job, "--population", "half.csv", status=1)
        self.assertFalse(found["is_kept"])
        self.refused(
            "has no level 9", study, "--job", job, "--population", "everybody.csv", "--transformation", "9,0"
        )
        self.refused("1 levels for 2", study, "--job", job, "--population", "everybody.csv",
                     "--transformation", "1")
        self.refused("has no column age", study, "--job", job, "--population", "everybody.csv",
                     "--population-separator", ",")
        self.refused("no job with a model", study, "--columns", "age", "--population", "everybody.csv")
        self.refused("without a population", study, "--job", job, "--transformation", "1,1")
        self.refused(
            "no level of its hierarchy has", self.people, "--job", job, "--population", "everybody.csv"
        )

    def test_models_of_the_whole_table(self):
        demand = (self.people, "--columns", "age,zip")
        found = self.check(
            *demand,
            "--risk",
            "average_risk 0.34",
            "--risk",
            "highest_risk 0.5",
            "--risk",
            "sample_uniqueness 0",
            "--risk",
            "population_uniqueness 0 1000",
        )
        self.assertAlmostEqual(found["average_risk"], 2 / 6)
        self.assertEqual(found["highest_risk"], 0.5)
        self.assertEqual(found["sample_uniqueness"], 0)
        found = self.check(*demand, "--risk", "average_risk 0.33", status=1)
        self.assertEqual(
            ([it["is_kept"] for it in found["demands"]], found["offending_classes"]), ([False], 0)
        )
        self.assertIn("broken by all classes together",
                      self.run_verb("check-table", *demand, "--risk", "average_risk 0.33", status=1).stdout)
        self.refused("is no risk", *demand, "--risk", "average_risk")
        self.refused("is no risk", *demand, "--risk", "population_uniqueness 0.1 1000 luck")
        self.refused("outside", *demand, "--risk", "average_risk 2")
        self.refused("no sample of a population of 5", *demand, "--risk", "population_uniqueness 0.1 5")

    def test_what_jobs_publish_keeps_its_risks(self):
        job = self.folder / "job.yaml"
        job.write_text(JOB.replace("k: 4", "k: 1\nrisk: {highest: 50%, average: 12%, sample_uniqueness: 1%, "
                                   "population_uniqueness: {most: 1%, population: 100000}}"))
        config = ("--config", self.pgveil.config_path)
        self.run_verb("anonymize", job, *config)
        found = self.check("--table", "public.visits_k4", "--job", job, *config)
        self.assertLessEqual(found["average_risk"], 0.12)
        self.assertGreaterEqual(found["k"], 2)
        self.assertIn("population_uniqueness 0.01 100000 dankar", {it["model"] for it in found["demands"]})
        job.write_text(
            JOB.replace("k: 4", "k: 1\nrisk: {population_uniqueness: {most: 1%, population: 100}}")
        )
        refused = self.run_verb("anonymize", job, *config, status=1)
        self.assertIn("no sample of a population of 100", refused.stderr)

    def test_what_is_refused(self):
        demand = (self.people, "--columns", "age,zip")
        self.refused("no quasi-identifier", self.people)
        self.refused("no column height", self.people, "--columns", "height")
        self.refused("named twice", *demand, "--sensitive", "age")
        self.refused("is no model", *demand, "--require", "illness=distinct")
        self.refused("is no model", *demand, "--require", "illness=magic 3")
        self.refused("COLUMN=", *demand, "--require", "distinct 3")
        self.refused("outside", *demand, "--require", "illness=t_closeness 2")
        self.refused("outside", *demand, "--require", "illness=distinct 0")
        self.refused("no order", *demand, "--require", "illness=t_closeness 0.2 ordered")
        self.refused("no hierarchy", *demand, "--require", "illness=t_closeness 0.2 hierarchical")
        self.refused("no place in the order", *demand, "--order", "illness=number")
        self.refused("no rows", "-", "--columns", "a", input="a\n")
        self.refused("there is no file", "nothing.csv", "--columns", "a")
        job = self.folder / "job.yaml"
        job.write_text(JOB)
        self.refused("leave one of them out", self.people, "--job", job, "--k", 2)
        self.refused("job.yaml", self.people, "--job", self.folder / "no" / "job.yaml")
        self.refused("no column income", self.people, "--job", job)
        self.refused("", *demand, "--k", 0, status=2)


if __name__ == "__main__":
    main()

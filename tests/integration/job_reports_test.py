#!/usr/bin/python3
"""Local recoding through the binary, and what --utility and --report-html write of a job."""
import collections
import csv
import html.parser
import json
import statistics
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: visits
input: {table: public.visits}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
  illness: {class: sensitive, l_diversity: {distinct: 2}}
k: 4
suppression: 40%
metric: discernibility
local_recoding: 10
seed: 1
output: {file: out.csv}
"""

PREPARE = """
CREATE TABLE public.visits (age integer, zip text, illness text);
INSERT INTO public.visits SELECT 20 + (g * g) % 17, 10000 + g % 6, (ARRAY['secret-flu', 'cold', 'HIV'])[1 + g % 3]
  FROM generate_series(1, 120) g;
INSERT INTO public.visits SELECT 40 + g * 2, 20000 + g * 371, (ARRAY['gout', 'cold'])[1 + g % 2] FROM generate_series(1, 20) g;
GRANT SELECT ON public.visits TO pgveil_admin;
"""


class Parts(html.parser.HTMLParser):
    """Tags, and whatever a browser would run or fetch."""

    def __init__(self):
        super().__init__()
        self.tags, self.references, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.references += [
            value for name, value in attributes if name in ("src", "href", "action") or name.startswith("on")
        ]


class JobReports(VerbCase):
    tables = PREPARE

    def anonymize(self, job, *arguments, status=0):
        (self.folder / "job.yaml").write_text(job)
        done = subprocess.run(
            [binary(), "anonymize", "job.yaml", "--config", self.pgveil.config_path, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def published(self):
        with open(self.folder / "out.csv", newline="") as file:
            return list(csv.DictReader(file))

    def report(self, job):
        self.anonymize(job, "--report", "report.json")
        made = json.loads((self.folder / "report.json").read_text())
        (self.folder / "report.json").unlink()
        return made

    def test_local_recoding_shows_what_one_transformation_suppresses(self):
        plain = self.report(JOB.replace("local_recoding: 10\n", ""))
        (self.folder / "out.csv").unlink()
        made = self.report(JOB)
        self.assertGreater(plain["suppressed_rows"], made["suppressed_rows"])
        self.assertLess(made["certainty_penalty"], plain["certainty_penalty"])
        classes = {}
        for row in self.published():
            classes.setdefault((row["age"], row["zip"]), []).append(row["illness"])
        for key, illnesses in classes.items():
            if set(key) != {"*"}:
                self.assertGreaterEqual(len(illnesses), 4, "a class below k")
                self.assertGreaterEqual(len(set(illnesses)), 2, "a class without diversity")
        self.assertEqual(sum(map(len, classes.values())), made["published_rows"])
        check = subprocess.run(
            [binary(), "check-table", "out.csv", "--job", "job.yaml"],
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=60,
        )
        self.assertEqual(check.returncode, 0, check.stdout)

    def test_parts_that_show_a_least_share_lose_less(self):
        fine = JOB.replace("suppression: 40%", "suppression: 99%\ngs: 0").replace(
            "metric: discernibility", "metric: loss"
        )
        plain = self.report(fine)
        (self.folder / "out.csv").unlink()
        made = self.report(fine.replace("local_recoding: 10", "local_recoding: {least: 5%}"))
        self.assertLess(made["certainty_penalty"], plain["certainty_penalty"])
        self.assertGreaterEqual(len(made["recoding"]), 2)
        for step in made["recoding"]:
            self.assertGreaterEqual(step["records"], 7)  # 5 % of 140
        classes = {}
        for row in self.published():
            classes.setdefault((row["age"], row["zip"]), []).append(row["illness"])
        for key, illnesses in classes.items():
            if set(key) != {"*"}:
                self.assertGreaterEqual(len(illnesses), 4, "a class below k")

    def test_a_table_of_stars_is_no_result(self):
        stars = JOB.replace("suppression: 40%", "suppression: 100%\ngs: 0").replace("metric: discernibility", "metric: loss")
        stars = stars.replace("local_recoding: 10\n", "")
        done = self.anonymize(stars, status=1)
        self.assertIn("every record is suppressed", done.stderr)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_the_same_seed_gives_the_same_file(self):
        self.anonymize(JOB)
        before = (self.folder / "out.csv").read_bytes()
        (self.folder / "out.csv").unlink()
        self.anonymize(JOB.replace("k: 4\n", "k: 4\nlimits: {threads: 2}\n"))
        self.assertEqual((self.folder / "out.csv").read_bytes(), before)

    def test_what_does_not_go_with_local_recoding(self):
        for line in ("risk: {average: 10%}", "subset: {column: zip, value: '10001'}"):
            with self.subTest(line):
                done = self.anonymize(JOB.replace("k: 4\n", f"k: 4\n{line}\n"), status=1)
                self.assertIn("local_recoding", done.stderr)
                self.assertFalse((self.folder / "out.csv").exists())

    def test_the_page_needs_nothing_else_and_quotes_no_value(self):
        self.anonymize(JOB, "--report-html", "report.html")
        text = (self.folder / "report.html").read_text()
        parts = Parts()
        parts.feed(text)
        self.assertEqual(parts.references, [])
        self.assertNotIn("script", parts.tags)
        self.assertIn("svg", parts.tags)
        for words in ("age", "zip", "illness"):
            self.assertIn(words, text)
        for value in ("secret-flu", "HIV", "gout", "10003"):
            self.assertNotIn(value, text)

    def test_utility_is_in_the_report(self):
        self.anonymize(JOB, "--utility", "--report", "report.json")
        made = json.loads((self.folder / "report.json").read_text())
        columns = {it["column"]: it for it in made["utility"]["columns"]}
        self.assertEqual(sorted(columns), ["age", "illness", "zip"])
        self.assertLess(columns["zip"]["after"]["distinct"], columns["zip"]["before"]["distinct"])
        self.assertEqual(columns["illness"]["after"]["distinct"], columns["illness"]["before"]["distinct"])

    def test_statistics_are_those_of_the_published_file(self):
        reports = ("--statistics-report", "statistics.json", "--report", "report.json")
        self.anonymize(JOB, *reports, "--predict", "illness")
        written = json.loads((self.folder / "statistics.json").read_text())
        made = {it["column"]: it for it in written["columns"]}
        self.assertEqual((self.folder / "statistics.json").stat().st_mode & 0o777, 0o600)
        ages = [float(it[0]) for it in self.postgres.rows("SELECT age FROM public.visits", "demo")]
        self.assertEqual(made["age"]["scale"], "number")
        self.assertAlmostEqual(made["age"]["before"]["mean"], statistics.fmean(ages))
        self.assertAlmostEqual(made["age"]["before"]["variance"], statistics.pvariance(ages))
        self.assertEqual(made["age"]["before"]["median"], statistics.median(ages))
        illnesses = collections.Counter(row["illness"] for row in self.published())
        most = max(illnesses.values())
        mode = min(it for it, records in illnesses.items() if records == most)
        self.assertEqual(made["illness"]["after"]["mode"], mode)
        self.assertEqual(made["illness"]["after"]["mode_records"], most)
        self.assertNotIn("mean", made["illness"]["after"])
        predicted = json.loads((self.folder / "report.json").read_text())["utility"]["prediction"]
        self.assertEqual(predicted["target"], "illness")
        self.assertEqual((predicted["classes"], predicted["records"]), (4, 140))
        for share in ("most_frequent", "before", "after"):
            self.assertTrue(0 <= predicted[share] <= 1, predicted)
        (self.folder / "out.csv").unlink()
        self.assertIn("age is a quasi-identifier", self.anonymize(JOB, "--predict", "age", status=1).stderr)

    def test_pages_are_never_written_over_what_is_read(self):
        done = self.anonymize(JOB, "--report-html", "job.yaml", status=1)
        self.assertIn("overwritten", done.stderr)
        self.assertIn("version: 1", (self.folder / "job.yaml").read_text())
        self.assertFalse((self.folder / "out.csv").exists())

    def test_no_output_replaces_another(self):
        job = JOB.replace("out.csv}", "out.csv, replace: true}")
        (self.folder / "self").symlink_to(self.folder)
        options = (
            ("--report",),
            ("--certificate",),
            ("--report-html",),
            ("--statistics-report",),
            ("--contingency", "age,illness", "--contingency-report"),
        )
        try:
            for option in options:
                for name in ("out.csv", "./out.csv", "self/out.csv"):
                    with self.subTest(option=option[-1], name=name):
                        done = self.anonymize(job, *option, name, status=1)
                        self.assertIn("also writes", done.stderr)
                        self.assertFalse((self.folder / "out.csv").exists())
            same = ("--report", "s1.json", "--statistics-report", "self/s1.json")
            self.assertIn("also writes", self.anonymize(job, *same, status=1).stderr)
            self.assertFalse((self.folder / "s1.json").exists())
        finally:
            (self.folder / "self").unlink()


if __name__ == "__main__":
    main()

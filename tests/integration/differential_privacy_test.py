#!/usr/bin/python3
"""Jobs with differential_privacy, through the binary. β and k are computed here once more, with exact
fractions, and what is published is counted from the input."""
import csv
import decimal
import json
import math
import random
from fractions import Fraction

from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: study
input: {file: people.csv}
attributes:
  name: {class: identifier}
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}, min_level: 2, max_level: 2}
  illness: {class: quasi_identifier, hierarchy: {tree: {all: [flu, cold, gout]}}, min_level: 0, max_level: 0}
differential_privacy: {epsilon: EPSILON, delta: DELTA}
output: {file: out.csv, replace: true}
"""


def rates(epsilon):
    """β and γ, as fractions that differ from them by less than 10^−50."""
    with decimal.localcontext() as context:
        context.prec = 60
        power = Fraction((-decimal.Decimal(epsilon)).exp())
    beta = 1 - power
    return beta, (1 / power - 1 + beta) * power


def tail(n, beta, gamma):
    """Σ C(n, j) · β^j · (1 − β)^(n − j) over whole j with γ·n < j ≤ n."""
    return sum(
        math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(math.floor(gamma * n) + 1, n + 1)
    )


def smallest_k(epsilon, delta):
    beta, gamma = (it.limit_denominator(10**15) for it in rates(epsilon))
    decay = float(gamma) * math.log(gamma / beta) + float(1 - gamma) * math.log((1 - gamma) / (1 - beta))
    # a(n) ≤ e^(−n · decay), so that all n from here on are small enough.
    last = math.ceil(-math.log(delta) / decay) + 1
    too_large = max(n for n in range(1, last + 1) if tail(n, beta, gamma) > Fraction(delta))
    k = 1
    while math.ceil(k / gamma - 1) <= too_large:
        k += 1
    return k


class DifferentialPrivacy(VerbCase):
    tables = ""

    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        self.people = [
            {
                "name": f"person {i}",
                "age": min(99, int(draw.expovariate(1 / 15)) + 20),
                "illness": draw.choice(["flu", "flu", "flu", "cold", "gout"]),
            }
            for i in range(2000)
        ]
        with open(self.folder / "people.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(self.people[0]))
            writer.writeheader()
            writer.writerows(self.people)

    def publish(self, epsilon, delta):
        (self.folder / "job.yaml").write_text(
            JOB.replace("EPSILON", str(epsilon)).replace("DELTA", f"{delta:.10f}")
        )
        self.run_verb("anonymize", "job.yaml", "--report", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        (self.folder / "report.json").unlink()
        with open(self.folder / "out.csv", newline="") as file:
            return report, list(csv.DictReader(file))

    def test_k_is_that_of_exact_arithmetic(self):
        for epsilon, delta in ((0.5, 1e-4), (1, 1e-5), (2, 1e-3)):
            with self.subTest(epsilon=epsilon, delta=delta):
                report, _ = self.publish(epsilon, delta)
                self.assertEqual(report["k"], smallest_k(epsilon, delta))
                self.assertAlmostEqual(report["differential_privacy"]["beta"], 1 - math.exp(-epsilon))

    def test_only_true_values_in_classes_of_k_are_published(self):
        report, rows = self.publish(1, 1e-4)
        self.assertEqual(report["differential_privacy"]["read_rows"], 2000)
        self.assertLess(report["rows"], 2000)
        found, possible = {}, {}
        for row in rows:
            key = (row["age"], row["illness"])
            found[key] = found.get(key, 0) + 1
        for it in self.people:
            low = it["age"] // 20 * 20
            key = (f"[{low}, {low + 20})", it["illness"])
            possible[key] = possible.get(key, 0) + 1
        self.assertGreater(len(possible), len(found))
        for key, records in found.items():
            self.assertGreaterEqual(records, report["k"])
            self.assertLessEqual(records, possible[key])
        # About e^−1 of the classes' records are not in the sample.
        whole = sum(possible[key] for key in found)
        self.assertLess(abs(len(rows) / whole - 0.632), 0.08)

    def test_each_report_tells_the_sample_apart_from_what_was_read(self):
        (self.folder / "job.yaml").write_text(JOB.replace("EPSILON", "1").replace("DELTA", "0.0001"))
        told = self.run_verb("anonymize", "job.yaml", "--report", "report.json", "--report-html", "report.html")
        sampled = json.loads((self.folder / "report.json").read_text())["rows"]
        page = (self.folder / "report.html").read_text()
        words = f"(ε, δ) = (1, 0.0001): {sampled} of 2000 records were sampled, each with probability 0.6321"
        self.assertIn(words, told.stdout)
        self.assertIn(words, page)
        self.assertIn(f"of {sampled} sampled", page)
        self.assertNotIn(" read<", page)
        for text in (told.stdout, page):
            self.assertIn("another run draws another sample, and the ε and δ of both add up", text)

    def test_a_value_that_no_hierarchy_knows_leaves_out_its_record(self):
        """Else one record would decide whether there is a table."""
        rows = ["33,plague", "unknown,flu", "34,flu"]
        files = {
            "interval and tree": JOB,
            "files": JOB.replace(
                "{tree: {all: [flu, cold, gout]}}, min_level: 0, max_level: 0",
                "{file: illness.csv}, min_level: 1, max_level: 1",
            ),
        }
        (self.folder / "illness.csv").write_text("flu;any\ncold;any\ngout;any\n")
        with open(self.folder / "people.csv", "a", newline="") as file:
            file.writelines(f"person,{row}\r\n" for row in rows for _ in range(100))
        for what, job in files.items():
            with self.subTest(what):
                (self.folder / "job.yaml").write_text(job.replace("EPSILON", "1").replace("DELTA", "0.0001"))
                told = self.run_verb("anonymize", "job.yaml", "--report", "report.json")
                report = json.loads((self.folder / "report.json").read_text())
                left_out = report["differential_privacy"]["unknown_rows"]
                self.assertEqual(left_out, 200)
                self.assertIn("of 2100 records were sampled", told.stdout)
                self.assertIn("200 more have a value that a hierarchy does not know", told.stdout)
                text = (self.folder / "out.csv").read_text()
                self.assertNotIn("plague", text)
                self.assertNotIn("unknown", text)
                self.assertGreater(report["published_rows"], 500)
        for wrong, words in (
            (JOB.replace("[flu, cold, gout]", "[measles]"), "the tree of illness lacks"),
            (files["files"].replace("illness.csv", "other.csv"), "no row for"),
        ):
            (self.folder / "other.csv").write_text("measles;any\n")
            (self.folder / "job.yaml").write_text(wrong.replace("EPSILON", "1").replace("DELTA", "0.0001"))
            self.assertIn(words, self.run_verb("anonymize", "job.yaml", status=1).stderr)

    def test_every_run_takes_another_sample(self):
        counts = {tuple(sorted(json.dumps(row) for row in self.publish(1, 1e-4)[1])) for _ in range(4)}
        self.assertGreater(len(counts), 1)

    def test_what_would_tell_more_than_the_table_is_refused(self):
        report, _ = self.publish(1, 1e-4)
        self.assertIn("levels", report)
        done = self.run_verb("anonymize", "job.yaml", "--certificate", "certificate.json", status=1)
        self.assertIn("a certificate of a job with differential_privacy", done.stderr)
        (self.folder / "report.json").write_text(json.dumps(report))
        apply = ("apply", "report.json", "people.csv", "--job", "job.yaml", "--output", "other.csv")
        self.assertIn("samples its records", self.run_verb(*apply, status=1).stderr)
        self.assertFalse((self.folder / "other.csv").exists())

    def test_levels_that_are_chosen_privately(self):
        """ε of the sample is what the choice leaves. All levels of both hierarchies are possible."""
        fixed = JOB.replace("EPSILON", "1").replace("DELTA", "0.0001, search_epsilon: 0.25")
        job = fixed.replace(", min_level: 2, max_level: 2", "").replace(", min_level: 0, max_level: 0", "")
        (self.folder / "job.yaml").write_text(job)
        told = self.run_verb("anonymize", "job.yaml", "--report", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        said = report["differential_privacy"]
        self.assertEqual((said["epsilon"], said["search_epsilon"], said["compared_privately"]), (1, 0.25, 10))
        self.assertAlmostEqual(said["beta"], 1 - math.exp(-0.75))
        self.assertEqual(report["k"], smallest_k(0.75, 1e-4))
        self.assertIn("the levels were chosen from 10 transformations with 0.25 of ε", told.stdout)
        width = [1, 10, 20, 40, None][report["levels"][0]]
        counted = {}
        for it in self.people:
            low = it["age"] // width * width if width else 0
            age = str(it["age"]) if width == 1 else f"[{low}, {low + width})" if width else "*"
            key = (age, it["illness"] if report["levels"][1] == 0 else "all")
            counted[key] = counted.get(key, 0) + 1
        with open(self.folder / "out.csv", newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
        for key in set(rows):
            self.assertGreaterEqual(rows.count(key), report["k"])
            self.assertLessEqual(rows.count(key), counted[key])
        for arguments in (("--list",), ("--transformation", "2,0")):
            done = self.run_verb("anonymize", "job.yaml", *arguments, status=1)
            self.assertIn("levels that are chosen privately cannot be listed or named", done.stderr)
        (self.folder / "job.yaml").write_text(fixed)
        done = self.run_verb("anonymize", "job.yaml", status=1)
        self.assertIn("each quasi-identifier has a fixed level", done.stderr)

    def test_nobody_knows_whether_a_person_is_in_the_sample(self):
        self.publish(1, 1e-4)
        self.assertIn("Not tried", self.run_verb("attack", "--job", "job.yaml").stdout)
        done = self.run_verb("attack", "--job", "job.yaml", "--knows", "age", status=1)
        self.assertIn("nobody knows whether a person is in its file", done.stderr)


if __name__ == "__main__":
    main()

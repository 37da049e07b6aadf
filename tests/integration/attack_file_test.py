#!/usr/bin/python3
"""pgveil attack FILE --job: what follows from published files, with exit status, formats and refusals, and
that no value is quoted. tests/unit/jobs/release_attack_test.cpp compares the figures with a second count."""
import csv
import gzip
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

from harness.pgveil import binary
from harness.runner import main
from harness.stack import StackCase

JOB = """version: 1
name: {name}
input: {{file: people.csv}}
attributes:
  name: {{class: identifier}}
  age: {{class: quasi_identifier, {age}}}
  town: {{class: quasi_identifier, hierarchy: {{file: towns.csv, separator: ","}}}}
  illness: {{class: sensitive{models}}}
k: 3
{method}
output: {{file: {name}.csv, replace: true}}
"""
LEVELS = "hierarchy: {intervals: {widths: [5, 10, 20, 40]}}"


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        draw = random.Random(7)
        towns = [f"town-secret-{i}" for i in range(6)]
        rows = [["name", "age", "town", "illness"]]
        for i in range(120):
            rows.append([f"name-secret-{i}", draw.randrange(20, 60), draw.choice(towns),
                         f"illness-secret-{min(draw.randrange(4), draw.randrange(4))}"])  # fmt: skip
        self.write("people.csv", rows)
        self.write("towns.csv", [[town, f"north-secret-{i % 2}", "*"] for i, town in enumerate(towns)])

    def write(self, name, rows):
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)

    def run_in_folder(self, *arguments, status=0, stdin=None):
        done = subprocess.run([binary(), *arguments], cwd=self.folder, capture_output=True, input=stdin,
                              timeout=120)  # fmt: skip
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        self.assertNotIn(b"Sanitizer", done.stderr)
        self.assertNotIn(b"secret", done.stdout + done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def publish(self, name, method="", age=LEVELS, models=""):
        text = JOB.format(name=name, method=method, age=age, models=models)
        (self.folder / f"{name}.yaml").write_text(text)
        self.run_in_folder("anonymize", f"{name}.yaml", "--report", f"{name}.json")

    def attack(self, *arguments, status=0, stdin=None):
        return json.loads(self.run_in_folder("attack", *arguments, "--format", "json", status=status,
                                             stdin=stdin)[0])  # fmt: skip

    def refusal(self, *arguments, status=1, stdin=None):
        out, error = self.run_in_folder("attack", *arguments, status=status, stdin=stdin)
        self.assertEqual(out, "")
        return error


class AttackFile(Folder):
    METHODS = {
        "levels": ("suppression: 20%", LEVELS),
        "parts": ("suppression: 99%\ngs: 0\nlocal_recoding: {least: 5%}", LEVELS),
        "mondrian": ("algorithm: mondrian", "numeric: true"),
        "least": ("algorithm: least_loss", "numeric: true"),
        "drawn": ("algorithm: mondrian\nresist: [downcoding, refinement]", "numeric: true"),
    }

    def classes_of_one_value(self, name):
        with open(self.folder / f"{name}.csv", newline="") as file:
            classes = {}
            for row in csv.DictReader(file):
                classes.setdefault((row["age"], row["town"]), []).append(row["illness"])
        return sum(len(set(values)) == 1 for values in classes.values()), len(classes)

    def test_every_method(self):
        for name, (method, age) in self.METHODS.items():
            with self.subTest(name):
                self.publish(name, method, age)
                single, classes = self.classes_of_one_value(name)
                status = 4 if single else 0
                found = self.attack("--job", f"{name}.yaml", status=status)
                self.assertEqual((found["classes"], found["columns"][0]["classes_of_one_value"]), (classes, single))
                self.assertEqual(found, self.attack(f"{name}.csv", "--job", f"{name}.yaml", status=status))
                known = self.attack("--job", f"{name}.yaml", "--knows", "age,town", status=status)["known_persons"]
                self.assertGreaterEqual(known["fewest_records"], 3)
                self.assertEqual(known["persons"], 120)
                for column in known["columns"]:
                    self.assertEqual(column["claimed"], column["true"])
                text, _ = self.run_in_folder("attack", "--job", f"{name}.yaml", status=status)
                self.assertIn("name them with --knows", text)
                self.assertEqual("downcoding" in text, name != "drawn")
                self.assertEqual("(resist)" in text, name == "drawn")
                self.assertEqual("refinement" in text, name == "parts")

    def test_diversity_closes_it(self):
        for name, (method, age) in self.METHODS.items():
            with self.subTest(name):
                self.publish(name, method, age, ", l_diversity: {distinct: 2}")
                scheme = ["--scheme", f"{name}.json"] if name in ("levels", "parts") else []
                found = self.attack("--job", f"{name}.yaml", "--knows", "town,age", *scheme)
                self.assertFalse(found["is_anything_found"])
                self.assertEqual(found["known_persons"]["columns"][0]["claimed"], 0)
                self.assertEqual(found["known_persons"]["uses_order"], bool(scheme))
                text, _ = self.run_in_folder("attack", "--job", f"{name}.yaml")
                self.assertIn("Verdict: the attacks that were tried learn no sensitive value.", text)

    def test_the_report_tells_what_the_order_of_transformations_excludes(self):
        known = ("--knows", "age,town")
        for name in ("levels", "parts"):
            with self.subTest(name):
                self.publish(name, *self.METHODS[name], ", l_diversity: {distinct: 2}")
                self.assertIsNone(self.attack("--job", f"{name}.yaml", *known)["refined"])
                scheme = ("--scheme", f"{name}.json")
                for column in self.attack("--job", f"{name}.yaml", *known, *scheme)["refined"]["columns"]:
                    self.assertLessEqual(column["narrowed"], column["generalized"])
                    self.assertEqual(column["claimed"], column["true"])
                for form in ("text", "html"):
                    text, _ = self.run_in_folder("attack", "--job", f"{name}.yaml", *known, *scheme,
                                                 "--format", form)  # fmt: skip
                    self.assertIn("s report, and no person", text)
                    self.assertIn("have fewer than k records or break another model", text)
        # Everybody in five towns is shown with the town. So the one person who is not lives in the sixth.
        rows = [["name", "age", "town", "illness"]]
        rows += [[f"name-secret-{i}", 30, f"town-secret-{i // 5}", "illness-secret"] for i in range(25)]
        rows.append(["name-secret", 30, "town-secret-5", "illness-secret"])
        self.write("people.csv", rows)
        age = "hierarchy: {intervals: {widths: [5]}}, max_level: 0"
        self.publish("one", "suppression: 20%\nsuppressed_records: keep\ngs: 0", age)
        found = self.attack("--job", "one.yaml", *known, "--scheme", "one.json", status=4)
        age, town = found["refined"]["columns"]
        self.assertEqual((town["generalized"], town["narrowed"], town["claimed"], town["true"]), (1, 1, 1, 1))
        self.assertEqual(age["generalized"], 0)

    def test_who_repeats_the_job_knows_each_class(self):
        known = ("--knows", "age,town")
        for name in ("levels", "parts", "mondrian", "least", "drawn"):
            with self.subTest(name):
                self.publish(name, *self.METHODS[name])
                found = json.loads(self.attack_of_any_status(f"{name}.yaml", *known))
                self.assertEqual(found["repeated"] is not None, name == "mondrian")
                self.assertEqual(found["groups"] is not None, name in ("mondrian", "least"))
        found = json.loads(self.attack_of_any_status("mondrian.yaml", *known))
        self.assertEqual(found["repeated"]["in_one_class"], 120)
        (known_column,), (column,) = found["known_persons"]["columns"], found["repeated"]["columns"]
        self.assertEqual(column["claimed"], column["true"])
        self.assertGreaterEqual(column["true"], known_column["true"])
        age = next(column for column in found["groups"]["columns"] if column["column"] == "age")
        self.assertGreater(age["occurring"], 0)
        self.assertEqual(age["occurring"], age["occurring_true"])
        self.assertGreater(age["last_of_class"], 0)
        # With other cuts than the job's, or with a file of other rows, nothing is repeated.
        self.write("people.csv", [["name", "age", "town", "illness"],
                                  *([f"name-secret-{i}", 20 + i % 40, f"town-secret-{i % 6}", "illness-secret-0"]
                                    for i in range(120))])  # fmt: skip
        found = json.loads(self.attack_of_any_status("mondrian.yaml", *known))
        self.assertIsNone(found["repeated"])
        self.assertIsNone(found["groups"])

    def attack_of_any_status(self, job, *arguments):
        done = subprocess.run([binary(), "attack", "--job", job, *arguments, "--format", "json"],
                              cwd=self.folder, capture_output=True, timeout=120)  # fmt: skip
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertNotIn(b"secret", done.stdout + done.stderr)
        return done.stdout

    def test_minimality(self):
        # Two persons of town 0 have one illness, so the towns could not be shown.
        rows = [["name", "age", "town", "illness"]]
        for i, (town, illness) in enumerate([(0, 0), (0, 0), (0, 0), (2, 1), (2, 2), (2, 3), (2, 1)]):
            rows.append([f"name-secret-{i}", 30, f"town-secret-{town}", f"illness-secret-{illness}"])
        self.write("people.csv", rows)
        age = "hierarchy: {intervals: {widths: [5]}}, max_level: 0"
        known = ("--knows", "age,town")
        self.publish("diverse", "suppression: 0", age, ", l_diversity: {distinct: 2}")
        found = self.attack("--job", "diverse.yaml", *known, status=4)
        self.assertEqual(found["known_persons"]["columns"][0]["claimed"], 0)
        (column,) = found["minimality"]["columns"]
        self.assertEqual((column["claimed"], column["true"], column["wrongly_excluded"]), (3, 3, 0))
        self.assertEqual(column["narrowed"], 7)
        for form in ("text", "html"):
            text, _ = self.run_in_folder("attack", "--job", "diverse.yaml", *known, "--format", form, status=4)
            self.assertIn("(minimality)", text)
            self.assertIn("Verdict: sensitive values follow.", text)
        self.assertIsNone(self.attack("--job", "diverse.yaml", "--knows", "age")["minimality"])
        self.publish("drawn", *self.METHODS["drawn"], ", l_diversity: {distinct: 2}")
        self.assertIsNone(self.attack("--job", "drawn.yaml", *known)["minimality"])

    def test_aggregates(self):
        # Each town shows a mean. Only one age makes the first, two make the second, and two others the third.
        ages = {0: (20, 20, 20), 1: (20, 20, 23), 2: (40, 57, 57)}
        rows = [["name", "age", "town", "illness"]]
        for town, values in ages.items():
            rows += [[f"name-secret-{town}-{i}", age, f"town-secret-{town}", f"illness-secret-{i}"]
                     for i, age in enumerate(values)]  # fmt: skip
        self.write("people.csv", rows)
        self.publish("means", "suppression: 0", "aggregate: mean")
        alone = self.attack("--job", "means.yaml")
        self.assertEqual((alone["aggregates"], alone["is_anything_found"]), ([], False))
        self.assertTrue(any("name known columns with --knows" in line for line in alone["not_tried"]))
        for knows, in_one_class in (("town", 9), ("age", 4), ("town,age", 9)):
            with self.subTest(knows):
                found = self.attack("--job", "means.yaml", "--knows", knows, status=4)
                (column,) = found["aggregates"]
                self.assertEqual({key: column[key] for key in column if key != "possible_share"},
                                 {"column": "age", "aggregate": "mean", "records": 9, "narrowed": 9,
                                  "of_one_value": 3})  # fmt: skip
                self.assertAlmostEqual(column["possible_share"], (3 * 1 + 3 * 2 + 3 * 2) / 4 / 9)
                person = found["known_persons"]
                self.assertEqual((person["in_one_class"], person["in_no_class"]), (in_one_class, 0))
                columns = {it["column"]: (it["claimed"], it["true"]) for it in person["columns"]}
                self.assertEqual(columns, {"illness": (0, 0)} | ({"age": (3, 3)} if knows == "town" else {}))
                for form in ("text", "html"):
                    text, _ = self.run_in_folder("attack", "--job", "means.yaml", "--knows", knows, "--format",
                                                 form, status=4)  # fmt: skip
                    self.assertIn("Somebody who knows the job and no person: aggregates", text)
                    self.assertIn("41.7 %", text)
                    self.assertIn("A mean gives the last value to somebody who knows all others.", text)
                    self.assertIn("Verdict: values of generalized cells follow.", text)
        # The report tells at which level classes were formed, and so which ages are below one interval.
        self.publish("medians", "suppression: 0", "hierarchy: {intervals: {widths: [30]}}, aggregate: median")
        known = ("--job", "medians.yaml", "--knows", "town,age")
        for scheme, narrowed, share in (((), 0, 1), (("--scheme", "medians.json"), 9, 0.5)):
            (column,) = self.attack(*known, *scheme)["aggregates"]
            self.assertEqual((column["narrowed"], column["possible_share"]), (narrowed, share))
        # A mean that no class can have is of another job.
        text = (self.folder / "means.csv").read_text()
        self.assertIn("\n21,", text)
        (self.folder / "other.csv").write_text(text.replace("\n21,", "\n22.5,"))
        for knows in ("town", "age"):
            self.assertIn("1 texts of age in the file stand for no value of the input",
                          self.refusal("other.csv", "--job", "means.yaml", "--knows", knows))  # fmt: skip

    def test_several_files_tell_more_than_one(self):
        diverse = ", l_diversity: {distinct: 2}"
        self.publish("levels", *self.METHODS["levels"], diverse)
        self.publish("least", *self.METHODS["least"], diverse)
        self.publish("mondrian", *self.METHODS["mondrian"], diverse)
        found = self.attack("--job", "levels.yaml", "--knows", "age,town", "--with", "least.yaml", "--with",
                            "mondrian.yaml", status=4)  # fmt: skip
        self.assertEqual(found["known_persons"]["columns"][0]["true"], 0)
        (together,) = found["together"]["columns"]
        self.assertEqual(found["together"]["jobs"], ["least", "mondrian"])
        self.assertGreater(together["true"], 0)
        self.assertEqual(together["claimed"], together["true"])

    def test_a_class_below_k(self):
        self.publish("levels", *self.METHODS["levels"])
        with open(self.folder / "levels.csv", newline="") as file:
            rows = [row for row in csv.reader(file)]
        shown = next(row for row in rows[1:] if row[0] != "*")
        kept = [row for row in rows if row[:2] != shown[:2]]
        self.write("cut.csv", [*kept, shown])
        found = self.attack("cut.csv", "--job", "levels.yaml", status=4)
        self.assertEqual(found["smallest_class"], 1)
        text, _ = self.run_in_folder("attack", "cut.csv", "--job", "levels.yaml", status=4)
        self.assertIn("Verdict: a class is smaller than k.", text)

    def test_forms_and_files(self):
        self.publish("least", *self.METHODS["least"])
        bytes_of = (self.folder / "least.csv").read_bytes()
        (self.folder / "least.csv.gz").write_bytes(gzip.compress(bytes_of))
        expected = self.attack("--job", "least.yaml", status=4)
        for name, stdin in (("least.csv.gz", None), ("-", bytes_of)):
            found = self.attack(name, "--job", "least.yaml", status=4, stdin=stdin)
            of_bytes = {"file": 0, "file_sha256": 0}
            self.assertEqual(found | of_bytes, expected | of_bytes)
        for form in ("text", "json", "html"):
            self.run_in_folder("attack", "--job", "least.yaml", "--knows", "age", "--format", form, "-o",
                               f"report.{form}", status=4)  # fmt: skip
            again, _ = self.run_in_folder("attack", "--job", "least.yaml", "--knows", "age", "--format", form,
                                          status=4)  # fmt: skip
            self.assertEqual((self.folder / f"report.{form}").read_text(), again)
        self.assertIn("<html", again)

    def test_refusals(self):
        self.publish("levels", *self.METHODS["levels"])
        self.publish("least", *self.METHODS["least"])
        self.refusal("levels.csv", status=1)  # a policy of that name
        self.refusal(status=2)
        self.refusal("--job", "levels.yaml", "--with", "least.yaml", status=2)
        self.refusal("--job", "levels.yaml", "--scheme", "levels.json", status=2)
        self.refusal("levels.csv", "--with", "least.yaml", status=1)  # a policy, and a version of it
        known = ("--knows", "age,town")
        self.assertIn("is this the file that the job published",
                      self.refusal("least.csv", "--job", "levels.yaml", *known))  # fmt: skip
        self.assertIn("illness is not a quasi-identifier", self.refusal("--job", "levels.yaml", "--knows", "illness"))
        self.assertIn("nobody is not a quasi-identifier", self.refusal("--job", "levels.yaml", "--knows", "nobody"))
        self.assertIn("not a list of columns", self.refusal("--job", "levels.yaml", "--knows", ""))
        self.assertIn("the scheme is of job levels, not of least",
                      self.refusal("--job", "least.yaml", *known, "--scheme", "levels.json"))  # fmt: skip
        self.assertIn("the scheme", self.refusal("--job", "levels.yaml", *known, "--scheme", "people.csv"))
        self.refusal("nowhere.csv", "--job", "levels.yaml")
        self.refusal("--job", "nowhere.yaml")
        self.write("other.csv", [["age", "town"], ["20", "x"]])
        self.assertIn("illness", self.refusal("other.csv", "--job", "levels.yaml"))
        self.write("empty.csv", [["age", "town", "illness"]])
        self.assertIn("no rows", self.refusal("empty.csv", "--job", "levels.yaml"))
        (self.folder / "cut.csv.gz").write_bytes(gzip.compress((self.folder / "levels.csv").read_bytes())[:-9])
        self.refusal("cut.csv.gz", "--job", "levels.yaml")
        (self.folder / "people.csv").unlink()
        self.refusal("--job", "levels.yaml", *known)
        self.attack("--job", "levels.yaml", status=4 if self.classes_of_one_value("levels")[0] else 0)
        self.refusal("--job", "levels.yaml", "--output", "levels.csv/report")


class AttackTable(StackCase):
    """A job whose input and output are tables."""

    @classmethod
    def prepare(cls):
        cls.postgres.run("""
            CREATE TABLE public.patients (age integer, town text, illness text);
            INSERT INTO public.patients SELECT 20 + n % 40, 'town-secret-' || n % 3,
                CASE WHEN n % 7 = 0 THEN NULL ELSE 'illness-secret-' || n % 2 END FROM generate_series(0, 119) n;
            CREATE SCHEMA published AUTHORIZATION pgveil_admin;
            GRANT SELECT ON public.patients TO pgveil_admin""", "demo")  # fmt: skip

    def test_tables(self):
        with tempfile.TemporaryDirectory() as place:
            job = pathlib.Path(place) / "patients.yaml"
            job.write_text(
                "version: 1\nname: patients\ninput: {table: public.patients}\nattributes:\n"
                "  age: {class: quasi_identifier, numeric: true}\n  town: {class: quasi_identifier}\n"
                "  illness: {class: sensitive}\nk: 4\nalgorithm: least_loss\n"
                "output: {table: published.patients}\n"
            )
            config = ("-c", str(self.pgveil.config_path))
            run = subprocess.run([binary(), "anonymize", str(job), *config], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            done = subprocess.run([binary(), "attack", "--job", str(job), "--knows", "age,town", "--format", "json",
                                   *config], capture_output=True, text=True)  # fmt: skip
            self.assertIn(done.returncode, (0, 4), done.stderr)
            self.assertNotIn("secret", done.stdout + done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual(found["known_persons"]["persons"], 120)
            self.assertEqual(found["known_persons"]["in_no_class"], 0)
            self.assertGreaterEqual(found["known_persons"]["fewest_records"], 4)
            (column,) = found["known_persons"]["columns"]
            self.assertEqual(column["claimed"], column["true"])


if __name__ == "__main__":
    main()

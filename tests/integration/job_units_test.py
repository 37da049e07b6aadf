#!/usr/bin/python3
"""Jobs whose k counts a unit, through the binary: what is published, counted here from the input, and what
the verbs that see only the published table say of it."""
import csv
import json
import os
import random

from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: visits
input: {file: visits.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
  visit: {class: insensitive}
k: 4
unit: patient
suppression: 10%
seed: 1
output: {file: out.csv}
"""

PREPARE = """
CREATE TABLE public.visits (patient integer, age integer, zip text, visit integer);
INSERT INTO public.visits
  SELECT g * g % 37, 20 + g * 7 % 40, (81600 + g * 13 % 90)::text, g FROM generate_series(1, 200) g;
GRANT SELECT ON public.visits TO pgveil_admin;
"""


def visits(rows=400, seed=7):
    """A few patients with many visits of the same age, and many with few."""
    draw = random.Random(seed)
    made = []
    for visit in range(rows):
        patient = draw.randrange(4) if draw.random() < 0.5 else draw.randrange(4, 90)
        place = {"age": 20 + patient % 45, "zip": 10000 + patient * 7 % 30}
        made.append({"patient": f"p{patient}", **place, "visit": visit})
    return made


class JobUnits(VerbCase):
    tables = PREPARE

    def setUp(self):
        super().setUp()
        self.input = visits()
        with open(self.folder / "visits.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(self.input[0]))
            writer.writeheader()
            writer.writerows(self.input)

    def publish(self, job=JOB, *arguments):
        (self.folder / "job.yaml").write_text(job)
        self.run_verb("anonymize", "job.yaml", "--report", "report.json", *arguments)
        report = json.loads((self.folder / "report.json").read_text())
        (self.folder / "report.json").unlink()
        return report

    def classes(self, name="out.csv", patient_of=None):
        """The records and the patients of each class."""
        if patient_of is None:
            patient_of = {str(it["visit"]): it["patient"] for it in self.input}
        with open(self.folder / name, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["age", "zip", "visit"])
        found = {}
        for row in rows:
            found.setdefault((row["age"], row["zip"]), []).append(patient_of[row["visit"]])
        return found

    def test_each_class_has_k_patients(self):
        plain = self.publish(JOB.replace("unit: patient\n", ""))
        self.assertIsNone(plain["unit"])
        self.assertLess(min(len(set(it)) for it in self.classes().values()), 4, "k records are enough here")
        (self.folder / "out.csv").unlink()
        report = self.publish()
        patients = [len(set(it)) for it in self.classes().values()]
        self.assertGreaterEqual(min(patients), 4)
        self.assertEqual((report["unit"], report["fewest_units"]), ("patient", min(patients)))
        self.assertEqual(report["not_published"], ["patient"])

    def test_groups_have_k_patients(self):
        for algorithm in ("mondrian", "least_loss"):
            with self.subTest(algorithm):
                job = JOB.replace("suppression: 10%\n", f"algorithm: {algorithm}\n")
                job = job.replace("hierarchy: {intervals: {widths: [5, 10, 20, 40]}}", "numeric: true")
                self.publish(job)
                self.assertGreaterEqual(min(len(set(it)) for it in self.classes().values()), 4)
                (self.folder / "out.csv").unlink()

    def test_a_table_of_postgresql(self):
        job = JOB.replace("{file: visits.csv}", "{table: public.visits}")
        self.publish(job, "--config", self.pgveil.config_path)
        patient_of = dict(self.postgres.rows("SELECT visit, patient FROM public.visits", "demo"))
        self.assertGreaterEqual(min(len(set(it)) for it in self.classes(patient_of=patient_of).values()), 4)

    def test_apply_counts_the_units_of_the_new_rows(self):
        (self.folder / "job.yaml").write_text(JOB)
        self.run_verb("anonymize", "job.yaml", "--report", "scheme.json")
        rows = [it | {"patient": f"new-{it['patient']}"} for it in visits(seed=8)]
        with open(self.folder / "new.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        apply = ("apply", "scheme.json", "new.csv", "--job", "job.yaml", "--on-violation", "suppress")
        self.run_verb(*apply, "--output", "new_out.csv")
        found = self.classes("new_out.csv", {str(it["visit"]): it["patient"] for it in rows})
        self.assertGreaterEqual(min(len(set(it)) for it in found.values()), 4)
        (self.folder / "new.csv").write_text("age,zip,visit\n30,10000,1\n")
        done = self.run_verb(*apply, "--output", "other.csv", status=1)
        self.assertIn("has no column patient", done.stderr)

    def test_verbs_that_see_only_the_table_say_that_they_count_records(self):
        (self.folder / "key").write_text("a key of more than sixteen bytes\n")
        os.chmod(self.folder / "key", 0o600)
        self.publish(JOB, "--certificate", "certificate.json", "--key-file", "key")
        checked = self.run_verb("check-table", "out.csv", "--job", "job.yaml").stdout
        self.assertIn("patient: the table does not have it", checked)
        verify = ("verify-certificate", "certificate.json", "out.csv", "--job", "job.yaml")
        said = self.run_verb(*verify, "--input", "visits.csv", "--key-file", "key").stdout
        self.assertIn("unchecked k by patient", said)
        self.assertIn("ok        k 4", said)
        self.assertIn("ok        the input is the one", said)
        attacked = self.run_verb("attack", "--job", "job.yaml").stdout
        self.assertIn("several records of one patient", attacked)

    def test_an_attacker_does_not_take_units_for_records(self):
        """k records of fewer than k patients are no class, so that a class was not shown tells less."""
        groups = JOB.replace("suppression: 10%", "algorithm: mondrian")
        parts = "suppression: 100%\ngs: 0\nlocal_recoding: {parts: 100, least: 5%}"
        for job in (JOB, groups, JOB.replace("suppression: 10%", parts)):
            (self.folder / "out.csv").unlink(missing_ok=True)
            (self.folder / "job.yaml").write_text(job)
            (self.folder / "scheme.json").unlink(missing_ok=True)
            self.run_verb("anonymize", "job.yaml", "--report", "scheme.json")
            attack = ["attack", "--job", "job.yaml", "--knows", "age,zip", "--format", "json"]
            if "local_recoding" in job:
                attack += ["--scheme", "scheme.json"]
            found = json.loads(self.run_verb(*attack).stdout)
            known = found["known_persons"]
            for column in known["columns"]:
                self.assertEqual(column["claimed"], column["true"])
            if found["refined"]:
                for column in found["refined"]["columns"]:
                    self.assertEqual(column["claimed"], column["true"])

    def test_a_visit_without_a_patient_stops_the_job(self):
        with open(self.folder / "visits.csv", "a") as file:
            file.write(",30,10000,999\r\n")
        (self.folder / "job.yaml").write_text(JOB)
        done = self.run_verb("anonymize", "job.yaml", status=1)
        self.assertIn("1 records have no patient, which is the unit", done.stderr)
        self.assertFalse((self.folder / "out.csv").exists())


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What pycanon (an independent implementation) counts in a published file: k, l, the entropy l and t are
those of check-table, and keep what the job promises. Skipped without the package."""
import csv
import importlib.util
import json
import random
import unittest

from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: people
input: {file: people.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
  illness: {class: sensitive, l_diversity: {distinct: 3}, t_closeness: {t: 0.5}}
k: 4
suppression: 5%
suppressed_records: drop
seed: 1
output: {file: out.csv}
"""
NAMES = ["age", "zip"]


@unittest.skipUnless(importlib.util.find_spec("pycanon"), "pycanon is not installed")
class Pycanon(VerbCase):
    tables = ""

    def test_it_counts_what_check_table_counts(self):
        import pandas
        from pycanon import anonymity

        draw = random.Random(3)
        with open(self.folder / "people.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*NAMES, "illness"])
            for _ in range(500):
                illness = draw.choice(["flu", "flu", "cold", "cold", "gout", "HIV"])
                writer.writerow([draw.randrange(20, 80), 10000 + draw.randrange(40), illness])
        (self.folder / "job.yaml").write_text(JOB)
        self.run_verb("anonymize", "job.yaml")
        check = ("check-table", "out.csv", "--columns", "age,zip", "--sensitive", "illness")
        found = json.loads(self.run_verb(*check, "--format", "json").stdout)
        illness = found["columns"][0]
        table = pandas.read_csv(self.folder / "out.csv", dtype=str)
        k = anonymity.k_anonymity(table, NAMES)
        l_distinct = anonymity.l_diversity(table, NAMES, ["illness"])
        self.assertGreaterEqual(k, 4)
        self.assertGreaterEqual(l_distinct, 3)
        self.assertEqual((k, l_distinct), (found["k"], illness["distinct_l"]))
        self.assertEqual(anonymity.entropy_l_diversity(table, NAMES, ["illness"]), int(illness["entropy_l"]))
        t = anonymity.t_closeness(table, NAMES, ["illness"])
        self.assertLessEqual(t, 0.5)
        self.assertAlmostEqual(t, illness["t_equal"], places=6)


if __name__ == "__main__":
    main()

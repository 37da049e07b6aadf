#!/usr/bin/python3
"""pgveil job init: the job that it proposes can be run as it is."""
import collections
import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from harness.pgveil import binary
from harness.runner import main


class JobInit(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_in_folder(self, *arguments, status=0):
        done = subprocess.run(
            [binary(), *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def write(self, name, rows, delimiter=","):
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=delimiter).writerows(rows)

    def people(self):
        draw = random.Random(1)
        rows = [["Name", "age", "town", "zip", "diagnosis", "born", "yes: no"]]
        for i in range(200):
            rows.append(
                [f"secret {i}", draw.randrange(20, 60), draw.choice("ABCD"), draw.randrange(10000, 10090),
                 draw.choice(["flu", "gout", "cold"]), f"19{draw.randrange(60, 99)}-0{draw.randrange(1, 9)}-11",
                 draw.choice(["x", "#", "NA"])]
            )  # fmt: skip
        return rows

    def test_a_draft_is_a_job_that_publishes(self):
        for delimiter in (",", ";", "\t", "|"):
            with self.subTest(delimiter):
                self.write("my people.csv", self.people(), delimiter)
                self.run_in_folder("job", "init", "my people.csv", "--output", "job.yaml")
                job = (self.folder / "job.yaml").read_text()
                self.assertNotIn("secret", job)
                self.assertIn("Name: {class: identifier}", job)
                self.run_in_folder("anonymize", "job.yaml")
                with open(self.folder / "my people_k5.csv", newline="") as file:
                    published = list(csv.DictReader(file))
                self.assertEqual(len(published), 200)
                self.assertNotIn("Name", published[0])
                classes = {}
                for row in published:
                    classes.setdefault(tuple(v for n, v in row.items() if n != "diagnosis"), []).append(
                        row["diagnosis"]
                    )
                for illnesses in classes.values():
                    self.assertGreaterEqual(len(illnesses), 5)
                    self.assertGreaterEqual(len(set(illnesses)), 2)
                (self.folder / "my people_k5.csv").unlink()
                (self.folder / "job.yaml").unlink()

    def test_arguments(self):
        self.write("people.csv", self.people())
        text = self.run_in_folder("job", "init", "people.csv", "--k", "7", "--null", "NA").stdout
        self.assertIn("\nk: 7\n", text)
        self.assertIn('input: {file: people.csv, "null": NA}', text)
        self.assertIn("output: {file: people_k7.csv}", text)
        (self.folder / "jobs").mkdir()
        self.run_in_folder("job", "init", "people.csv", "--output", "jobs/job.yaml")
        self.assertIn('file: "../people.csv"', (self.folder / "jobs" / "job.yaml").read_text())

    def test_unusual_columns_make_drafts_that_run(self):
        draw = random.Random(2)
        wide = [[f"c{i}" for i in range(2000)], *([draw.randrange(3) for _ in range(2000)] for _ in range(50))]
        braces = [["town", "hair", "n"]]
        braces += [[draw.choice(["{a", "b"]), draw.choice(["red", "brown"]), draw.randrange(9)] for _ in range(60)]
        dates = [["born", "n"], ["2000-02-30", 1]]
        dates += [[f"20{draw.randrange(10, 20)}-02-11", draw.randrange(9)] for _ in range(60)]
        long = [["mark", "n"]]
        long += [["x" * (100 + i % 217 % 60) + str(i % 217), draw.randrange(9)] for i in range(300)]
        for name, rows in (("wide", wide), ("braces", braces), ("dates", dates), ("long", long)):
            with self.subTest(name):
                self.write(f"{name}.csv", rows)
                self.run_in_folder("job", "init", f"{name}.csv", "--output", "job.yaml")
                self.run_in_folder("anonymize", "job.yaml")
                with open(self.folder / f"{name}_k5.csv", newline="") as file:
                    published = list(csv.DictReader(file))
                self.assertEqual(len(published), len(rows) - 1)
                classes = collections.Counter(tuple(row.values()) for row in published)
                self.assertGreaterEqual(min(classes.values()), 5)

    def test_an_index_without_a_name_is_left_out(self):
        """pandas writes one if nobody says index=False."""
        names, *rows = self.people()
        self.write("people.csv", [["", *names], *([i, *row] for i, row in enumerate(rows))], ";")
        self.run_in_folder("job", "init", "people.csv", "--output", "job.yaml")
        self.assertIn("# Columns of the file without a name: 1.", (self.folder / "job.yaml").read_text())
        self.run_in_folder("anonymize", "job.yaml")
        with open(self.folder / "people_k5.csv", newline="") as file:
            published = list(csv.DictReader(file))
        self.assertEqual(len(published), 200)
        self.assertEqual(list(published[0])[:2], ["age", "town"])
        self.assertNotIn("", published[0])
        # It also gives hints about columns that nobody named, so it wants all of them.
        columns = ("--columns", "age,town")
        refused = self.run_in_folder("risk", "people.csv", "--separator", ";", *columns, status=1).stderr
        self.assertIn("column 1 of the header has no name", refused)
        self.assertIn("write the file with index=False", refused)

    def test_a_draft_that_cannot_be_run_is_written_and_says_so(self):
        self.write("ids.csv", [["id", "Name"], *([i, f"n{i}"] for i in range(30))])
        done = self.run_in_folder("job", "init", "ids.csv", "--output", "job.yaml", status=1)
        self.assertIn("the draft can't be run yet", done.stderr)
        self.assertIn("no quasi-identifier", done.stderr)
        self.assertIn("a job needs one. Change a class below", (self.folder / "job.yaml").read_text())

    def test_what_cannot_be_drafted_is_named(self):
        (self.folder / "empty.csv").write_text("a,b\n")
        (self.folder / "records.json").write_text('[{"age": 1}]')
        (self.folder / "empty.jsonl").write_text("")
        (self.folder / "index.csv").write_text('""\n0\n')
        (self.folder / "ragged.csv").write_text("a,b\n1\n")
        (self.folder / "book.xlsx").write_bytes(b"PK\x03\x04 something")
        (self.folder / "latin.csv").write_bytes("größe,n\n".encode("latin-1") + b"1,2\n" * 9)
        (self.folder / "few.csv").write_text("age,n\n1,2\n")
        os.mkfifo(self.folder / "pipe")
        for arguments, words in (
            (["nothing.csv"], "nothing.csv"),
            (["empty.csv"], "empty.csv has no rows"),
            (["records.json"], "records.json: the text looks like JSON"),
            (["empty.jsonl"], "empty.jsonl: there is no record in the JSON lines"),
            (["index.csv"], "index.csv: column 1 of the header has no name"),
            (["ragged.csv", "--separator", ","], "ragged.csv: record 2 has 1 fields"),
            (["book.xlsx"], "book.xlsx"),
            (["latin.csv"], "latin.csv: the name of column 1 is not UTF-8"),
            (["few.csv"], "few.csv has 1 records, which are fewer than k = 5"),
            (["pipe"], "pipe is a pipe or a device"),
            (["ragged.csv", "--separator", ",,"], "can't separate fields"),
        ):
            with self.subTest(arguments):
                done = self.run_in_folder("job", "init", *arguments, status=1)
                self.assertIn(words, done.stderr)
        done = self.run_in_folder("job", "init", "-", status=1)
        self.assertIn("a job reads a file by its name", done.stderr)
        self.run_in_folder("job", "init", "empty.csv", "--k", "0", status=2)
        (self.folder / "people.csv").write_text("age\n1\n2\n")
        before = (self.folder / "people.csv").read_text()
        done = self.run_in_folder("job", "init", "people.csv", "--output", "people.csv", status=1)
        self.assertEqual((self.folder / "people.csv").read_text(), before, done.stderr)


    def test_json_lines_from_end_to_end(self):
        names, *rows = self.people()
        with open(self.folder / "people.jsonl", "w", encoding="utf-8") as file:
            for i, row in enumerate(rows):
                record = dict(zip(names, row))
                if i % 9 == 0:
                    record["diagnosis"] = None
                if i % 10 == 0:
                    del record["town"]
                file.write(json.dumps(record) + "\n")
        self.run_in_folder("job", "init", "people.jsonl", "--output", "job.yaml")
        job = (self.folder / "job.yaml").read_text().replace("people_k5.csv", "people_k5.jsonl")
        self.assertIn("null", job)
        (self.folder / "job.yaml").write_text(job)
        self.run_in_folder("anonymize", "job.yaml")
        published = [json.loads(line) for line in (self.folder / "people_k5.jsonl").read_text().splitlines()]
        self.assertEqual(len(published), 200)
        self.assertNotIn("Name", published[0])
        self.assertEqual(sum(row["diagnosis"] is None for row in published), 23)
        self.run_in_folder("check-table", "people_k5.jsonl", "--job", "job.yaml")
        self.assertIn("200 records", self.run_in_folder("risk", "people.jsonl", "--null", "NULL").stdout)
        self.assertIn("has no value", self.run_in_folder("risk", "people.jsonl", status=1).stderr)
        self.run_in_folder("attack", "--job", "job.yaml", "--knows", "age,town")
        self.assertIn("no separator",
                      self.run_in_folder("job", "init", "people.jsonl", "--separator", ";", status=1).stderr)  # fmt: skip


if __name__ == "__main__":
    main()

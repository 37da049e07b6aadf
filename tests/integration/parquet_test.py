#!/usr/bin/python3
"""Parquet and Arrow: jobs from and to such files, what verifies, recounts and measures them, and what a program
without Apache Arrow says."""
import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness.pgveil import binary
from harness.runner import main

FILES = pathlib.Path(__file__).resolve().parents[1] / "unit" / "jobs" / "columnar" / "files"

JOB = """\
version: 1
name: people
input: {file: INPUT, "null": "NULL"}
attributes:
  id: {class: identifier}
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [15, 30, 60]}}}
  town: {class: sensitive, l_diversity: {distinct: 2}}
k: 20
seed: 1
output: {file: OUTPUT, replace: true}
"""


def has_arrow():
    done = subprocess.run([binary(), "version"], capture_output=True, text=True, timeout=60, check=True)
    return "without Apache Arrow" not in done.stdout


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_verb(self, *arguments, status=0, given=None):
        command = [binary(), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=120, input=given)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn(b"Sanitizer", done.stderr)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    def publish(self, source, target, *arguments, job=JOB, status=0):
        (self.folder / "job.yaml").write_text(job.replace("INPUT", str(source)).replace("OUTPUT", target))
        return self.run_verb("anonymize", "job.yaml", *arguments, status=status)


class Libraries(unittest.TestCase):
    @unittest.skipUnless(has_arrow(), "this pgveil was built without Apache Arrow")
    def test_tls_and_hashes_run_in_the_openssl_of_the_distribution(self):
        """The libparquet of pyarrow's wheel has an OpenSSL of its own, and exports its functions."""
        environment = {**os.environ, "LD_DEBUG": "bindings", "LD_BIND_NOW": "1"}
        done = subprocess.run(
            [binary(), "version"], capture_output=True, text=True, timeout=120, env=environment, check=True
        )
        bound = re.findall(r"binding file (\S+) \[0\] to (\S+) \[0\]: normal symbol `(\w+)'", done.stderr)
        to = {
            symbol: pathlib.Path(target).name
            for user, target, symbol in bound
            if not pathlib.Path(user).name.startswith(("libarrow", "libparquet"))
        }
        self.assertRegex(to["EVP_DigestFinal_ex"], r"^libcrypto\.so")
        self.assertRegex(to["SSL_write_ex"], r"^libssl\.so")
        taken = {name: target for name, target in to.items() if target.startswith(("libarrow", "libparquet"))}
        self.assertTrue(taken)
        self.assertEqual([name for name in taken if not name.startswith("_Z")], [])


class WithoutArrow(Folder):
    def test_files_are_refused_with_the_way_to_get_it(self):
        refused = self.publish(FILES / "people.parquet", "out.csv", status=1).stderr
        self.assertIn("people.parquet: this pgveil was built without Apache Arrow", refused)
        self.assertIn("build pgveil from source with Apache Arrow (docs/install.md)", refused)

    def test_an_output_is_refused_before_the_input_is_read(self):
        for target in ("out.parquet", "out.arrow", "out.arrows"):
            with self.subTest(target):
                told = self.publish("gone.csv", target, status=1).stderr
                self.assertIn("built without Apache Arrow", told)
                self.assertFalse((self.folder / target).exists())


class WithArrow(Folder):
    @classmethod
    def setUpClass(cls):
        if not has_arrow():
            raise unittest.SkipTest("pgveil was built without Apache Arrow; ./run deps arrow installs it")

    def test_parquet_from_end_to_end(self):
        (self.folder / "key").write_text("a key of more than sixteen bytes\n")
        (self.folder / "key").chmod(0o600)
        key = ("--key-file", "key")
        self.publish(FILES / "people.parquet", "out.parquet", "--certificate", "c.json", *key)
        published = self.folder / "out.parquet"
        self.assertEqual(published.stat().st_mode & 0o777, 0o600)
        made = json.loads((self.folder / "c.json").read_text())
        self.assertIn(hashlib.sha256(published.read_bytes()).hexdigest(), json.dumps(made))
        self.assertNotIn(b"pandas", published.read_bytes())
        self.run_verb("verify-certificate", "c.json", "out.parquet", "--job", "job.yaml", "--input",
                      FILES / "people.parquet", "--null", "NULL", *key)  # fmt: skip
        self.run_verb("check-table", "out.parquet", "--job", "job.yaml")
        self.assertIn("1000 records", self.run_verb("risk", "out.parquet", "--null", "NULL").stdout)
        self.run_verb("attack", "--job", "job.yaml", "--knows", "age")
        before = published.read_bytes()
        self.publish(FILES / "people.parquet", "out.parquet")
        self.assertEqual(published.read_bytes(), before)
        published.write_bytes(before[:-1])
        self.assertIn("out.parquet: the Parquet file ends early",
                      self.run_verb("check-table", "out.parquet", "--job", "job.yaml", status=1).stderr)  # fmt: skip

    def test_the_same_is_published_in_each_format(self):
        self.publish(FILES / "people.parquet", "out.csv")
        expected = self.run_verb("risk", "out.csv", "--null", "NULL", "--format", "json").stdout
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), 1000)
        for name in ("out.parquet", "out.arrow", "out.arrows", "out.jsonl"):
            with self.subTest(name):
                self.publish(FILES / "people.parquet", name)
                told = self.run_verb("risk", name, "--null", "NULL", "--format", "json").stdout
                self.assertEqual(told.replace(name, "out.csv"), expected)

    def test_an_input_can_come_from_standard_input(self):
        for name in ("types.arrows", "types.parquet", "types.feather"):
            with self.subTest(name):
                told = self.run_verb("risk", "-", "--columns", "i8,kind", "--null", "NULL",
                                     given=(FILES / name).read_bytes()).stdout  # fmt: skip
                self.assertIn("6 records" if name.endswith("arrows") else "3 records", told)
        cut = (FILES / "types.arrows").read_bytes()[:-8]
        told = self.run_verb("risk", "-", "--columns", "i8", "--null", "NULL", given=cut, status=1).stderr
        self.assertIn("standard input: the Arrow stream ends early", told)

    def test_what_cannot_be_read_is_named(self):
        (self.folder / "empty.parquet").write_text("")
        people = FILES / "people.parquet"
        for name, job, words in (
            (people, JOB.replace("id: {class: identifier}", "tags: {class: insensitive}"),
             "column 3 (tags) is of the type list"),
            (people, JOB.replace("id: {class: identifier}", "raw: {class: insensitive}"),
             "column 4 (raw) is of the type binary"),
            (people, JOB.replace("id: {class: identifier}", "gone: {class: insensitive}"), "has no column gone"),
            (people, JOB.replace(', "null": "NULL"', ""), "record 1: age has no value"),
            ("empty.parquet", JOB, "does not begin like one"),
            ("gone.parquet", JOB, "there is no file"),
        ):  # fmt: skip
            with self.subTest(words):
                done = self.publish(name, "out.csv", job=job, status=1)
                self.assertIn(words, done.stderr)
                self.assertIn(str(name), done.stderr)
        refused = self.run_verb("risk", people, "--null", "NULL", status=1).stderr
        self.assertIn("column 3 (tags) is of the type list", refused)

    def test_a_job_is_proposed_for_a_file(self):
        self.publish(FILES / "people.parquet", "people.parquet")
        draft = self.run_verb("job", "init", "people.parquet", "--output", "draft.yaml")
        self.assertEqual(draft.returncode, 0)
        self.assertIn("people.parquet", (self.folder / "draft.yaml").read_text())
        self.run_verb("anonymize", "draft.yaml")
        self.assertIn("no separator",
                      self.run_verb("job", "init", "people.parquet", "--separator", ";", status=1).stderr)  # fmt: skip

    def test_a_job_is_proposed_for_a_file_by_its_first_bytes(self):
        self.publish(FILES / "people.parquet", "people.parquet")
        draft = self.run_verb("job", "init", "people.parquet").stdout
        for name in ("people.dat", "people.jsonl"):
            with self.subTest(name):
                (self.folder / name).write_bytes((self.folder / "people.parquet").read_bytes())
                self.assertEqual(self.run_verb("job", "init", name).stdout.replace(name, "people.parquet"), draft)
        (self.folder / "text.parquet").write_text("age,town\n1,2\n")
        self.assertIn("does not begin like one", self.run_verb("job", "init", "text.parquet", status=1).stderr)


if has_arrow():
    del WithoutArrow


if __name__ == "__main__":
    main()

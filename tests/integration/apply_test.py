#!/usr/bin/python3
"""pgveil apply: the transformation of an earlier run on other rows, files and tables, checked anew; and
pgveil hierarchy."""
import csv
import json
import os
import subprocess

from harness import world
from harness.pgveil import binary
from harness.runner import main
from harness.stack import StackCase

JOB = """\
version: 1
name: people
input: {file: old.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20]}}}
  town: {class: quasi_identifier, hierarchy: {file: town.csv}}
  illness: {class: sensitive, l_diversity: {distinct: 2}}
k: 2
suppression: 25%
seed: 1
output: {file: old_k2.csv}
"""
TOWNS = "Oslo;north;*\nBergen;north;*\nRome;south;*\nBari;south;*\n"
OLD = "age,town,illness\n" + "31,Oslo,flu\n32,Oslo,cold\n51,Rome,flu\n52,Rome,cold\n"
NEW = (
    "illness,town,age,note\n"
    + "flu,Oslo,33,secret\ncold,Oslo,38,secret\n" * 2
    + "flu,Rome,51,secret\ncold,Rome,58,secret\n"
)


class SchemeCase(StackCase):
    """A folder with a job that has run, its scheme and new rows."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            """
            CREATE TABLE public.more (age integer, town text, illness text);
            INSERT INTO public.more SELECT 30 + g % 10, (ARRAY['Oslo', 'Rome'])[1 + g % 2],
                                           (ARRAY['flu', 'cold', 'HIV'])[1 + g % 3] FROM generate_series(1, 60) g;
            GRANT SELECT ON public.more TO pgveil_admin""",
            "demo",
        )

    def setUp(self):
        self.folder = self.pgveil.directory / "schemes"
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.iterdir():
            path.unlink()
        self.write("job.yaml", JOB)
        self.write("town.csv", TOWNS)
        self.write("old.csv", OLD)
        self.write("new.csv", NEW)
        self.run_verb("anonymize", "job.yaml", "--report", "scheme.json")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_verb(self, *arguments, status=0, **options):
        done = subprocess.run(
            [binary(), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
            **options
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done


class Apply(SchemeCase):
    def apply(self, *arguments, **options):
        return self.run_verb("apply", "scheme.json", "--job", "job.yaml", *arguments, **options)

    def refused(self, words, *arguments, status=1, **options):
        before = sorted(os.listdir(self.folder))
        done = self.apply(*arguments, status=status, **options)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return sorted(map(tuple, csv.reader(file)))

    def test_new_rows_get_the_old_levels(self):
        levels = json.loads((self.folder / "scheme.json").read_text())["levels"]
        done = self.apply("new.csv", "--output", "new_k2.csv", "--report", "new.json")
        report = json.loads((self.folder / "new.json").read_text())
        self.assertEqual((report["levels"], report["search"], report["rows"]), (levels, None, 6))
        self.assertIn("transformation as chosen", done.stdout)
        self.assertNotIn("secret", (self.folder / "new_k2.csv").read_text())
        self.assertEqual(self.rows("new_k2.csv")[-1], ("age", "town", "illness"))
        check = self.run_verb("check-table", "new_k2.csv", "--job", "job.yaml", "--format", "json")
        self.assertTrue(json.loads(check.stdout)["is_kept"])

    def test_standard_input_and_tables(self):
        self.apply("-", "--output", "piped.csv", input=NEW)
        self.apply("new.csv", "--output", "file.csv")
        self.assertEqual(self.rows("piped.csv"), self.rows("file.csv"))
        config = ("--config", self.pgveil.config_path)
        self.apply("--table", "public.more", "--output", "table.csv", *config)
        self.assertEqual(len(self.rows("table.csv")), 61)
        self.postgres.run("DROP TABLE IF EXISTS public.more_k2", "demo")
        self.apply("--table", "public.more", "--output-table", "public.more_k2", *config)
        self.assertEqual(self.postgres.rows("SELECT count(*) FROM public.more_k2", "demo"), [["60"]])
        self.refused("exists", "--table", "public.more", "--output-table", "public.more_k2", *config)

    def test_the_separators_of_the_job(self):
        self.write("old.csv", OLD.replace(",", ";"))
        self.write("new.csv", NEW.replace(",", ";"))
        self.write("job.yaml", JOB.replace("{file: old.csv}", '{file: old.csv, separator: ";"}')
                   .replace("{file: old_k2.csv}", "{file: old_k2.csv, separator: tab, replace: true}"))
        self.run_verb("anonymize", "job.yaml", "--report", "scheme.json")
        self.apply("new.csv", "--output", "new_k2.csv")
        self.assertEqual((self.folder / "new_k2.csv").read_text().splitlines()[0], "age\ttown\tillness")
        self.run_verb("check-table", "new_k2.csv", "--job", "job.yaml")
        self.apply("new.csv", "--output", "semicolons.csv", "--separator", ";")
        self.assertEqual((self.folder / "semicolons.csv").read_text().splitlines()[0], "age;town;illness")
        self.refused("no column", "new.csv", "--output", "out.csv", "--separator", ",")

    def test_a_job_reads_standard_input(self):
        job = JOB.replace("{file: old.csv}", '{file: "-"}').replace("old_k2.csv", "piped.csv")
        self.write("piped.yaml", job)
        self.run_verb("anonymize", "piped.yaml", "--report", "piped.json", "--utility", input=OLD)
        self.assertEqual(self.rows("piped.csv"), self.rows("old_k2.csv"))
        report = json.loads((self.folder / "piped.json").read_text())
        self.assertEqual(report["levels"], json.loads((self.folder / "scheme.json").read_text())["levels"])
        self.write("groups.yaml", job.replace("suppression: 25%\n", "algorithm: least_loss\n")
                   .replace("hierarchy: {intervals: {widths: [10, 20]}}", "numeric: true")
                   .replace("piped.csv", "groups.csv"))
        self.run_verb("anonymize", "groups.yaml", "--utility", input=OLD)
        self.assertEqual(len(self.rows("groups.csv")), 5)
        self.write("again.yaml", job.replace("piped.csv", "again.csv"))
        done = self.run_verb("anonymize", "again.yaml", status=1, input="town,illness\nOslo,flu\n")
        self.assertIn("standard input has no column age", done.stderr)

    def test_what_breaks_a_model_is_refused_or_suppressed(self):
        lonely = NEW + "flu,Bari,11,x\n"
        self.write("new.csv", lonely)
        self.refused("not anonymous: 1 records", "new.csv", "--output", "out.csv", "--on-violation", "refuse")
        self.apply("new.csv", "--output", "job.csv")  # one of seven, the job lets a quarter go
        self.write("new.csv", lonely + "flu,Bari,31,x\ncold,Bari,71,x\nflu,Bari,91,x\n")
        self.refused("not anonymous", "new.csv", "--output", "out.csv")
        self.apply("new.csv", "--output", "suppressed.csv", "--on-violation", "suppress")
        check = self.run_verb("check-table", "suppressed.csv", "--job", "job.yaml", "--format", "json")
        self.assertTrue(json.loads(check.stdout)["is_kept"])

    def test_values_that_the_hierarchies_do_not_have(self):
        self.write("new.csv", NEW + "flu,Paris,31,x\n")
        self.refused("Paris", "new.csv", "--output", "out.csv")

    def test_schemes_that_do_not_fit(self):
        output = ("new.csv", "--output", "out.csv")
        scheme = json.loads((self.folder / "scheme.json").read_text())
        for change, words in (
            ({"job": "others"}, "of job others"),
            ({"quasi_identifiers": ["age", "city"]}, "no level of town"),
            ({"heights": [3, 1]}, "in the scheme it had 1"),
            ({"levels": [1]}, "not a report"),
            ({"levels": [1, -1]}, "not a report"),
            ({"levels": "x"}, "not a report"),
            ({"levels": [9, 9]}, "outside"),
            ({"mondrian": {}}, "cuts groups"),
        ):
            with self.subTest(words):
                self.write("scheme.json", json.dumps({**scheme, **change}))
                self.refused(words, *output)
        for text in ("", "{", "[]", "{}"):
            self.write("scheme.json", text)
            self.refused("not a report", *output)

    def test_the_scheme_and_the_key_are_not_overwritten(self):
        self.write("key", "0" * 64 + "\n")
        os.chmod(self.folder / "key", 0o600)
        before = (self.folder / "scheme.json").read_bytes()
        (self.folder / "scheme.txt").write_bytes(before)
        of_text = ("apply", "scheme.txt", "--job", "job.yaml", "new.csv", "--output", "scheme.txt", "--replace")
        self.assertIn("would be overwritten", self.run_verb(*of_text, status=1).stderr)
        self.assertEqual((self.folder / "scheme.txt").read_bytes(), before)
        self.refused("ends with .json", "new.csv", "--output", "scheme.json", "--replace")
        self.refused("would be overwritten", "new.csv", "--output", "out.csv", "--report", "scheme.json")
        key = ("--certificate", "certificate.json", "--key-file", "key")
        self.refused("would be overwritten", "new.csv", "--output", "key", "--replace", *key)
        self.assertEqual((self.folder / "scheme.json").read_bytes(), before)
        self.assertEqual((self.folder / "key").read_text(), "0" * 64 + "\n")

    def test_what_is_refused(self):
        self.refused("no output", "new.csv")
        self.refused("exists already", "new.csv", "--output", "old_k2.csv")
        self.refused("add --replace", "new.csv", "--output", "old_k2.csv")
        self.refused("would be overwritten", "new.csv", "--output", "new.csv", "--replace")
        self.refused("there is no file", "nothing.csv", "--output", "out.csv")
        self.refused("", "new.csv", "--output", "out.csv", "--on-violation", "ignore", status=2)


class Hierarchies(SchemeCase):
    def test_build_show_and_check(self):
        rule = ("--column", "age", "--rule", "intervals: {widths: [10, 20]}")
        built = self.run_verb("hierarchy", "build", "old.csv", *rule).stdout
        self.assertEqual(len(built.splitlines()), 4)
        self.write("age.csv", built)
        self.assertIn("level", self.run_verb("hierarchy", "show", "age.csv").stdout)
        self.assertIn("51", self.run_verb("hierarchy", "show", "age.csv", "--tree", 50).stdout)
        self.assertNotIn("51", self.run_verb("hierarchy", "show", "age.csv").stdout)
        self.assertIn(
            "has 4 values",
            self.run_verb("hierarchy", "check", "age.csv", "old.csv", "--column", "age").stdout,
        )
        self.assertEqual(
            self.run_verb("hierarchy", "build", "old.csv", "--column", "age", "--job", "job.yaml").stdout,
            built,
        )
        table = ("--table", "public.more", "--config", self.pgveil.config_path)
        self.assertEqual(len(self.run_verb("hierarchy", "build", *table, *rule).stdout.splitlines()), 10)
        self.run_verb("hierarchy", "build", "-", *rule, "--output", "piped.csv", input=OLD)
        self.assertEqual((self.folder / "piped.csv").read_text(), built)

    def test_a_first_record_that_looks_like_a_header(self):
        self.write("towns.csv", "NA;NA\nOslo;*\nBergen;*\n")
        self.write("people.csv", "town\nOslo\nNA\n")
        self.write("others.csv", "town\nOslo\nBergen\n")
        column = ("--column", "town")
        self.assertIn("has 2 values",
                      self.run_verb("hierarchy", "check", "towns.csv", "people.csv", *column).stdout)
        for arguments in (("check", "towns.csv", "others.csv", *column), ("check", "towns.csv"),
                          ("show", "towns.csv")):
            self.assertIn("move it below", self.run_verb("hierarchy", *arguments, status=1).stderr)
        self.write("towns.csv", "Oslo;*\nBergen;*\nNA;NA\n")
        self.assertIn("level", self.run_verb("hierarchy", "show", "towns.csv").stdout)

    def test_what_is_built_is_what_jobs_read(self):
        built = self.run_verb("hierarchy", "build", "old.csv", "--column", "age", "--job", "job.yaml").stdout
        self.write("age.csv", built)
        self.write(
            "other.yaml",
            JOB.replace("intervals: {widths: [10, 20]}", "file: age.csv").replace("old_k2.csv", "b.csv"),
        )
        self.run_verb("anonymize", "other.yaml")
        self.assertEqual((self.folder / "b.csv").read_bytes(), (self.folder / "old_k2.csv").read_bytes())

    def test_odd_levels_are_named(self):
        self.write("odd.csv", "a;x;x\nb;y;y\n")
        said = self.run_verb("hierarchy", "check", "odd.csv").stdout
        self.assertIn("level 1 joins no values", said)
        self.assertIn("the highest level has 2 values", said)

    def test_mistakes(self):
        def refused(words, *arguments, status=1, **options):
            self.assertIn(words, self.run_verb("hierarchy", *arguments, status=status, **options).stderr)
        self.write("bad.csv", "a;x;*\nb;x\n")
        refused("columns", "check", "bad.csv")
        self.write("bad.csv", "a;x;*\nb;x;+\n")
        refused("x", "show", "bad.csv")
        self.write("bad.csv", "Oslo;*\n")
        refused("Rome", "check", "bad.csv", "old.csv", "--column", "town")
        refused("no column", "check", "town.csv", "old.csv")
        refused("there is no file", "show", "nothing.csv")
        (self.folder / "utf16.csv").write_bytes("\ufeffOslo;north;*\nRome;south;*\n".encode("utf-16-le"))
        refused("text in UTF-16", "check", "utf16.csv")
        os.mkfifo(self.folder / "pipe")
        refused("write - in its place", "check", "pipe")
        refused("write - in its place", "check", "town.csv", "pipe", "--column", "town")
        (self.folder / "pipe").unlink()
        (self.folder / "utf16.csv").unlink()
        refused("both a rule and a job", "build", "old.csv", "--column", "age")
        refused("no hierarchy of illness", "build", "old.csv", "--column", "illness", "--job", "job.yaml")
        refused("already reads this hierarchy", "build", "old.csv", "--column", "town", "--job", "job.yaml")
        refused("--rule:1:", "build", "old.csv", "--column", "age", "--rule", "intervalls: {}")
        refused("", "build", "old.csv", "--rule", "masking: {}", status=2)
        refused("", status=2)
        refused(
            "would be overwritten",
            "build",
            "old.csv",
            "--column",
            "age",
            "--job",
            "job.yaml",
            "--output",
            "old.csv",
        )


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""pgveil anonymize with a real PostgreSQL: tables in and out, both outputs at once, what is refused, what is
left behind, and interrupts."""
import csv
import gzip
import json
import os
import pty
import resource
import signal
import subprocess
import time

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase
from harness.wire import RawClient

PREPARE = """
CREATE TYPE public.blood AS ENUM ('A', 'B', 'O');
CREATE TABLE public.patients (
  "patient no" integer, age integer, "zip code" text, born date, blood public.blood, weight numeric(5,1), note text,
  visits integer[]);
INSERT INTO public.patients
  SELECT g, 20 + g * 7 % 40, CASE WHEN g % 10 = 0 THEN NULL ELSE lpad((81600 + g * 13 % 90)::text, 5, '0') END,
         date '1980-01-31' + (g * 37 % 5000), (ARRAY['A', 'B', 'O', NULL]::public.blood[])[1 + g % 4], 50 + g % 30 * 0.5,
         CASE g WHEN 1 THEN '' WHEN 2 THEN E'tab\\t\\\\ \\n"quote"' ELSE 'note-' || g END,
         ARRAY[g, NULL]
  FROM generate_series(1, 200) g;
CREATE TABLE public.taken (a integer);
CREATE TABLE public.used (a integer);
CREATE VIEW public.user_of_used AS SELECT a FROM public.used;
CREATE VIEW public.v_patients AS SELECT * FROM public.patients;
CREATE TABLE public.both_nulls (a text);
INSERT INTO public.both_nulls VALUES (NULL), ('NULL'), ('x'), ('x');
CREATE TABLE public.empty_one (age integer);
CREATE SCHEMA granted;
GRANT SELECT ON public.patients, public.v_patients, public.both_nulls, public.empty_one TO pgveil_admin;
GRANT CREATE, USAGE ON SCHEMA granted TO pgveil_admin;
ALTER TABLE public.used OWNER TO pgveil_admin;
ALTER DEFAULT PRIVILEGES FOR ROLE pgveil_admin IN SCHEMA granted GRANT SELECT ON TABLES TO pgveil_query;
"""

JOB = """\
version: 1
name: patients
input: {table: public.patients}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20]}}}
  zip code: {class: quasi_identifier, hierarchy: {masking: {}}}
  born: {class: quasi_identifier, hierarchy: {dates: [month, year, decade]}}
  blood: {class: sensitive}
  weight: {class: insensitive}
  note: {class: sensitive}
  visits: {class: insensitive}
k: 5
suppression: 5%
seed: 1
output: {table: public.patients_k5}
"""


class JobCase(VerbCase):
    """A folder of jobs, empty at first, and no published table."""
    tables = PREPARE
    folder_name = "jobs"  # where the configuration looks for them

    def setUp(self):
        super().setUp()
        self.postgres.run("DROP TABLE IF EXISTS public.patients_k5", "demo")

    def sql(self, text):
        self.postgres.run(text, "demo")

    def rows(self, text):
        return self.postgres.rows(text, "demo")

    def run_job(self, job, *arguments, status=0, **options):
        path = self.folder / "job.yaml"
        path.write_text(job)
        done = subprocess.run([binary(), "anonymize", path, "--config", self.pgveil.config_path, *arguments],
                              capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def refused(self, job, words, *arguments, **options):
        before = self.rows("SELECT relname, relfilenode FROM pg_class WHERE relkind = 'r' ORDER BY 1")
        files = sorted(os.listdir(self.folder))
        done = self.run_job(job, *arguments, status=1, **options)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            self.rows("SELECT relname, relfilenode FROM pg_class WHERE relkind = 'r' ORDER BY 1"), before
        )
        self.assertEqual(sorted({*os.listdir(self.folder)} - {"job.yaml"}), sorted({*files} - {"job.yaml"}))
        return done

    def interrupted(self, signals, job, shown):
        """Interrupts a job as soon as its terminal shows these words; → its exit status and what it
        printed."""
        path = self.folder / "job.yaml"
        path.write_text(job)
        terminal, line = pty.openpty()
        process = subprocess.Popen([binary(), "anonymize", path, "--config", self.pgveil.config_path],
                                   stdout=subprocess.PIPE, stderr=line, text=True)
        os.close(line)
        seen = b""
        while shown not in seen:
            seen += os.read(terminal, 4096)
        for number in signals:
            process.send_signal(number)
        out = process.communicate(timeout=120)[0]
        os.close(terminal)
        return process.returncode, out


class Anonymize(JobCase):
    def test_a_table_is_published_as_a_table(self):
        self.run_job(JOB, "--report", self.folder / "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertTrue(report["search"]["is_proven"])
        self.assertEqual(report["not_published"], ["patient no"])
        self.assertEqual(self.rows("""
            SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
             WHERE attrelid = 'public.patients_k5'::regclass AND attnum > 0 ORDER BY attnum"""), [
                 ["age", "text"], ["zip code", "text"], ["born", "text"], ["blood", "blood"],
                 ["weight", "numeric(5,1)"], ["note", "text"], ["visits", "integer[]"]])
        smallest, rows = self.rows("""
            SELECT min(n), sum(n) FROM (SELECT count(*) AS n FROM public.patients_k5
             GROUP BY age, "zip code", born) AS g""")[0]
        self.assertGreaterEqual(int(smallest), 5)
        self.assertEqual(int(rows), report["published_rows"])
        self.assertEqual(report["published_rows"] + report["dropped_rows"], 200)
        self.assertEqual(self.rows("""
            SELECT count(*) FROM (SELECT blood, weight, note, visits FROM public.patients_k5
             EXCEPT ALL SELECT blood, weight, note, visits FROM public.patients) AS x"""), [["0"]])
        self.assertEqual(
            self.rows("SELECT relacl, pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'patients_k5'"),
            [[None, "pgveil_admin"]],
        )

    def test_null_stays_null_and_is_a_class_of_its_own(self):
        job = JOB.replace("zip code: {class", "zip code: {max_level: 0, class").replace("k: 5\n", "k: 2\n")
        self.run_job(job)
        self.assertEqual(
            self.rows("""SELECT count(*) FROM public.patients_k5 WHERE "zip code" IS NULL"""), [["20"]]
        )

    def test_rows_do_not_come_in_the_inputs_order(self):
        """The same seed, another order of the input: the same bytes."""
        job = JOB.replace("{table: public.patients_k5}", "{file: out.csv, replace: true}")
        self.run_job(job)
        first = (self.folder / "out.csv").read_bytes()
        self.sql("CREATE TABLE public.reordered AS SELECT * FROM public.patients ORDER BY md5(note)")
        self.sql("GRANT SELECT ON public.reordered TO pgveil_admin")
        try:
            self.run_job(job.replace("input: {table: public.patients}", "input: {table: public.reordered}"))
        finally:
            self.sql("DROP TABLE public.reordered")
        self.assertEqual((self.folder / "out.csv").read_bytes(), first)
        notes = [row["note"] for row in csv.DictReader(first.decode().splitlines())]
        self.assertNotEqual(notes, sorted(notes))
        self.run_job(job.replace("seed: 1", "seed: 2"))
        self.assertNotEqual((self.folder / "out.csv").read_bytes(), first)

    def test_file_and_table_hold_the_same_rows(self):
        self.run_job(JOB.replace("{table: public.patients_k5}", "{table: public.patients_k5, file: out.csv}"))
        with open(self.folder / "out.csv", newline="") as file:
            written = sorted([tuple(row.values()) for row in csv.DictReader(file)])
        stored = sorted(
            [("" if cell is None else cell) for cell in row]
            for row in self.rows(
                """SELECT age, coalesce("zip code", 'NULL'), born, blood, weight, note, visits FROM public.patients_k5"""
            )
        )
        self.assertEqual([list(row) for row in written], stored)
        self.assertEqual(os.stat(self.folder / "out.csv").st_mode & 0o777, 0o600)

    def test_a_file_is_published_as_a_table(self):
        (self.folder / "in.csv").write_text("a;s\n1;x\n1;y\n2;\n2;z\n")
        self.run_job("""\
version: 1
name: file_to_table
input: {file: in.csv, separator: ;}
attributes: {a: {class: quasi_identifier, hierarchy: {masking: {}}}, s: {class: sensitive}}
k: 2
output: {table: public.patients_k5, types: {a: integer}}
""")
        self.assertEqual(self.rows("SELECT a, s, pg_typeof(a) FROM public.patients_k5 ORDER BY 1, 2"), [
            ["1", "x", "integer"], ["1", "y", "integer"], ["2", "", "integer"], ["2", "z", "integer"]])

    def test_packed_files_are_read_and_written(self):
        job = JOB.replace("{table: public.patients_k5}", "{file: out.csv, replace: true}")
        self.run_job(job)
        plain = (self.folder / "out.csv").read_bytes()
        self.run_job(job.replace("out.csv", "out.csv.gz"))
        packed = (self.folder / "out.csv.gz").read_bytes()
        self.assertEqual(gzip.decompress(packed), plain)
        self.run_job(job.replace("out.csv", "out.csv.gz"))
        self.assertEqual((self.folder / "out.csv.gz").read_bytes(), packed)
        from_file = """version: 1
name: again
input: {file: IN}
attributes:
  blood: {class: quasi_identifier, hierarchy: {masking: {}}}
k: 5
suppression: 100%
seed: 1
output: {file: again.csv, replace: true}
"""
        results = []
        for name, data in (("in.csv", plain), ("in.csv.gz", gzip.compress(plain)), ("other", gzip.compress(plain))):
            (self.folder / name).write_bytes(data)
            self.run_job(from_file.replace("IN", name))
            results.append((self.folder / "again.csv").read_bytes())
        self.assertEqual(results, results[:1] * 3)
        (self.folder / "cut.csv.gz").write_bytes(packed[:-9])
        self.refused(from_file.replace("IN", "cut.csv.gz"), "the packed text ends early")
        (self.folder / "sheet.xlsx").write_bytes(b"PK\x03\x04" + b"x" * 99)
        self.refused(from_file.replace("IN", "sheet.xlsx"), "a ZIP archive or a spreadsheet")

    def test_an_existing_table_needs_replace(self):
        self.run_job(JOB)
        before = self.rows("SELECT 'public.patients_k5'::regclass::oid")
        self.refused(JOB, "exists already")
        self.run_job(JOB.replace("{table: public.patients_k5}", "{table: public.patients_k5, replace: true}"))
        self.assertNotEqual(self.rows("SELECT 'public.patients_k5'::regclass::oid"), before)

    def test_what_can_not_be_replaced(self):
        for table, words in (
            ("public.patients", "is the job's input"),
            ("public.v_patients", "is not a plain table"),
            ("public.taken", "does not own it"),
            ("public.used", "other objects depend on it"),
            ("public.people", "is the table of policy people_k2"),
            ("public.towns", "is listed in open_tables"),
            ("nowhere.t", "does not exist"),
            ("granted.t", "default privileges would grant"),
        ):
            with self.subTest(table):
                self.refused(
                    JOB.replace("{table: public.patients_k5}", f"{{table: {table}, replace: true}}"), words
                )

    def test_a_star_or_an_interval_is_no_integer(self):
        for column, kind in (("age", "integer"), ("born", "date"), ("zip code", "bigint")):
            with self.subTest(column):
                done = self.refused(
                    JOB.replace("{table: public.patients_k5}",
                                f"{{table: public.patients_k5, file: out.csv, types: {{{column}: {kind}}}}}"),
                    f"has values that are no {kind}")
                self.assertIn(f'column "{column}"', done.stderr)

    def test_a_level_of_zero_keeps_its_type(self):
        job = JOB.replace("age: {class", "age: {max_level: 0, class").replace("suppression: 5%\n", "")
        self.run_job(
            job.replace("{table: public.patients_k5}", "{table: public.patients_k5, types: {age: integer}}")
        )
        self.assertEqual(self.rows("SELECT DISTINCT pg_typeof(age) FROM public.patients_k5"), [["integer"]])

    # -- bad input
    def test_bad_input_tables(self):
        for old, new, words in (
            ("public.patients}", "public.nothing}", "does not exist"),
            ("public.patients}", "public.v_patients}", "is not a table"),
            ("public.patients}", "public.patients, database: other}", "is not in backend.databases"),
            ("  note: {", "  notes: {", 'has no column "notes"'),
            ("k: 5\n", "k: 201\n", "k is 201, but there are 200 rows"),
            ("k: 5\n", "k: 200\nmetric: lost\n", 'did you mean "loss"?'),
            ("masking: {}", "dates: [year]", "are no dates YYYY-MM-DD"),
        ):
            with self.subTest(words):
                self.refused(JOB.replace(old, new), words)
        small = (
            "version: 1\nname: x\ninput: {table: public.%s}\nattributes: {%s: {class: quasi_identifier, "
            "hierarchy: {masking: {}}}}\nk: 2\noutput: {file: out.csv}\n"
        )
        self.refused(small % ("empty_one", "age"), "the input has no rows")
        self.refused(small % ("both_nulls", "a"), "has NULL and also the text that stands for it")

    def test_the_table_of_a_policy_is_published_only_where_the_policy_accepts_it(self):
        job = (
            "version: 1\nname: x\ninput: {table: public.people}\nattributes: {state: {class: quasi_identifier, "
            "hierarchy: {masking: {}}}}\nk: 2\noutput: {file: out.csv}\n"
        )
        self.refused(job, "public.people is already released under policy people_k2")
        kept = self.pgveil.policy_path.read_text()
        self.addCleanup(self.pgveil.policy_path.write_text, kept)
        self.pgveil.policy_path.write_text(
            kept.replace("    k: 2\n", "    k: 2\n    accept_joint_release: of no use together\n")
        )
        self.assertIn("accepted: of no use together", self.run_job(job).stderr)

    def test_a_table_that_a_source_reads_is_as_one_with_a_policy(self):
        self.postgres.run("CREATE TABLE public.sourced AS TABLE public.people; "
                          "GRANT SELECT ON public.sourced TO pgveil_query, pgveil_admin", "demo")
        self.addCleanup(self.postgres.run, "DROP TABLE public.sourced", "demo")
        job = (
            "version: 1\nname: x\ninput: {table: public.sourced}\n"
            "attributes: {state: {class: quasi_identifier, hierarchy: {masking: {}}}}\n"
            "k: 2\noutput: {file: out.csv}\n"
        )
        self.run_job(job.replace("out.csv", "before.csv"))
        kept = self.pgveil.policy_path.read_text()
        self.addCleanup(self.pgveil.policy_path.write_text, kept)
        source = "    source: SELECT id, occupation, city, state FROM public.sourced\n    enforcement: copy\n"
        changed = kept.replace("    table: public.people\n", source, 1)
        self.assertNotEqual(changed, kept)
        self.pgveil.policy_path.write_text(changed)
        self.refused(job, "public.sourced is already released under policy people_k2, whose source reads it")
        target = JOB.replace("{table: public.patients_k5}", "{table: public.sourced, replace: true}")
        self.refused(target, "public.sourced is read by the source of policy people_k2")
        # A source that does not work any more may have a copy that is still served.
        self.sql("ALTER TABLE public.sourced RENAME city TO town")
        self.refused(job, "city")
        self.sql("ALTER TABLE public.sourced RENAME town TO city")
        self.pgveil.policy_path.write_text(
            changed.replace("    k: 2\n", "    k: 2\n    accept_joint_release: of no use together\n", 1)
        )
        self.assertIn("accepted: of no use together", self.run_job(job).stderr)

    def test_a_policy_of_a_file_that_is_listed_while_the_job_runs_counts(self):
        config, policy = self.pgveil.config_path, self.pgveil.policy_path
        late = policy.with_name("late.yaml")
        kept = config.read_text()
        self.addCleanup(config.write_text, kept)
        self.addCleanup(late.unlink, missing_ok=True)
        listed = kept.replace("policies/*.yaml", f"policies/{policy.name}")
        self.assertNotEqual(listed, kept)
        config.write_text(listed)
        (self.folder / "job.yaml").write_text(JOB.replace("{table: public.patients_k5}", "{file: out.csv}"))
        lock = RawClient(self.postgres.port, "postgres", "demo")
        self.addCleanup(lock.close)
        self.assertEqual(lock.query("BEGIN; LOCK TABLE patients IN ACCESS EXCLUSIVE MODE").errors, [])
        job = subprocess.Popen([binary(), "anonymize", self.folder / "job.yaml", "--config", config],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        waits = ("SELECT count(*) FROM pg_stat_activity "
                 "WHERE wait_event_type = 'Lock' AND usename = 'pgveil_admin'")
        self.until(lambda: self.rows(waits) != [["0"]], "the job does not wait for its table")
        late.write_text(
            "version: 1\npolicies:\n  - name: late_k2\n    database: demo\n    table: public.patients\n"
            "    k: 2\n    readers: [analyst]\n    columns: {age: {class: quasi_identifier}}\n"
        )
        config.write_text(kept)
        lock.query("ROLLBACK")
        out, errors = job.communicate(timeout=120)
        self.assertNotEqual(job.returncode, 0, out)
        self.assertIn("public.patients is already released under policy late_k2", errors)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_tables_that_share_rows_with_that_of_a_policy_are_refused_too(self):
        job = (
            "version: 1\nname: x\ninput: {table: public.%s}\nattributes: {state: {class: quasi_identifier, "
            "hierarchy: {masking: {}}}}\nk: 2\noutput: {file: out.csv}\n"
        )
        for sql in (
            "CREATE TABLE public.above (LIKE public.people)",
            "ALTER TABLE public.people INHERIT public.above",
            "CREATE TABLE public.below () INHERITS (public.people)",
            "CREATE TABLE public.aside (LIKE public.people)",
            "CREATE TABLE public.lowest () INHERITS (public.below, public.aside)",
            "CREATE TABLE public.beside () INHERITS (public.above)",
            "INSERT INTO public.beside SELECT * FROM public.people LIMIT 4",
            "GRANT SELECT ON public.beside TO PUBLIC",
        ):
            self.postgres.run(sql, "demo")
        self.addCleanup(self.postgres.run, "DROP TABLE public.above, public.aside", "demo")
        self.addCleanup(self.postgres.run, "ALTER TABLE public.people NO INHERIT public.above", "demo")
        self.addCleanup(self.postgres.run, "DROP TABLE public.beside, public.lowest, public.below", "demo")
        for table in ("above", "below", "lowest", "aside"):
            with self.subTest(table):
                self.refused(job % table, "public.people is already released under policy people_k2")
        self.run_job(job % "beside")  # has no row in common with it

    def test_all_missing_values_are_named(self):
        (self.folder / "zip.csv").write_text("81613;*\n")
        done = self.refused(
            JOB.replace("{masking: {}}", "{file: zip.csv}"), "the hierarchy of zip code has no row for"
        )
        values = done.stderr.splitlines()[1].strip().split(", ")
        wanted = {
            row[0] or "NULL" for row in self.rows('SELECT DISTINCT "zip code" FROM public.patients')
        } - {"81613"}
        self.assertEqual(set(values), wanted)

    def test_without_admin_role_only_files_are_written(self):
        config = self.pgveil.directory / "reader.yaml"
        config.write_text("\n".join(line for line in self.pgveil.config_path.read_text().splitlines()
                                    if "admin_role" not in line))
        path = self.folder / "job.yaml"
        path.write_text(JOB)
        done = subprocess.run(
            [binary(), "anonymize", path, "--config", config], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs backend.admin_role", done.stderr)

    def test_a_full_disk_leaves_neither_file_nor_table(self):
        """The file is over its limit while the table could be written."""
        job = JOB.replace("{table: public.patients_k5}", "{table: public.patients_k5, file: out.csv}")
        self.refused(
            job, "File too large", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        )
        (self.folder / "out.csv").write_text("old")
        job = job.replace("file: out.csv", "file: out.csv, replace: true")
        self.refused(
            job, "File too large", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        )
        self.assertEqual((self.folder / "out.csv").read_text(), "old")

    def test_a_refused_table_takes_no_file_along(self):
        (self.folder / "out.csv").write_text("old")
        self.refused(
            JOB.replace("{table: public.patients_k5}", "{table: granted.t, file: out.csv, replace: true}"),
            "default privileges",
        )
        self.assertEqual((self.folder / "out.csv").read_text(), "old")

    # -- the command line
    def test_list_and_transformation(self):
        listed = self.run_job(JOB, "--list").stdout.splitlines()
        self.assertEqual(self.rows("SELECT to_regclass('public.patients_k5')"), [[None]])
        anonymous = [line.split()[0] for line in listed[1:] if " yes " in line]
        self.assertTrue(anonymous)
        done = self.run_job(JOB, "--transformation", anonymous[-1])
        self.assertIn(f"transformation   {anonymous[-1]}:", done.stdout)
        self.assertIn("(transformation as chosen)", done.stdout)
        self.sql("DROP TABLE public.patients_k5")
        self.refused(JOB, "is not anonymous", "--transformation", "0,0,0")
        self.refused(JOB, "is not a list of levels", "--transformation", "1;2")
        self.run_job(JOB, "--transformation", "1,1,1", "--list", status=2)
        self.refused(JOB, "would be overwritten", "--report", self.folder / "job.yaml")

    def test_nothing_is_published_whose_report_cannot_be_written(self):
        report = self.folder / "report.json"
        self.refused(JOB, "File too large", "--report", report,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertFalse(report.exists())
        report.write_text("old")
        self.refused(JOB.replace("{table: public.patients_k5}", "{table: granted.t}"), "default privileges",
                     "--report", report)
        self.assertEqual(report.read_text(), "old")

    def test_equal_numbers_are_one_sensitive_value_of_json_lines(self):
        (self.folder / "numbers.csv").write_text("q,s\na,1\na,1.0\na,1e0\nb,2\nb,2.0\nb,20e-1\n")
        job = (
            "version: 1\nname: numbers\ninput: {file: numbers.csv}\nattributes:\n"
            "  q: {class: quasi_identifier, hierarchy: {order: {values: [a, b], groups: []}}}\n"
            "  s: {class: sensitive, l_diversity: {distinct: 3}}\n"
            "k: 2\nseed: 1\noutput: {file: out.jsonl}\n"
        )
        self.refused(job, "no transformation within the job's levels is anonymous")
        for heuristic in ("beam", "igreedy", "datafly", "samarati"):
            self.refused(job + f"algorithm: {heuristic}\n", f"{heuristic} found nothing anonymous")
        for order in ("", ", order: number"):
            with self.subTest(order):
                self.run_job(job.replace("{distinct: 3}", "{distinct: 2}" + order))
                published = (self.folder / "out.jsonl").read_text()
                rows = [json.loads(line) for line in published.splitlines()]
                shown = sorted((row["q"], row["s"]) for row in rows)
                self.assertEqual(shown, [("*", 1)] * 3 + [("*", 2)] * 3)
                self.assertNotIn("1.0", published)
                done = subprocess.run([binary(), "check-table", "out.jsonl", "--job", "job.yaml"],
                                      cwd=self.folder, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
                (self.folder / "out.jsonl").unlink()

    def test_limits_publish_the_best_so_far(self):
        done = self.run_job(JOB + "algorithm: depth_first\nlimits: {checks: 1}\n", status=3)
        self.assertIn("stopped before it was proven", done.stdout)
        self.assertEqual(self.rows("SELECT count(*) FROM public.patients_k5"), [["200"]])

    # So many transformations that no machine has checked them all before its first score is shown.
    DOUBLED = [2 ** level for level in range(1, 41)]
    LONG = (
        """\
version: 1
name: long
input: {table: public.patients}
attributes:
"""
        + "".join(
            f"  {name}: {{class: quasi_identifier, hierarchy: {{{rule}}}}}\n"
            for name, rule in (
                ("patient no", f"intervals: {{widths: {DOUBLED}}}"),
                ("age", f"intervals: {{widths: {DOUBLED}}}"),
                ("zip code", "masking: {}"),
                ("born", "dates: [day, month, quarter, year, decade]"),
                ("blood", "masking: {}"),
                ("weight", "masking: {}"),
                ("note", "masking: {}"),
            )
        )
        + "k: 2\nalgorithm: ola\noutput: {table: public.patients_k5}\n"
    )

    # A search of a moment, and then a file that takes seconds to write.
    WIDE = """\
version: 1
name: wide
input: {file: wide.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20]}}}
  text: {class: insensitive}
k: 2
seed: 1
output: {file: published.csv}
"""

    def test_an_interrupt_publishes_the_best_so_far(self):
        status, out = self.interrupted([signal.SIGINT], self.LONG, b"best so far")
        self.assertEqual(status, 3, out)
        self.assertIn("stopped before it was proven", out)
        self.assertEqual(self.rows("SELECT count(*) > 0 FROM public.patients_k5"), [["t"]])

    def test_a_termination_publishes_nothing(self):
        status, out = self.interrupted([signal.SIGTERM], self.LONG, b"best so far")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(self.rows("SELECT to_regclass('public.patients_k5')"), [[None]])

    def test_an_interrupt_of_the_publication_publishes_nothing(self):
        lines = (f"{20 + row % 50},{'x' * 40}{row}\n" for row in range(400_000))
        (self.folder / "wide.csv").write_text("age,text\n" + "".join(lines))
        status, out = self.interrupted([signal.SIGINT], self.WIDE, b"writing")
        self.assertEqual((status, out), (1, ""))
        left = [path.name for path in self.folder.iterdir() if "publish" in path.name or "pgveil-" in path.name]
        self.assertEqual(left, [])

    def test_a_report_that_nobody_gets_is_a_failure(self):
        (self.folder / "wide.csv").write_text("age,text\n" + "30,x\n" * 10)
        (self.folder / "job.yaml").write_text(self.WIDE)
        with open("/dev/full", "w") as full:
            done = subprocess.run([binary(), "anonymize", self.folder / "job.yaml"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written to standard output: No space left on device", done.stderr)
        self.assertIn(f"published file {self.folder / 'published.csv'}, but the report", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        (self.folder / "published.csv").unlink()


class Contingency(JobCase):
    """Pairs of values, in a file of their own."""

    def test_pairs_are_counted_as_postgresql_counts_them(self):
        place = self.folder / "pairs.json"
        done = self.run_job(JOB, "--contingency", "age,blood", "--contingency-report", place)
        self.assertEqual(place.stat().st_mode & 0o777, 0o600)
        made = json.loads(place.read_text())
        self.assertIn("do not publish this file", made["warning"])
        self.assertNotIn("pairs", done.stdout)
        for side, table in (("before", "patients"), ("after", "patients_k5")):
            found = made[side]
            counted = {(first, second): count
                       for first, row in zip(found["first"]["values"], found["counts"])
                       for second, count in zip(found["second"]["values"], row) if count > 0}
            expected = {(age, blood): int(count) for age, blood, count in self.rows(
                f"SELECT age::text, blood::text, count(*) FROM public.{table} GROUP BY 1, 2")}
            self.assertEqual(counted, expected)

    def test_mistakes_publish_nothing(self):
        place = ("--contingency-report", self.folder / "pairs.json")
        for words, arguments in (
            ("patient no is not published", ("--contingency", "age,patient no", *place)),
            ("can only be used together", ("--contingency", "age,blood")),
            ("can only be used together", place),
            ("takes two columns", ("--contingency", "age", *place)),
            (
                "would be overwritten",
                ("--contingency", "age,blood", "--contingency-report", self.folder / "job.yaml"),
            ),
            ("also writes", ("--contingency", "age,blood", *place, "--report", self.folder / "pairs.json")),
        ):
            self.refused(JOB, words, *arguments)
        self.run_job(JOB, "--contingency", "age,blood", *place, "--list", status=2)
        self.assertEqual(self.rows("SELECT to_regclass('public.patients_k5')"), [[None]])


MONDRIAN = """\
version: 1
name: patients
input: {table: public.patients}
attributes:
  age: {class: quasi_identifier, numeric: true}
  zip code: {class: quasi_identifier, hierarchy: {masking: {}}}
  weight: {class: quasi_identifier, numeric: true}
  blood: {class: sensitive, l_diversity: {distinct: 2}}
  note: {class: insensitive}
k: 5
algorithm: mondrian
seed: 1
output: {table: public.patients_k5, file: out.csv}
"""


class Mondrian(JobCase):
    """Groups instead of a transformation."""

    def groups(self):
        return self.rows(
            'SELECT age, "zip code", weight, count(*), count(DISTINCT coalesce(blood::text, \'\')) '
            "FROM public.patients_k5 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )

    def test_groups_have_k_records_and_l_values_and_show_true_ranges(self):
        self.run_job(MONDRIAN, "--report", self.folder / "report.json")
        groups = self.groups()
        self.assertGreater(len(groups), 10)
        for group in groups:
            self.assertGreaterEqual(int(group[3]), 5, group)
            self.assertGreaterEqual(int(group[4]), 2, group)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual((report["rows"], report["published_rows"]), (200, 200))
        self.assertLess(report["mondrian"]["gcp_tight"], report["mondrian"]["gcp_region"])
        self.assertEqual(report["certainty_penalty"], report["mondrian"]["gcp_tight"])
        self.assertIsNone(report["search"])
        # Each record lies in the range that its row shows: notes tell the records apart.
        outside = self.rows("""
            SELECT p.age, k.age FROM public.patients p JOIN public.patients_k5 k USING (note)
             WHERE CASE WHEN k.age LIKE '[%' THEN NOT (p.age BETWEEN split_part(trim(k.age, '[]'), ',', 1)::int
                                                           AND split_part(trim(k.age, '[]'), ',', 2)::int)
                        ELSE k.age <> p.age::text END""")
        self.assertEqual(outside, [])
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.reader(file))), 201)

    def test_what_is_left_of_the_columns_is_told_of_the_input(self):
        self.run_job(
            MONDRIAN,
            "--utility",
            "--report",
            self.folder / "report.json",
            "--report-html",
            self.folder / "report.html",
        )
        age = json.loads((self.folder / "report.json").read_text())["utility"]["columns"][0]
        distinct = self.rows(
            "SELECT (SELECT count(DISTINCT age) FROM public.patients), (SELECT count(DISTINCT age) FROM public.patients_k5)"
        )
        self.assertEqual(
            [age["before"]["distinct"], age["after"]["distinct"]], [int(it) for it in distinct[0]]
        )
        self.assertIn("Groups", (self.folder / "report.html").read_text())

    def test_threads_and_repetition_give_the_same_bytes(self):
        written = set()
        for threads in (1, 2, 3):
            self.postgres.run("DROP TABLE IF EXISTS public.patients_k5", "demo")
            self.run_job(MONDRIAN.replace("seed: 1", f"seed: 1\nlimits: {{threads: {threads}}}"))
            written.add((self.folder / "out.csv").read_bytes())
            (self.folder / "out.csv").unlink()
        self.assertEqual(len(written), 1)

    def test_a_job_that_resists_attacks_shows_regions_and_gives_another_table_each_time(self):
        job = MONDRIAN.replace("algorithm: mondrian", "algorithm: mondrian\nresist: [downcoding, refinement]")
        written = set()
        for _ in range(2):
            self.postgres.run("DROP TABLE IF EXISTS public.patients_k5", "demo")
            (self.folder / "out.csv").unlink(missing_ok=True)
            done = self.run_job(job, "--report", self.folder / "report.json")
            written.add((self.folder / "out.csv").read_bytes())
            for group in self.groups():
                self.assertGreaterEqual(int(group[3]), 5, group)
                self.assertGreaterEqual(int(group[4]), 2, group)
            outside = self.rows("""
                SELECT p.age, k.age FROM public.patients p JOIN public.patients_k5 k USING (note)
                 WHERE k.age LIKE '[%' AND NOT (p.age BETWEEN split_part(trim(k.age, '[]'), ',', 1)::int
                                                    AND split_part(trim(k.age, '[]'), ',', 2)::int)""")
            self.assertEqual(outside, [])
        self.assertEqual(len(written), 2)
        found = json.loads((self.folder / "report.json").read_text())["mondrian"]
        self.assertEqual((found["cuts"], found["ranges"], found["cut_by"]), ("drawn", "region_sets", None))
        self.assertEqual(found["resist"], ["downcoding", "refinement"])
        # The loss of tight ranges would tell of the records.
        self.assertEqual([key for key in found if key.startswith("gcp_")], ["gcp_region_sets"])
        self.assertIn("cut              at random", done.stdout)
        self.assertIn("two files tell more than one", done.stdout)
        self.postgres.run("DROP TABLE public.patients_k5", "demo")
        (self.folder / "out.csv").unlink()
        self.refused(job.replace("distinct: 2", "distinct: 6"), "do not keep the models")
        other = job.replace("algorithm: mondrian", "algorithm: flash")
        self.refused(other, "resist needs algorithm: mondrian")

    def test_what_it_can_not_do_is_refused(self):
        for arguments in (("--list",), ("--transformation", "0,0,0"), ("--frontier", "2,5")):
            self.refused(MONDRIAN, "mondrian", *arguments)
        self.refused(MONDRIAN.replace("k: 5", "k: 201"), "200 records are fewer than k = 201")
        self.refused(MONDRIAN.replace("distinct: 2", "distinct: 6"), "do not keep the models")
        self.refused(
            MONDRIAN.replace("note: {class: insensitive}", "note: {class: quasi_identifier, numeric: true}"),
            "values of note are no numbers",
        )


LEAST_LOSS = MONDRIAN.replace("algorithm: mondrian", "algorithm: least_loss")
# Blood groups are shown as sets, and some of them are NULL.
SETS = LEAST_LOSS.replace("sensitive, l_diversity: {distinct: 2}", "quasi_identifier")


class LeastLoss(JobCase):
    """Groups of records that are as similar as possible."""

    def published(self):
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_classes_keep_the_models_and_show_what_is_true(self):
        self.run_job(LEAST_LOSS, "--report", self.folder / "report.json")
        classes = self.rows(
            "SELECT count(*), count(DISTINCT coalesce(blood::text, '')) "
            'FROM public.patients_k5 GROUP BY age, "zip code", weight'
        )
        self.assertGreater(len(classes), 10)
        for records, values in classes:
            self.assertGreaterEqual(int(records), 5)
            self.assertGreaterEqual(int(values), 2)
        self.assertEqual(len(self.published()), 200)
        report = json.loads((self.folder / "report.json").read_text())
        found = report["mondrian"]
        self.assertEqual((found["algorithm"], found["ranges"]), ("least_loss", "sets"))
        self.assertEqual(report["certainty_penalty"], found["gcp_sets"])
        self.assertLessEqual(found["gcp_bound"], found["gcp_sets"])

    def test_sets_have_the_true_value_and_postgresql_reads_them_as_arrays(self):
        self.run_job(SETS)
        groups = self.rows(
            'SELECT count(*) FROM public.patients_k5 GROUP BY age, "zip code", weight, blood'
        )
        self.assertGreaterEqual(min(int(it[0]) for it in groups), 5)
        kinds = self.rows("""
            SELECT count(*) FILTER (WHERE k.blood LIKE '{%'),
                   count(*) FILTER (WHERE k.blood LIKE '{%' AND p.blood IS NULL),
                   count(*) FILTER (WHERE k.blood LIKE '{%'
                                      AND array_position(k.blood::text[], p.blood::text) IS NULL),
                   count(*) FILTER (WHERE k.blood IS NULL AND p.blood IS NOT NULL),
                   count(*) FILTER (WHERE k.blood NOT LIKE '{%' AND k.blood <> '*'
                                      AND k.blood <> coalesce(p.blood::text, 'none'))
              FROM public.patients p JOIN public.patients_k5 k USING (note)""")[0]
        sets, sets_of_null, *wrong = (int(it) for it in kinds)
        self.assertGreater(sets, 20)
        self.assertGreater(sets_of_null, 0)
        self.assertEqual(wrong, [0, 0, 0])

    def test_it_loses_less_than_mondrian(self):
        self.run_job(SETS, "--report", self.folder / "least.json")
        self.postgres.run("DROP TABLE public.patients_k5", "demo")
        (self.folder / "out.csv").unlink()
        cut = SETS.replace("algorithm: least_loss", "algorithm: mondrian\nmondrian: {ranges: sets}")
        self.run_job(cut, "--report", self.folder / "cut.json")
        least, mondrian = (
            json.loads((self.folder / name).read_text())["certainty_penalty"]
            for name in ("least.json", "cut.json")
        )
        self.assertLess(least, 0.9 * mondrian)

    def test_threads_and_repetition_give_the_same_bytes(self):
        written = set()
        for threads in (1, 2, 3):
            self.postgres.run("DROP TABLE IF EXISTS public.patients_k5", "demo")
            self.run_job(LEAST_LOSS.replace("seed: 1", f"seed: 1\nlimits: {{threads: {threads}}}"))
            written.add((self.folder / "out.csv").read_bytes())
            (self.folder / "out.csv").unlink()
        self.assertEqual(len(written), 1)

    def test_t_closeness_is_kept(self):
        self.run_job(LEAST_LOSS.replace("l_diversity: {distinct: 2}", "t_closeness: {t: 0.3}"))
        share = {
            blood: int(n) / 200
            for blood, n in self.rows(
                "SELECT coalesce(blood::text, ''), count(*) FROM public.patients GROUP BY 1"
            )
        }
        classes = {}
        for row in self.published():
            classes.setdefault((row["age"], row["zip code"], row["weight"]), []).append(row["blood"])
        self.assertGreater(len(classes), 5)
        for members in classes.values():
            distance = sum(
                max(0, members.count(it) / len(members) - share[it]) for it in set(members)
            )
            self.assertLessEqual(distance, 0.3 + 1e-9)

    def test_a_stop_after_no_time_publishes_all_the_same(self):
        lines = (f"{20 + row * 7 % 61},{81600 + row * 13 % 190}\n" for row in range(5000))
        (self.folder / "many.csv").write_text("age,zip\n" + "".join(lines))
        job = (
            "version: 1\nname: many\ninput: {file: many.csv}\nattributes:\n"
            "  age: {class: quasi_identifier, numeric: true}\n"
            "  zip: {class: quasi_identifier, hierarchy: {masking: {}}}\n"
            "k: 5\nalgorithm: least_loss\nleast_loss: {rounds: 2}\nseed: 1\n"
            "output: {file: out.csv, replace: true}\n"
        )
        files = ("--report", self.folder / "report.json", "--report-html", self.folder / "report.html")
        for limit, status in (("", 0), ("limits: {time: 1ms}\n", 3)):
            with self.subTest(limit):
                done = self.run_job(job + limit, *files, status=status)
                self.assertEqual(len(self.published()), 5000)
                report = json.loads((self.folder / "report.json").read_text())
                self.assertEqual(report["mondrian"]["is_stopped"], status == 3)
                page = (self.folder / "report.html").read_text()
                for text in (done.stdout, page):
                    self.assertEqual("stopped by limits.time" in text, status == 3)
                self.assertEqual("gcp_bound" in report["mondrian"], status == 0)
                self.assertEqual("not known: stopped before it was found" in done.stdout, status == 3)

    def test_an_interrupt_publishes_the_groups_so_far(self):
        lines = (f"{20 + row * 7 % 61},{81600 + row * 13 % 1900}\n" for row in range(6_000))
        (self.folder / "many.csv").write_text("age,zip\n" + "".join(lines))
        job = (
            "version: 1\nname: many\ninput: {file: many.csv}\nattributes:\n"
            "  age: {class: quasi_identifier, numeric: true}\n"
            "  zip: {class: quasi_identifier, hierarchy: {masking: {}}}\n"
            "k: 5\nalgorithm: least_loss\nleast_loss: {rounds: 10000}\nseed: 1\noutput: {file: out.csv}\n"
        )
        status, out = self.interrupted([signal.SIGINT], job, b"improving groups")
        self.assertEqual(status, 3, out)
        self.assertIn("stopped by limits.time or an interrupt", out)
        self.assertEqual(len(self.published()), 6_000)
        (self.folder / "out.csv").unlink()
        status, out = self.interrupted([signal.SIGTERM], job, b"improving groups")
        self.assertEqual((status, out), (1, ""))
        self.assertFalse((self.folder / "out.csv").exists())

    def test_what_it_can_not_do_is_refused(self):
        for arguments in (("--list",), ("--transformation", "0,0,0"), ("--frontier", "2,5")):
            self.refused(LEAST_LOSS, "least_loss", *arguments)
        self.refused(LEAST_LOSS.replace("k: 5", "k: 201"), "200 records are fewer than k = 201")
        self.refused(
            LEAST_LOSS.replace("note: {class: insensitive}", "note: {class: quasi_identifier}"),
            "note has 200 values, and sets are shown of at most 64",
        )
        self.refused(
            LEAST_LOSS.replace("note: {class: insensitive}", "visits: {class: quasi_identifier}"),
            "a value of visits begins with {, as a set does",
        )


AGGREGATES = """\
version: 1
name: patients
input: {table: public.patients}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20]}}, aggregate: mean}
  zip code: {class: quasi_identifier, hierarchy: {masking: {masked: [2]}}}
  born: {class: quasi_identifier, aggregate: median}
  weight: {class: quasi_identifier, aggregate: mean}
  blood: {class: sensitive, l_diversity: {distinct: 2}}
  note: {class: insensitive}
k: 5
suppression: 5%
seed: 1
output: {table: public.patients_k5, file: out.csv}
"""
# What PostgreSQL finds in a class; notes tell the records apart.
CLASSES = """
    SELECT k.age, round(avg(p.age), 2), k.weight, round(avg(p.weight), 3), k.born,
           date '1970-01-01' + ceil(percentile_cont(0.5) WITHIN GROUP (ORDER BY p.born - date '1970-01-01'))::int,
           count(*), count(DISTINCT coalesce(p.blood::text, ''))
      FROM public.patients p JOIN public.patients_k5 k USING (note) WHERE k.weight <> '*'
     GROUP BY k.age, k."zip code", k.born, k.weight"""


class Aggregates(JobCase):
    """Classes that show one value of their own."""

    def verb(self, *arguments, status=0):
        done = subprocess.run([binary(), *map(str, arguments), "--config", str(self.pgveil.config_path)],
                              capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def test_a_class_shows_what_postgresql_computes_of_it(self):
        self.run_job(AGGREGATES, "--report", self.folder / "report.json")
        classes = self.rows(CLASSES)
        self.assertGreater(len(classes), 5)
        for age, mean_age, weight, mean_weight, born, median, records, bloods in classes:
            self.assertEqual(float(age), float(mean_age))
            self.assertEqual(float(weight), float(mean_weight))
            self.assertEqual(born, median)
            self.assertGreaterEqual(int(records), 5)
            self.assertGreaterEqual(int(bloods), 2)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["classes"], len(classes))
        self.assertEqual([(it["column"], it["function"]) for it in report["aggregates"]],
                         [("age", "mean"), ("born", "median"), ("weight", "mean")])
        self.assertTrue(all(0 < it["error"] < 1 for it in report["aggregates"]))
        self.assertEqual((report["levels"][2:], report["heights"][2:]), ([1, 1], [1, 1]))
        plain = self.run_job(
            AGGREGATES.replace(", aggregate: mean}\n  zip", "}\n  zip")
            .replace("patients_k5", "plain")
            .replace("out.csv", "plain.csv"),
            "--report",
            self.folder / "plain.json",
        )
        self.assertNotIn("aggregated       age", plain.stdout)
        # The search is the same, and a mean stands for less than its interval.
        plain = json.loads((self.folder / "plain.json").read_text())
        self.assertEqual((plain["levels"], plain["scores"]), (report["levels"], report["scores"]))
        self.assertLess(report["certainty_penalty"], plain["certainty_penalty"])
        self.sql("DROP TABLE public.plain")

    def test_a_scheme_aggregates_anew_and_certificates_hold(self):
        self.run_job(
            AGGREGATES,
            "--report",
            self.folder / "scheme.json",
            "--certificate",
            self.folder / "certificate.json",
        )
        self.verb("verify-certificate", "certificate.json", "out.csv", "--job", "job.yaml")
        self.verb("check-table", "out.csv", "--job", "job.yaml")
        self.verb(
            "apply", "scheme.json", "--job", "job.yaml", "--table", "public.patients", "--output", "again.csv"
        )
        self.assertEqual((self.folder / "again.csv").read_bytes(), (self.folder / "out.csv").read_bytes())
        self.sql(
            """CREATE TABLE public.older AS SELECT "patient no", age, "zip code", born, blood, weight + 10 AS weight, note
                     FROM public.patients"""
        )
        self.sql("GRANT SELECT ON public.older TO pgveil_admin")
        try:
            self.verb(
                "apply",
                "scheme.json",
                "--job",
                "job.yaml",
                "--table",
                "public.older",
                "--output",
                "older.csv",
            )
        finally:
            self.sql("DROP TABLE public.older")

        def weights(name):
            with open(self.folder / name, newline="", encoding="utf-8") as file:
                return sorted(float(row["weight"]) for row in csv.DictReader(file) if row["weight"] != "*")
        self.assertEqual(weights("older.csv"), [round(weight + 10, 3) for weight in weights("out.csv")])

    def test_the_output_may_have_the_types_of_numbers(self):
        job = AGGREGATES.replace("suppression: 5%\n", "").replace(
            "{table: public.patients_k5, file: out.csv}",
            "{table: public.patients_k5, types: {age: double precision, weight: numeric, born: date}}")
        self.run_job(job)
        self.assertEqual(
            self.rows(
                "SELECT bool_and(age BETWEEN 20 AND 60 AND weight BETWEEN 50 AND 65) FROM public.patients_k5"
            ),
            [["t"]],
        )

    def test_what_is_no_number_is_refused(self):
        self.refused(
            AGGREGATES.replace(
                "note: {class: insensitive}", "note: {class: quasi_identifier, aggregate: mean}"
            ),
            "values of note are no numbers",
        )
        self.refused(
            AGGREGATES.replace("aggregate: median", "aggregate: geometric_mean"),
            "dates, which have no geometric mean",
        )
        self.refused(
            AGGREGATES.replace("k: 5\n", "k: 5\nlocal_recoding: 2\n"), "aggregate and local_recoding"
        )


class Console(JobCase):
    """ANONYMIZE JOB, SHOW JOBS, CANCEL JOB."""

    def ask(self, command, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual(reply.errors, [], command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def refused(self, command, words, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual((len(reply.errors), reply.rows), (1, []), command)
        self.assertIn(words, str(reply.errors[0]))

    def ended(self, job):
        """The line of SHOW JOBS once the job runs no more."""
        for _ in range(1200):
            line = {row["job"]: row for row in self.ask("SHOW JOBS", "watcher")}[job]
            if line["state"] not in ("running", "never ran"):
                return line
            time.sleep(0.05)
        raise AssertionError("the job did not end")

    def test_a_job_runs_in_the_background(self):
        (self.folder / "patients.yaml").write_text(JOB.replace("name: patients", "name: background"))
        self.assertEqual(
            [(row["job"], row["state"]) for row in self.ask("SHOW JOBS") if row["state"] == "never ran"],
            [("background", "never ran")],
        )
        self.assertEqual(self.ask("ANONYMIZE JOB background"), [{"job": "background", "state": "running"}])
        line = self.ended("background")
        self.assertEqual((line["state"], line["started_by"], line["message"]),
                         ("done", "operator", "table public.patients_k5"), line)
        self.assertGreater(int(line["checks"]), 0)
        rows = self.postgres.rows("SELECT count(*) FROM public.patients_k5", "demo")
        self.assertEqual(rows, [[line["rows"]]])
        self.ask("ANONYMIZE JOB background")
        self.assertEqual(self.ended("background")["state"], "failed")
        self.ask("ANONYMIZE JOB background TO TABLE public.patients_elsewhere")
        line = self.ended("background")
        self.assertEqual((line["state"], line["message"]), ("done", "table public.patients_elsewhere"))

    def test_files_only_below_export_dir(self):
        exports = self.pgveil.directory / "exports"
        for place, is_allowed in (
            ("out.csv", False),
            ("../exports/../x.csv", False),
            ("../exports/link/x.csv", False),
            ("../exports/out.csv", True),
        ):
            with self.subTest(place):
                if not (exports / "link").is_symlink():
                    (exports / "link").symlink_to(self.folder)
                (self.folder / "patients.yaml").write_text(
                    JOB.replace("table: public.patients_k5", f"file: {place}")
                )
                self.ask("ANONYMIZE JOB patients")
                self.assertEqual(self.ended("patients")["state"], "done" if is_allowed else "failed")
        self.assertEqual(sorted(os.listdir(exports)), ["link", "out.csv"])
        self.assertEqual(os.listdir(self.folder), ["patients.yaml"])

    def test_a_job_is_cancelled_and_leaves_nothing(self):
        (self.folder / "long.yaml").write_text(Anonymize.LONG)
        (self.folder / "patients.yaml").write_text(JOB)
        self.ask("ANONYMIZE JOB long")
        while not {row["job"]: row for row in self.ask("SHOW JOBS")}["long"]["best"]:
            time.sleep(0.05)
        self.refused("ANONYMIZE JOB patients", "job long is running")
        self.assertEqual(self.ask("CANCEL JOB long"), [{"job": "long", "state": "cancelled"}])
        self.assertEqual(self.ended("long")["state"], "cancelled")
        self.assertEqual(self.postgres.rows("SELECT to_regclass('public.patients_k5')", "demo"), [[None]])
        self.refused("CANCEL JOB long", "is not running")
        self.ask("ANONYMIZE JOB patients")
        self.assertEqual(self.ended("patients")["state"], "done")

    def test_who_may_and_what_does_not_exist(self):
        (self.folder / "patients.yaml").write_text(JOB)
        self.refused("ANONYMIZE JOB patients", "is not open to this role", "watcher")
        self.refused("CANCEL JOB patients", "is not open to this role", "watcher")
        self.refused("ANONYMIZE JOB nobody", "there is no job")
        (self.folder / "broken.yaml").write_text("version: 1\nname: broken\nk: many\n")
        self.refused("ANONYMIZE JOB patients", "broken.yaml:")


if __name__ == "__main__":
    main()

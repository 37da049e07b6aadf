#!/usr/bin/python3
"""Certificates of published files and tables: what they say, what verify-certificate sees, what they never
say."""
import csv
import hashlib
import json
import os
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: visits
input: {table: public.visits}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  zip: {class: quasi_identifier, hierarchy: {masking: {}}}
  illness: {class: sensitive, l_diversity: {distinct: 2, entropy: 1.5}}
  income: {class: sensitive, t_closeness: {t: 0.4, distance: ordered}, order: number}
k: 4
suppression: 20%
seed: 1
output: {table: public.visits_k4, replace: true}
"""

PREPARE = """
CREATE TABLE public.visits (id integer, age integer, zip text, illness text, income integer);
INSERT INTO public.visits SELECT g, 20 + g * 7 % 40, 10000 + g * 13 % 90, (ARRAY['secret-flu', 'cold', 'HIV', NULL])[1 + g % 4],
                                 1000 * (g % 7) FROM generate_series(1, 150) g;
GRANT SELECT ON public.visits TO pgveil_admin;
"""


class Certificates(VerbCase):
    tables = PREPARE

    def setUp(self):
        super().setUp()
        self.write("key", "a key of more than sixteen bytes\n")
        os.chmod(self.folder / "key", 0o600)
        self.config = ("--config", self.pgveil.config_path)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_verb(self, *arguments, status=0):
        done = subprocess.run(
            [binary(), *map(str, arguments), *self.config],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def publish(self, job=JOB, *arguments):
        self.write("job.yaml", job)
        self.run_verb("anonymize", "job.yaml", "--certificate", "certificate.json", *arguments)
        return json.loads((self.folder / "certificate.json").read_text())

    def to_file(self):
        return JOB.replace("{table: public.visits_k4", "{file: out.csv")

    def verify(self, *arguments, status=0):
        return self.run_verb("verify-certificate", "certificate.json", *arguments, status=status).stdout

    def attack(self, name, *arguments, status=4):
        self.run_verb("attack", *arguments, "--format", "json", "--output", name, status=status)
        return json.loads((self.folder / name).read_text())

    def test_a_report_of_attacks_on_the_same_release(self):
        for job, published in ((self.to_file(), ("out.csv",)), (JOB, ("--table", "public.visits_k4"))):
            made = self.publish(job)
            found = self.attack("attack.json", "--job", "job.yaml", status=0)
            for key in ("file_sha256", "table_sha256"):
                self.assertEqual(found[key], made[key])
            said = self.verify(*published, "--attack-report", "attack.json")
            self.assertIn("ok        the attack report is about this release", said)
            self.assertIn("note      the attacks that were tried found nothing", said)
        self.run_verb("attack", "--job", "job.yaml", "-o", "attack.txt")
        text = (self.folder / "attack.txt").read_text()
        self.assertIn(f"SHA-256 of the table: {made['table_sha256']}.", text)

    def test_a_report_that_found_something_is_told_of(self):
        diverse, alike = "l_diversity: {distinct: 2, entropy: 1.5}", "l_diversity: {distinct: 1}"
        self.publish(self.to_file().replace(diverse, alike))
        self.attack("attack.json", "--job", "job.yaml", "--knows", "age,zip", status=4)
        said = self.verify("out.csv", "--attack-report", "attack.json")
        self.assertIn("note      the attacks found something: read their report", said)

    def test_a_report_of_attacks_on_another_release(self):
        self.publish(self.to_file())
        self.attack("attack.json", "--job", "job.yaml", status=0)
        self.publish(self.to_file().replace("seed: 1", "seed: 2"))
        said = self.verify("out.csv", "--attack-report", "attack.json", status=1)
        self.assertIn("FAILED    the attack report is about this release", said)
        for text in ("", "[]", "{}", '{"file_sha256": 1}', (self.folder / "certificate.json").read_text()):
            self.write("attack.json", text)
            done = self.run_verb(
                "verify-certificate", "certificate.json", "out.csv", "--attack-report", "attack.json", status=1
            )
            self.assertIn("this is no report of pgveil attack", done.stderr)
        done = self.run_verb(
            "verify-certificate", "certificate.json", "out.csv", "--attack-report", "no.json", status=1
        )
        self.assertIn("there is no file no.json", done.stderr)

    def test_standard_input_has_no_fingerprint(self):
        self.publish(self.to_file())
        done = subprocess.run(
            [binary(), "attack", "-", "--job", "job.yaml", "--format", "json", *map(str, self.config)],
            input=(self.folder / "out.csv").read_bytes(),
            capture_output=True,
            timeout=60,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["file_sha256"], found["table_sha256"]), (None, None))
        self.write("attack.json", done.stdout.decode())
        said = self.verify("out.csv", "--attack-report", "attack.json", status=1)
        self.assertIn("FAILED    the attack report is about this release", said)

    def test_a_file(self):
        made = self.publish(self.to_file())
        published = (self.folder / "out.csv").read_bytes()
        self.assertEqual(made["file_sha256"], hashlib.sha256(published).hexdigest())
        self.assertEqual(
            made["job_sha256"], hashlib.sha256((self.folder / "job.yaml").read_bytes()).hexdigest()
        )
        self.assertEqual((made["table_sha256"], made["input_hmac_sha256"]), (None, ""))
        self.assertEqual(
            made["models"], ["illness distinct 2", "illness entropy 1.5", "income t_closeness 0.4 ordered"]
        )
        self.assertEqual((self.folder / "certificate.json").stat().st_mode & 0o777, 0o600)
        text = (self.folder / "certificate.json").read_text()
        for value in ("secret-flu", "HIV", "cold"):
            self.assertNotIn(value, text)
        said = self.verify("out.csv", "--job", "job.yaml")
        self.assertNotIn("FAILED", said)
        self.assertIn("ok        illness distinct 2", said)

    def test_suppressed_records_that_are_left_out(self):
        """The file, the report, the certificate and both checks agree on what was left out."""
        job = self.to_file().replace("{intervals: {widths: [10, 20, 40]}}", "{masking: {}}")
        job = job.replace(", t_closeness: {t: 0.4, distance: ordered}, order: number", "")
        job = job.replace("suppression: 20%", "suppression: 90%\ngs: 0")
        seen = {}
        for words in ("keep_or_drop", "drop"):
            made = self.publish(
                job.replace("k: 4\n", f"k: 4\nsuppressed_records: {words}\n"), "--report", "report.json"
            )
            report = json.loads((self.folder / "report.json").read_text())
            with open(self.folder / "out.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            stars = sum(row["age"] == row["zip"] == "*" for row in rows)
            for told in (made, report):
                self.assertEqual(told["suppressed_records"], words)
            self.assertEqual(made["suppressed_rows"], report["suppressed_rows"])
            self.assertEqual((len(rows), made["rows"]), (150 - made["dropped_rows"], report["published_rows"]))
            self.assertNotIn("FAILED", self.verify("out.csv", "--job", "job.yaml"))
            self.run_verb("check-table", "out.csv", "--job", "job.yaml")
            seen[words] = (stars, made["dropped_rows"], made["suppressed_rows"])
        suppressed = seen["drop"][2]
        self.assertGreater(suppressed, 4)
        self.assertEqual(seen["keep_or_drop"], (suppressed, 0, suppressed))
        self.assertEqual(seen["drop"], (0, suppressed, suppressed))

    def test_json_lines_with_nulls(self):
        self.publish(self.to_file().replace("out.csv", "out.jsonl"))
        self.assertIn('"illness":null', (self.folder / "out.jsonl").read_text())
        said = self.verify("out.jsonl", "--job", "job.yaml")
        self.assertNotIn("FAILED", said)
        self.assertIn("ok        illness distinct 2", said)

    def test_json_lines_with_hidden_records(self):
        self.write("in.csv", "age,ill\n" + "1,flu\n1,hiv\n" * 4 + "9,hiv\n")
        self.publish("""\
version: 1
name: hidden
input: {file: in.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {tree: {a: ["1"], b: ["9"]}}}
  ill: {class: sensitive, t_closeness: {t: 0.2, distance: ordered}, order: [flu, hiv]}
k: 2
suppression: 20%
suppressed_records: keep_or_hide
output: {file: out.jsonl}
""")
        self.assertIn('{"age":"*","ill":null}', (self.folder / "out.jsonl").read_text())
        self.assertNotIn("FAILED", self.verify("out.jsonl", "--job", "job.yaml"))
        self.run_verb("check-table", "out.jsonl", "--job", "job.yaml")

    def test_texts_that_begin_like_formulas(self):
        self.write("in.csv", "age,ill\n" + "1,+\n1,-\n" * 4 + "9,-\n9,+\n")
        self.publish("""\
version: 1
name: marks
input: {file: in.csv}
attributes:
  age: {class: quasi_identifier, hierarchy: {tree: {all: {a: ["1"], b: ["9"]}}}}
  ill: {class: sensitive, t_closeness: {t: 0.2, distance: ordered}, order: ["-", "+"]}
k: 2
output: {file: out.csv}
""")
        self.assertIn("\"'-\"", (self.folder / "out.csv").read_text())
        said = self.verify("out.csv", "--job", "job.yaml")
        self.assertNotIn("FAILED", said)
        self.assertIn("ok        ill t_closeness 0.2 ordered", said)

    def test_a_file_that_was_changed(self):
        self.publish(self.to_file())
        text = (self.folder / "out.csv").read_text()
        self.write("out.csv", text.replace("cold", "mold", 1))
        self.assertIn("FAILED    the table is the one that was published", self.verify("out.csv", status=1))
        self.write("out.csv", "\n".join(text.splitlines()[:-1]) + "\n")
        self.assertIn("FAILED", self.verify("out.csv", status=1).split("records")[0].splitlines()[-1])

    def test_another_job(self):
        self.publish(self.to_file())
        self.write("job.yaml", self.to_file().replace("k: 4", "k: 3"))
        self.assertIn("FAILED    the job is", self.verify("out.csv", "--job", "job.yaml", status=1))

    def test_a_certificate_that_was_changed(self):
        made = self.publish(self.to_file())
        self.write("certificate.json", json.dumps({**made, "k": 100}))
        self.assertIn("FAILED    k 100", self.verify("out.csv", status=1))

    def test_a_table(self):
        made = self.publish()
        self.assertEqual(made["file_sha256"], None)
        self.assertNotIn("FAILED", self.verify("--table", "public.visits_k4"))
        self.postgres.run(
            "CREATE TABLE public.again AS SELECT * FROM public.visits_k4 ORDER BY md5(age || zip)", "demo"
        )
        self.postgres.run("GRANT SELECT ON public.again TO pgveil_admin", "demo")
        self.assertNotIn(
            "FAILED", self.verify("--table", "public.again")
        )  # rows in another order are the same
        self.postgres.run("UPDATE public.again SET income = income + 1 WHERE ctid = '(0,1)'", "demo")
        self.assertIn("FAILED    the table is", self.verify("--table", "public.again", status=1))
        self.postgres.run("DROP TABLE public.again", "demo")

    def test_a_table_whose_columns_change_their_types(self):
        """The fingerprint is of what lies there."""
        made = self.publish(JOB.replace("replace: true", 'replace: true, types: {income: double precision}'))
        self.assertEqual(len(made["table_sha256"]), 64)
        self.assertNotIn("FAILED", self.verify("--table", "public.visits_k4"))

    def test_presence_and_k_map_are_held_against_the_input(self):
        job = self.to_file().replace(
            "k: 4\n", "k: 4\nk_map: 5\npresence: {most: 80%}\nsubset: {column: income, value: '1000'}\n"
        )
        job = job.replace("k: 4", "k: 2").replace(
            "l_diversity: {distinct: 2, entropy: 1.5}", "l_diversity: {distinct: 1}"
        )
        job = job.replace(
            "income: {class: sensitive, t_closeness: {t: 0.4, distance: ordered}, order: number}",
            "income: {class: insensitive}",
        )
        made = self.publish(job)
        self.assertEqual((made["presence"], made["k_map"]), ([0, 0.8], 5))
        said = self.verify("out.csv", "--job", "job.yaml")
        self.assertIn("unchecked presence and k_map", said)
        said = self.verify("out.csv", "--job", "job.yaml", "--input-table", "public.visits")
        self.assertIn("ok        k_map 5", said)
        self.assertIn("ok        presence 0 to 0.8", said)
        self.assertIn("unchecked the input", said)
        self.write("certificate.json", json.dumps({**made, "k_map": 149, "presence": [0, 0.01]}))
        said = self.verify("out.csv", "--job", "job.yaml", "--input-table", "public.visits", status=1)
        self.assertIn("FAILED    k_map 149", said)
        self.assertIn("FAILED    presence 0 to 0.01", said)

    def test_the_input_is_known_by_its_key_only(self):
        made = self.publish(self.to_file(), "--key-file", "key")
        self.assertEqual(len(made["input_hmac_sha256"]), 64)
        known = ("out.csv", "--input-table", "public.visits")
        self.assertIn("ok        the input is", self.verify(*known, "--key-file", "key"))
        self.write("other", "another key of that length\n")
        os.chmod(self.folder / "other", 0o600)
        self.assertIn("FAILED    the input is", self.verify(*known, "--key-file", "other", status=1))
        self.assertIn("key", self.run_verb("verify-certificate", "certificate.json", *known, status=1).stderr)

    def test_the_input_of_a_job_that_makes_groups_has_a_fingerprint_too(self):
        for algorithm in ("mondrian", "least_loss"):
            with self.subTest(algorithm=algorithm):
                job = self.to_file().replace("suppression: 20%", f"algorithm: {algorithm}")
                made = self.publish(job, "--key-file", "key")
                self.assertEqual(len(made["input_hmac_sha256"]), 64)
                known = ("out.csv", "--input-table", "public.visits", "--key-file", "key")
                self.assertIn("ok        the input is", self.verify(*known))
                self.postgres.rows("UPDATE public.visits SET age = age + 1 WHERE id = 7 RETURNING 1", "demo")
                self.assertIn("FAILED    the input is", self.verify(*known, status=1))

    def test_an_input_with_another_separator(self):
        job = self.to_file().replace("input: {table: public.visits}", 'input: {file: in.csv, separator: ";"}')
        self.assertIn("in.csv", job)
        columns = self.postgres.rows(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'visits' ORDER BY 1", "demo")
        names = [name for name, in columns]
        rows = self.postgres.rows(f"SELECT {', '.join(names)} FROM public.visits", "demo")
        lines = [names, *([cell or "" for cell in row] for row in rows)]
        self.write("in.csv", "".join(";".join(line) + "\n" for line in lines))
        self.publish(job, "--key-file", "key")
        known = ("out.csv", "--input", "in.csv", "--key-file", "key")
        self.assertIn("ok        the input is", self.verify(*known, "--job", "job.yaml"))
        self.assertIn("ok        the input is", self.verify(*known, "--input-separator", ";"))
        self.run_verb("verify-certificate", "certificate.json", *known, status=1)

    def test_a_table_with_the_separator_of_its_job(self):
        self.publish(self.to_file().replace("{file: out.csv", "{file: out.csv, separator: tab"))
        self.assertIn("\t", (self.folder / "out.csv").read_text())
        self.assertIn("ok        k ", self.verify("out.csv", "--job", "job.yaml"))
        self.assertIn("ok        k ", self.verify("out.csv", "--separator", "tab"))
        self.run_verb("verify-certificate", "certificate.json", "out.csv", status=1)
        self.write("job.yaml", "no job")
        said = self.verify("out.csv", "--job", "job.yaml", "--separator", "tab", status=1)
        self.assertIn("FAILED    the job is the one", said)

    def test_applied_schemes_have_one_too(self):
        self.publish(self.to_file(), "--report", "scheme.json")
        self.run_verb(
            "apply",
            "scheme.json",
            "--job",
            "job.yaml",
            "--table",
            "public.visits",
            "--output",
            "again.csv",
            "--certificate",
            "certificate.json",
        )
        self.assertNotIn("FAILED", self.verify("again.csv", "--job", "job.yaml"))

    def test_nothing_is_left_when_nothing_is_published(self):
        self.write("job.yaml", self.to_file().replace("k: 4", "k: 1000"))
        self.run_verb("anonymize", "job.yaml", "--certificate", "certificate.json", status=1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["job.yaml", "key"])

    def test_what_is_refused(self):
        def refused(words, *arguments, status=1):
            self.assertIn(words, self.run_verb(*arguments, status=status).stderr)
        self.publish(self.to_file())
        before = (self.folder / "out.csv").read_bytes()
        refused("--key-file is given, but --certificate is not", "anonymize", "job.yaml", "--key-file", "key")
        refused("also writes", "anonymize", "job.yaml", "--certificate", "c.json", "--report", "c.json")
        refused("would be overwritten", "anonymize", "job.yaml", "--certificate", "job.yaml")
        self.write("short", "short\n")
        os.chmod(self.folder / "short", 0o600)
        refused("16 bytes", "anonymize", "job.yaml", "--certificate", "c.json", "--key-file", "short")
        os.chmod(self.folder / "key", 0o644)
        refused("others", "anonymize", "job.yaml", "--certificate", "c.json", "--key-file", "key")
        for text in ("", "{}", "[]", '{"pgveil_certificate": 2}'):
            self.write("bad.json", text)
            refused("not a certificate", "verify-certificate", "bad.json", "out.csv")
        made = json.loads((self.folder / "certificate.json").read_text())
        for key in made:
            if key in (
                "version",
                "issued_at",
                "job",
                "rows",
                "k",
                "columns",
                "sensitive",
                "file_sha256",
                "null",
            ):
                self.write(
                    "bad.json", json.dumps({name: value for name, value in made.items() if name != key})
                )
                refused("not a certificate", "verify-certificate", "bad.json", "out.csv")
        refused("neither a file nor a table", "verify-certificate", "certificate.json")
        refused(
            "no fingerprint of the input",
            "verify-certificate",
            "certificate.json",
            "out.csv",
            "--input-table",
            "public.visits",
            "--key-file",
            "short",
        )
        self.assertEqual((self.folder / "out.csv").read_bytes(), before)


if __name__ == "__main__":
    main()

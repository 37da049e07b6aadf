#!/usr/bin/python3
"""EXPORT POLICY … WITH CERTIFICATE: what it says, what verify-certificate sees of it, and what is left when
something fails."""
import hashlib
import json
import os
import stat
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.stack import StackCase
from harness import world


class ExportCertificates(StackCase):
    policies = (world.PEOPLE, world.STAFF)

    def setUp(self):
        self.exports = self.pgveil.directory / "exports"

    def tearDown(self):
        for path in self.exports.iterdir():
            path.unlink()
        self.postgres.run("DROP TABLE IF EXISTS public.people_public", "demo")

    def export(self, target, certificate="people.json", policy="people_k2"):
        reply = self.pgveil.console(
            f"EXPORT POLICY {policy} TO {target} WITH CERTIFICATE '{certificate}'", "operator"
        )
        self.assertEqual(reply.errors, [])
        path = self.exports / certificate
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        text = path.read_text()
        for value in ("OH", "Hamlet", "Farmer", "Accountant", *world.HIDDEN):
            self.assertNotIn(value, text)
        return json.loads(text)

    def verify(self, *arguments, status=0, certificate="people.json"):
        done = subprocess.run(
            [
                binary(),
                "verify-certificate",
                str(self.exports / certificate),
                *map(str, arguments),
                "--config",
                self.pgveil.config_path,
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return done.stdout or done.stderr

    def test_a_file(self):
        made = self.export("FILE 'people.csv'")
        path = self.exports / "people.csv"
        self.assertEqual(made["file_sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertEqual(
            (made["policy"], made["k"], made["rows"], made["smallest_cohort"], made["table_sha256"]),
            ("people_k2", 2, 11, 2, None),
        )
        self.assertEqual(sorted(made["quasi_identifiers"]), ["city", "occupation", "state"])
        said = self.verify(path, "--policy", self.pgveil.policy_path)
        self.assertNotIn("FAILED", said)
        for words in ("the table is the one", "11 records", "policy people_k2 is the one", "k 2"):
            self.assertIn(f"ok        {words}", said)

    def test_a_report_of_attacks_on_the_exported_version(self):
        self.export("FILE 'people.csv'")
        path, report = self.exports / "people.csv", self.exports / "attack.json"
        made = json.loads(self.pgveil.console("ATTACK POLICY people_k2 AS JSON", "operator").texts()[0][0])
        self.assertRegex(made["policy_sha256"], "^[0-9a-f]{64}$")
        for changed, word in (({}, "ok"), ({"policy_sha256": "0" * 64}, "FAILED")):
            report.write_text(json.dumps(made | changed))
            said = self.verify(path, "--attack-report", report, status=0 if word == "ok" else 1)
            self.assertIn(f"{word:10}the attack report is about this release", said)

    def test_a_report_of_attacks_on_a_later_version(self):
        self.export("FILE 'people.csv'")
        report = self.exports / "attack.json"
        self.assertEqual(self.pgveil.console("BUILD POLICY people_k2", "operator").errors, [])
        report.write_text(self.pgveil.console("ATTACK POLICY people_k2 AS JSON", "operator").texts()[0][0])
        said = self.verify(self.exports / "people.csv", "--attack-report", report, status=1)
        self.assertIn("FAILED    the attack report is about this release", said)

    def test_a_file_that_was_changed(self):
        self.export("FILE 'people.csv'")
        path = self.exports / "people.csv"
        path.chmod(0o600)
        path.write_text(path.read_text().replace("Farmer", "Farmerin", 1))
        said = self.verify(path, status=1)
        self.assertIn("FAILED    the table is the one that was published", said)
        self.assertIn("FAILED    k 2", said)

    def test_another_policy(self):
        self.export("FILE 'people.csv'")
        other = self.exports / "other.yaml"
        other.write_text(self.pgveil.policy_path.read_text().replace("k: 2", "k: 4"))
        self.assertIn(
            "FAILED    policy people_k2",
            self.verify(self.exports / "people.csv", "--policy", other, status=1),
        )

    def test_a_table(self):
        made = self.export("TABLE public.people_public")
        self.assertEqual((made["file_sha256"], made["rows"]), (None, 11))
        self.assertNotIn("FAILED", self.verify("--table", "public.people_public"))
        self.postgres.run("UPDATE public.people_public SET city = 'Elsewhere' WHERE ctid = '(0,1)'", "demo")
        self.assertIn("FAILED    the table is", self.verify("--table", "public.people_public", status=1))

    def test_a_table_of_many_types(self):
        self.pgveil.console("BUILD POLICY staff_k3", "operator")
        self.export("TABLE public.people_public", policy="staff_k3")
        self.assertNotIn("FAILED", self.verify("--table", "public.people_public"))

    def test_what_fails_leaves_neither(self):
        def refused(words, target, certificate="people.json"):
            reply = self.pgveil.console(
                f"EXPORT POLICY people_k2 TO {target} WITH CERTIFICATE '{certificate}'", "operator"
            )
            self.assertIn(words, str(reply.errors))
        for name in ("../x.json", "/tmp/x.json", "x.csv", "", "nofolder/x.json"):
            for target in ("FILE 'people.csv'", "TABLE public.people_public"):
                with self.subTest(f"{target} {name}"):
                    refused("export refused", target, name)
                    self.assertEqual(os.listdir(self.exports), [])
        self.export("FILE 'people.csv'")
        before = {path.name: path.read_bytes() for path in self.exports.iterdir()}
        refused("exists already", "FILE 'again.csv'")
        refused("exists already", "FILE 'people.csv'", "again.json")
        refused("is the table of policy", "TABLE public.people", "again.json")
        refused("no_schema", "TABLE no_schema.people_public", "again.json")
        self.assertEqual({path.name: path.read_bytes() for path in self.exports.iterdir()}, before)
        self.assertEqual(self.postgres.rows("SELECT to_regclass('public.people_public')", "demo"), [[None]])

    def test_what_is_asked_of_the_wrong_kind(self):
        self.export("FILE 'people.csv'")
        path = self.exports / "people.csv"
        self.assertIn("--policy instead", self.verify(path, "--job", self.pgveil.policy_path, status=1))
        self.assertIn("no information about an input", self.verify(path, "--input", path, status=1))


if __name__ == "__main__":
    main()

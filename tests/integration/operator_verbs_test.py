#!/usr/bin/python3
"""pgveil status and pgveil reload: what they say of a pgveil that runs, is degraded, or is not there."""
import json
import os
import subprocess

from harness import world
from harness.page import PASSWORDS
from harness.pgveil import Pgveil, binary
from harness.ports import free_port
from harness.runner import main
from harness.stack import StackCase


class OperatorVerbs(StackCase):
    policies = (world.PEOPLE, world.STAFF)
    built = ()

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                cls.policies,
                cls.open_tables,
                authentication="scram-sha-256",
                passwords=PASSWORDS,
            )
        )
        cls.pgveil.start()

    def ask(self, verb, *arguments, role="operator", password=None, config=True):
        """→ (status, standard output, standard error)"""
        words = [binary(), verb, *arguments]
        if config:
            words += ["--config", str(self.pgveil.config_path)]
        if not any(word in arguments for word in ("--port",)):
            words += ["--port", str(self.pgveil.port)]
        if "--user" not in arguments:
            words += ["--user", role]
        secret = PASSWORDS[role] if password is None else password
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PGPASSWORD": secret, "PGPASSFILE": "/nowhere", "PGCONNECT_TIMEOUT": "20"},
        )
        self.assertNotIn("Sanitizer", done.stderr)
        for each in PASSWORDS.values():
            self.assertNotIn(each, done.stdout + done.stderr)
        return done.returncode, done.stdout, done.stderr

    def build(self, *policies):
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            for policy in policies:
                self.assertEqual(console.query(f"BUILD POLICY {policy}").errors, [])

    def test_1_closed_policies_are_named_with_their_reasons(self):
        status, output, _ = self.ask("status")
        self.assertEqual(status, 1, output)
        self.assertIn("degraded", output.splitlines()[0])
        self.assertIn("policy people_k2 is closed: ", output)
        status, output, _ = self.ask("status", "--json", role="watcher")
        self.assertEqual(status, 1, output)
        said = json.loads(output)
        self.assertEqual(said["health"], "degraded")
        self.assertEqual(len(said["problems"]), len(said["policies"]))
        self.assertEqual({it["state"] for it in said["policies"]}, {"closed"})
        self.assertEqual({it["version"] for it in said["policies"]}, {None})

    def test_2_a_healthy_one_says_so(self):
        names = [it["policy"] for it in json.loads(self.ask("status", "--json")[1])["policies"]]
        self.build(*names)
        status, output, errors = self.ask("status")
        self.assertEqual((status, errors), (0, ""), output)
        self.assertRegex(output.splitlines()[0], r"^pgveil \S+ at 127\.0\.0\.1:\d+: healthy$")
        status, output, _ = self.ask("status", "--json", role="watcher")
        said = json.loads(output)
        self.assertEqual((status, said["health"], said["problems"]), (0, "healthy", []))
        usable = {"usable": True, "paused": False}
        self.assertEqual(said["databases"], [{"name": it} | usable for it in ("demo", "pgveil")])
        for policy in said["policies"]:
            self.assertEqual((policy["state"], policy["version"]), ("open", 1))
            self.assertLess(policy["age_seconds"], 600)

    def test_3_a_paused_database_degrades_it(self):
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            self.assertEqual(console.query("PAUSE demo").errors, [])
            try:
                status, output, _ = self.ask("status")
            finally:
                self.assertEqual(console.query("RESUME demo").errors, [])
        self.assertEqual(status, 1)
        self.assertIn("database demo is paused", output)

    def test_one_that_is_not_there_can_not_be_asked(self):
        port = str(free_port())
        status, output, errors = self.ask("status", "--port", port)
        self.assertEqual((status, output), (2, ""))
        self.assertIn("is pgveil running", errors)
        status, output, _ = self.ask("status", "--json", "--port", port)
        self.assertEqual((status, json.loads(output)["health"]), (2, "unknown"))
        self.assertEqual(self.ask("reload", "--port", port)[0], 2)

    def test_neither_can_one_that_does_not_let_the_role_in(self):
        for role, password in (("operator", "wrong"), ("analyst", None)):
            status, output, errors = self.ask("status", role=role, password=password)
            self.assertEqual((status, output), (2, ""), errors)
        status, _, errors = self.ask("status", role="operator", password="")
        self.assertEqual(status, 2)
        self.assertIn("PGPASSFILE", errors)

    def test_postgresql_itself_is_no_pgveil(self):
        status, _, errors = self.ask(
            "status", "--host", "127.0.0.1", "--port", str(self.postgres.port), config=False
        )
        self.assertEqual(status, 2, errors)

    def test_the_configuration_names_the_place_and_the_role(self):
        done = subprocess.run(
            [binary(), "status", "-c", str(self.pgveil.config_path)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PGPASSWORD": PASSWORDS["watcher"]},
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_reload_prints_its_steps(self):
        status, output, errors = self.ask("reload")
        self.assertEqual((status, errors), (0, ""), output)
        self.assertRegex(output.splitlines()[0], r"^item +outcome +message")
        self.assertNotIn(" error ", output)

    def test_reload_of_a_broken_file_changes_nothing(self):
        path = self.pgveil.config_path
        before = path.read_text()
        self.addCleanup(path.write_text, before)
        path.write_text(before + "\nno_such_key: 1\n")
        status, output, errors = self.ask("reload", "--host", "127.0.0.1", config=False)
        self.assertEqual(status, 1, output)
        self.assertIn("no_such_key", output)
        self.assertIn("nothing was changed", errors)

    def test_reload_is_for_admins(self):
        status, _, errors = self.ask("reload", role="watcher")
        self.assertEqual(status, 1)
        self.assertIn("RELOAD is not open to this role", errors)


if __name__ == "__main__":
    main()

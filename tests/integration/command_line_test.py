#!/usr/bin/python3
"""The command line: check, rewrite, policy build|show|diff|explain, version; exit status 1 for a user's
mistake, 2 for a usage error, and one line that says what, where and what to do."""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import unittest

from harness import world
from harness.pgveil import binary
from harness.runner import REPOSITORY, main
from harness.stack import StackCase

PLACE = r"(?m)^.*{}:\d+:\d+: .+"


class CommandLine(StackCase):
    policies = (world.PEOPLE, world.STAFF)
    built = ()

    def run_command(self, *arguments, status=0):
        done = self.pgveil.command(*arguments)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def with_config(self, *arguments, status=0):
        return self.run_command(*arguments, "--config", str(self.pgveil.config_path), status=status)

    def test_version_and_help(self):
        lines = self.run_command("version").stdout.splitlines()
        self.assertRegex(lines[0], r"^pgveil \d+\.\d+\.\d+$")
        self.assertRegex(lines[1], r"^commit ([0-9a-f]{12}( with changes)?|unknown)$")
        self.assertRegex(lines[2], r"^parser of PostgreSQL \d+\.\d+ \(libpg_query\), libpq \d+\.\d+, ")
        self.assertRegex(lines[2], r"(, [\w+-]+ \d[\d.]*)+; \w+ \d+\.\d+\.\d+$")  # no version is missing
        self.assertRegex(lines[3], r"^(Apache Arrow \d+\.\d+\.\d+, for|without Apache Arrow, so) Parquet and Arrow")
        self.assertEqual(self.run_command("--version").stdout, self.run_command("version").stdout)
        for verb in (
            [],
            ["serve"],
            ["check"],
            ["rewrite"],
            ["policy"],
            ["policy", "build"],
            ["policy", "show"],
            ["policy", "diff"],
            ["policy", "explain"],
            ["risk"],
            ["check-table"],
            ["apply"],
            ["verify-certificate"],
            ["hierarchy"],
            ["hierarchy", "build"],
            ["audit-verify"],
            ["completion"],
            ["version"],
        ):
            done = self.run_command(*verb, "--help")
            self.assertIn("pgveil", done.stdout + done.stderr)

    def test_the_man_page_is_what_the_parser_knows(self):
        page = self.run_command("man-page").stdout
        stored = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pgveil.1"
        if os.environ.get("UPDATE_GOLDEN"):
            stored.write_text(page)
        self.assertEqual(stored.read_text(), page, "run: pgveil man-page > docs/pgveil.1")
        for verb in ([], ["serve"], ["policy", "show"], ["anonymize"], ["audit-verify"]):
            for option in re.findall(r"(--[a-z-]+)", self.run_command(*verb, "--help").stdout):
                self.assertIn(option.replace("-", "\\-"), page)
        if shutil.which("man"):
            done = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-"],
                input=page,
                capture_output=True,
                text=True,
                timeout=60,
                env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "100"},
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--cohorts", done.stdout)

    def test_the_systemd_unit(self):
        unit = pathlib.Path(__file__).resolve().parents[2] / "config" / "pgveil@.service"
        text = unit.read_text()
        verbs = re.findall(r"^Exec\w+=/usr/bin/pgveil (.*)$", text, re.M)
        self.assertEqual(len(verbs), 2)
        for verb in verbs:
            options = re.findall(r"--[a-z-]+", verb)
            known = self.run_command(verb.split()[0], "--help").stdout
            for option in options:
                self.assertIn(option, known)
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        copy = self.pgveil.directory / "pgveil@a.service"
        copy.write_text(re.sub(r"/usr/(bin/pgveil|libexec/pgveil/hand-over)\b", "/bin/true", text))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, timeout=60)
        said = [line for line in (done.stdout + done.stderr).splitlines() if "pgveil@a.service" in line]
        self.assertEqual((done.returncode, said), (0, []))

    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = self.run_command("completion").stdout + f"""
COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_pgveil; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_completion_for_bash(self):
        verbs = self.complete("pgveil", "")
        self.assertLessEqual(
            {"serve", "check", "policy", "rewrite", "anonymize", "audit-verify", "--help"}, set(verbs)
        )
        self.assertNotIn("config-doc", verbs)
        self.assertEqual(self.complete("pgveil", "se"), ["serve", "setup-sql"])
        self.assertEqual(self.complete("pgveil", "policy", "b"), ["build"])
        self.assertEqual(self.complete("pgveil", "policy", "show", "--c"), ["--config", "--cohorts"])
        self.assertEqual(self.complete("pgveil", "check", "--q"), ["--quick"])

    def test_usage_errors(self):
        for arguments in (
            ["nonsense"],
            ["check", "--nonsense"],
            ["policy"],
            ["policy", "nonsense"],
            ["rewrite"],
            [],
        ):
            with self.subTest(arguments):
                done = self.run_command(*arguments, status=2)
                self.assertNotEqual(done.stderr, "")

    @staticmethod
    def built_from(program):
        """The commit that a program says it was built from."""
        told = subprocess.run([program, "version"], capture_output=True, text=True, timeout=60, check=True)
        return told.stdout.split("\n")[1]

    def test_too_little_memory_is_no_bug(self):
        plain = [path for path in (binary(), REPOSITORY / "build" / "release" / "cli" / "pgveil")
                 if path.is_file() and b"__asan_init" not in path.read_bytes()
                 and self.built_from(path) == self.built_from(binary())]
        if not plain:
            raise unittest.SkipTest("no build of this commit without sanitizers (./run build)")
        large = self.pgveil.directory / "large.csv"
        with open(large, "wb") as file:
            file.truncate(1 << 30)
        self.addCleanup(large.unlink)
        limit = (512 << 20, 512 << 20)
        done = subprocess.run(
            [plain[0], "hierarchy", "show", large], capture_output=True, text=True, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("there is not enough memory", done.stderr)

    def test_a_word_that_is_none_is_told_with_the_nearest_one(self):
        for arguments, what in (
            (["polcy"], 'unknown command "polcy"; did you mean "policy"?'),
            (["polcy", "build"], 'unknown command "polcy"; did you mean "policy"?'),
            (["bulid"], 'unknown command "bulid"; did you mean "policy build"?'),
            (["build", "--all"], 'unknown command "build"; did you mean "policy build"?'),
            (["relaod"], 'unknown command "relaod"; did you mean "reload"?'),
            (["serve", "--confg", "x"], 'unknown option "--confg"; did you mean "--config"?'),
            (["status", "--jsno"], 'unknown option "--jsno"; did you mean "--json"?'),
            (["policy", "bild"], 'unknown command "bild"; did you mean "build"?'),
            (["help", "anonymise"], 'unknown command "anonymise"; did you mean "anonymize"?'),
            (["hierarchy", "zzz"], 'unknown command "zzz"; use one of build, show, check'),
            (["check", "--quik"], 'unknown option "--quik"; did you mean "--quick"?'),
            (["risk", "t.csv", "--colums=a"], 'unknown option "--colums"; did you mean "--columns"?'),
            (["policy", "build"], "policy build needs a name or --all"),
        ):
            with self.subTest(arguments):
                done = self.run_command(*arguments, status=2)
                self.assertEqual(done.stderr, f"pgveil: {what}; pgveil --help\n")
        # What is not offered is not proposed either.
        self.assertNotIn("config-doc", self.run_command("config-dok", status=2).stderr)

    def test_help_is_a_verb_too(self):
        for verb in ([], ["check"], ["policy"], ["policy", "build"], ["rewrite"]):
            with self.subTest(verb):
                helped = self.run_command("help", *verb)
                self.assertEqual(helped.stdout, self.run_command(*verb, "--help").stdout)
                self.assertIn("--help", helped.stdout)

    def test_check(self):
        done = self.with_config("check")
        self.assertIn("people_k2", done.stdout + done.stderr)

    def test_check_finds_mistakes(self):
        """Each is one line with file, line and column."""
        good = self.pgveil.policy_path.read_text()
        for broken, word in (
            (good.replace("k: 2", "k: two", 1), "two"),
            (good.replace("k: 2", "k: 1", 1), "2"),
            (good.replace("class: identifier", "klass: identifier", 1), "klass"),
            (good.replace("occupation: {", "ocupation: {", 1), "ocupation"),
            (good.replace("public.people", "public.peopel", 1), "peopel"),
            (good.replace("    k: 2\n", "    k: 2\n    k: 2\n", 1), "k"),
            (good + "extra: 1\n", "extra"),
            ("version: 2\npolicies: []\n", "2"),
            (good.replace("quasi_identifier", "&a quasi_identifier", 1), ""),
            ("\tversion: 1\n", ""),
        ):
            with self.subTest(word):
                self.pgveil.policy_path.write_text(broken)
                try:
                    done = self.with_config("check", status=1)
                finally:
                    self.pgveil.policy_path.write_text(good)
                said = done.stdout + done.stderr
                self.assertRegex(said, PLACE.format("policies.yaml"))
                self.assertIn(word, said)

    def test_mistakes_in_the_configuration(self):
        good = self.pgveil.config_path.read_text()
        for broken in (
            good.replace("threads: 2", "threads: none"),
            good.replace("listen:", "lissten:"),
            good.replace("open_tables:", "open_table:"),
            good.replace("state_dir: state\n", ""),
            good.replace("policies/*.yaml", "policies/none.yaml"),
            good.replace("level: debug", "level: loud"),
        ):
            self.assertNotEqual(broken, good)
            self.pgveil.config_path.write_text(broken)
            try:
                for verb in ("check", "serve"):
                    done = self.with_config(verb, status=1)
                    self.assertRegex(done.stderr, PLACE.format("pgveil.yaml"))
            finally:
                self.pgveil.config_path.write_text(good)
        done = self.run_command("check", "--config", "/no/such.yaml", status=1)
        self.assertIn("/no/such.yaml", done.stderr)

    def test_check_with_the_backend_down(self):
        good = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(good.replace(f"port: {self.postgres.port}", "port: 1"))
        try:
            done = self.with_config("check", status=1)
        finally:
            self.pgveil.config_path.write_text(good)
        self.assertNotEqual(done.stderr, "")
        self.assertNotIn(world.QUERY_PASSWORD, done.stdout + done.stderr)

    def test_policy_build_show_and_explain(self):
        self.with_config("policy", "build", "people_k2")
        shown = self.with_config("policy", "show", "people_k2").stdout
        for label in ("D111", "D112", "D12", "D21", "D22"):
            self.assertIn(label, shown)
        explained = self.with_config(
            "policy", "explain", "people_k2", "--row", "state=OH", "--row", "city=Hamlet"
        ).stdout
        self.assertIn("D112", explained)
        stored = list((self.pgveil.directory / "state").rglob("people_k2.json"))
        self.assertEqual(len(stored), 1)
        self.assertEqual(stored[0].stat().st_mode & 0o777, 0o600)
        self.assertEqual(json.loads(stored[0].read_text())["policy"], "people_k2")
        self.with_config("policy", "build", "nothing", status=1)
        self.with_config("policy", "show", "nothing", status=1)

    def test_policy_show_as_graph_and_as_json(self):
        self.with_config("policy", "build", "people_k2")
        graph = self.with_config("policy", "show", "people_k2", "--format", "dot").stdout
        self.assertTrue(graph.startswith("digraph"))
        self.assertIn("state = 'OH' ?", graph)
        version = json.loads(self.with_config("policy", "show", "people_k2", "--format", "json").stdout)
        self.assertEqual((version["policy"], len(version["tree"]["nodes"])), ("people_k2", 9))
        self.run_command("policy", "show", "people_k2", "--format", "xml", status=2)

    def test_policy_diff(self):
        self.with_config("policy", "build", "people_k2")
        same = self.with_config("policy", "diff", "people_k2").stdout
        self.assertIn("the same combinations", same)
        kept = self.pgveil.directory / "version.json"
        kept.write_text(self.with_config("policy", "show", "people_k2", "--format", "json").stdout)
        good = self.pgveil.policy_path.read_text()
        try:
            self.pgveil.policy_path.write_text(good.replace("k: 2", "k: 3", 1))
            planned = self.with_config("policy", "diff", "people_k2")
            self.assertIn("edited", planned.stderr)
            self.assertRegex(planned.stdout, r"gone +city = 'Hamlet', occupation = 'Farmer', state = 'OH'")
            self.with_config("policy", "build", "people_k2")
            against = self.with_config("policy", "diff", "people_k2", "--with", str(kept)).stdout
            self.assertRegex(against, r"gone +city = 'Hamlet', occupation = 'Farmer', state = 'OH'")
        finally:
            self.pgveil.policy_path.write_text(good)
        self.with_config("policy", "build", "people_k2")
        self.with_config("policy", "diff", "nothing", status=1)
        self.with_config("policy", "diff", "people_k2", "--with", "/nowhere.json", status=1)
        kept.write_text("{}")
        self.with_config("policy", "diff", "people_k2", "--with", str(kept), status=1)

    def test_a_thorough_policy_shows_more(self):
        good = self.pgveil.policy_path.read_text()
        try:
            self.with_config("policy", "build", "staff_k3")
            thorough = self.with_config("policy", "show", "staff_k3").stdout
            self.pgveil.policy_path.write_text(
                good.replace("    k: 3\n", "    k: 3\n    strategy: greedy\n", 1)
            )
            self.with_config("policy", "build", "staff_k3")
            greedy = self.with_config("policy", "show", "staff_k3").stdout
            checked = self.with_config("check", "--all").stdout
        finally:
            self.pgveil.policy_path.write_text(good)
        self.assertIn("fall back", thorough)
        self.assertNotIn("fall back", greedy)
        share = re.compile(
            r"smallest \d+, ([0-9.]+)% of cells disclosed, of at most [0-9.]+% that any suppression could show, "
            r"([0-9.]+)% computable, ([0-9.]+)% equal"
        )
        (shown, computable, _), (shown_more, computable_less, _) = (map(float, share.search(text).groups())
                                                                    for text in (greedy, thorough))
        self.assertGreater(shown_more, shown)
        self.assertGreater(computable, computable_less)
        self.assertRegex(
            checked,
            f"note: computable-cells: policy staff_k3: {computable}% of the cells are hidden but inferable",
        )
        self.with_config("policy", "build", "staff_k3")
        self.assertNotIn("note: computable-cells: policy staff_k3", self.with_config("check", "--all").stdout)

    def test_combinations_beyond_the_memory_limit(self):
        good = self.pgveil.config_path.read_text()
        self.postgres.run(
            "INSERT INTO people (id, occupation) SELECT i, 'rare' || i FROM generate_series(1001, 21000) i",
            "demo",
        )
        try:
            self.pgveil.config_path.write_text(
                good.replace("limits: {}", "limits: {counts_bytes: 1048576}", 1)
            )
            said = self.with_config("policy", "build", "people_k2", status=1).stderr
        finally:
            self.pgveil.config_path.write_text(good)
            self.postgres.run("DELETE FROM people WHERE id > 1000", "demo")
        self.assertIn("the combinations of its 3 quasi-identifiers take more than 1048576 bytes", said)
        self.assertIn("raise limits.counts_bytes", said)
        self.assertNotIn("rare", said)
        self.with_config("policy", "build", "people_k2")

    def test_the_daemon_takes_what_the_command_line_built(self):
        self.with_config("policy", "build", "people_k2")
        self.pgveil.console("RELOAD")
        self.assertEqual(self.texts("SELECT count(occupation) FROM people"), [["5"]])

    def test_same_input_same_tree(self):
        trees = []
        for _ in range(2):
            self.with_config("policy", "build", "staff_k3")
            (path,) = (self.pgveil.directory / "state").rglob("staff_k3.json")
            trees.append(re.sub(r'"(number|built_at)": [^,]+', "", path.read_text()))
        self.assertEqual(trees[0], trees[1])

    def test_rewrite(self):
        self.with_config("policy", "build", "people_k2")
        since = self.postgres.log_position()
        done = self.with_config("rewrite", "--role", "analyst", "SELECT city FROM people")
        self.assertIn("CASE", done.stdout)
        self.assertEqual(self.postgres.received(since, "analyst"), [])
        done = self.with_config("rewrite", "--role", "outsider", "SELECT city FROM people", status=1)
        self.assertIn("people", done.stdout + done.stderr)
        self.with_config("rewrite", "--role", "analyst", "SELEC 1", status=1)
        self.with_config("rewrite", "--role", "analyst", "SELECT nothing FROM people", status=1)

    def test_what_rewrite_prints_is_what_the_masked_user_gets(self):
        self.with_config("policy", "build", "people_k2")
        sql = self.with_config("rewrite", "--full", "--role", "analyst", "SELECT * FROM people").stdout
        self.assertEqual(self.postgres.rows(sql, "demo"), world.MASKED_PEOPLE)

    def test_serve_refuses_a_backend_role_that_is_too_strong(self):
        good = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(good.replace(
            "user: pgveil_query, password_file: query_password", "user: postgres").replace(
                f"port: {self.pgveil.port}", "port: 0"))
        try:
            done = self.with_config("serve", status=1)
        finally:
            self.pgveil.config_path.write_text(good)
        self.assertIn("superuser", done.stderr)


if __name__ == "__main__":
    main()

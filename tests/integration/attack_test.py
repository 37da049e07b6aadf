#!/usr/bin/python3
"""pgveil attack: what it says of greedy and thorough policies, its formats and exit status, persons who are
known, several policies over one table, several versions of one policy, and that it quotes no value."""
import json
import pathlib
import subprocess
import tempfile

from harness.pgveil import binary
from harness.runner import main
from harness.stack import StackCase
from harness.world import naive

COLUMNS = {"id": "identifier", "job": "quasi_identifier", "sex": "quasi_identifier"}
VILLAGE = naive.Policy("village_g", "public.village", 2, COLUMNS, strategy="greedy")
CITY = naive.Policy("city_t", "public.city", 2, COLUMNS, strategy="thorough")
NULLS = naive.Policy("nulls_t", "public.nulls", 2, COLUMNS, strategy="thorough")

# In the village, six farmers and two priests: who is no farmer is a priest. In the city, two rows have values
# that nobody shares, so nothing is certain where nothing is shown.
TABLES = """
    CREATE TABLE public.village (id integer, job text, sex text);
    INSERT INTO public.village SELECT n, CASE WHEN n < 6 THEN 'farmer-secret' ELSE 'priest-secret' END,
                                      CASE WHEN n IN (0, 1, 2) THEN 'f-secret' ELSE 'm-secret' END
                               FROM generate_series(0, 7) n;
    CREATE TABLE public.city (id integer, job text, sex text);
    INSERT INTO public.city SELECT n, 'job-secret-' || n % 7, CASE WHEN n % 2 = 0 THEN 'f-secret'
                                   WHEN n % 3 = 0 THEN 'm-secret' ELSE 'x-secret' || n % 5 END
                            FROM generate_series(0, 59) n;
    INSERT INTO public.city VALUES (60, 'rare-secret-1', 'y-secret'), (61, 'rare-secret-2', 'z-secret');
    CREATE TABLE public.nulls (id integer, job text, sex text);
    INSERT INTO public.nulls VALUES (1, 'a-secret', 'f-secret'), (2, 'a-secret', 'f-secret'),
        (3, 'b-secret', 'f-secret'), (4, 'b-secret', 'm-secret'), (5, 'b-secret', 'm-secret'),
        (6, 'b-secret', NULL);
    GRANT SELECT ON public.village, public.city, public.nulls TO pgveil_query, pgveil_admin"""


class Attack(StackCase):
    policies = (VILLAGE, CITY, NULLS)
    built = ("village_g", "city_t", "nulls_t")

    @classmethod
    def prepare(cls):
        cls.postgres.run(TABLES, "demo")

    def attack(self, *arguments, status=0):
        done = subprocess.run(
            [binary(), "attack", *arguments, "-c", str(self.pgveil.config_path)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn("secret", done.stdout + done.stderr)
        return done

    def findings(self, *arguments, status=0):
        return json.loads(self.attack(*arguments, "--format", "json", status=status).stdout)

    def disclosure(self, name):
        return json.loads(self.pgveil.console(f"SHOW TREE {name} AS JSON").texts()[0][0])["disclosure"]

    def test_greedy_is_computed_and_every_claim_is_true(self):
        found = self.findings("village_g", status=4)
        self.assertTrue(found["is_anything_computable"])
        for attacker in found["attackers"]:
            self.assertEqual(attacker["claimed"], attacker["true"])
            self.assertEqual(attacker["shown"], self.disclosure("village_g")["disclosed"])
        self.assertEqual(found["attackers"][0]["true"], self.disclosure("village_g")["computable"])
        self.assertGreater(found["attackers"][0]["true"], 0)

    def test_thorough_has_nothing_to_compute(self):
        found = self.findings("city_t")
        self.assertFalse(found["is_anything_computable"])
        self.assertGreater(found["attackers"][0]["hidden"], 0)
        self.assertEqual([attacker["true"] for attacker in found["attackers"][:2]], [0, 0])
        text = self.attack("city_t").stdout
        self.assertIn("Verdict: the attacks that were tried compute nothing.", text)
        self.assertIn("Not tried", text)

    def test_null_lets_a_cell_be_computed_beside_the_blank_class(self):
        found = self.findings("nulls_t", status=4)
        sex = next(it for it in found["attackers"][0]["columns"] if it["column"] == "sex")
        self.assertEqual((sex["computed"], sex["computed_in_blank_class"]), (1, 0))

    def test_known_persons(self):
        found = self.findings("city_t", "--knows", "sex")["known_persons"]
        self.assertEqual(found["persons"], 62)
        self.assertEqual(found["known_columns"], ["sex"])
        self.assertEqual(found["claimed"], found["true"])
        self.assertGreaterEqual(found["fewest_rows"], 2)
        everything = self.findings("city_t", "--knows", "sex,job")["known_persons"]
        self.assertEqual((everything["in_one_class"], everything["unknown_cells"]), (62, 0))
        self.assertIn("is not a quasi-identifier", self.attack("city_t", "--knows", "id", status=1).stderr)

    def test_the_console_gives_the_same_report(self):
        for name, columns in (("village_g", "job"), ("city_t", "job,sex")):
            printed = self.attack(name, "--knows", columns, status=4 if name == "village_g" else 0).stdout
            reply = self.pgveil.console(f"ATTACK POLICY {name} KNOWS ({columns})")
            self.assertEqual(reply.errors, [])
            self.assertEqual("\n".join(row[0] for row in reply.texts()) + "\n", printed)
            for form in ("json", "html"):
                printed = self.attack(
                    name, "--knows", columns, "--format", form, status=4 if name == "village_g" else 0
                ).stdout
                cells = self.pgveil.console(f"ATTACK POLICY {name} KNOWS ({columns}) AS {form}").texts()
                self.assertEqual(cells, [[printed]])
        without = [row[0] for row in self.pgveil.console("ATTACK POLICY city_t").texts()]
        self.assertTrue(any("KNOWS on the console" in line for line in without), without)
        for command, words in (
            ("ATTACK POLICY nobody", "nobody"),
            ("ATTACK POLICY city_t KNOWS (id)", "is not a quasi-identifier"),
            ("ATTACK POLICY city_t KNOWS ()", "a column's name"),
            ("ATTACK city_t", "POLICY"),
            ("ATTACK POLICY city_t AS dot", "TEXT, JSON or HTML expected"),
        ):
            self.assertIn(words, str(self.pgveil.console(command).errors), command)

    def test_formats_are_deterministic(self):
        for form in ("text", "json", "html"):
            first = self.attack("city_t", "--format", form).stdout
            self.assertEqual(first, self.attack("city_t", "--format", form).stdout)
        self.assertIn("<html", self.attack("city_t", "--format", "html").stdout)

    def test_a_table_that_changed_is_attacked_by_paths_only(self):
        self.postgres.run("INSERT INTO public.city SELECT n, 'new-secret', 'new-secret' "
                          "FROM generate_series(100, 120) n", "demo")
        try:
            self.assertIn("not what a FRESH build", self.attack("city_t").stdout)
        finally:
            self.postgres.run("DELETE FROM public.city WHERE id >= 100", "demo")

    def test_what_is_refused(self):
        self.assertIn("no policy", self.attack("nobody", status=1).stderr)
        self.attack(status=2)

    def test_a_report_that_nobody_got_is_an_error_and_no_finding(self):
        for policy in ("village_g", "city_t"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([binary(), "attack", policy, "-c", str(self.pgveil.config_path)],
                                      stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("could not be written", done.stderr)
            self.attack(policy, "--output", "/nowhere/report.txt", status=1)


# Two columns that divide twelve rows in different ways. A version that splits by one of them and a version
# that splits by the other one have joint classes of one and two rows. Two more rows have values that nobody
# shares, so nothing is certain where nothing is shown.
GRID = naive.Policy("grid_v", "public.grid", 4, COLUMNS, strategy="thorough")
GRID_TABLE = """
    CREATE TABLE public.grid (id integer, job text, sex text);
    INSERT INTO public.grid SELECT n, 'job-secret-' || n / 4, 'sex-secret-' || (n * 5 / 3) % 3
                            FROM generate_series(0, 11) n;
    INSERT INTO public.grid VALUES (12, 'rare-secret-1', 'y-secret'), (13, 'rare-secret-2', 'z-secret');
    GRANT SELECT ON public.grid TO pgveil_query, pgveil_admin"""


class OverVersions(StackCase):
    policies = (GRID,)
    built = ()

    @classmethod
    def prepare(cls):
        cls.postgres.run(GRID_TABLE, "demo")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pgveil_says(self, *arguments, status=0):
        done = subprocess.run([binary(), *arguments, "-c", str(self.pgveil.config_path)],
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return done

    def build(self, first):
        """A version that splits by this column first. → a file of it"""
        path = self.pgveil.policy_path
        lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("priority:")]
        at = next(i for i, line in enumerate(lines) if line.strip().startswith("k:"))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at, f"{indent}priority: [{first}]")
        path.write_text("\n".join(lines) + "\n")
        self.pgveil_says("policy", "build", "grid_v", "--fresh")
        shown = self.pgveil_says("policy", "show", "grid_v", "--format", "json").stdout
        kept = self.folder / f"version-{json.loads(shown)['number']}.json"
        kept.write_text(shown)
        return kept

    def attack(self, *versions, form="json", status=0):
        arguments = [text for version in versions for text in ("--with", str(version))]
        done = self.pgveil_says("attack", "grid_v", "--format", form, *arguments, status=status)
        self.assertNotIn("secret", done.stdout + done.stderr)
        return json.loads(done.stdout) if form == "json" else done.stdout

    def test_two_versions_show_joint_classes_below_k(self):
        by_job = self.build("job")
        alone = self.attack()
        self.assertIsNone(alone["over_versions"])
        self.build("sex")
        found = self.attack(by_job, status=4)["over_versions"]
        self.assertEqual(found["versions"], [json.loads(by_job.read_text())["number"]])
        self.assertEqual(found["required"], 4)
        # One version shows two jobs, and the other one shows two sexes.
        sizes = [int(row[0]) for row in self.postgres.rows(
            "SELECT count(*) FROM public.grid GROUP BY "
            "CASE WHEN job IN ('job-secret-0', 'job-secret-1') THEN job END, "
            "CASE WHEN sex IN ('sex-secret-0', 'sex-secret-1') THEN sex END", "demo")]  # fmt: skip
        small = [size for size in sizes if size < 4]
        self.assertEqual((found["small_classes"], found["smallest"]), (len(small), min(small)))
        self.assertEqual(found["claimed"], found["true"])
        self.assertGreater(found["shown_before"], 0)
        for form in ("text", "html"):
            text = self.attack(by_job, form=form, status=4)
            self.assertIn("Over versions", text)
            self.assertIn("joint classes have fewer than 4 units", text)
            self.assertEqual(text, self.attack(by_job, form=form, status=4))

    def test_a_version_that_is_extended_adds_nothing(self):
        first = self.build("job")
        self.pgveil_says("policy", "build", "grid_v")
        found = self.attack(first)["over_versions"]
        self.assertEqual((found["small_classes"], found["claimed"]), (0, 0))
        self.assertIn("were extended by this one", " ".join(self.attack()["not_tried"]))

    def test_over_other_rows_only_joint_classes_are_looked_at(self):
        by_job = self.build("job")
        self.build("sex")
        self.build("sex")
        self.postgres.run("INSERT INTO public.grid VALUES (14, 'job-secret-0', 'sex-secret-0')", "demo")
        try:
            found = self.attack(by_job)
            self.assertIsNone(found["over_versions"])
            line = next(it for it in found["not_tried"] if "rows changed since" in it)
            self.assertIn("that are no class of either", line)
        finally:
            self.postgres.run("DELETE FROM public.grid WHERE id = 14", "demo")

    def test_what_is_no_earlier_version_is_refused(self):
        earlier = self.build("job")
        now = self.build("sex")
        refused = self.pgveil_says("attack", "grid_v", "--with", str(now), status=1)
        self.assertIn("is no earlier version", refused.stderr)
        broken = self.folder / "broken.json"
        for text, word in (("{", "broken.json"), (earlier.read_text().replace("grid_v", "other"), "other")):
            broken.write_text(text)
            self.assertIn(word, self.pgveil_says("attack", "grid_v", "--with", str(broken), status=1).stderr)
        nowhere = self.folder / "nowhere.json"
        self.assertIn("no file", self.pgveil_says("attack", "grid_v", "--with", str(nowhere), status=1).stderr)
        before = earlier.read_text()
        refused = self.pgveil_says("attack", "grid_v", "--with", str(earlier), "-o", str(earlier), status=1)
        self.assertIn("would be overwritten", refused.stderr)
        self.assertEqual(earlier.read_text(), before)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What answers are worth: the words after a build, figures that follow the live table, versions from before
they were measured, and a table that changes while it is counted."""
import json
import threading
import time

import psycopg

from harness.runner import main
from harness.stack import StackCase
from harness.world import naive

SECONDS = 90  # how long anything may take before the test gives up

PATIENTS = naive.Policy(
    "patients_k3",
    "public.patients",
    3,
    {
        "id": "identifier",
        "city": "quasi_identifier",
        "country": "quasi_identifier",
        "birth_date": "quasi_identifier",
    },
)
MOVING = naive.Policy("moving_k2", "public.moving", 2, {"city": "quasi_identifier"})

FAST_DRIFT = ("    k: 3\n", "    k: 3\n    drift: {check_every: 1s}\n")

# Ten people in each of four cities of two countries; everybody has a birthday of his own. The tree asks for
# country A first; Graz and Linz are shown there, Kiel beside it, and Ulm is the cohort that shows nothing.
PEOPLE = """INSERT INTO public.patients (id, city, country, birth_date)
    SELECT n, (ARRAY['Ulm', 'Kiel', 'Linz', 'Graz'])[n % 4 + 1], (ARRAY['D', 'D', 'A', 'A'])[n % 4 + 1],
           date '1980-01-01' + n FROM generate_series(0, 39) AS n"""
TABLES = f"""
    CREATE TABLE public.patients (id integer PRIMARY KEY, city text, country text, birth_date date,
                                  birth_decade text);
    {PEOPLE};
    CREATE TABLE public.moving (id integer, city text);
    GRANT SELECT ON public.patients, public.moving TO pgveil_query, pgveil_admin"""


class Answers(StackCase):
    policies = (PATIENTS, MOVING)
    built = ()

    @classmethod
    def prepare(cls):
        cls.postgres.run(TABLES, "demo")

    def setUp(self):
        super().setUp()
        self.postgres.run(f"TRUNCATE public.patients; {PEOPLE}", "demo")
        self.write()
        self.ask("BUILD POLICY patients_k3 FRESH")

    def write(self, *edits):
        """The policies as above, but for these edits."""
        self.pgveil.write_policies(self.policies)
        text = self.pgveil.policy_path.read_text()
        for old, new in edits:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        self.pgveil.policy_path.write_text(text)
        reply = self.pgveil.console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())

    def reply(self, command):
        reply = self.pgveil.console(command)
        self.assertEqual(reply.errors, [], command)
        return reply

    def ask(self, command):
        reply = self.reply(command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def words_of(self, command):
        return [notice["M"] for notice in self.reply(command).notices]

    def answers(self, policy="patients_k3"):
        return {row["question"]: row for row in self.ask(f"SHOW UTILITY {policy}") if row["kind"] == "column"}

    def version_path(self):
        (path,) = (self.pgveil.directory / "state").rglob("patients_k3.json")
        return path

    def wait_for(self, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.pgveil.log()[-2000:]}")
            time.sleep(0.1)

    # -- words
    def test_a_build_says_what_readers_will_see_and_what_would_help(self):
        words = self.words_of("BUILD POLICY patients_k3")
        self.assertIn("city: 75.0% of rows shown, 3 of 4 values, counts 25.0% too low on average", words)
        self.assertIn(
            "birth_date is never shown: 0% of rows; add generalize with a level of period year or decade",
            words,
        )
        self.assertIn(
            "country follows from city: each value of city has one of country, so who sees city knows "
            "country",
            words,
        )
        for value in ("Ulm", "Graz", "1980"):
            self.assertNotIn(value, "\n".join(words))

    def test_the_level_that_was_advised_helps(self):
        level = "birth_date: {class: quasi_identifier, generalize: {period: decade, column: birth_decade}}"
        self.write(("birth_date: {class: quasi_identifier}", level))
        words = self.words_of("BUILD POLICY patients_k3")
        self.assertIn("birth_date is never shown: 0% of rows; birth_decade is in 75.0%", words)
        self.assertEqual(self.answers()["birth_decade"]["rows_shown"], "75.0%")

    def test_the_command_line_says_the_same(self):
        arguments = ("--config", str(self.pgveil.config_path))
        built = self.pgveil.command("policy", "build", "patients_k3", *arguments)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("% of cells disclosed, of at most ", built.stdout)
        self.assertIn("policy patients_k3: birth_date is never shown: 0% of rows; add", built.stdout)
        shown = self.pgveil.command("policy", "show", "patients_k3", "--utility", *arguments)
        self.assertRegex(shown.stdout, r"column +city +75\.0% +4 +3 +25\.0% +100\.0% +3 of 4")
        self.assertIn("country follows from city", shown.stdout)
        self.assertNotIn("D11", shown.stdout)
        diff = self.pgveil.command("policy", "diff", "patients_k3", *arguments)
        self.assertRegex(diff.stdout, r"city, country +75\.0% +75\.0% +25\.0% +25\.0% +3 of 4 +3 of 4")

    # -- over time
    def test_check_measures_the_live_table(self):
        before = self.answers()["city"]
        self.postgres.run(
            "INSERT INTO patients (id, city, country) SELECT n, 'Oslo', 'N' FROM generate_series(100, 139) n",
            "demo",
        )
        checked = self.ask("CHECK POLICY patients_k3")[0]
        built = next(row for row in self.ask("SHOW POLICIES") if row["policy"] == "patients_k3")
        self.assertEqual(self.answers()["city"], before, "the version's own figures stay")
        self.assertEqual(built["mean_error"], "50.0%")  # (25 + 25 + 100) / 3
        self.assertEqual(checked["mean_error"], "63.3%")  # (40 + 50 + 100) / 3

    def test_a_drift_check_says_that_answers_are_worse(self):
        self.postgres.run(
            "INSERT INTO patients (id, city, country) SELECT n, 'Oslo', 'N' FROM generate_series(100, 109) n",
            "demo",
        )
        self.write(FAST_DRIFT)
        said = "leaves clearly more rows out of counts by city (40% of rows, 25% at the build); country ("
        self.wait_for(lambda: said in self.pgveil.log(), "nothing was said")
        self.assertNotIn("Oslo", self.pgveil.log())

    def test_a_repaired_version_has_figures_of_its_own(self):
        first = json.loads(self.version_path().read_text())
        self.postgres.run("DELETE FROM patients WHERE city = 'Kiel' AND id > 5", "demo")
        self.write(FAST_DRIFT)
        now = lambda: json.loads(self.version_path().read_text())
        self.wait_for(lambda: now()["number"] > first["number"], "no repair")
        city = now()["utility"]["columns"][0]
        self.assertEqual((city["rows"], city["groups"], city["groups_shown"]), (32, 4, 2), city)

    def test_a_version_from_before_answers_were_measured(self):
        version = json.loads(self.version_path().read_text())
        del version["utility"]
        self.version_path().write_text(json.dumps(version))
        self.reply("RELOAD")
        reply = self.reply("SHOW UTILITY patients_k3")
        self.assertEqual(reply.rows, [])
        self.assertIn("not measured", reply.notices[0]["M"])
        row = next(row for row in self.ask("SHOW POLICIES") if row["policy"] == "patients_k3")
        self.assertEqual((row["state"], row["at_most"], row["mean_error"], row["least_shown"]),
                         ("open", None, None, None))
        self.ask("BUILD POLICY patients_k3")
        self.assertEqual(len(self.answers()), 3)

    def test_a_table_that_changes_while_it_is_counted_is_seen_in_one_state(self):
        """All rows move from one city to another, again and again; no build sees some of them twice, or in
        two cities."""
        is_over = threading.Event()

        def move():
            with psycopg.connect(
                host="127.0.0.1", port=self.postgres.port, user="postgres", dbname="demo"
            ) as writer:
                turn = 0
                while not is_over.is_set():
                    turn += 1
                    writer.execute("DELETE FROM moving")
                    writer.execute("INSERT INTO moving SELECT n, %s FROM generate_series(1, 500) n",
                                   (f"city {turn % 7}",))
                    writer.commit()

        mover = threading.Thread(target=move)
        mover.start()
        try:
            self.wait_for(lambda: self.postgres.rows("SELECT 1 FROM moving LIMIT 1", "demo"), "no rows")
            for _ in range(8):
                built = self.ask("BUILD POLICY moving_k2 FRESH")[0]
                self.assertEqual(built["rows"], "500")
                city = self.answers("moving_k2")["city"]
                self.assertEqual((city["groups"], city["largest"].split(" of ")[1]), ("1", "1"), city)
        finally:
            is_over.set()
            mover.join()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""CHECK TABLE and RISK on the admin console: the figures of the command line, counted by the server; who may
ask, what is refused, and that no cell is shown."""
import json
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase

JOB = """\
version: 1
name: visitors
input: {table: public.visits}
attributes:
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  "home zip": {class: quasi_identifier, hierarchy: {masking: {}}}
  illness:
    class: sensitive
    l_diversity: {distinct: 2}
    t_closeness: {t: 0.4, distance: hierarchical}
    hierarchy: {tree: {all: [{lung: [flu, secret-cold]}, {other: [HIV, gout]}, "NULL"]}}
k: 4
presence: {most: 50%}
subset: {column: home zip, value: '10013'}
output: {table: public.visits_k4}
"""

PREPARE = """
CREATE TABLE public.visits (age integer, "home zip" text, illness text, email text, tags integer[]);
INSERT INTO public.visits SELECT 20 + g % 5, CASE WHEN g % 4 = 0 THEN NULL ELSE '1000' || g % 4 END,
       (ARRAY['flu', 'secret-cold', 'HIV', 'gout', NULL, 'NULL'])[1 + g % 6], 'secret-' || g || '@example.org', ARRAY[g, NULL]
  FROM generate_series(1, 121) g;
CREATE TABLE public.starred (age text, zip text, illness text, note text);
INSERT INTO public.starred SELECT '2*', '1*', 'flu', 'n' FROM generate_series(1, 4);
INSERT INTO public.starred VALUES ('*', '*', NULL, NULL), ('*', '*', NULL, NULL), ('*', '*', NULL, 'n');
CREATE TABLE public.empty_one (age integer);
CREATE TABLE public.unreadable (age integer);
CREATE VIEW public.v_visits AS SELECT * FROM public.visits;
GRANT SELECT ON public.visits, public.starred, public.empty_one, public.v_visits TO pgveil_admin;
"""


class ConsoleTables(VerbCase):
    tables = PREPARE
    folder_name = "jobs"

    def ask(self, command):
        reply = self.pgveil.console(command, "operator")
        self.assertEqual(reply.errors, [], command)
        self.assertEqual([column.name for column in reply.columns], ["about", "figure", "value"])
        self.assertNotIn("secret", str(reply.rows))
        found = {}
        for about, figure, value in reply.texts():
            self.assertNotIn((about, figure), found)
            found[about, figure] = value
        return found

    def refused(self, words, command, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual((len(reply.errors), reply.rows), (1, []), command)
        self.assertIn(words, str(reply.errors[0]))

    def verb(self, *arguments, status=0):
        done = subprocess.run(
            [binary(), *map(str, arguments), "--config", self.pgveil.config_path, "--format", "json"],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return json.loads(done.stdout)

    def test_risk_has_the_figures_of_the_command_line(self):
        found = self.ask('RISK public.visits COLUMNS (age, "home zip", illness) THRESHOLD 0.3 SETS 3')
        expected = self.verb(
            "risk",
            "--table",
            "public.visits",
            "--columns",
            "age,home zip,illness",
            "--threshold",
            "0.3",
            "--sets",
            3,
            "--null",
            "none",
        )
        self.assertEqual(found["table", "records"], "121")
        self.assertEqual(int(found["table", "classes"]), expected["classes"])
        self.assertEqual(int(found["table", "unique records"]), expected["unique_rows"])
        self.assertAlmostEqual(float(found["prosecutor", "mean risk"]), expected["prosecutor"]["mean"], 5)
        self.assertAlmostEqual(
            float(found["prosecutor", "records above 0.3"]), expected["prosecutor"]["at_risk"], 5
        )
        self.assertEqual(len(expected["sets"]), 7)
        for it in expected["sets"]:
            about = "set " + ", ".join(it["columns"])
            self.assertAlmostEqual(float(found[about, "separation"]), it["separation"], 5)
            self.assertAlmostEqual(float(found[about, "distinction"]), it["distinction"], 5)
            self.assertEqual((about, "a minimal key") in found, it["is_minimal_key"])
        abouts = [about for about, _ in found if about.startswith("set ")]
        self.assertEqual(
            list(dict.fromkeys(abouts)), ["set " + ", ".join(it["columns"]) for it in expected["sets"]]
        )
        self.assertIn(("column email", "Safe Harbor F"), found)

    def test_a_minimal_key_is_named(self):
        found = self.ask("RISK public.visits COLUMNS (email, age)")
        self.assertEqual(found["set email", "a minimal key"], "yes")
        self.assertNotIn(("set email, age", "a minimal key"), found)
        self.assertEqual(found["classes of 1", "121 classes"], "121 records")

    def test_null_and_the_text_null_are_two_values(self):
        with_null = int(self.ask("RISK public.visits COLUMNS (illness) SETS 0")["table", "classes"])
        self.assertEqual(with_null, 6)
        found = self.ask("CHECK TABLE public.visits COLUMNS (age) SENSITIVE (illness)")
        self.assertEqual(found["column illness", "distinct l"], "6")

    def test_check_table_has_the_figures_of_the_command_line(self):
        found = self.ask(
            """CHECK TABLE public.visits COLUMNS (age, "home zip") K 3 REQUIRE 'illness=distinct 2',
                            'illness=t_closeness 0.2' RISK 'average_risk 0.01' ORDER 'illness=text'"""
        )
        self.postgres.run(
            "CREATE TABLE public.copied AS SELECT age, \"home zip\", coalesce(illness, 'none') AS illness, email, tags "
            "FROM public.visits; GRANT SELECT ON public.copied TO pgveil_admin",
            "demo",
        )
        try:
            expected = self.verb(
                "check-table",
                "--table",
                "public.copied",
                "--columns",
                "age,home zip",
                "--k",
                3,
                "--require",
                "illness=distinct 2",
                "--require",
                "illness=t_closeness 0.2",
                "--risk",
                "average_risk 0.01",
                status=1,
            )
        finally:
            self.postgres.run("DROP TABLE public.copied", "demo")
        self.assertEqual(int(found["table", "classes"]), expected["classes"])
        self.assertEqual(int(found["table", "k"]), expected["k"])
        self.assertAlmostEqual(
            float(found["column illness", "t equal"]), expected["columns"][0]["t_equal"], 5
        )
        for it in expected["demands"]:
            figure = it["model"] if it["column"] is None else f"{it['column']} {it['model']}"
            shown = found["demanded", figure]
            self.assertEqual(shown == "kept", it["is_kept"], figure)
            if it["classes"]:
                self.assertEqual(shown, f"broken by {it['classes']} classes, {it['records']} records")

    def test_rows_of_stars(self):
        shown = ("records that show only *", "records that show nothing")
        found = self.ask("CHECK TABLE public.starred COLUMNS (age, zip) SENSITIVE (illness) K 4")
        self.assertEqual(
            [found["table", it] for it in shown], ["3", "0"]
        )  # one of them has a note: they are a class
        self.assertEqual(found["demanded", "k 4"], "broken by 1 classes, 3 records")
        self.postgres.run("UPDATE public.starred SET note = NULL WHERE age = '*'", "demo")
        found = self.ask("CHECK TABLE public.starred COLUMNS (age, zip) SENSITIVE (illness) K 4")
        self.assertEqual([found["table", it] for it in shown], ["0", "3"])
        self.assertEqual(found["demanded", "k 4"], "kept")
        self.postgres.run("UPDATE public.starred SET note = 'n' WHERE age = '*'", "demo")

    def test_as_a_job_promises(self):
        (self.folder / "visitors.yaml").write_text(JOB)
        found = self.ask("CHECK TABLE public.visits AS JOB visitors")
        self.assertTrue(found["demanded", "k 4"].startswith("kept"))
        self.assertEqual(found["demanded", "illness distinct 2"], "kept")
        left = [figure for (about, figure), value in found.items() if value == "not checked"]
        self.assertEqual(
            [it.split(":")[0] for it in left], ["illness t_closeness 0.4 hierarchical", "presence"]
        )
        self.refused("no job", "CHECK TABLE public.visits AS JOB nothing")

    def test_a_table_counted_and_a_file_read_have_one_report(self):
        csv = self.postgres.rows(
            "SELECT age, \"home zip\", illness FROM public.visits WHERE illness <> 'NULL' AND \"home zip\" <> ''",
            "demo",
        )
        (self.folder / "visits.csv").write_text(
            "age,home zip,illness\n" + "".join(",".join(map(str, row)) + "\n" for row in csv)
        )
        self.postgres.run(
            "CREATE TABLE public.plain AS SELECT age, \"home zip\", illness FROM public.visits "
            "WHERE illness <> 'NULL' AND \"home zip\" <> ''; GRANT SELECT ON public.plain TO pgveil_admin",
            "demo",
        )
        demand = (
            "--columns",
            "age,home zip",
            "--require",
            "illness=entropy 1.5",
            "--order",
            "illness=text",
            "--k",
            5,
            "--show-classes",
            100,
            "--risk",
            "sample_uniqueness 0.5",
        )
        try:
            read = self.verb("check-table", "visits.csv", *demand, status=1)
            counted = self.verb("check-table", "--table", "public.plain", *demand, status=1)
        finally:
            self.postgres.run("DROP TABLE public.plain", "demo")
        def comparable(report):
            report = {key: value for key, value in report.items() if key != "table"}
            report["offending"] = sorted(map(str, report["offending"]))
            return report
        self.assertGreater(len(read["offending"]), 1)
        self.assertEqual(comparable(read), comparable(counted))

    def test_who_may_ask(self):
        for command in ("RISK public.visits COLUMNS (age)", "CHECK TABLE public.visits COLUMNS (age)"):
            self.refused("admin_users", command, "watcher")

    def test_what_is_refused(self):
        for command in ("RISK {} COLUMNS (age)", "CHECK TABLE {} COLUMNS (age)"):
            self.refused("does not exist", command.format("public.nothing"))
            self.refused("is not a table", command.format("public.v_visits"))
            self.refused("permission denied", command.format("public.unreadable"))
            self.refused("no rows", command.format("public.empty_one"))
            self.refused("nowhere", command.format("public.visits IN DATABASE nowhere"))
            self.refused("no column", command.format("public.visits").replace("age", "height"))
            self.refused("named twice", command.format("public.visits").replace("age", "age, age"))
        self.refused("outside 0 to 1", "RISK public.visits COLUMNS (age) THRESHOLD 2")
        self.refused(
            "more than 31", f"RISK public.visits COLUMNS ({', '.join(f'c{i}' for i in range(40))}) SETS 1"
        )
        self.refused(
            "more than 10000 sets",
            f"RISK public.visits COLUMNS ({', '.join(f'c{i}' for i in range(30))}) SETS 9",
        )
        self.refused("is no model", "CHECK TABLE public.visits COLUMNS (age) REQUIRE 'illness=magic 3'")
        self.refused("is no risk", "CHECK TABLE public.visits COLUMNS (age) RISK 'luck 3'")
        self.refused("no list of values", "CHECK TABLE public.visits COLUMNS (age) ORDER 'illness=flu,HIV'")
        self.refused(
            "no order", "CHECK TABLE public.visits COLUMNS (age) REQUIRE 'illness=t_closeness 0.2 ordered'"
        )
        self.refused("named twice", "CHECK TABLE public.visits COLUMNS (age) SENSITIVE (age)")


if __name__ == "__main__":
    main()

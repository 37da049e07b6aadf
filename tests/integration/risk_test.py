#!/usr/bin/python3
"""pgveil risk of a file, of standard input and of a table of PostgreSQL: figures, formats, what is refused,
and that no value of the data is shown."""
import html.parser
import json
import os
import re
import subprocess

from harness.pgveil import binary
from harness.runner import main
from harness.verbs import VerbCase

PREPARE = """
CREATE TABLE public.visitors (age integer, "home zip" text, email text);
INSERT INTO public.visitors SELECT 20 + g % 3, CASE WHEN g % 4 = 0 THEN NULL ELSE '1000' || g % 4 END,
                                   'secret-' || g || '@example.org' FROM generate_series(1, 24) g;
CREATE VIEW public.v_visitors AS SELECT * FROM public.visitors;
GRANT SELECT ON public.visitors, public.v_visitors TO pgveil_admin;
"""
SIX = "city,age,name\na,1,secret-n\na,1,secret-o\na,1,secret-p\na,2,secret-q\na,2,secret-r\nb,1,secret-s\n"


class References(html.parser.HTMLParser):
    """Whatever a browser would run or fetch."""

    def __init__(self):
        super().__init__()
        self.found = []
        self.tags = []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.found += [
            value for name, value in attributes if name in ("src", "href", "action") or name.startswith("on")
        ]


class Risk(VerbCase):
    tables = PREPARE

    def setUp(self):
        super().setUp()
        self.people = self.folder / "people.csv"
        self.people.write_text(SIX)

    def risk(self, *arguments, status=0, **options):
        done = subprocess.run(
            [binary(), "risk", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
            **options,
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn("secret", done.stdout + done.stderr)
        return done

    def found(self, *arguments, **options):
        return json.loads(self.risk(*arguments, "--format", "json", **options).stdout)

    def refused(self, words, *arguments, status=1, **options):
        done = self.risk(*arguments, status=status, **options)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_figures_of_six_people(self):
        found = self.found(self.people, "--columns", "city,age", "--threshold", "0.4")
        self.assertEqual(
            (found["rows"], found["classes"], found["smallest_class"], found["unique_rows"]), (6, 3, 1, 1)
        )
        self.assertEqual(found["prosecutor"], {"highest": 1, "mean": 0.5, "at_risk": 0.5})
        self.assertEqual(found["histogram"], [{"size": size, "classes": 1} for size in (1, 2, 3)])
        self.assertEqual(found["journalist"], None)
        self.assertEqual(found["population_uniqueness"], None)
        self.assertEqual([it["columns"] for it in found["sets"]], [["city", "age"], ["age"], ["city"]])

    def test_all_columns_when_none_is_named(self):
        found = self.found(self.people)
        self.assertEqual(found["columns"], ["city", "age", "name"])
        self.assertEqual(found["unique_rows"], 6)
        self.assertEqual([it["columns"] for it in found["sets"] if it["is_minimal_key"]], [["name"]])
        self.assertEqual(
            [(it["column"], it["item"]) for it in found["safe_harbor"]], [("city", "B"), ("name", "A")]
        )

    def test_a_population_as_a_file(self):
        population = self.folder / "all.csv"
        population.write_text("age,city\n" + "1,a\n" * 10 + "2,a\n" * 4)
        found = self.found(self.people, "--columns", "city,age", "--population", population)
        self.assertAlmostEqual(found["journalist"]["mean"], (3 * 0.1 + 2 * 0.25 + 1) / 6)
        self.assertEqual(found["population"]["not_in_population"], 1)

    def test_the_size_of_the_population(self):
        found = self.found(self.people, "--columns", "city,age", "--population-size", 60)[
            "population_uniqueness"
        ]
        self.assertGreater(found["zayatz"], 0)
        self.assertLess(found["dankar"], 1 / 6)
        self.refused("smaller than the table", self.people, "--population-size", 5)

    def test_standard_input_and_separators(self):
        for separator in (";", "tab"):
            text = SIX.replace(",", "\t" if separator == "tab" else separator)
            found = self.found("-", "--separator", separator, "--columns", "age", input=text)
            self.assertEqual(found["classes"], 2)
        self.refused("standard input is named twice", "-", "--population", "-", input=SIX)
        self.refused('the separator "ab" is not one character', "-", "--separator", "ab", input=SIX)

    def test_a_table_of_postgresql(self):
        where = ("--table", "public.visitors", "--config", self.pgveil.config_path)
        found = self.found(*where, "--columns", "age,home zip")
        self.assertEqual((found["rows"], found["classes"], found["smallest_class"]), (24, 12, 2))
        self.assertEqual({(it["column"], it["item"]) for it in found["safe_harbor"]},
                         {("home zip", "B"), ("email", "F")})
        population = self.found(
            self.people,
            "--columns",
            "age",
            "--population-table",
            "public.visitors",
            "--config",
            self.pgveil.config_path,
        )
        self.assertEqual(population["population"]["not_in_population"], 6)
        self.refused("does not exist", "--table", "public.nothing", "--config", self.pgveil.config_path)
        self.refused("not a table", "--table", "public.v_visitors", "--config", self.pgveil.config_path)
        self.refused("no column height", *where, "--columns", "age,height")
        self.refused("schema.table", "--table", "visitors", "--config", self.pgveil.config_path)

    def test_text_and_html_say_the_same(self):
        text = self.risk(self.people, "--columns", "city,age", "--population-size", 60).stdout
        page = self.risk(
            self.people, "--columns", "city,age", "--population-size", 60, "--format", "html"
        ).stdout
        for figure in re.findall(r"[0-9.]+ %", text):
            self.assertIn(figure, page)
        references = References()
        references.feed(page)
        self.assertEqual(references.found, [])
        self.assertIn("svg", references.tags)
        self.assertNotIn("script", references.tags)
        self.assertIn("default-src 'none'", page)

    def test_names_are_text_in_html(self):
        self.people.write_text('"<script>alert(1)</script>","a""b"\n1,2\n1,3\n')
        page = self.risk(self.people, "--format", "html").stdout
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)

    def test_a_file_for_the_report(self):
        path = self.folder / "report.html"
        self.assertEqual(self.risk(self.people, "--format", "html", "--output", path).stdout, "")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertTrue(path.read_text().startswith("<!DOCTYPE html>"))
        self.refused("would be overwritten", self.people, "--output", self.people)
        self.assertEqual(self.people.read_text(), SIX)
        self.refused("open folder", self.people, "--output", self.folder / "no" / "report")
        self.assertEqual(sorted(os.listdir(self.folder)), ["people.csv", "report.html"])

    def test_what_is_refused(self):
        self.refused("there is no file", self.folder / "nothing.csv")
        self.refused("neither a file nor a table")
        self.refused("has no column height", self.people, "--columns", "height")
        self.refused("names age twice", self.people, "--columns", "age,age")
        self.refused("not a list of columns", self.people, "--columns", "age,,city")
        self.refused("threshold", self.people, "--threshold", "0")
        self.refused("no rows", "-", input="a,b\n")
        self.refused("the file is empty", "-", input="")
        self.refused("record 2", "-", input="a,b\n1\n")
        wide = ",".join(f"c{i}" for i in range(60))
        self.refused("sets of columns", "-", "--sets", 3, input=f"{wide}\n{wide}\n")
        self.refused("", self.people, "--table", "public.visitors", status=2)
        self.refused("", self.people, "--format", "xml", status=2)
        self.refused("", self.people, "--threshold", "2", status=2)


if __name__ == "__main__":
    main()

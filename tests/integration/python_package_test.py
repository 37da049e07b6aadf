#!/usr/bin/python3
"""The Python package over the library of this build: results, models, errors, and its wheel.

Data frames of pandas, polars and pyarrow are tested where these are installed."""
import ast
import collections
import contextlib
import csv
import datetime
import decimal
import importlib.util
import io
import os
import pathlib
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from unittest import mock

from harness import python_package
from harness.pgveil import binary
from harness.runner import main

ROOT = pathlib.Path(__file__).resolve().parents[2]
pgveil = python_package.load()
from pgveil import _library as bound  # noqa: E402

NORTH = ("Aber", "Bree")
SOUTH = ("Cork", "Dell")


def people(rows=300, seed=1):
    draw = random.Random(seed)
    return {
        "name": [f"person {i}" for i in range(rows)],
        "age": [draw.randrange(20, 70) if i % 20 else None for i in range(rows)],
        "town": [draw.choice(NORTH + SOUTH) if i % 15 else None for i in range(rows)],
        "illness": [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)],
        "paid": [round(draw.random() * 100, 2) for _ in range(rows)],
        "since": [datetime.date(2000, 1, 1) + datetime.timedelta(days=draw.randrange(9000)) for _ in range(rows)],
        "id": list(range(rows)),
    }


def interrupt_main():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def records(data):
    return list(zip(*data.values()))


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A program that a script starts in the background ignores interrupts, and these tests send some."""
        earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
        cls.addClassCleanup(signal.signal, signal.SIGINT, earlier)

    def classes(self, data, names):
        found = {}
        for at in range(len(data[names[0]])):
            found.setdefault(tuple(data[name][at] for name in names), []).append(at)
        return found

    def test_classes_have_k_units(self):
        """Twenty persons with fifteen records each."""
        given = people() | {"person": [i % 20 for i in range(300)]}
        of = dict(zip(given["id"], given["person"]))
        release = pgveil.anonymize(given, ["age", "town"], 5, insensitive=["id"], unit="person", seed=1)
        self.assertNotIn("person", release.data)
        units = [
            len({of[release.data["id"][at]] for at in rows})
            for rows in self.classes(release.data, ["age", "town"]).values()
        ]
        self.assertGreaterEqual(min(units), 5)
        self.assertEqual((release.report["unit"], release.report["fewest_units"]), ("person", min(units)))

    def test_classes_have_k_records_and_the_models_that_are_asked_for(self):
        release = pgveil.anonymize(
            people(), ["age", "town"], 5, sensitive={"illness": {"l_diversity": {"distinct": 2}}}, seed=1
        )
        found = self.classes(release.data, ["age", "town"])
        self.assertGreater(len(found), 20)
        for rows in found.values():
            self.assertGreaterEqual(len(rows), 5)
            self.assertGreaterEqual(len({release.data["illness"][it] for it in rows}), 2)
        self.assertEqual(release.report["published_rows"], 300)
        self.assertIn("illness distinct 2", repr(release.report))
        self.assertIn("<iframe srcdoc=", release._repr_html_())

    def test_a_differentially_private_table_has_sampled_records_at_the_levels_that_were_named(self):
        kinds = pgveil.hierarchies
        raw = people(rows=3000)
        settings = {"epsilon": 1, "delta": 1e-4}
        columns = {
            "age": kinds.intervals([10, 50]).at(1),
            "town": kinds.tree({"north": [*NORTH, "NULL"], "south": list(SOUTH)}).at(0),
        }

        def draw():
            return pgveil.anonymize(raw, columns, seed=1, differential_privacy=settings)

        release = draw()
        told = release.report["differential_privacy"]
        self.assertEqual({key: told[key] for key in settings}, settings)
        self.assertEqual((told["read_rows"], told["k"]), (3000, release.report["k"]))
        self.assertEqual(release.report["levels"], [1, 0])
        words = f"(ε, δ) = (1, 0.0001): {release.report['rows']} of 3000 records were sampled"
        self.assertIn(words, repr(release.report))
        self.assertIn(words, release.report.html)
        possible = collections.Counter(
            (None if age is None else f"[{age // 10 * 10}, {age // 10 * 10 + 10})", town)
            for age, town in zip(raw["age"], raw["town"])
        )
        found = self.classes(release.data, ["age", "town"])
        self.assertGreater(len(found), 8)
        for shown, rows in found.items():
            self.assertGreaterEqual(len(rows), told["k"])
            self.assertLess(len(rows), possible[shown])
        tables = {tuple(sorted(map(repr, records(draw().data)))) for _ in range(4)}
        self.assertGreater(len(tables), 1)

    def test_a_record_does_not_change_how_others_are_shown(self):
        """Equal values may have different texts."""
        early = datetime.datetime(2020, 1, 1, 0, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        late = early.astimezone(datetime.timezone.utc)
        kinds = pgveil.hierarchies
        for values, hierarchy, shown in (
            ([decimal.Decimal("1.10")] + [decimal.Decimal("1.1")] * 400, kinds.intervals([20]).at(0), "1.1"),
            ([early] + [late] * 400, kinds.dates("day").at(1), "2019-12-31"),
        ):
            private = pgveil.anonymize(
                {"x": values}, {"x": hierarchy}, differential_privacy={"epsilon": 1, "delta": 1e-4}
            )
            self.assertEqual({str(it) for it in private.data["x"]}, {shown})

    def test_what_would_let_the_data_decide_is_refused_with_the_words_of_the_program(self):
        kinds = pgveil.hierarchies
        data = people()
        private = {"differential_privacy": {"epsilon": 1, "delta": 1e-4}}
        fixed = {"age": kinds.intervals([10, 50]).at(1)}
        for words, call in (
            ("k and differential_privacy", lambda: pgveil.anonymize(data, fixed, 5, **private)),
            ("suppression and diff", lambda: pgveil.anonymize(data, fixed, suppression="5%", **private)),
            ("unit and differential_privacy", lambda: pgveil.anonymize(data, fixed, unit="id", **private)),
            ("an algorithm that makes groups", lambda: pgveil.anonymize(data, ["age"], algorithm="mondrian", **private)),
            ("^differential_privacy: age has no fixed level", lambda: pgveil.anonymize(data, {"age": kinds.intervals([10])}, **private)),
            ("masking hierarchy", lambda: pgveil.anonymize(data, {"town": kinds.masking().at(1)}, **private)),
            ("^differential_privacy: illness is published", lambda: pgveil.anonymize(data, fixed, sensitive=["illness"], **private)),
            ("^differential_privacy: paid is published", lambda: pgveil.anonymize(data, fixed, insensitive=["paid"], **private)),
            ("needs epsilon and delta", lambda: pgveil.anonymize(data, fixed, differential_privacy={"epsilon": 1})),
            ("out of range", lambda: pgveil.anonymize(data, fixed, differential_privacy={"epsilon": 11, "delta": 1e-4})),
            ("\"k\"", lambda: pgveil.anonymize(data, fixed, algorithm="flash")),
        ):
            with self.subTest(words), self.assertRaisesRegex(pgveil.ConfigurationError, words):
                call()
        made = pgveil.Anonymizer(fixed, settings=private)
        with self.assertRaisesRegex(pgveil.UsageError, r"samples the records of each table \(call anonymize"):
            made.fit(data)

    def test_each_row_shows_what_is_true_and_other_columns_keep_their_types(self):
        raw = people()
        made = pgveil.anonymize(raw, ["age", "town"], 5, insensitive=["id", "paid", "since"]).data
        self.assertEqual(list(made), ["age", "town", "id", "paid", "since"])
        self.assertEqual(sorted(made["id"]), raw["id"])
        self.assertNotEqual(made["id"], raw["id"])
        for age, town, row, paid, since in records(made):
            self.assertEqual((paid, since), (raw["paid"][row], raw["since"][row]))
            self.assertIsInstance(since, datetime.date)
            true_age, true_town = raw["age"][row], raw["town"][row]
            if age is None or not age.startswith(("[", "*")):
                self.assertEqual(age, None if true_age is None else str(true_age))
            elif age.startswith("["):
                low, high = map(int, age.strip("[]").split(","))
                self.assertTrue(low <= true_age <= high, (age, true_age))
            if town is None or not town.startswith(("{", "*")):
                self.assertEqual(town, true_town)
            elif town.startswith("{"):
                self.assertIn(true_town or "NULL", next(csv.reader([town.strip("{}")])))

    def test_columns_that_nobody_named_are_not_published(self):
        release = pgveil.anonymize(people(), ["age"], 5)
        self.assertEqual(list(release.data), ["age"])
        self.assertIn("name", release.report["not_published"])

    def test_the_same_arguments_give_the_same_table_with_any_number_of_threads(self):
        made = [
            pgveil.anonymize(people(), ["age", "town"], 5, seed=7, limits={"threads": it}).data for it in (1, 2, 2)
        ]
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[1], made[2])

    def test_the_library_and_the_program_publish_the_same(self):
        raw = people()
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["age", "town"])
        writer.writerows(("NULL" if a is None else a, "NULL" if t is None else t) for a, t in zip(raw["age"], raw["town"]))
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "people.csv").write_text(text.getvalue())
            (place / "job.yaml").write_text(
                "version: 1\nname: table\ninput: {file: people.csv, 'null': 'NULL'}\nattributes:\n"
                "  age: {class: quasi_identifier, numeric: true}\n  town: {class: quasi_identifier}\n"
                "k: 5\nalgorithm: least_loss\nseed: 1\noutput: {file: out.csv}\n"
            )
            subprocess.run([binary(), "anonymize", "job.yaml"], cwd=folder, check=True, capture_output=True)
            with open(place / "out.csv", newline="") as file:
                by_program = [tuple(None if it == "NULL" else it for it in row) for row in list(csv.reader(file))[1:]]
        by_library = pgveil.anonymize(
            {"age": raw["age"], "town": raw["town"]}, ["age", "town"], 5, seed=1
        ).data
        self.assertEqual(by_program, records(by_library))

    def test_a_transformation_that_was_found_applies_to_other_rows(self):
        made = pgveil.Anonymizer(
            {
                "age": pgveil.hierarchies.intervals([5, 10, 20]),
                "town": pgveil.hierarchies.tree({"north": [*NORTH, "NULL"], "south": list(SOUTH)}),
            },
            k=5,
            seed=1,
            settings={"suppression": "20%"},
        )
        with self.assertRaisesRegex(pgveil.UsageError, "not fitted"):
            made.transform(people())
        first = made.fit_transform(people())
        self.assertEqual(len(made.levels_), 2)
        other = made.transform(people(seed=2))
        self.assertNotEqual(first, other)
        for data in (first, other):
            for shown, rows in self.classes(data, ["age", "town"]).items():
                self.assertTrue(len(rows) >= 5 or set(shown) == {"*"}, shown)
        again = pgveil.Anonymizer(**made.get_params()).set_params(k=6)
        self.assertEqual((again.k, made.k), (6, 5))
        with self.assertRaises(ValueError):
            made.set_params(l=3)
        with self.assertRaisesRegex(pgveil.UsageError, "makes groups"):
            pgveil.Anonymizer({"age": None}, algorithm="least_loss").fit(people())
        with self.assertRaisesRegex(pgveil.UsageError, "y would no longer belong to the rows"):
            again.fit(people(), [0] * 300)
        made.set_params(settings={"suppression": "0%"})
        with self.assertRaises(pgveil.PolicyError):
            made.transform(people(rows=12, seed=3))
        made.set_params(quasi_identifiers={"age": pgveil.hierarchies.intervals([5]), "id": None})
        with self.assertRaisesRegex(pgveil.UsageError, "other columns than at fit"):
            made.transform(people())
        with self.assertRaises(pgveil.ConfigurationError):
            made.fit(people())
        with self.assertRaisesRegex(pgveil.UsageError, "not fitted"):
            made.transform(people())

    def test_hierarchies_of_every_kind(self):
        kinds = pgveil.hierarchies
        raw = people()
        raw["zip"] = [str(10000 + i % 7) for i in range(300)]
        levels = {"town": [*NORTH, *SOUTH, "NULL"], "part": ["north"] * 2 + ["south"] * 2 + ["none"], "all": ["*"] * 5}
        made = pgveil.anonymize(
            raw,
            {
                "age": kinds.order(sorted({it for it in raw["age"] if it}) + ["NULL"], [10, 60]),
                "town": kinds.from_frame(levels),
                "zip": kinds.masking(masked=[1, 5]),
                "since": kinds.dates("year", "decade"),
            },
            5,
            algorithm="flash",
            suppression="10%",
        )
        self.assertGreaterEqual(made.report["smallest_class"], 5)

    def test_errors_have_the_words_of_the_program(self):
        data = people()
        for wanted, words, call in (
            (pgveil.PolicyError, "300 records are fewer than k = 301", lambda: pgveil.anonymize(data, ["age"], 301)),
            (pgveil.ConfigurationError, "no column aeg", lambda: pgveil.anonymize(data, ["aeg"], 5)),
            (pgveil.ConfigurationError, "sets are shown of at most 64", lambda: pgveil.anonymize(data, ["name"], 5)),
            (pgveil.UsageError, "is one text", lambda: pgveil.anonymize(data, "age", 5)),
            (pgveil.UsageError, "has two classes", lambda: pgveil.anonymize(data, ["age"], 5, insensitive=["age"])),
            (pgveil.UsageError, "no setting", lambda: pgveil.anonymize(data, ["age"], 5, version=2)),
            (pgveil.ConfigurationError, "unknown key", lambda: pgveil.anonymize(data, ["age"], 5, suppresion="5%")),
            (pgveil.UsageError, "another number of rows", lambda: pgveil.anonymize({"a": [1], "b": []}, ["a"], 1)),
            (TypeError, "int is no table", lambda: pgveil.anonymize(3, ["age"], 5)),
            (pgveil.UsageError, "no quasi-identifier", lambda: pgveil.check(data, [])),
            (pgveil.UsageError, "threshold", lambda: pgveil.risk(data, threshold=2)),
        ):
            with self.subTest(words), self.assertRaisesRegex(wanted, words):
                call()
        with self.assertRaises(pgveil.ConfigurationError) as caught:
            pgveil.anonymize({"age": ["30", "old"]}, {"age": pgveil.hierarchies.intervals([5])}, 1, algorithm="flash")
        self.assertNotIn("old", str(caught.exception))
        self.assertIn("old", caught.exception.detail)

    def test_check_and_risk(self):
        data = {"town": ["a"] * 3 + ["b"] * 3 + ["c"], "illness": list("xyxxyxx")}
        self.assertTrue(pgveil.check(data, ["town"], k=1))
        found = pgveil.check(data, ["town"], k=3, sensitive=["illness"], require=["illness=distinct 2"])
        self.assertFalse(found)
        self.assertIn("k 3", repr(found))
        risk = pgveil.risk(data, ["town"], population_size=1000)
        self.assertEqual((risk["unique_rows"], risk["classes"]), (1, 3))
        self.assertIsNotNone(risk["population_uniqueness"])

    def test_the_name_of_a_checked_column_may_have_an_equals_sign(self):
        data = {"age": [1] * 4 + [2] * 4, "a=b": list("xxxxyyyy")}
        for t, is_kept in ((0.2, False), (0.4, False), (0.6, True)):
            self.assertEqual(bool(pgveil.check(data, ["age"], require=[f"a=b=t_closeness {t}"])), is_kept)
        for wrong in ("a=t_closeness 0.2", "columns that were not read=distinct 1"):
            for more in ({}, {"age": ["*"] * 8, "list": [[]] * 8}):
                with self.assertRaisesRegex(pgveil.ConfigurationError, "no column (a|columns that)"):
                    pgveil.check({**data, **more}, ["age"], require=[wrong])

    def test_check_takes_for_hidden_only_records_that_show_nothing_in_any_column(self):
        ages = ["*"] * 2 + ["31"] * 5
        for others, hidden in (
            ({}, 2),
            ({"paid": [None] * 2 + [1] * 5}, 2),
            ({"paid": [None, 7] + [1] * 5}, 0),
            ({"paid": [1] * 7}, 0),
            ({"list": [[1]] * 7}, 0),
            ({"half": ["\ud800"] * 7}, 0),
        ):
            found = pgveil.check({"age": ages, **others}, ["age"], k=5)
            self.assertEqual((found.report["hidden_records"], bool(found)), (hidden, hidden == 2), others)

    def test_hints_are_about_columns_that_nobody_named_too(self):
        data = {
            "town": list("aabbc"),
            "contact": [f"p{it}@example.org" for it in range(5)],
            "list": [[1]] * 5,
            "ssn": [object()] * 5,
        }
        risk = pgveil.risk(data, ["town"])
        hints = {it["column"]: (it["item"], it["matching_values"]) for it in risk["safe_harbor"]}
        self.assertEqual(hints, {"town": ("B", 0), "contact": ("F", 1), "ssn": ("G", 0)})
        self.assertEqual((risk["unique_rows"], risk["classes"]), (1, 3))

    def test_other_threads_go_on_during_a_call(self):
        draw = random.Random(5)
        data = {name: [draw.randrange(40) for _ in range(4000)] for name in "abc"}
        ticks, is_over = [], threading.Event()

        def tick():
            while not is_over.wait(0.01):
                ticks.append(time.monotonic())

        other = threading.Thread(target=tick)
        other.start()
        begin = time.monotonic()
        pgveil.anonymize(data, list("abc"), 5)
        end = time.monotonic()
        is_over.set()
        other.join()
        self.assertGreater(len([it for it in ticks if begin < it < end]), 3)

    def test_an_interrupt_ends_a_call(self):
        """A call that is cancelled gives no table. At its own end, this one would."""
        draw = random.Random(5)
        data = {name: [draw.randrange(100_000) for _ in range(60_000)] for name in "abcd"}
        library = bound._library
        call, results, is_begun = library.pgveil_anonymize, [], threading.Event()

        def seen(*arguments):
            is_begun.set()
            results.append(call(*arguments))
            return results[-1]

        def press():
            is_begun.wait()
            interrupt_main()

        other = threading.Thread(target=press)
        other.start()
        with mock.patch.object(library, "pgveil_anonymize", seen), self.assertRaises(KeyboardInterrupt):
            pgveil.anonymize(data, list("abcd"), 5)
        self.assertEqual(results, [None])
        other.join()
        self.assertEqual(threading.active_count(), 1)
        self.assertEqual(len(pgveil.anonymize(people(), ["age"], 5).data["age"]), 300)

    def test_what_a_call_gives_after_two_interrupts_is_freed(self):
        """The second one comes while the caller waits for the call, which ends after it and has a table."""
        library = bound._library
        call, is_left, made, freed = library.pgveil_anonymize, threading.Event(), [], []

        def slow(table, job, options, report, error):
            made.append(call(table, job, None, report, error))
            interrupt_main()
            while not options._obj.is_cancelled(None):
                time.sleep(0.01)
            interrupt_main()
            is_left.wait()
            made.append(report._obj.value)
            return made[0]

        def free(kind):
            real = getattr(library, f"pgveil_{kind}_free")
            return mock.patch.object(
                library, f"pgveil_{kind}_free", lambda it: (freed.append(getattr(it, "value", it)), real(it))
            )

        with contextlib.ExitStack() as patched:
            for kind in ("table", "report"):
                patched.enter_context(free(kind))
            patched.enter_context(mock.patch.object(library, "pgveil_anonymize", slow))
            with self.assertRaises(KeyboardInterrupt):
                pgveil.anonymize(people(), ["age"], 5)
            (worker,) = [it for it in threading.enumerate() if it is not threading.current_thread()]
            self.assertEqual([it for it in made if it in freed], [])
            is_left.set()
            worker.join()
        self.assertEqual(len(made), 2)
        self.assertEqual([freed.count(it) for it in made], [1, 1])

    def test_only_the_main_thread_needs_another_one_for_its_calls(self):
        """A daemon that the end of the interpreter finds in the library must not be called back."""
        library = bound._library
        call, seen = library.pgveil_anonymize, []

        def watched(table, job, options, report, error):
            seen.append((threading.current_thread(), bool(options._obj.is_cancelled)))
            return call(table, job, options, report, error)

        def run():
            results.append(pgveil.anonymize(people(), ["age"], 5, seed=1).data)

        results = []
        daemon = threading.Thread(target=run, daemon=True)
        with mock.patch.object(library, "pgveil_anonymize", watched):
            run()
            daemon.start()
            daemon.join()
        self.assertEqual(results[0], results[1])
        (worker, is_called_back), by_daemon = seen
        self.assertEqual((worker.daemon, is_called_back), (False, True))
        self.assertIsNot(worker, threading.main_thread())
        self.assertEqual(by_daemon, (daemon, False))

    def test_nothing_but_the_interface_is_visible(self):
        shown = subprocess.run(["nm", "-D", "--defined-only", python_package.LIBRARY], capture_output=True, text=True, check=True)
        own = [it.split()[-1] for it in shown.stdout.splitlines() if " T " in it]
        declared = re.findall(r"\b(pgveil_\w+)\(", (ROOT / "library" / "pgveil.h").read_text())
        self.assertEqual(sorted(it for it in own if it.startswith("pgveil_")), sorted(set(declared)))

    def test_python_3_9_can_evaluate_the_types_of_the_modules(self):
        """It knows no | of types. Annotations are texts, so only the names for types are evaluated."""
        for module in (ROOT / "python" / "pgveil").glob("*.py"):
            tree = ast.parse(module.read_text(), feature_version=(3, 9))
            self.assertIn("from __future__ import annotations", module.read_text(), module.name)
            joined = [
                it.lineno
                for statement in tree.body
                if isinstance(statement, ast.Assign)
                for it in ast.walk(statement.value)
                if isinstance(it, ast.BinOp) and isinstance(it.op, ast.BitOr)
            ]
            self.assertEqual(joined, [], module.name)

    def test_the_wheel_has_the_package_and_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            make = [sys.executable, ROOT / "scripts" / "make_wheel.py", ROOT / "python" / "pgveil", __file__]
            environment = {key: it for key, it in os.environ.items() if key != "LD_PRELOAD"}
            subprocess.run([*make, folder, "0.1.0"], check=True, env=environment)
            (wheel,) = pathlib.Path(folder).iterdir()
            first = wheel.read_bytes()
            subprocess.run([*make, folder, "0.1.0"], check=True, env=environment)
            self.assertEqual(first, wheel.read_bytes())
            names = zipfile.ZipFile(wheel).namelist()
        for name in ("pgveil/__init__.py", "pgveil/py.typed", "pgveil/libpgveil.so", "pgveil-0.1.0.dist-info/RECORD"):
            self.assertIn(name, names)


class Page(unittest.TestCase):
    def test_the_examples_of_the_page_print_what_it_says(self):
        page = (ROOT / "docs" / "python.md").read_text()
        steps = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
        self.assertEqual(page.count("```python"), len(steps))
        names = {}
        for code, wanted in steps:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, "docs/python.md", "exec"), names)
            self.assertEqual(printed.getvalue(), wanted)


class Frames(unittest.TestCase):
    """Where pandas, polars and pyarrow are installed."""

    def frame(self, module):
        if importlib.util.find_spec(module) is None:
            self.skipTest(f"{module} is not installed")
        return importlib.import_module(module)

    def same_as_the_mapping(self, data, columns_of):
        arguments = (["age", "town"], 5)
        wanted = pgveil.anonymize(people(), *arguments, insensitive=["paid", "id"], seed=1).data
        made = pgveil.anonymize(data, *arguments, insensitive=["paid", "id"], seed=1).data
        self.assertIs(type(made), type(data))
        found = {
            name: [None if it != it else it for it in values] for name, values in columns_of(made).items()
        }
        self.assertEqual(found, wanted)

    def test_pandas(self):
        pandas = self.frame("pandas")
        self.same_as_the_mapping(
            pandas.DataFrame(people()), lambda made: {name: list(made[name]) for name in made.columns}
        )

    def test_polars(self):
        polars = self.frame("polars")
        self.same_as_the_mapping(polars.DataFrame(people()), lambda made: made.to_dict(as_series=False))

    def test_pyarrow(self):
        pyarrow = self.frame("pyarrow")
        self.same_as_the_mapping(pyarrow.table(people()), lambda made: made.to_pydict())

    def kept(self, data, **settings):
        """The table with its column kept as it is, and what should be in it."""
        return pgveil.anonymize(data, ["group"], 5, insensitive=["kept"], **settings).data

    def test_pandas_keeps_types_and_values(self):
        pandas = self.frame("pandas")
        large = [2**60 + it % 2 for it in range(19)] + [None]
        nanoseconds = pandas.to_datetime([1577836800000000000 + it % 2 for it in range(20)])
        for kept in (
            pandas.Series(large, dtype="Int64"),
            pandas.Series(large, dtype=object),
            pandas.Series([2**63 + it for it in range(20)], dtype="uint64"),
            pandas.Series([True, None] * 10, dtype="boolean"),
            pandas.Series(nanoseconds),
            pandas.Series(nanoseconds).dt.tz_localize("UTC"),
            pandas.Series(["x", None] * 10, dtype="string"),
        ):
            made = self.kept(pandas.DataFrame({"group": [1, 2] * 10, "kept": kept}))["kept"]
            self.assertEqual(made.dtype, kept.dtype)
            self.assertEqual(collections.Counter(made.dropna()), collections.Counter(kept.dropna()))
            self.assertEqual(made.isna().sum(), kept.isna().sum())
        ill = {"l_diversity": {"distinct": 2}}
        data = pandas.DataFrame({"group": [1, 2] * 10, "ill": pandas.Series(large, dtype="Int64")})
        made = pgveil.anonymize(data, ["group"], 5, sensitive={"ill": ill}).data
        self.assertTrue(pgveil.check(made, ["group"], k=5, require=["ill=distinct 2"]))

    def test_objects_of_pandas_stay_as_they_are(self):
        pandas = self.frame("pandas")
        days = [datetime.datetime(2020, 1, 1 + it % 2) for it in range(19)]
        for values in (["x", None] * 10, [*days, None], [*days, days[0]], [1, "x"] * 10, [2**60, None] * 10):
            kept = pandas.Series(values, dtype=object)
            made = self.kept(pandas.DataFrame({"group": [1, 2] * 10, "kept": kept}))["kept"]
            self.assertEqual(made.dtype, object)
            self.assertEqual(len([it for it in made if it is None]), values.count(None))
            self.assertEqual({type(it) for it in made}, {type(it) for it in values})
            self.assertEqual(collections.Counter(made), collections.Counter(values))

    def test_pandas_publishes_no_category_that_no_row_has(self):
        pandas = self.frame("pandas")
        kept = pandas.Categorical(["x", "y"] * 10, categories=["secret", "y", "x"])
        made = self.kept(pandas.DataFrame({"group": [1] * 20, "kept": kept}))["kept"]
        self.assertNotIsInstance(made.dtype, pandas.CategoricalDtype)
        self.assertEqual(collections.Counter(made), {"x": 10, "y": 10})

    def test_numbers_of_hidden_records_become_null_and_others_stay_exact(self):
        pandas = self.frame("pandas")
        kept = [2**60 + it for it in range(81)]
        made = pgveil.anonymize(
            pandas.DataFrame({"age": [20 + it // 8 for it in range(80)] + [77], "kept": kept}),
            {"age": pgveil.hierarchies.intervals([5])},
            5,
            insensitive=["kept"],
            algorithm="flash",
            suppression="20%",
            suppressed_records="keep_or_hide",
        ).data["kept"]
        self.assertEqual((sorted(made.dropna()), made.isna().sum()), (kept[:80], 1))

    def test_polars_keeps_types_and_values(self):
        polars = self.frame("polars")
        for kept, dtype in (
            (polars.Series([2**63 + it for it in range(20)], dtype=polars.UInt64), polars.UInt64),
            (polars.Series([2**60, None] * 10), polars.Int64),
            (polars.Series([1577836800000000001, 1577836800000001001] * 10).cast(polars.Datetime("ns")),
             polars.Datetime("ns")),
            (polars.Series(["x", "y"] * 10, dtype=polars.Enum(["secret", "x", "y"])), polars.String),
            (polars.Series(["x", None] * 10, dtype=polars.Categorical), polars.String),
        ):  # fmt: skip
            made = self.kept(polars.DataFrame({"group": [1, 2] * 10, "kept": kept}))["kept"]
            self.assertEqual(made.dtype, dtype)
            self.assertEqual(made.sort().to_list(), kept.cast(dtype).sort().to_list())
        close = polars.Series([1577836800000000001, 1577836800000000002] * 10).cast(polars.Datetime("ns"))
        with self.assertRaisesRegex(pgveil.UsageError, "kept has values that differ only in nanoseconds"):
            self.kept(polars.DataFrame({"group": [1, 2] * 10, "kept": close}))

    def test_pyarrow_keeps_types_and_values(self):
        pyarrow = self.frame("pyarrow")
        x_or_y = pyarrow.array(["x", "y"])
        of_one = (pyarrow.array([0, 1] * 10, pyarrow.int8()),
                  pyarrow.array([it // 2 for it in range(20)], pyarrow.int32()))
        for kept, kind in (
            (pyarrow.array([2**64 - 1, 1] * 10, pyarrow.uint64()), pyarrow.uint64()),
            (pyarrow.array([2**60, None] * 10), pyarrow.int64()),
            (pyarrow.array([1577836800000000000, 1577836800001000000] * 10, pyarrow.timestamp("ns")),
             pyarrow.timestamp("ns")),
            *((pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1] * 10, index), x_or_y),
               pyarrow.string())
              for index in (pyarrow.int8(), pyarrow.uint8(), pyarrow.uint32(), pyarrow.uint64())),
            (pyarrow.UnionArray.from_dense(
                *of_one, [pyarrow.array(range(10)), pyarrow.array(["s"] * 10)]), None),
        ):  # fmt: skip
            made = self.kept(pyarrow.table({"group": [1, 2] * 10, "kept": kept}))["kept"]
            self.assertEqual(made.type, kind or kept.type)
            self.assertEqual(collections.Counter(made.to_pylist()), collections.Counter(kept.to_pylist()))
        close = pyarrow.array([1, 2] * 10, pyarrow.time64("ns"))
        with self.assertRaisesRegex(pgveil.UsageError, "kept has values that differ only in nanoseconds"):
            self.kept(pyarrow.table({"group": [1, 2] * 10, "kept": close}))
        offsets, bytes_of = pyarrow.py_buffer(b"\0\0\0\0\1\0\0\0"), pyarrow.py_buffer(b"\xff")
        broken = pyarrow.Array.from_buffers(pyarrow.string(), 1, [None, offsets, bytes_of])
        data = pyarrow.table({"age": [31], "text": broken})
        self.assertEqual(len(pgveil.anonymize(data, ["age"], 1).data), 1)
        with self.assertRaisesRegex(pgveil.UsageError, "text has values that cannot be read"):
            pgveil.anonymize(data, ["text"], 1)

    def test_pandas_with_lists_of_arrow_that_nobody_named(self):
        pandas, pyarrow = self.frame("pandas"), self.frame("pyarrow")
        lists = pandas.array([[1]] * 20, dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.int64())))
        data = pandas.DataFrame({"age": [31, 32] * 10, "lists": lists})
        self.assertEqual(len(pgveil.anonymize(data, ["age"], 5).data), 20)
        with self.assertRaisesRegex(pgveil.UsageError, "lists has a value of type"):
            pgveil.anonymize(data, ["lists"], 5)

    def test_classes_that_derive_from_a_frame_are_frames(self):
        data = {"age": [31, 32] * 10}
        for module, others in (
            ("pandas", ()),
            ("polars", (("LazyFrame", "call .collect"),)),
            ("pyarrow", (("RecordBatch", "call pyarrow.Table.from_batches"),)),
        ):
            with self.subTest(module):
                frames = self.frame(module)
                if module != "pyarrow":
                    own = type("Own", (frames.DataFrame,), {"__module__": "own"})
                    self.assertIsInstance(pgveil.anonymize(own(data), ["age"], 5).data, frames.DataFrame)
                for name, words in others:
                    kind = getattr(frames, name)
                    given = kind.from_pydict(data) if module == "pyarrow" else kind(data)
                    with self.assertRaisesRegex(TypeError, words):
                        pgveil.anonymize(given, ["age"], 5)

    def test_a_pipeline_of_scikit_learn(self):
        self.frame("sklearn")
        import sklearn.exceptions
        import sklearn.pipeline
        import sklearn.utils.validation

        made = pgveil.Anonymizer({"age": pgveil.hierarchies.intervals([10, 50])}, k=3, seed=1)
        with self.assertRaises(sklearn.exceptions.NotFittedError) as caught:
            made.transform(people())
        self.assertIsInstance(caught.exception, pgveil.UsageError)
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(copy), type(caught.exception))
        self.assertEqual((str(copy), copy.hint), (str(caught.exception), "call fit first"))
        pipeline = sklearn.pipeline.make_pipeline(made)
        data = {"age": [it for it in people()["age"] if it]}
        self.assertEqual(pipeline.fit(data).transform(data), made.transform(data))
        sklearn.utils.validation.check_is_fitted(made)
        self.assertIn("Anonymizer", pipeline._repr_html_())
        two = sklearn.pipeline.make_pipeline(made, "passthrough")
        for steps in (pipeline, two):
            with self.assertRaisesRegex(pgveil.UsageError, "y would no longer belong to the rows"):
                steps.fit(data, [0] * len(data["age"]))


if __name__ == "__main__":
    main()

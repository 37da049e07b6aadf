#!/usr/bin/python3
"""The Python package: which values are missing or numbers, what stands for NULL, and what misuse is told."""
import collections
import datetime
import decimal
import numbers
import random
import unittest

from harness import python_package
from harness.runner import main

pgveil = python_package.load()
from pgveil._frames import text_of  # noqa: E402


class Strange:
    """As values of NumPy and pandas, which may not be installed. differs: what a comparison with itself gives."""

    def __init__(self, differs, text):
        self.differs, self.text = differs, text

    def __ne__(self, other):
        if isinstance(self.differs, Exception):
            raise self.differs
        return self.differs

    def __str__(self):
        return self.text


class Values(unittest.TestCase):
    """What is missing, what is a number, and what is refused."""

    def float32(self, number):
        """numbers.Real, but no float."""

        class float32:
            def __float__(self):
                return number

            def __eq__(self, other):
                return number == float(other)

            def __hash__(self):
                return hash(number)

        numbers.Real.register(float32)
        return float32()

    def test_decimals_are_cut_into_ranges(self):
        paid = [decimal.Decimal(i) / 4 for i in range(200)]
        for values in (paid, [*paid[1:], 3], [*paid[1:], decimal.Decimal("NaN")]):
            made = pgveil.anonymize({"paid": values}, ["paid"], 5).data["paid"]
            for shown in made:
                self.assertRegex(shown or "*", r"\A(\[[0-9.]+,[0-9.]+\]|[0-9.]+|\*)\Z")
        few = [decimal.Decimal(1), decimal.Decimal("Infinity")] * 10
        self.assertEqual(set(pgveil.anonymize({"paid": few}, ["paid"], 5).data["paid"]), {"1", "Infinity"})

    def test_what_is_not_equal_to_itself_is_null(self):
        truth = type("bool", (), {"__bool__": lambda it: True})()  # of NumPy
        for missing in (
            None,
            float("nan"),
            self.float32(float("nan")),
            decimal.Decimal("NaN"),
            decimal.Decimal("sNaN"),  # whose comparison raises
            Strange(True, "NaT"),
            Strange(truth, "NaT"),
        ):
            with self.subTest(repr(missing)):
                data = {"age": [31, missing] * 10, "since": [missing, "2020"] * 10}
                made = pgveil.anonymize(data, ["age"], 5, insensitive=["since"]).data
                self.assertEqual(collections.Counter(made["age"]), {"31": 10, None: 10})
                self.assertEqual(collections.Counter(made["since"]), {"2020": 10, None: 10})
        there = (Strange(TypeError("ambiguous"), "a"), Strange([True, False], "b"), Strange(False, "c"))
        made = pgveil.anonymize({"x": [*there] * 5}, ["x"], 5).data
        self.assertEqual(set(made["x"]), set("abc"))

    def test_numbers_have_the_texts_that_the_program_reads_from_parquet(self):
        for value, text in (
            (decimal.Decimal("0E-8"), "0.00000000"),
            (decimal.Decimal("1E+3"), "1000"),
            (decimal.Decimal("-0.05"), "-0.05"),
            (decimal.Decimal("1234567890123456789012345678901234567890.10"),
             "1234567890123456789012345678901234567890.10"),
            (1.2345e-20, "0.000000000000000000012345"),
            (1e-25, "0.0000000000000000000000001"),
            (1e15, "1000000000000000"),
            (1e23, "99999999999999991611392"),
            (-0.0, "0"),
            (-1.5, "-1.5"),
            (float("inf"), "inf"),
            (float("-inf"), "-inf"),
        ):  # fmt: skip
            self.assertEqual(text_of(value), text)
        draw = random.Random(1)
        for _ in range(1000):
            number = draw.uniform(-10, 10) * 10.0 ** draw.randrange(-300, 300)
            self.assertRegex(text_of(number), r"\A-?\d+(\.\d+)?\Z")
            self.assertEqual(float(text_of(number)), number)

    def test_values_of_numpy_have_the_texts_of_python(self):
        datetime64 = type("datetime64", (Strange,), {})
        for value, text in (
            ("2020-01-01", "2020-01-01"),
            ("2020-01-01T00:00:00.000", "2020-01-01"),
            ("2020-01-01T10", "2020-01-01 10:00:00"),
            ("2020-01-01T10:30:05.500", "2020-01-01 10:30:05.500000"),
            ("2020-01-01T00:00:00.000000001", "2020-01-01 00:00:00.000000001"),
        ):
            self.assertEqual(text_of(datetime64(False, value)), text)
        for truth, text in ((True, "true"), (False, "false")):
            for name in ("bool", "bool_"):
                made = type(name, (), {"__bool__": lambda it, truth=truth: truth})()
                self.assertEqual(text_of(made), text)

    def test_a_midnight_with_nanoseconds_is_no_date(self):
        """As a Timestamp of pandas, which is a datetime."""
        timestamp = type("Timestamp", (datetime.datetime,), {
            "nanosecond": 1,
            "isoformat": lambda it, sep: f"2020-01-01{sep}00:00:00.000000001",
        })  # fmt: skip
        self.assertEqual(text_of(timestamp(2020, 1, 1)), "2020-01-01 00:00:00.000000001")
        self.assertEqual(text_of(datetime.datetime(2020, 1, 1)), "2020-01-01")

    def test_null_and_the_text_null_stay_apart(self):
        data = {
            "x": ["NULL", None, "NULL (1)", "b"] * 10,
            "text": ["NULL", "z", "z", "z"] * 10,
            "none": [None, "z", "z", "z"] * 10,
        }
        made = pgveil.anonymize(data, ["x"], 5, insensitive=["text", "none"]).data
        for name, values in data.items():
            self.assertEqual(collections.Counter(made[name]), collections.Counter(values))
        self.assertTrue(pgveil.check(data, ["x"], k=10))
        self.assertEqual(pgveil.risk(data, ["x"])["classes"], 4)

    def test_none_in_a_hierarchy_is_null_and_so_is_the_word_where_it_can_be_nothing_else(self):
        kinds = pgveil.hierarchies
        both = ["NULL", None, "b", "c"] * 10
        word, other = [None, None, "b", "c"] * 10, ["NULL", None, "z", "z"] * 10
        rows = {"value": [None, "b", "NULL", "c"], "part": ["x", "x", "y", "y"]}
        for values, hierarchy, shown in (
            (both, kinds.tree({"x": [None, "b"], "y": ["NULL", "c"]}), {"x", "y"}),
            (both, kinds.order([None, "b", "NULL", "c"], [2]), {"NULL (1) - b", "NULL - c"}),
            (both, kinds.from_frame(rows), {"x", "y"}),
            (word, kinds.tree({"x": ["NULL", "b"], "y": ["c"]}), {"x", "y"}),
            (word, kinds.from_frame({"value": ["NULL", "b", "c"], "part": ["NULL", "x", "x"]}), {None, "x"}),
            (["b", "c"] * 20, kinds.tree({"x": [None, "b"], "NULL": ["c"]}), {"x", "NULL"}),
        ):
            data = {"a": values, "other": other}
            made = pgveil.anonymize(data, {"a": hierarchy.at(1)}, 5, insensitive=["other"], algorithm="flash").data
            self.assertEqual(set(made["a"]), shown)
            self.assertEqual(collections.Counter(made["other"]), collections.Counter(other))
        with self.assertRaisesRegex(pgveil.UsageError, "write None for NULL"):
            pgveil.anonymize({"a": both}, {"a": kinds.tree({"x": ["NULL", "b", "c"]})}, 5, algorithm="flash")

    def test_sensitive_columns_may_have_hierarchies_and_orders_with_null(self):
        kinds = pgveil.hierarchies
        data = {"a": [1, 2] * 10, "ill": [3, None, 3, "NULL"] * 5}
        for own in (
            {"hierarchy": kinds.tree({"all": [3, None, "NULL"]}), "t_closeness": {"t": 1, "distance": "hierarchical"}},
            {"order": [3, None, "NULL"], "t_closeness": {"t": 1, "distance": "ordered"}},
            None,
        ):
            made = pgveil.anonymize(data, ["a"], 5, sensitive={"ill": own}).data
            self.assertEqual(collections.Counter(made["ill"]), collections.Counter(data["ill"]))

    def test_columns_and_names_may_come_from_generators_and_names_may_be_numbers(self):
        made = pgveil.anonymize({0: (it for it in [31, 32] * 5)}, (it for it in [0]), 5, seed=1).data
        self.assertEqual(collections.Counter(made["0"]), {"31": 5, "32": 5})
        ages = [20 + i % 40 for i in range(200)]
        self.assertIn("[", pgveil.anonymize({0: ages}, [0], 8).data["0"][0])

    def test_columns_that_nobody_names_may_have_any_values(self):
        data = {"age": [31] * 3, "list": [[1], [2], []], "object": [object()] * 3}
        more = {
            **data, "digits": [10**5000] * 3, "half": ["\ud800"] * 3,
            "\ud800": [1] * 3, "": [1] * 3, "a\0": [1] * 3,
            1: [1] * 3, "1": [2] * 3, "number": 7, "rows": (it for it in range(3)),
        }  # fmt: skip
        for given in (data, more):
            release = pgveil.anonymize(given, ["age"], 3)
            self.assertEqual(release.data, {"age": ["31"] * 3})
            self.assertTrue(pgveil.check(given, ["age"], k=3))
            self.assertEqual(pgveil.risk(given, ["age"])["classes"], 1)
        self.assertEqual(release.report["not_published"],
                         ["list", "object", "digits", "half", "1", "number", "rows"])
        members = {"shape": (), "__len__": lambda it: len(None), "__iter__": lambda it: iter(None)}
        point = type("ndarray", (), members)()
        for value in ("people", {"a": 1}, b"ab", point):
            release = pgveil.anonymize({"age": [31] * 5, "title": value}, ["age"], 5)
            self.assertEqual(release.report["not_published"], ["title"])
        with self.assertRaisesRegex(pgveil.ConfigurationError, "no column aeg"):
            pgveil.check(data, ["aeg"], k=3)
        for call in (
            lambda: pgveil.anonymize(data, ["age"], 3, sensitive=["list"]),
            lambda: pgveil.anonymize(data, ["age"], 3, unit="object"),
            lambda: pgveil.check(data, ["age", "list"]),
            lambda: pgveil.check(data, ["age"], require=["list=distinct 2"]),
            lambda: pgveil.risk(data),
            lambda: pgveil.hierarchies.from_frame(data),
        ):
            with self.assertRaisesRegex(pgveil.UsageError, "has a value of type (list|object)"):
                call()

    def test_a_column_by_which_a_subset_is_chosen_is_read(self):
        made = pgveil.anonymize(
            {"age": [31, 32] * 10, "from": ["here", "there"] * 10},
            {"age": pgveil.hierarchies.intervals([5])},
            5,
            algorithm="flash",
            subset={"column": "from", "value": "here"},
        )
        self.assertEqual(made.data, {"age": ["31"] * 10})

    def test_columns_of_a_dict_are_read_by_position(self):
        """A series of pandas has an index of its own, which says nothing here."""

        class Series(list):
            def __getitem__(self, at):
                raise KeyError(at)

        made = pgveil.anonymize({"age": [31] * 4, "id": Series("abcd")}, ["age"], 2, insensitive=["id"]).data
        self.assertEqual(sorted(made["id"]), list("abcd"))

    def test_hierarchies_may_have_any_characters(self):
        kinds = pgveil.hierarchies
        texts = ("a\r", "x"), ("a", "x\ry"), ("a\n", "x\n"), ('"a";', '"x";'), ("a\x7f", "x\x7f")
        for value, shown in texts:
            for hierarchy in (
                kinds.from_frame({"value": [value, "b"], "part": [shown] * 2}),
                kinds.tree({shown: [value, "b"]}),
            ):
                with self.subTest(repr(hierarchy)):
                    data = {"c\x7f": [value, "b"] * 5}
                    made = pgveil.anonymize(data, {"c\x7f": hierarchy.at(1)}, 5, algorithm="flash").data
                    self.assertEqual(set(made["c\x7f"]), {shown})

    def test_misuse_is_told_in_terms_of_python(self):
        kinds = pgveil.hierarchies
        ages = {"age": [20 + i % 30 for i in range(60)], "ill": ["x", "y"] * 30}
        many = {"x": [str(it) for it in range(200)]}
        ring = {}
        ring["a"] = [ring]
        half = kinds.from_frame({"a": ["\ud800"]})
        twice = kinds.from_frame({"a": [20, 20], "b": ["x", "y"]})
        large = kinds.tree({"all": [f"{it:0100}" for it in range(20000)]})

        def of(values):
            return lambda: pgveil.anonymize({"x": values}, ["x"], 1)

        def given(names=("age",), k=5, **more):
            return lambda: pgveil.anonymize(ages, names, k, **more)

        for words, call in (
            ("x is of type dict", of({1: 2})),
            ("x is of type set", of({1, 2})),
            ("x is of type bytes", of(b"abc")),
            ("x is of type str", of("abc")),
            ("x is of type int", of(5)),
            ("x has a value of type list", of([[1], [2]])),
            ("x has a value of type bytes", of([b"a"])),
            ("x has a value of type dict", of([{}])),
            ("x has a value of type object", of([object()])),
            ("a value of x has a surrogate", of(["\ud800"])),
            ("no rows", of([])),
            ("there are two columns 1", lambda: pgveil.anonymize({1: [1], "1": [1]}, ["1"], 1)),
            ("NUL character", lambda: pgveil.anonymize({"a\0b": [1]}, ["a\0b"], 1)),
            ("quasi_identifiers is a set", given({"age"})),
            ("quasi_identifiers is of type NoneType", given(None)),
            ("quasi_identifiers has age twice", given(["age", "age"])),
            (r"age is of type dict \(write one of pgveil.hierarchies.*None", given({"age": {"numeric": True}})),
            ("age is of type function", given({"age": kinds.intervals})),
            ("the models of ill are of type str", given(sensitive={"ill": "l_diversity"})),
            ("^k: expected a number", given(k="5")),
            ("^threads: ", given(limits={"threads": -1})),
            ("settings is of type set", given(limits={"threads": {1}})),
            ("^k is no setting", lambda: pgveil.Anonymizer({"age": None}, settings={"k": 3}).fit(ages)),
            ("^age: \"hierarchy\" is missing; give it one of pgveil.hierarchies", given(algorithm="flash")),
            ("^the hierarchy of age has no row for 29 values",
             given({"age": kinds.from_frame({"a": [20]})}, algorithm="flash")),
            (r"at most 18 digits; round longer numbers",
             lambda: pgveil.anonymize({"x": [3 * 1e-5]}, {"x": kinds.intervals([1])}, 1, algorithm="flash")),
            (r"\(add a row for each\)$",
             given({"age": kinds.from_frame({"a": ["20,5"]})}, algorithm="flash")),
            ("^the hierarchy of age has 1 values more than once", given({"age": twice}, algorithm="flash")),
            ("^the hierarchy of age has a surrogate", given({"age": half}, algorithm="flash")),
            ("larger than .*make large hierarchies with hierarchies.from_frame",
             given({"age": large}, algorithm="flash")),
            ("longer than 1,000 characters", lambda: pgveil.anonymize({"a" * 1100: [1]}, ["a" * 1100], 1)),
            ("longer than 1,000 characters",
             given({"age": kinds.tree({"a" * 1100: [20]})}, algorithm="flash")),
            ("has too many digits", of([10**5000])),
            ("two nodes of a tree have the same text", lambda: kinds.tree({1: ["a"], "1": ["b"]})),
            ("has itself as a node", lambda: kinds.tree(ring)),
            (r"at most 64 \(give it a hierarchy, or convert", lambda: pgveil.anonymize(many, ["x"], 5)),
            ("round longer numbers", of([1 / 3])),
            ("k is -1", lambda: pgveil.check(ages, ["age"], k=-1)),
            ("require is one text", lambda: pgveil.check(ages, ["age"], require="ill=distinct 2")),
            ("population_size is -1", lambda: pgveil.risk(ages, population_size=-1)),
            ("most_columns is 1.5", lambda: pgveil.risk(ages, most_columns=1.5)),
            ("widths of intervals are of type int", lambda: kinds.intervals(5)),
            ("values of an order are of type str", lambda: kinds.order("abc", [3])),
            ("a step of dates is no text", lambda: kinds.dates(["year"])),
            ("a tree is of type list", lambda: kinds.tree(["a"])),
            ("a hierarchy has a value of type set", lambda: kinds.tree({"a": {"b"}})),
            ("the table of a hierarchy is empty", lambda: kinds.from_frame({})),
            ("different numbers of rows", lambda: kinds.from_frame({"a": [1, 2], "b": [1]})),
        ):
            with self.subTest(words), self.assertRaisesRegex(pgveil.Error, words):
                call()

    def test_arguments_may_be_decimals(self):
        made = pgveil.anonymize(
            {"x": [1, 2] * 5},
            {"x": pgveil.hierarchies.intervals([decimal.Decimal("0.5"), 4]).at(2)},
            decimal.Decimal(5),
            algorithm="flash",
        )
        self.assertEqual(set(made.data["x"]), {"[0, 4)"})

    def test_arguments_may_be_numbers_that_python_writes_with_an_exponent(self):
        intervals = pgveil.hierarchies.intervals
        for values, hierarchy, shown in (
            ([0.00001, 0.00002], intervals([0.00001, 0.0001]).at(1),
             {"[0.00001, 0.00002)", "[0.00002, 0.00003)"}),
            ([0.00001, 0.00012], intervals([0.00001, 0.0001]).at(2), {"[0, 0.0001)", "[0.0001, 0.0002)"}),
            ([0.00001, 1], intervals([1], low=-1e-5, high=2e-05).at(1), {"[0, 0.00002)", ">= 0.00002"}),
            ([1, 3e16], intervals([1e16]).at(1),
             {"[0, 10000000000000000)", "[30000000000000000, 40000000000000000)"}),
            ([1, 3e16], intervals([decimal.Decimal("1E+16")]).at(1),
             {"[0, 10000000000000000)", "[30000000000000000, 40000000000000000)"}),
        ):
            with self.subTest(repr(hierarchy)):
                data = {"1e-05": values * 5, "from": [1e-05] * 10}
                made = pgveil.anonymize(
                    data, {"1e-05": hierarchy}, 5, algorithm="flash", suppression=1e-05,
                    subset={"column": "from", "value": 1e-05},
                )  # fmt: skip
                self.assertEqual(set(made.data["1e-05"]), shown)

    def test_with_differential_privacy_no_record_decides_how_null_is_shown(self):
        """The text NULL is missing there, and a text for NULL is never looked for."""
        kinds = pgveil.hierarchies
        private = {"epsilon": 1, "delta": 1e-4}

        def shown(values, others, hierarchy):
            data = {"x": values, "other": others}
            made = pgveil.anonymize(data, {"x": hierarchy}, differential_privacy=private)
            return set(made.data["x"])

        many = [None] * 400 + ["a"] * 400
        for hierarchy in (kinds.order([None, "a"], [2]).at(1), kinds.order(["NULL", "a"], [2]).at(1)):
            for values, others in (
                (many, ["b"] * 800),
                (many, ["NULL"] + ["b"] * 799),
                (["NULL"] + many[1:], ["b"] * 800),
                (["NULL"] * 400 + ["a"] * 400, ["b"] * 800),
                (["NULL"] * 399 + [None] + ["a"] * 400, ["b"] * 800),
            ):
                self.assertEqual(shown(values, others, hierarchy), {"NULL - a"})


if __name__ == "__main__":
    main()

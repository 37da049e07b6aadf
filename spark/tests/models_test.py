"""Models of sensitive values beside distinct and entropy l-diversity, by Spark: the same tables as one machine
publishes, counter-examples that break each model, and what can't be compared."""
import collections
import contextlib
import datetime
import decimal
import glob
import json
import shutil
import subprocess
import unittest

from session import BINARY, FULL, PublishTest, long_only, some

from drivers import drivers, read_csv, write_csv
from pyarrow import parquet as pq
from pyspark.sql import functions as F, types as T

from pgveil_spark import classes, errors, sources
from pgveil_spark.native import Binary

TREE = "hierarchy: {{tree: {{all: [{{slow: [a, b, c]}}, {{fast: [d, e]}}]}}}}"
# By model: the keys of a job, with a place for its parameter; a parameter that the table of skewed() keeps at
# the levels 1,1; one that it breaks, and how many classes of 70 records break it.
MODELS = {
    "recursive": ("l_diversity: {{recursive: {{c: {}, l: 2}}}}", "6.1", "5.9", 1),
    "equal": ("t_closeness: {{t: {}}}", "0.53", "0.52", 1),
    "ordered": ("t_closeness: {{t: {}, distance: ordered}}, order: [e, d, c, b, a]", "0.385", "0.375", 1),
    "hierarchical": ("t_closeness: {{t: {}, distance: hierarchical}}, " + TREE, "0.43", "0.42", 1),
    "basic": ("beta_likeness: {{beta: {}, kind: basic}}", "1.6", "1.55", 1),
    "delta": ("delta_disclosure: {}", "2.25", "2.2", 2),
}
ROW_METADATA = b"org.apache.spark.sql.parquet.row.metadata"  # in the footer of Spark's Parquet files


def skewed():
    """A table of 210 records, which has three classes at the levels 1,1. The last class differs from the
    others: of seven records, six have a and one has b."""
    rows = []
    for decade, speeds in (("2", "bcdeabcdecdecd"), ("3", "edcbaedcdcdebc"), ("4", "aaaaaabaaaaaab")):
        for i in range(70):
            rows.append(
                {
                    "id": f"{decade}{i}",
                    "name": "n",
                    "age": f"{decade}{i % 10}",
                    "country": ["Italy", "France", "Spain"][i % 3],
                    "speed": speeds[i % 14],
                }
            )
    return rows


def lettered(count=1500):
    """The drivers, with letters as speeds."""
    rows = drivers(count)
    for i, row in enumerate(rows):
        row["speed"] = "abcde"[(i * 13 % 9 + int(row["age"]) // 20) % 5]
    return rows


class Models(PublishTest):
    is_on_cluster = False

    def test_one_part_is_what_one_machine_publishes_and_many_keep_the_model(self):
        write_csv(self.folder / "drivers.csv", lettered())
        whole = self.native(self.job(models="l_diversity: {distinct: 1}"))
        cases = {
            "recursive": (MODELS["recursive"][0], "0.5"),
            "equal": (MODELS["equal"][0], "0.25"),
            "ordered": (MODELS["ordered"][0], "0.15"),
            "hierarchical": (MODELS["hierarchical"][0], "0.2"),
            "enhanced": ("beta_likeness: {{beta: {}}}", "0.8"),
        }
        for name, (keys, value) in some(cases, "ordered", "enhanced").items():
            with self.subTest(name):
                job = self.job(models=keys.format(value))
                expected = self.native(job)
                self.assertNotEqual(expected, whole, "the model changes nothing")
                self.publish(job, parts=1, target="kept1")
                self.assertEqual(self.published("kept1"), expected)
                report = self.publish(job, parts=3, target="kept3", files=1)
                self.assertEqual(report.facts["records"], 1500)
                (file,) = self.folder.glob("kept3/part-*.csv")
                command = [BINARY, "check-table", str(file), "--job", job.path]
                checked = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
                for folder in ("kept1", "kept3"):
                    shutil.rmtree(self.folder / folder)

    def test_each_model_is_kept_by_a_little_and_broken_by_a_little(self):
        write_csv(self.folder / "drivers.csv", skewed())
        for name, (keys, kept, broken, count) in some(MODELS, "recursive", "equal", "delta").items():
            with self.subTest(name):
                job = self.job(**FULL, algorithm="suppression: 0%", models=keys.format(kept))
                self.publish(job, levels="1,1", target="kept")
                self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1,1"))
                shutil.rmtree(self.folder / "kept")
                job = self.job(**FULL, algorithm="suppression: 0%", models=keys.format(broken))
                said = f"{70 * count} of 210 records are in classes that break k or a model, 0 may be"
                self.refused(said, job, levels="1,1")

    def test_classes_that_break_a_model_are_suppressed_as_on_one_machine(self):
        write_csv(self.folder / "drivers.csv", skewed())
        cases = {"recursive": "drop", "hierarchical": "keep_or_drop", "delta": "keep_or_drop"}
        for name, words in some(cases, "recursive", "hierarchical").items():
            with self.subTest(name, suppressed_records=words):
                keys, _, broken, count = MODELS[name]
                algorithm = f"suppression: 70%\nsuppressed_records: {words}"
                job = self.job(**FULL, algorithm=algorithm, models=keys.format(broken))
                report = self.publish(job, levels="1,1", target="kept")
                self.assertEqual(report.facts["suppressed"], 70 * count)
                self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1,1"))
                shutil.rmtree(self.folder / "kept")

    @long_only
    def test_records_that_show_stars_by_themselves_are_not_suppressed_with_the_others(self):
        """Alone, they keep the model; together with those of the class that breaks it, they do not."""
        ages = [("0", "a", 15), ("0", "b", 15), ("31", "a", 33), ("31", "b", 33), ("91", "a", 4)]
        rows = [dict(age=age, speed=speed) for age, speed, count in ages for _ in range(count)]
        write_csv(self.folder / "drivers.csv", rows)
        (self.folder / "ages.csv").write_text("0;*;*\n31;30-39;*\n91;90-99;*\n")
        path = self.job(
            age="hierarchy: {file: ages.csv, separator: ;}",
            algorithm="suppression: 5%\nsuppressed_records: keep_or_drop",
            models="t_closeness: {t: 0.03}",
        ).path
        file = self.folder / "job.yaml"
        lines = file.read_text().splitlines(keepends=True)
        missing = ("  id:", "  name:", "  country:")
        file.write_text("".join(line for line in lines if not line.startswith(missing)))
        job = self.binary.read_job(path)
        report = self.publish(job, levels="1", target="kept")
        self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1"))
        self.assertEqual(
            collections.Counter(row["age"] for row in read_csv(self.folder / "kept")),
            {"*": 30, "30-39": 66},
        )
        facts = report.facts
        self.assertEqual((facts["classes"], facts["suppressed"], facts["dropped"]), (2, 4, 4))

    @long_only
    def test_the_highest_risk_is_a_size_of_classes(self):
        write_csv(self.folder / "drivers.csv", skewed())
        for risk, is_kept in (("1.42%", False), ("1.43%", True)):
            algorithm = f"suppression: 0%\nrisk: {{highest: {risk}}}"
            job = self.job(**FULL, algorithm=algorithm, models="l_diversity: {distinct: 2}")
            if is_kept:
                self.publish(job, levels="1,1", target="kept")
            else:
                self.refused(r"210 of 210 records are in classes that break k", job, levels="1,1")

    def graded(self):
        """Six classes of 5 to 10 records at the levels 1,1."""
        rows = []
        for decade in range(6):
            for i in range(5 + decade):
                speed, age = "abcde"[i % 5], f"{2 + decade}{i}"
                rows.append({"id": age, "name": "n", "age": age, "country": "Italy", "speed": speed})
        write_csv(self.folder / "drivers.csv", rows)

    @long_only
    def test_risks_of_all_classes_together_suppress_the_smallest_as_on_one_machine(self):
        self.graded()
        for risk, words, suppressed in (
            ("average: 14%", "drop", 0),
            ("average: 12%", "drop", 11),
            ("average: 12%", "keep_or_drop", 11),
            ("average: 11%, highest: 18%", "keep_or_drop", 26),
        ):
            with self.subTest(risk, suppressed_records=words):
                algorithm = f"suppression: 70%\nsuppressed_records: {words}\nrisk: {{{risk}}}"
                job = self.job(**FULL, algorithm=algorithm, models="l_diversity: {distinct: 2}")
                report = self.publish(job, levels="1,1", target="kept")
                self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1,1"))
                self.assertEqual(report.facts["suppressed"], suppressed)
                shutil.rmtree(self.folder / "kept")
        job = self.job(**FULL, algorithm="suppression: 10%\nrisk: {average: 12%}")
        said = "11 of 45 records are in classes that break k or a model, 4 may be suppressed"
        self.refused(said, job, levels="1,1")

    @long_only
    def test_ties_of_the_smallest_classes_are_broken_as_on_one_machine(self):
        write_csv(self.folder / "drivers.csv", drivers(400))
        full = dict(age="hierarchy: {intervals: {widths: [2, 30]}}")
        algorithm = "suppression: 90%\nrisk: {average: 30%}\nsuppressed_records: drop"
        job = self.job(**full, k=1, algorithm=algorithm)
        report = self.publish(job, levels="1,0", target="kept")
        self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1,0"))
        self.assertGreater(report.facts["suppressed"], 20)

    @long_only
    def test_risks_of_what_was_written_are_judged_again(self):
        self.graded()
        job = self.job(**FULL, algorithm="suppression: 70%\nrisk: {average: 12%}")
        asked = Binary.classes_to_suppress

        def lenient(binary, job, sizes, is_recount=False):
            return asked(binary, job, sizes, is_recount) if is_recount else 0

        Binary.classes_to_suppress = lenient
        self.addCleanup(setattr, Binary, "classes_to_suppress", asked)
        self.refused(r"the written table together break average_risk 0\.12", job, levels="1,1")

    @long_only
    def test_null_and_the_empty_text_look_alike_in_csv(self):
        source = self.parquet(["", None, "a"], "string")
        said = r"speed has NULLs and empty texts, which look alike in CSV"
        self.refused(said, self.job(), source)
        self.publish(self.job(), source, target="kept", kind="parquet")
        read = self.spark.read.parquet(str(self.folder / "kept")).groupBy("speed").count().collect()
        self.assertEqual({row[0]: row[1] for row in read}, {"": 134, None: 133, "a": 133})
        # With a text for NULL they are one value, as on one machine.
        self.refused("keep k = 5 or a model", self.job(l=3, null=', "null": none'), source)
        for kind in ("csv", "parquet"):
            job = self.job(models="t_closeness: {t: 0.3}", null=', "null": none')
            self.publish(job, source, target=f"kept-{kind}", kind=kind)
        read = self.spark.read.parquet(str(self.folder / "kept-parquet")).groupBy("speed").count().collect()
        self.assertEqual({row[0]: row[1] for row in read}, {None: 267, "a": 133})

    def test_what_was_written_is_judged_again(self):
        """Even if the first judge takes everything."""
        write_csv(self.folder / "drivers.csv", skewed())
        judged = classes.judged

        def lenient(table, by, job, profile, is_recount=False):
            made = judged(table, by, job, profile, is_recount)
            return made if is_recount else made.withColumn("good", F.lit(True))

        classes.judged = lenient
        self.addCleanup(setattr, classes, "judged", judged)
        for name, (keys, _, broken, count) in some(MODELS, "hierarchical").items():
            with self.subTest(name):
                job = self.job(**FULL, algorithm="suppression: 0%", models=keys.format(broken))
                said = f"{count} of 3 classes of the written table break k or a model"
                self.refused(said, job, levels="1,1")

    def test_two_columns_with_models_of_both_kinds(self):
        rows = lettered()
        for i, row in enumerate(rows):
            row["id"] = str(i % 7)
        write_csv(self.folder / "drivers.csv", rows)
        job = self.job(models="t_closeness: {t: 0.3}, l_diversity: {entropy: 3}")
        file = self.folder / "job.yaml"
        other = "class: sensitive, l_diversity: {distinct: 3, entropy: 2.5}"
        file.write_text(file.read_text().replace("class: insensitive", other))
        job = self.binary.read_job(job.path)
        self.publish(job, parts=1, target="kept")
        self.assertEqual(self.published("kept"), self.native(job))
        full = file.read_text().replace("numeric: true", FULL["age"])
        file.write_text(full.replace("algorithm: mondrian\nmondrian: {cuts: strict}", "suppression: 30%"))
        job = self.binary.read_job(job.path)
        report = self.publish(job, levels="1,0", target="kept2")
        self.assertEqual(self.published("kept2"), self.native(job, "--transformation", "1,0"))
        self.assertGreater(report.facts["suppressed"], 0)

    @long_only
    def test_typed_values_and_nulls_are_compared_by_their_texts(self):
        for kind, order, target_kind, speeds in (
            ("int", "number", "parquet", [9, 10, 100, None]),
            ("double", "number", "csv", [0.5, 1e10, -2.25, None]),
            ("decimal(5,2)", "number", "csv", [decimal.Decimal("1.50"), decimal.Decimal("10.25"), None]),
            ("date", "text", "csv", [datetime.date(1999, 12, 31), datetime.date(2020, 1, 1), None]),
            ("boolean", "[none, 'true', 'false']", "csv", [True, False, None]),
        ):
            keys = f"t_closeness: {{t: 0.2, distance: ordered}}, order: {order}"
            source = self.parquet(speeds, kind)
            with self.subTest(kind, output=target_kind):
                job = self.job(models=keys, null=', "null": none')
                self.publish(job, source, parts=2, target="kept", kind=target_kind)
                shutil.rmtree(self.folder / "kept")
        self.refused(r"speed has NULLs, and its values are compared", self.job(models=keys), source)
        source = self.parquet([datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)], "timestamp")
        job = self.job(models="t_closeness: {t: 0.2}")
        said = self.refused(r"speed is of the type timestamp", job, source)
        self.assertIn("needs texts, numbers or dates", said)

    @long_only
    def test_an_empty_text_is_a_value_of_csv_like_another(self):
        source = self.parquet(["", "a", "b"], "string")
        job = self.job(models="t_closeness: {t: 0.3}")
        self.publish(job, source, parts=2, target="kept")
        full = self.job(**FULL, algorithm="suppression: 0%", models="t_closeness: {t: 0.3}")
        self.publish(full, source, levels="1,1", target="kept2")
        for folder in ("kept", "kept2"):
            speeds = collections.Counter(row["speed"] for row in read_csv(self.folder / folder))
            self.assertEqual(speeds, {"": 134, "a": 133, "b": 133})

    @long_only
    def test_empty_cells_of_a_quasi_identifier_are_a_class_for_two_columns_with_models(self):
        rows = lettered(300)
        for i, row in enumerate(rows):
            row.update(id=str(i % 7), age=("", "30", "40")[i % 3], country="Italy")
        write_csv(self.folder / "drivers.csv", rows)
        (self.folder / "ages.csv").write_text(";*\n30;*\n40;*\n")
        path = self.job(
            age="hierarchy: {file: ages.csv, separator: ;}",
            algorithm="suppression: 0%",
            models="t_closeness: {t: 0.6}",
        ).path
        file = self.folder / "job.yaml"
        other = "class: sensitive, l_diversity: {distinct: 2, entropy: 1.5}"
        file.write_text(file.read_text().replace("class: insensitive", other))
        job = self.binary.read_job(path)
        report = self.publish(job, levels="0,0", target="kept")
        self.assertEqual(self.published("kept"), self.native(job, "--transformation", "0,0"))
        ages = collections.Counter(row["age"] for row in read_csv(self.folder / "kept"))
        self.assertEqual(ages, {"": 100, "30": 100, "40": 100})
        self.assertEqual(report.facts["classes_counted"], 3)

    @long_only
    def test_classes_are_joined_by_keys_that_may_be_null(self):
        one = self.spark.createDataFrame([(None, "x", 1), ("a", "x", 2)], "c0 string, c1 string, d int")
        other = self.spark.createDataFrame([(None, "x", 3), ("b", "x", 4)], "c0 string, c1 string, e int")
        made = classes.joined(one, other, ["c0", "c1"])
        self.assertEqual([tuple(row) for row in made.collect()], [(None, "x", 1, 3)])
        made = classes.joined(one, other, ["c0", "c1"], "left")
        self.assertEqual({tuple(row) for row in made.collect()}, {(None, "x", 1, 3), ("a", "x", 2, None)})

    @long_only
    def test_texts_with_and_without_a_mark_are_told_apart(self):
        rows = lettered(300)
        for i, row in enumerate(rows):
            row["speed"] = ("=1", "'=1", "b")[i % 3]
        write_csv(self.folder / "drivers.csv", rows)
        self.publish(self.job(models="t_closeness: {t: 0.3}"), target="kept")
        self.assertEqual(
            collections.Counter(row["speed"] for row in read_csv(self.folder / "kept")),
            {"'=1": 100, "''=1": 100, "b": 100},
        )

    @long_only
    def test_minus_zero_is_zero(self):
        for kind in ("csv", "parquet"):
            for model in ("t_closeness: {t: 0.3}", "beta_likeness: {beta: 1.5}"):
                with self.subTest(model, output=kind):
                    source = self.parquet([-0.0, 0.0, 1.5], "double")
                    self.publish(self.job(models=model), source, parts=2, target="kept", kind=kind)
                    shutil.rmtree(self.folder / "kept")
        full = self.job(**FULL, algorithm="suppression: 0%", models="t_closeness: {t: 0.3}")
        self.publish(full, source, levels="1,1", target="kept")
        speeds = collections.Counter(row["speed"] for row in read_csv(self.folder / "kept"))
        self.assertEqual(speeds, {"0.0": 267, "1.5": 133})
        for kind in ("float", "double"):
            source = self.parquet([-0.0, 0.0], kind)
            for more in ("", ", t_closeness: {t: 0.3}"):
                job = self.job(models="l_diversity: {distinct: 2}" + more)
                self.refused(r"together do not keep k = 5 or a model", job, source)

    def test_the_text_of_null_is_null_in_csv_and_an_empty_cell_is_a_text(self):
        rows = lettered(300)
        for i, row in enumerate(rows):
            row.update(id=("NA", "", "x")[i % 3], speed=("NA", "a", "b", "c", "d")[i // 3 % 5])
        write_csv(self.folder / "drivers.csv", rows)
        cases = {"counted": "l_diversity: {distinct: 2}", "compared": "t_closeness: {t: 0.3}"}
        for name, keys in cases.items():
            with self.subTest(name):
                job = self.job(models=keys, null=', "null": NA')
                self.publish(job, parts=1, target=f"kept-{name}", kind="parquet")
                read = self.spark.read.parquet(str(self.folder / f"kept-{name}"))
                counted = {row[0]: row[1] for row in read.groupBy("id").count().collect()}
                self.assertEqual(counted, {None: 100, "": 100, "x": 100})
                self.assertEqual(read.filter(F.col("speed").isNull()).count(), 60)
                self.publish(job, parts=1, target=f"kept2-{name}")
                self.assertEqual(self.published(f"kept2-{name}"), self.native(job))

    def test_floating_numbers_of_parquet_have_one_zero_and_no_nan(self):
        rows = [(-0.0, "n", -0.0, "USA", 1.5), (float("nan"), "n", float("nan"), "USA", None)]
        columns = "id double, name string, age double, country string, speed float"
        path = str(self.folder / "kept.parquet")
        self.spark.createDataFrame(rows, columns).coalesce(1).write.parquet(path)
        job = self.job(null=', "null": none')
        with contextlib.ExitStack() as held:
            read = sources.read(self.spark, job, sources.Source("parquet", path), held).collect()
        self.assertEqual({str(list(row)) for row in read},
                         {"[0.0, '0.0', 'USA', 1.5]", "[None, 'none', 'USA', None]"})

    def test_binary_columns_are_not_compared(self):
        source = self.parquet([bytearray(b"a"), bytearray(b"b")], "binary")
        self.refused(r"speed is of the type binary", self.job(), source)

    def test_levels_that_the_job_does_not_allow_are_refused(self):
        write_csv(self.folder / "drivers.csv", drivers(300))
        age = FULL["age"]
        job = self.job(age=age + ", min_level: 1, max_level: 2", algorithm="suppression: 0%")
        for level in (0, 3):
            said = rf"level {level} of age is outside 1 to 2 \(choose one that the job allows"
            self.refused(said, job, levels=f"{level},1")
        self.publish(job, levels="2,1", target="kept")
        job = self.job(age=age + ", max_level: 7", algorithm="suppression: 0%")
        self.refused("levels 0 to 7 of age do not exist", job, levels="1,1")

    def test_stars_of_both_kinds_are_one_class(self):
        """Of records that are suppressed, and of records that show * by themselves."""
        ages = [("0", "a", 15), ("0", "b", 15), ("31", "a", 33), ("31", "b", 33), ("91", "a", 4)]
        rows = [dict(age=age, country="Italy", speed=speed) for age, speed, n in ages for _ in range(n)]
        write_csv(self.folder / "drivers.csv", rows)
        (self.folder / "ages.csv").write_text("0;*;*\n31;30-39;*\n91;90-99;*\n")
        path = self.job(
            age="hierarchy: {file: ages.csv, separator: ;}",
            algorithm="suppression: 5%\nsuppressed_records: keep_or_drop",
        ).path
        file = self.folder / "job.yaml"
        missing = ("  id:", "  name:", "  country:")
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if not line.startswith(missing)))
        report = self.publish(self.binary.read_job(path), levels="1", target="kept")
        facts = report.facts
        self.assertEqual((facts["classes"], facts["classes_counted"], facts["suppressed"]), (2, 2, 4))

    def test_values_that_the_order_or_the_hierarchy_lacks_are_named(self):
        rows = lettered(300)
        rows[5]["speed"] = "warp"
        write_csv(self.folder / "drivers.csv", rows)
        for name in ("ordered", "hierarchical"):
            said = self.refused(r"speed", self.job(models=MODELS[name][0].format("0.3")))
            self.assertIn("warp", said)

    def test_a_file_says_nothing_about_the_columns_of_the_input(self):
        """Spark keeps what a Parquet file says of its columns, and of the fields within them."""
        told = {"comment": "SECRET", "ml_attr": {"vals": ["SECRET"]}}
        inner = T.StructType([T.StructField("note", T.StringType(), True, told)])
        kinds = {"id": T.ArrayType(inner), "name": T.StringType(), "age": T.IntegerType(),
                 "country": T.StringType(), "speed": T.IntegerType()}
        schema = T.StructType([T.StructField(name, kind, True, told) for name, kind in kinds.items()])
        rows = [([(str(i),)], "n", 20 + i % 40, "USA", i % 7) for i in range(200)]
        path = str(self.folder / "kept.parquet")
        self.spark.createDataFrame(rows, schema).write.parquet(path)
        source = sources.Source("parquet", path)
        self.publish(self.job(), source, target="kept1", kind="parquet")
        job = self.job(**FULL, algorithm="suppression: 0%")
        self.publish(job, source, levels="1,1", target="kept2", kind="parquet")

        def footers(folder):
            files = glob.glob(f"{self.folder}/{folder}/part-*.parquet")
            return [pq.read_metadata(file).metadata[ROW_METADATA].decode() for file in files]

        self.assertIn("SECRET", footers("kept.parquet")[0])
        for folder in ("kept1", "kept2"):
            made = footers(folder)
            self.assertTrue(made)
            for footer in made:
                fields = json.loads(footer)["fields"]
                self.assertEqual([it["name"] for it in fields], ["id", "age", "country", "speed"])
                self.assertEqual([it["metadata"] for it in fields], [{}] * 4)
                self.assertNotIn("SECRET", footer)
            read = self.spark.read.parquet(f"{self.folder}/{folder}")
            self.assertEqual(sorted(row.id[0].note for row in read.collect()), sorted(map(str, range(200))))

    def test_what_a_cluster_does_not_count_is_refused_by_name_and_with_the_reason(self):
        for lines, said in (
            ("local_recoding: 3", r"local_recoding is for one machine only \("),
            ("suppressed_records: keep", r"suppressed_records: keep is for one machine only \("),
            ("algorithm: least_loss", r"algorithm: least_loss is for one machine only \("),
        ):
            with self.subTest(lines), self.assertRaisesRegex(errors.Failure, said):
                self.job(**FULL, algorithm=lines)


if __name__ == "__main__":
    unittest.main()

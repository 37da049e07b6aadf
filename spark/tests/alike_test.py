"""Texts that count as one value on one machine do so on a cluster: numbers that are equal, and NULL and the
text that stands for it."""
import shutil
import subprocess

from session import BINARY, FULL, PublishTest, some

from drivers import drivers, read_csv, write_csv

from pgveil_spark import alike, errors


class Alike(PublishTest):
    is_on_cluster = False

    def alike(self, *speeds):
        """Six classes of ten records at the levels 1,1, with these speeds in the last one."""
        rows = []
        for i in range(60):
            speed = speeds[i % len(speeds)] if i >= 50 else "ab"[i % 2]
            rows.append({"id": f"{i}", "name": "n", "age": f"{20 + i}", "country": "Italy", "speed": speed})
        write_csv(self.folder / "drivers.csv", rows)

    def assert_not_diverse(self, cases, usual, **more):
        """The records of the last class, in which two texts are one value."""
        said = "10 of 60 records are in classes that break k or a model, 0 may be"
        for name, keys in some(cases, *usual).items():
            with self.subTest(name):
                job = self.job(**FULL, algorithm="suppression: 0%", models=keys, **more)
                self.refused(said, job, levels="1,1")
        algorithm = "suppression: 20%\nsuppressed_records: drop"
        job = self.job(**FULL, algorithm=algorithm, models="l_diversity: {distinct: 2}", **more)
        report = self.publish(job, levels="1,1", target="kept")
        self.assertEqual(report.facts["suppressed"], 10)
        self.assertEqual(self.published("kept"), self.native(job, "--transformation", "1,1"))

    def test_equal_numbers_get_the_text_that_one_machine_gives_them(self):
        speeds = ["1", "1.0", "1e0", "+2", "2e0", "02", ".5", "0.50", "-0", "0.00", "3e2", "300", "300.0"]
        others = ["1a", "", "1e1000001", "10e1000001", "\u0661", "\u0661.0", "1 ", "1.0.0", "e0", "."]
        rows = drivers(900)
        for i, row in enumerate(rows):
            row["speed"] = (speeds + others)[(i * 7 + int(row["age"]) // 9) % 23]
        write_csv(self.folder / "drivers.csv", rows)
        shown = {"1", "+2", ".5", "-0", "300", *others}
        cases = {
            "counted": "l_diversity: {distinct: 4}",
            "compared": "t_closeness: {t: 0.3}",
            "judged": "l_diversity: {recursive: {c: 2, l: 2}}",
        }
        for name, keys in some(cases, "counted", "compared").items():
            with self.subTest(name):
                job = self.job(models=keys)
                self.publish(job, parts=1, target="kept", files=1)
                self.assertEqual(self.published("kept"), self.native(job))
                self.assertEqual({row["speed"] for row in read_csv(self.folder / "kept")}, shown)
                (file,) = self.folder.glob("kept/part-*.csv")
                command = [BINARY, "check-table", str(file), "--job", job.path]
                checked = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
                shutil.rmtree(self.folder / "kept")

    def test_a_class_is_not_diverse_because_a_number_has_two_texts(self):
        cases = {
            "distinct": "l_diversity: {distinct: 2}",
            "entropy": "l_diversity: {entropy: 1.9}",
            "recursive": "l_diversity: {recursive: {c: 3, l: 2}}",
            "closeness": "t_closeness: {t: 0.99}, l_diversity: {distinct: 2}",
        }
        self.alike("7", "7.0")
        self.assert_not_diverse(cases, ("recursive", "closeness"))

    def test_a_class_is_not_diverse_because_null_has_two_texts(self):
        cases = {
            "distinct": "l_diversity: {distinct: 2}",
            "recursive": "l_diversity: {recursive: {c: 3, l: 2}}",
            "closeness": "t_closeness: {t: 0.99}, l_diversity: {distinct: 2}",
        }
        self.alike("NA", "")
        self.assert_not_diverse(cases, ("distinct", "closeness"), null=', "null": NA')
        for speeds in (["none", None], [None, float("nan")]):
            source = self.parquet(speeds, "double" if speeds[0] is None else "string")
            for name, keys in some(cases, "distinct").items():
                with self.subTest(name, speeds=speeds):
                    job = self.job(models=keys, null=', "null": none')
                    self.refused(r"all 400 records together do not keep k = 5 or a model", job, source)

    def test_parts_are_not_diverse_because_a_number_has_two_texts(self):
        rows = drivers(200)
        for i, row in enumerate(rows):
            row["speed"] = ("0.5", ".5", "5e-1")[i % 3]
        write_csv(self.folder / "drivers.csv", rows)
        self.refused(r"all 200 records together do not keep k = 5 or a model", self.job())

    def test_equal_numbers_of_the_written_table_are_found_again(self):
        """Even if they were not joined."""
        self.alike("7", "7.0")
        unchanged = alike.joined
        alike.joined = lambda table, i, texts: table
        self.addCleanup(setattr, alike, "joined", unchanged)
        job = self.job(**FULL, algorithm="suppression: 0%")
        self.refused("speed has a number of two texts in the written table", job, levels="1,1")

    def test_the_plainest_text_is_the_shortest_without_an_exponent(self):
        texts = "1 1.0 1.00 01 1e0 1E+0 10e-1 10 1e1 -0.0 0 0e7 -1 1e1000000".split()
        table = self.spark.createDataFrame([(text,) for text in texts], "c0 string")
        (speed,) = self.job().diverse
        for null, plain in ((None, "1"), ("1", "01")):
            made = alike.plainer(table, 0, speed, null)
            expected = {text: plain for text in ("1", "1.0", "1.00", "01", "1e0", "1E+0", "10e-1")}
            expected.update({"1e1": "10", "-0.0": "0", "0e7": "0"})
            expected = {text: it for text, it in expected.items() if text not in (null, it)}
            self.assertEqual(dict(zip(made["text"].to_pylist(), made["plain"].to_pylist())), expected)
        most = alike.MOST_JOINED
        alike.MOST_JOINED = 8
        self.addCleanup(setattr, alike, "MOST_JOINED", most)
        with self.assertRaisesRegex(errors.Failure, "speed has more than 8 texts of numbers that have other"):
            alike.plainer(table, 0, speed, None)

    def test_only_numbers_have_an_order_by_number(self):
        job = self.job(models="l_diversity: {distinct: 2}, order: number")
        self.alike("7", "7.0")
        self.refused(r"2 values of speed are no numbers \(remove order: number", job)
        rows = drivers(60)
        for i, row in enumerate(rows):
            row["speed"] = ("1", "+1", "-2.5e3", ".5")[i % 4]
        write_csv(self.folder / "drivers.csv", rows)
        self.publish(job, parts=1, target="kept")  # +1 is joined with 1, and 1 has a place
        self.assertEqual(self.published("kept"), self.native(job))
        for row, other in zip(rows, ("+3", "1e400", "", "+3.0")):
            row["speed"] = other
        write_csv(self.folder / "drivers.csv", rows)
        self.refused(r"3 values of speed are no numbers", job)

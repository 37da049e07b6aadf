"""The bytes between the package and the native worker, and what errors become."""
import os
import unittest

import pyarrow as pa

from pgveil_spark import anonymize, errors, frames, native
from pgveil_spark.errors import Failure, TaskFailure

BINARY = os.environ.get("PGVEIL_BIN", "")


class Frames(unittest.TestCase):
    def test_texts_come_back_as_they_were(self):
        for values in ([], [""], ["a", "", "Zürich\n\"x\"", "0" * 70000]):
            reader = frames.Reader(
                frames.BEGIN + frames.text_list(values) + frames.texts(pa.array(values + ["z"])[:-1])
            )
            self.assertEqual(reader.texts().to_pylist(), values)
            self.assertEqual(reader.texts().to_pylist(), values)
            reader.end()

    def test_a_slice_is_sent_alone(self):
        reader = frames.Reader(frames.BEGIN + frames.texts(pa.array(["ab", "cde", "f"])[1:]))
        self.assertEqual(reader.texts().to_pylist(), ["cde", "f"])

    def test_hierarchies(self):
        for rows in ([], [["a", "x", "*"], ["b", "x", "*"]]):
            self.assertEqual(frames.Reader(frames.BEGIN + frames.hierarchy(rows)).hierarchy(), rows)

    def test_an_answer_that_is_none_is_refused(self):
        whole = frames.BEGIN + frames.text("{}") + frames.text_list(["a"]) + frames.number(7)

        def read(raw):
            reader = frames.Reader(raw)
            reader.text(), reader.texts(), reader.number(), reader.end()

        read(whole)
        for size in range(len(whole)):
            with self.assertRaises(Failure):
                read(whole[:size])
        for raw in (whole + b"x", b"X" + whole[1:]):
            with self.assertRaises(Failure):
                read(raw)

    def test_a_failure_of_a_task_is_found_in_what_java_says(self):
        said = f"Job aborted\n  File x\npgveil_spark.errors.TaskFailure: {errors.MARK}4 records are fewer than k = 5\n at java"
        self.assertEqual(errors.one_line(said), "4 records are fewer than k = 5")
        self.assertEqual(
            errors.one_line("[PATH_NOT_FOUND] Path does not exist"), "there is no such input path"
        )
        self.assertEqual(errors.one_line("PSQLException: ERROR: permission denied for table t\n at"),
                         "PostgreSQL answered: permission denied for table t")
        said = errors.one_line(
            "[CAST_INVALID_INPUT] The value 'secret' of the type \"STRING\" cannot be cast"
        )
        self.assertTrue(said.startswith("Spark failed: CAST_INVALID_INPUT ("), said)
        self.assertNotIn("secret", said)
        self.assertIn(
            "java.io.IOException", errors.one_line("An error occurred: java.io.IOException: secret")
        )
        self.assertNotIn("secret", errors.one_line("secret"))


@unittest.skipUnless(BINARY, "PGVEIL_BIN names no binary")
class Worker(unittest.TestCase):
    header = {"k": 2, "threads": 1, "cut_by": "span", "cuts": "strict", "ranges": "tight",
              "dimensions": [{"name": "age", "numeric": True, "cut_before": False}],
              "sensitive": [["distinct 2"]]}

    def work(self, **changes):
        return anonymize.Work(
            {**self.header, **changes},
            (("c0", frames.text_list(["20", "80"])),),
            (("c1", b"", None),),
            ("c0", "c1"),
            False,
        )

    def table(self, speeds):
        return pa.table({"c0": ["30", "31", "50", "52"], "c1": pa.array(speeds)})

    def cut(self, speeds, **changes):
        return anonymize.cut(self.table(speeds), self.work(**changes), BINARY, "")

    def test_a_part_is_cut_by_the_native_worker(self):
        made = self.cut([1.5, None, None, 2.5])
        self.assertEqual(made["c0"].to_pylist(), ["[30,31]", "[30,31]", "[50,52]", "[50,52]"])
        self.assertEqual(made["c1"].to_pylist(), [1.5, None, None, 2.5])
        self.assertEqual(made[anonymize.QUALITY].null_count, 3)

    def test_null_is_a_sensitive_value_like_another(self):
        self.assertEqual(self.cut([None, "x", "x", None])["c0"].to_pylist()[0], "[30,31]")
        self.assertEqual(self.cut(["x", "x", None, None])["c0"].to_pylist()[0], "[30,52]")

    def test_relaxed_cuts_do_not_depend_on_the_order_of_records(self):
        work = anonymize.Work(
            {**self.header, "cuts": "relaxed"},
            (("c0", frames.text_list(["1"])),),
            (("c1", b"", None),),
            ("c0", "c1"),
            True,
        )
        table = pa.table({"c0": ["1", "1", "2", "2", "3", "3"], "c1": list("abcdef")})
        made = [
            anonymize.cut(table.take(order), work, BINARY, "").drop_columns([anonymize.QUALITY]).to_pylist()
            for order in ([0, 1, 2, 3, 4, 5], [5, 2, 0, 3, 1, 4])
        ]
        self.assertEqual(*made)

    def test_what_the_worker_refuses_is_the_tasks_failure_and_quotes_no_value(self):
        with self.assertRaisesRegex(TaskFailure, "fewer than k = 5"):
            self.cut([1, 2, 3, 4], k=5)
        with self.assertRaisesRegex(TaskFailure, "do not keep the models"):
            self.cut([1, 1, 1, 1])
        with self.assertRaises(TaskFailure) as caught:
            anonymize.cut(pa.table({"c0": ["30", "secret"], "c1": [1, 2]}), self.work(), BINARY, "")
        self.assertIn("no numbers", str(caught.exception))
        self.assertNotIn("secret", str(caught.exception))
        with self.assertRaisesRegex(TaskFailure, "can't be started"):
            anonymize.cut(self.table([1, 2, 3, 4]), self.work(), "/nowhere/pgveil", "")

    def test_a_worker_that_dies_is_a_failure(self):
        with self.assertRaises(native.NativeError):
            native.run(["/bin/false"], [b"x" * (1 << 20)])


if __name__ == "__main__":
    unittest.main()

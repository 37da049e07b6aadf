"""Jobs of the page that run on a cluster (admin.http.spark). The cluster is played by
harness/stand_in_spark.py; spark/tests has a real one."""
import csv
import io
import pathlib
import time
from collections import Counter

import page_job_uploads_test
from page_job_uploads_test import PEOPLE, TOWNS
from harness.runner import main

STAND_IN = pathlib.Path(__file__).resolve().parent / "harness" / "stand_in_spark.py"
JOB = """version: 1
name: people
input: {file: people.csv}
attributes:
  name: {class: identifier}
  age: {class: quasi_identifier, numeric: true}
  town: {class: quasi_identifier, hierarchy: {file: town.csv}}
  illness: {class: sensitive, l_diversity: {distinct: 2}}
k: 5
algorithm: mondrian
seed: 1
output: {file: result.csv}
"""


class SparkCase(page_job_uploads_test.PageJobsCase):
    http = (
        f'{{port: 0, spark: {{command: {STAND_IN}, submit: "--master local[{{workers}}]", most_workers: 4}}}}'
    )

    def spark(self, sample=100, workers=2, by="multidimensional"):
        return {"workers": workers, "sample": sample, "partition_by": by}

    def start_on_spark(self, text=JOB, **how):
        return self.ask("POST", "runs", {"yaml": text, "files": self.files(), "spark": self.spark(**how)})[
            "id"
        ]

    def left_behind(self):
        return [it.name for it in self.folder().iterdir() if it.is_dir()]


class OnSpark(SparkCase):
    def test_a_job_is_run_and_its_result_is_counted_here(self):
        run = self.wait(self.start_on_spark())
        self.assertEqual((run["state"], run["report"]), ("done", None), run)
        self.assertEqual({key: run["spark"][key] for key in ("workers", "sample", "partition_by", "phase")},
                         {"workers": 2, "sample": 100, "partition_by": "multidimensional", "phase": None})
        told = run["cluster_report"]
        self.assertEqual(
            (told["records"], told["k"], told["parts"], sum(told["records_by_part"])), (120, 5, 2, 120)
        )
        self.assertEqual((told["quasi_identifiers"], told["columns"], told["not_published"]),
                         (["age", "town"], ["age", "town", "illness"], ["name"]))
        self.assertEqual(run["losses"], told["certainty_penalties"])
        _, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        rows = list(csv.DictReader(io.StringIO(text)))
        classes = Counter((row["age"], row["town"]) for row in rows)
        self.assertGreaterEqual(min(classes.values()), 5)
        self.assertEqual(
            (told["classes_counted"], told["smallest_class"]), (len(classes), min(classes.values()))
        )
        self.assertEqual(
            (run["measures"]["before"]["rows"], run["measures"]["after"]["classes"]), (120, len(classes))
        )
        self.assertEqual(self.left_behind(), [])

    def test_the_groups_are_those_of_one_machine(self):
        on_spark = self.wait(self.start_on_spark())
        here = self.run_job(JOB)
        texts = [
            self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")[1] for run in (on_spark, here)
        ]
        self.assertEqual(Counter(texts[0].splitlines()), Counter(texts[1].splitlines()))
        self.assertEqual(len(here["losses"]), 2)  # of mondrian here, too

    def test_it_is_on_record_as_such(self):
        run = self.start_on_spark(workers=3)
        self.wait(run)
        self.assertIn(
            "RUN A JOB OF THE PAGE ON SPARK WITH 3 WORKERS", [it.get("sql") for it in self.audited()]
        )

    def test_what_the_cluster_can_t_do_is_said_before(self):
        for text, spark, word in (
            (page_job_uploads_test.JOB, self.spark(), "mondrian"),
            (JOB, self.spark(workers=5), "5 workers"),
            (JOB, self.spark(workers=0), "0 workers"),
            (JOB, self.spark(sample=0), "sample"),
            (JOB, self.spark(sample=101), "sample"),
        ):
            body = {"yaml": text, "files": self.files(), "spark": spark}
            error = self.ask("POST", "check", body)["error"]
            self.assertIn(word, error["message"] + error["hint"])
            self.ask("POST", "runs", body, expected=400)
        for spark in (
            None,
            {},
            {"workers": 2},
            self.spark(by="chance"),
            self.spark(sample="1"),
            self.spark(workers="2"),
            {**self.spark(), "command": "/bin/sh"},
        ):
            self.ask("POST", "check", {"yaml": JOB, "files": {}, "spark": spark}, expected=400)

    def test_failures_say_why_and_leave_nothing(self):
        for sample, words in (
            (13, "OUT_OF_MEMORY"),
            (19, "not understood"),
            (23, "ended with status 7"),
            (29, "other records"),
            (31, "does not have"),
        ):
            with self.subTest(sample=sample):
                run = self.wait(self.start_on_spark(sample=sample))
                self.assertEqual(
                    (run["state"], run["cluster_report"], run["measures"]), ("failed", None, None)
                )
                self.assertIn(words, run["message"])
                self.assertNotIn("secret", run["message"] + (run["hint"] or ""))
                _, jobs = self.operator.api("GET", "show/jobs")
                row = next(dict(zip(jobs["columns"], it)) for it in jobs["rows"] if it[0] == run["id"])
                self.assertNotIn("OUT_OF_MEMORY", row["message"])  # the cluster's words are its author's
                self.ask("GET", f"runs/{run['id']}/result", expected=400)
                self.assertEqual(self.left_behind(), [])

    def test_what_can_t_be_cut_leaves_nothing(self):
        files = self.files() | {"people.csv": self.upload("people.csv", PEOPLE.replace(",27,", ",young,"))}
        run = self.wait(self.ask("POST", "runs", {"yaml": JOB, "files": files, "spark": self.spark()})["id"])
        self.assertEqual(run["state"], "failed")
        self.assertIn("no numbers", run["message"])
        self.assertEqual(self.left_behind(), [])

    def test_progress_and_cancel(self):
        run = self.start_on_spark(sample=17)
        deadline = time.monotonic() + 60
        while (told := self.ask("GET", f"runs/{run}"))["spark"]["phase"] != "profile":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(
            {key: told["spark"][key] for key in ("tasks", "done", "executors")},
            {"tasks": 4, "done": 1, "executors": 2},
        )
        _, jobs = self.operator.api("GET", "show/jobs")
        row = next(dict(zip(jobs["columns"], it)) for it in jobs["rows"] if it[0] == run)
        self.assertEqual(row["message"], "on 2 of 2 workers: profile, 1 of 4 tasks")
        self.ask("POST", "runs", {"yaml": JOB, "files": self.files(), "spark": self.spark()}, expected=409)
        self.ask("POST", f"runs/{run}/cancel")
        ended = self.wait(run)
        self.assertEqual((ended["state"], ended["cluster_report"]), ("cancelled", None))
        self.assertEqual(self.left_behind(), [])

    def test_admins_are_told_how_many_workers_there_are(self):
        self.assertEqual(self.operator.api("GET", "session")[1]["spark"], {"most_workers": 4})
        self.assertIsNone(self.browser("watcher").api("GET", "session")[1]["spark"])


class SharedFolder(SparkCase):
    http = SparkCase.http.replace("most_workers: 4", "folder: shared")

    def test_what_the_workers_see_is_in_the_folder_that_they_share(self):
        run = self.start_on_spark(sample=17)
        shared = self.pgveil.directory / "shared"
        deadline = time.monotonic() + 60
        while not (found := list(shared.glob("page-*/page-*/input.csv"))):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(found[0].stat().st_mode & 0o077, 0)
        self.assertNotIn("Aber", found[0].read_text())
        self.ask("POST", f"runs/{run}/cancel")
        self.wait(run)
        self.assertEqual(list(shared.glob("page-*/page-*/input.csv")), [])


class NoCommand(SparkCase):
    http = SparkCase.http.replace(str(STAND_IN), "/nonexistent/pgveil-spark")

    def test_a_command_that_is_not_there_fails_the_job(self):
        run = self.wait(self.start_on_spark())
        self.assertEqual(run["state"], "failed")
        self.assertIn("/nonexistent/pgveil-spark", run["message"])


class NoCluster(page_job_uploads_test.PageJobsCase):
    def test_without_a_cluster_there_is_none(self):
        self.assertIsNone(self.operator.api("GET", "session")[1]["spark"])
        body = {
            "yaml": JOB,
            "files": self.files(),
            "spark": {"workers": 1, "sample": 1, "partition_by": "quantiles"},
        }
        self.assertIn("no cluster", self.ask("POST", "check", body)["error"]["message"])
        self.ask("POST", "runs", body, expected=400)


if __name__ == "__main__":
    main()

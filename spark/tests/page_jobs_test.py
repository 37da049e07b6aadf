"""A job that is set up on the page and cut on a real cluster: what comes of it, and that nothing outlives a
cancel or pgveil itself."""
import collections
import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools"), str(HERE.parents[1] / "tests" / "integration")]

import page_job_spark_test  # noqa: E402
import page_job_uploads_test  # noqa: E402
from local_cluster import LocalCluster  # noqa: E402

PATIENCE_S = 300


class OnACluster(page_job_uploads_test.PageJobsCase):
    @classmethod
    def start(cls):
        cls.cluster = LocalCluster(workers=2, memory="800m").__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)
        cls.tools = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-page-test."))
        cls.addClassCleanup(shutil.rmtree, cls.tools, ignore_errors=True)
        command = cls.tools / "pgveil-spark"
        command.write_text(
            f"#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 SPARK_LOCAL_IP=127.0.0.1 PYTHONPATH={HERE.parent} "
            f"exec {sys.executable} -m pgveil_spark.submit \"$@\"\n"
        )
        command.chmod(0o700)
        submit = (
            f"--master {cls.cluster.url} --executor-memory 700m --driver-memory 700m --conf spark.ui.enabled=false "
            "--conf spark.executor.cores=1 --conf spark.cores.max={workers} --conf spark.sql.shuffle.partitions=2"
        )
        cls.http = f"{{port: 0, spark: {{command: {command}, submit: \"{submit}\", most_workers: 2}}}}"
        super().start()

    def wait(self, run):
        deadline = time.monotonic() + PATIENCE_S
        while (answer := self.ask("GET", f"runs/{run}"))["state"] == "running":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        return answer

    def begin(self, **how):
        spark = {"workers": 2, "sample": 100, "partition_by": "multidimensional", **how}
        return self.ask("POST", "runs", {"yaml": page_job_spark_test.JOB, "files": self.files(), "spark": spark})[
            "id"
        ]

    def wait_for_phase(self, run, phases):
        deadline = time.monotonic() + PATIENCE_S
        while (told := self.ask("GET", f"runs/{run}"))["spark"]["phase"] not in phases:
            self.assertEqual(told["state"], "running", told)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def drivers(self):
        """Processes of runs: their command lines name the run's folder."""
        found = subprocess.run(
            ["pgrep", "-f", str(self.pgveil.directory / "state" / ".page")], capture_output=True, text=True
        )
        return found.stdout.split()

    def wait_for_no_driver(self):
        deadline = time.monotonic() + PATIENCE_S
        while self.drivers():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)

    def test_a_job_is_cut_on_the_cluster_and_published_here(self):
        run = self.wait(self.begin())
        self.assertEqual(run["state"], "done", run)
        told = run["cluster_report"]
        self.assertEqual((told["records"], told["parts"], sum(told["records_by_part"])), (120, 2, 120))
        self.assertEqual(
            list(told["phases_ms"]),
            ["start", "ship", "profile", "sample", "partition", "anonymize", "write", "check"],
        )
        self.assertEqual(run["spark"]["executors"], 2)
        self.assertEqual(len(run["losses"]), 2)
        _, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        rows = list(csv.DictReader(io.StringIO(text)))
        classes = collections.defaultdict(list)
        for row in rows:
            classes[row["age"], row["town"]].append(row["illness"])
        self.assertEqual(len(rows), 120)
        self.assertGreaterEqual(min(map(len, classes.values())), 5)
        self.assertEqual({len(set(it)) for it in classes.values()}, {2})
        here = self.wait(self.ask("POST", "runs", {"yaml": page_job_spark_test.JOB, "files": self.files()})["id"])
        self.assertAlmostEqual(here["report"]["certainty_penalty"], told["certainty_penalty"], delta=0.1)
        self.assertEqual([it.name for it in self.folder().iterdir() if it.is_dir()], [])

    def test_a_cancelled_run_leaves_no_process(self):
        run = self.begin()
        self.wait_for_phase(run, ("profile", "sample", "partition", "anonymize"))
        self.assertTrue(self.drivers())
        self.ask("POST", f"runs/{run}/cancel")
        self.assertEqual(self.wait(run)["state"], "cancelled")
        self.wait_for_no_driver()

    def test_a_driver_does_not_outlive_pgveil(self):
        self.wait_for_phase(self.begin(workers=1), ("ship", "profile"))
        os.kill(self.pgveil.pid, signal.SIGKILL)
        self.wait_for_no_driver()
        self.pgveil.start()
        type(self).operator = self.visitor().sign_in("operator")

"""The command pgveil-spark in a process of its own: what it tells programs, when it ends, and a worker that
is lost."""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools")]

from drivers import drivers, job_text, read_csv, write_csv  # noqa: E402
from local_cluster import LocalCluster  # noqa: E402
from session import JAVA_OPTIONS  # noqa: E402

from pgveil_spark import errors, main, output, run, submit  # noqa: E402
from pgveil_spark.report import Report  # noqa: E402
from pgveil_spark.progress import _PHASES  # noqa: E402

BINARY = os.environ["PGVEIL_BIN"]


class Command(unittest.TestCase):
    """The command itself, in a process of its own, on a cluster of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-spark-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "job.yaml").write_text(job_text())

    def command(self, *arguments, binary=BINARY, master=None, environment=None, stdin=None):
        # As in session.py: for a few records, to interpret a query is faster than to compile code for it.
        small = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        }
        words = [f"--master {master} --executor-memory 700m --driver-memory 700m"]
        words += [f"--conf {name}={value}" for name, value in small.items()]
        options = ["--submit", " ".join(words)] if master else []
        return subprocess.Popen(
            [sys.executable, "-m", "pgveil_spark.submit", *options, "--binary", str(binary), *arguments],
            cwd=HERE.parent,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "SPARK_LOCAL_IP": "127.0.0.1",
                "PYSPARK_PYTHON": sys.executable,
                "JDK_JAVA_OPTIONS": JAVA_OPTIONS,
                **(environment or {}),
            },
        )

    def test_mistakes_of_the_command_line_need_no_spark(self):
        for arguments, status in ((["--help"], 0), (["--nonsense", "job.yaml"], 2), ([], 2)):
            process = self.command(*arguments)
            out, wrong = process.communicate(timeout=60)
            self.assertEqual(process.returncode, status, wrong)

    def formats(self, *arguments, source="{file: drivers.csv}", output="out"):
        """Of input and output."""
        text = job_text().replace("{file: drivers.csv}", source).replace("{file: out}", f"{{file: {output}}}")
        (self.folder / "job.yaml").write_text(text)
        given = main.parser().parse_args(["--binary", BINARY, *arguments, str(self.folder / "job.yaml")])
        request = main._request(given, 1.0)
        return request.source.format, request.target.format

    def test_names_of_the_job_and_of_the_command_line_tell_the_formats(self):
        parquet = "{file: people.parquet}"
        table = "{table: public.people}"
        url = ("--url", "jdbc:postgresql://host/x")
        for expected, arguments, files in (
            (("csv", "csv"), (), {}),
            (("parquet", "parquet"), (), {"source": parquet}),
            (("parquet", "csv"), (), {"source": parquet, "output": "anon.csv"}),
            (("csv", "parquet"), (), {"output": "anon.parquet"}),
            (("csv", "csv"), ("--output-format", "csv"), {"output": "anon.parquet"}),
            (("csv", "csv"), ("--format", "csv"), {"source": parquet}),
            (("parquet", "parquet"), ("--input", "hdfs://name/people.parquet/"), {}),
            (("csv", "csv"), ("--input", "hdfs://name/people"), {"source": parquet}),
            (("parquet", "parquet"), ("--format", "parquet", "--input", "hdfs://name/people"), {}),
            (("csv", "parquet"), ("--output", "hdfs://name/anon.parquet"), {}),
            (("parquet", "csv"), ("--output", "hdfs://name/anon.csv"), {"source": parquet}),
            (("jdbc", "csv"), url, {"source": table}),
            (("jdbc", "parquet"), url, {"source": table, "output": "anon.parquet"}),
            (("parquet", "parquet"), ("--input", "people.parquet"), {"source": table}),
        ):
            with self.subTest(arguments=arguments, **files):
                self.assertEqual(self.formats(*arguments, **files), expected)

    def test_sparks_own_page_is_off(self):
        self.assertIn("--conf spark.ui.enabled=false", submit._submit_arguments(["--master", "local[2]"]))
        asked = ["--conf", "spark.ui.enabled=true"]
        self.assertNotIn("spark.ui.enabled=false", submit._submit_arguments(asked))

    def report(self, name="report.json"):
        return output.LocalReport(str(self.folder / name))

    def test_a_report_replaces_nothing_but_a_report(self):
        (self.folder / "ages.csv").write_text("1;*\n")
        for name in ("job.yaml", "ages.csv", "."):
            with self.assertRaisesRegex(errors.Failure, "exists, and is no report of pgveil-spark"):
                self.report(name)
        with self.assertRaisesRegex(errors.Failure, "can't write .*: No such file"):
            self.report("nowhere/report.json")
        texts = [Report(name).json() for name in ("first", "second", "third")]
        for text, is_kept, expected in ((texts[0], True, 0), (texts[1], False, 0), (texts[2], True, 2)):
            with self.report() as file:
                file.put(text)
                if is_kept:
                    file.keep()
            self.assertEqual((self.folder / "report.json").read_text(), texts[expected])
        with self.report("other.json"):
            pass
        with self.report("other.json") as file:
            file.put(texts[0])
        with mock.patch.object(os, "link", side_effect=OSError("no second names")), self.report() as file:
            file.put(texts[0])
        self.assertEqual((self.folder / "report.json").read_text(), texts[2])
        with self.report("late.json") as file:
            (self.folder / "late.json").write_text("something else")
            with self.assertRaisesRegex(errors.Failure, "is no report of pgveil-spark any more"):
                file.put(texts[0])
        self.assertEqual((self.folder / "late.json").read_text(), "something else")
        (self.folder / "late.json").write_text("")
        with self.report("late.json"):
            pass
        (self.folder / "late.json").unlink()
        self.assertEqual({it.name for it in self.folder.iterdir()}, {"job.yaml", "ages.csv", "report.json"})
        self.assertEqual((self.folder / "report.json").stat().st_mode & 0o777, 0o600)

    def ended(self, *how):
        """What the command says, and whether there is a report, if a job ends so."""

        def ending(spark, request, on_phase, on_publish, on_published):
            for step in how:
                if isinstance(step, BaseException):
                    raise step
                {"publish": on_publish, "published": on_published}[step](Report("drivers"))

        given = ["--binary", BINARY, "--report", str(self.folder / "report.json")]
        given.append(str(self.folder / "job.yaml"))
        session = mock.MagicMock()
        session.sparkContext.defaultParallelism = 2
        with mock.patch.object(run, "run", ending), mock.patch.object(main, "_session", lambda _: session):
            failure = main._done(main.parser().parse_args(given), 1.0, lambda _: None)
        is_there = (self.folder / "report.json").exists()
        (self.folder / "report.json").unlink(missing_ok=True)
        self.assertEqual([it.name for it in self.folder.iterdir()], ["job.yaml"])
        return failure, is_there

    def test_a_report_is_there_if_and_only_if_the_result_is(self):
        before = signal.getsignal(signal.SIGINT)
        stopped, interrupt = errors.Failure("stopped"), KeyboardInterrupt()
        nothing = "interrupted; nothing was published"
        self.assertEqual(self.ended("publish", "published"), (None, True))
        self.assertEqual(self.ended(stopped), ("stopped", False))
        self.assertEqual(self.ended("publish", stopped), ("stopped", False))
        self.assertEqual(self.ended(interrupt), (nothing, False))
        for late in (stopped, interrupt, ValueError("of Spark")):
            self.assertEqual(self.ended("publish", "published", late), (None, True))
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def slow_binary(self, seconds=3):
        """Takes its time for each part of the table, and leaves a file that says when it began."""
        slow = self.folder / "slow"
        began = f"touch {self.folder}/began.$$; sleep {seconds};"
        slow.write_text(f'#!/bin/sh\n[ $# -gt 1 ] || {{ {began} }}\nexec {BINARY} "$@"\n')
        slow.chmod(0o755)
        return slow

    def for_programs(self, **how):
        """Its standard input stays open until the caller closes it."""
        arguments = ("--json-lines", "--partitions", "2", "--sample", "100%", str(self.folder / "job.yaml"))
        return self.command(*arguments, master="local[2]", stdin=subprocess.PIPE, **how)

    def test_programs_are_told_how_far_it_is(self):
        write_csv(self.folder / "drivers.csv", drivers(600))
        with self.for_programs() as process:
            told = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.returncode, 0, told)
        phases = list(dict.fromkeys(it["progress"]["phase"] for it in told[:-1]))
        self.assertEqual(phases, [it for it in _PHASES if it in phases])
        self.assertIn("start", phases)
        self.assertEqual((told[-1]["report"]["records"], told[-1]["report"]["parts"]), (600, 2))
        self.assertEqual(len(read_csv(self.folder / "out")), 600)

    def test_it_does_not_outlive_the_program_that_started_it(self):
        write_csv(self.folder / "drivers.csv", drivers(600))
        with self.for_programs(binary=self.slow_binary(seconds=15)) as process:
            while process.poll() is None and not list(self.folder.glob("began.*")):
                time.sleep(0.1)
            process.stdin.close()
            told = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.returncode, 1, told)
        self.assertEqual(list(told[-1]), ["error"])
        self.assertEqual([it.name for it in self.folder.iterdir() if "out" in it.name], [])

    def test_a_worker_that_is_lost_loses_and_doubles_no_record(self):
        given = drivers(4000)
        write_csv(self.folder / "drivers.csv", given)
        slow = self.slow_binary()
        with LocalCluster(workers=2, memory="800m") as cluster:
            process = self.command(
                "--partitions",
                "6",
                "--sample",
                "100%",
                "--report",
                str(self.folder / "report.json"),
                str(self.folder / "job.yaml"),
                binary=slow,
                master=cluster.url,
            )
            killer = threading.Thread(target=self.kill_when_work_began, args=(cluster, process))
            killer.start()
            out, wrong = process.communicate(timeout=500)
            killer.join()
            self.assertEqual(process.returncode, 0, out + wrong)
        self.assertEqual(self.killed, 1)
        self.assertGreater(len(list(self.folder.glob("began.*"))), 6, "nothing had to be done again")
        rows = read_csv(self.folder / "out")
        self.assertEqual(
            collections.Counter(row["id"] for row in rows), collections.Counter(row["id"] for row in given)
        )
        self.assertEqual(json.loads((self.folder / "report.json").read_text())["records"], 4000)
        self.assertIn("records", out)

    def kill_when_work_began(self, cluster, process):
        self.killed = 0
        while process.poll() is None and len(list(self.folder.glob("began.*"))) < 3:
            time.sleep(0.1)
        if process.poll() is None:
            cluster.kill_worker(0)
            self.killed = 1


if __name__ == "__main__":
    unittest.main()

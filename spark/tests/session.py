"""A Spark session for the tests that publish tables, on a cluster of two workers or in one process."""
import atexit
import csv
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools"), str(HERE.parents[1] / "tests" / "integration")]

import pyspark  # noqa: E402
from drivers import job_text, read_csv  # noqa: E402
from local_cluster import SHORT, LocalCluster  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from pgveil_spark import errors, output, run, sources  # noqa: E402
from pgveil_spark.native import Binary  # noqa: E402

BINARY = os.environ["PGVEIL_BIN"]
# Of a job whose age is generalized by levels, not cut.
FULL = dict(age="hierarchy: {intervals: {widths: [10, 30]}}")
DRIVER = "/usr/share/java/postgresql.jar"
# To check the code of Spark's thousands of classes takes a tenth of the time of a small job.
JAVA_OPTIONS = f"{SHORT} -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"


def _minicluster():
    """HDFS in one process, of the version of Hadoop that this Spark has; none: it is not there."""
    jars = pathlib.Path(pyspark.__file__).parent / "jars"
    folder = os.environ.get("PGVEIL_SPARK_JARS", "/nowhere")
    for client in sorted(jars.glob("hadoop-client-api-*.jar")):
        version = client.stem.removeprefix("hadoop-client-api-")
        return glob.glob(f"{folder}/hadoop-client-minicluster-{version}.jar")
    return []


MINICLUSTER = _minicluster()


class _Kept:
    """The session that tests share until others ask for one of the other kind; at most one at a time."""

    session = cluster = None

    @classmethod
    def end(cls):
        if cls.session is not None:
            cls.session.stop()
        if cls.cluster is not None:
            cls.cluster.__exit__()
        cls.session = cls.cluster = None


atexit.register(_Kept.end)


def _session(is_on_cluster):
    if _Kept.session is not None and (_Kept.cluster is not None) == is_on_cluster:
        return _Kept.session
    _Kept.end()
    if is_on_cluster:
        _Kept.cluster = LocalCluster(workers=2, memory="800m").__enter__()
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    settings = {
        "spark.executor.memory": "700m",
        "spark.driver.memory": "700m",
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.hadoop.fs.permissions.umask-mode": "077",
        "spark.sql.shuffle.partitions": "2",
    }
    if not is_on_cluster:
        # To compile code for each query takes longer than to interpret it for a few hundred records.
        settings["spark.sql.codegen.wholeStage"] = "false"
        settings["spark.sql.codegen.factoryMode"] = "NO_CODEGEN"
    if os.path.exists(DRIVER):
        settings["spark.jars"] = DRIVER
    if MINICLUSTER:
        settings["spark.driver.extraClassPath"] = MINICLUSTER[0]
    builder = SparkSession.builder.master(_Kept.cluster.url if is_on_cluster else "local[2]").appName("test")
    for name, value in settings.items():
        builder = builder.config(name, value)
    _Kept.session = builder.getOrCreate()
    _Kept.session.sparkContext.setLogLevel("OFF")
    return _Kept.session


# For tests that vary what a test beside them asks. Each takes several queries of Spark.
long_only = unittest.skipUnless(os.environ.get("PGVEIL_LONG") == "1", "./run test --long spark runs it")


def some(cases, *usual):
    """The cases whose names are `usual`; with --long all of them. For what is the same with each model."""
    names = cases if os.environ.get("PGVEIL_LONG") == "1" else usual
    return {name: cases[name] for name in names}


class PublishTest(unittest.TestCase):
    """With a session of Spark, and a folder for each test."""

    # False: the executors are threads of the session's own Java machine. That takes less time, and is enough
    # where a test does not ask what several machines do.
    is_on_cluster = True

    @classmethod
    def setUpClass(cls):
        cls.spark = _session(cls.is_on_cluster)
        cls.binary = Binary(BINARY)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-spark-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def job(self, **changes):
        path = self.folder / "job.yaml"
        path.write_text(job_text(**changes))
        return self.binary.read_job(str(path))

    def publish(
        self,
        job,
        source=None,
        target="out",
        kind="csv",
        parts=4,
        way="multidimensional",
        fraction=1.0,
        levels=None,
        files=3,
    ):
        source = source or sources.Source("csv", str(self.folder / "drivers.csv"))
        target = output.Target(str(self.folder / target), kind, ",", files)
        request = run.Request(job, source, target, self.binary, parts, way, fraction, levels)
        return run.run(self.spark, request)

    def refused(self, pattern, job, *arguments, **options):
        try:
            self.publish(job, *arguments, **options)
        except Exception as wrong:
            said = str(wrong) if isinstance(wrong, errors.Failure) else errors.one_line(str(wrong))
            self.assertRegex(said, pattern)
        else:
            self.fail("it was published")
        self.assert_nothing_left()
        return said

    def assert_nothing_left(self):
        self.assertEqual(
            [it.name for it in self.folder.iterdir() if "out" in it.name and not it.name.startswith("kept")],
            [],
        )

    def native(self, job, *arguments):
        """What one machine publishes, as sorted rows with the header."""
        subprocess.run([BINARY, "anonymize", job.path, *arguments], check=True, capture_output=True)
        with open(self.folder / "out", newline="") as file:
            rows = sorted(map(tuple, csv.reader(file)))
        os.remove(self.folder / "out")
        return rows

    def published(self, name):
        rows = read_csv(self.folder / name)
        return sorted([tuple(rows[0])] + [tuple(row.values()) for row in rows])

    def parquet(self, speeds, kind):
        rows = [(str(i), "n", 20 + i % 40, "USA", speeds[i % len(speeds)]) for i in range(400)]
        path = str(self.folder / "kept.parquet")
        shutil.rmtree(path, ignore_errors=True)
        columns = f"id string, name string, age int, country string, speed {kind}"
        self.spark.createDataFrame(rows, columns).write.parquet(path)
        return sources.Source("parquet", path)

"""A Spark cluster of two workers, and a session on it, for the tests that publish tables."""
import glob
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools"), str(HERE.parents[1] / "tests" / "integration")]

import pyspark  # noqa: E402
from drivers import job_text  # noqa: E402
from local_cluster import LocalCluster  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from pgveil_spark import errors, output, run, sources  # noqa: E402
from pgveil_spark.native import Binary  # noqa: E402

BINARY = os.environ["PGVEIL_BIN"]
DRIVER = "/usr/share/java/postgresql.jar"


def _minicluster():
    """HDFS in one process, of the version of Hadoop that this Spark has; none: it is not there."""
    jars = pathlib.Path(pyspark.__file__).parent / "jars"
    folder = os.environ.get("PGVEIL_SPARK_JARS", "/nowhere")
    for client in sorted(jars.glob("hadoop-client-api-*.jar")):
        version = client.stem.removeprefix("hadoop-client-api-")
        return glob.glob(f"{folder}/hadoop-client-minicluster-{version}.jar")
    return []


MINICLUSTER = _minicluster()


class ClusterTest(unittest.TestCase):
    """With a cluster, a session on it, and a folder for each test."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster(workers=2, memory="800m").__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)
        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        builder = (
            SparkSession.builder.master(cls.cluster.url)
            .appName("test")
            .config("spark.executor.memory", "700m")
        )
        # Beside this one, the command line of a test wants cores.
        builder = builder.config("spark.ui.enabled", "false").config(
            "spark.hadoop.fs.permissions.umask-mode", "077"
        )
        builder = (
            builder.config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "700m")
            .config("spark.sql.shuffle.partitions", "2")
        )
        if os.path.exists(DRIVER):
            builder = builder.config("spark.jars", DRIVER)
        if MINICLUSTER:
            builder = builder.config("spark.driver.extraClassPath", MINICLUSTER[0])
        cls.spark = builder.getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")
        cls.addClassCleanup(cls.spark.stop)
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

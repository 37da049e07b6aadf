"""Which versions are taken, what is said of the others, and how soon."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from pgveil_spark import supported  # noqa: E402
from pgveil_spark.errors import Failure  # noqa: E402

PACKAGES = {"pyarrow": "18.1.0", "pandas": "2.2.3", "numpy": "1.26.4"}
SPARK_4 = supported.Found((3, 11), "4.0.1", None, PACKAGES, 17)
SPARK_35 = replace(SPARK_4, pyspark="3.5.6", java=11)


class Supported(unittest.TestCase):
    def test_versions_that_fit_are_taken(self):
        for found in (
            SPARK_4,
            SPARK_35,
            replace(SPARK_4, pyspark="4.1.0.dev1", java=21, python=(3, 13)),
            replace(SPARK_35, java=8, python=(3, 9)),
            replace(SPARK_4, jars="4.0.0"),
            replace(SPARK_4, packages={**PACKAGES, "pyarrow": "100.0"}),
        ):
            supported.check(found)

    def test_others_are_refused_with_what_was_found_and_what_to_do(self):
        for changes, said in (
            ({"pyspark": None}, r"^there is no pyspark \(pip install"),
            ({"pyspark": "3.4.9"}, r"^pyspark 3\.4\.9 is not supported \(Spark 3\.5 and 4 are"),
            ({"pyspark": "5.0.0"}, r"^pyspark 5\.0\.0 is not supported"),
            ({"jars": "3.5.6"}, r"^pyspark is 4\.0\.1, and SPARK_HOME has Spark 3\.5\.6 \(unset"),
            ({"python": (3, 8)}, r"^Python 3\.8 does not fit Spark 4\.0\.1 \(take Python 3\.9 to 3\.13"),
            ({"packages": {**PACKAGES, "pyarrow": None}}, r"^there is no pyarrow \(pip install 'pyarrow>=15\.0'"),
            ({"packages": {**PACKAGES, "pyarrow": "9.0.0"}}, r"^pyarrow 9\.0\.0 is too old"),
            ({"packages": {**PACKAGES, "pandas": "1.5.3"}}, r"^pandas 1\.5\.3 is too old"),
            ({"java": None}, r"^there is no Java \(install Java 17 or 21"),
            ({"java": 0}, r"^Java does not start \(see what java -version says"),
            ({"java": 11}, r"^Java 11 does not fit Spark 4\.0\.1 \(name the folder of Java 17 or 21"),
            ({"java": 25}, r"^Java 25 does not fit"),
        ):
            with self.assertRaisesRegex(Failure, said):
                supported.check(replace(SPARK_4, **changes))
        for changes in ({"java": 21}, {"python": (3, 12)}):
            with self.assertRaisesRegex(Failure, r"does not fit Spark 3\.5\.6"):
                supported.check(replace(SPARK_35, **changes))

    def test_this_environment_is_seen_as_it_is(self):
        import pyarrow
        import pyspark

        found = supported.found()
        self.assertEqual(found.python, sys.version_info[:2])
        self.assertEqual(found.pyspark, pyspark.__version__)
        self.assertEqual(found.packages["pyarrow"], pyarrow.__version__)
        supported.check(found)

    def refused(self, folder, **environment):
        command = [sys.executable, "-m", "pgveil_spark.submit", "--binary", "/nowhere", "job.yaml"]
        done = subprocess.run(
            command,
            cwd=HERE.parent,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertFalse((folder / "started").exists(), "Java was started for more than its version")
        return done.stderr

    def test_the_command_says_it_before_java_runs_anything(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            (folder / "jars").mkdir()
            java = folder / "bin" / "java"
            java.write_text(
                f'#!/bin/sh\n[ "$*" = -version ] || touch {folder}/started\n'
                "echo 'openjdk version \"1.7.0_80\"' >&2\n"
            )
            java.chmod(0o755)
            self.assertIn("Java 7 does not fit Spark", self.refused(folder, JAVA_HOME=name))
            self.assertIn("there is no Java", self.refused(folder, JAVA_HOME=name + "/nowhere"))
            told = java.read_text()
            java.write_text("#!/bin/sh\necho 'Error: there is no such option' >&2\nexit 1\n")
            said = self.refused(folder, JAVA_HOME=name)
            self.assertIn("Java does not start (see what java -version says", said)
            java.write_text(told)
            (folder / "jars" / "spark-core_2.12-3.4.2.jar").touch()
            said = self.refused(folder, JAVA_HOME=name, SPARK_HOME=name)
            self.assertIn("SPARK_HOME has Spark 3.4.2", said)


if __name__ == "__main__":
    unittest.main()

"""A real Spark cluster on this machine: a standalone master and workers, each a process of its own. For
tests, demo and bench.

    with LocalCluster(workers=2, memory="700m") as cluster: … cluster.url …
"""
from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Options of Java: a process that ends after minutes does not earn back what the second compiler costs
# (docs/spark.md).
SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def _home() -> str:
    import pyspark

    return os.path.dirname(pyspark.__file__)


class LocalCluster:
    def __init__(self, workers: int = 2, cores: int = 1, memory: str = "700m") -> None:
        self.workers = workers
        self.cores = cores
        self.memory = memory
        self.processes: list[subprocess.Popen[bytes]] = []
        self.url = ""

    def __enter__(self) -> "LocalCluster":
        self.folder = tempfile.mkdtemp(prefix="pgveil-cluster.")
        try:
            self._start(
                "master",
                "org.apache.spark.deploy.master.Master",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--webui-port",
                "0",
            )
            self.url = self._wait("master", r"Starting Spark master at (spark://\S+)")
            for i in range(self.workers):
                self.start_worker(i)
            for i in range(self.workers):
                self._wait(f"worker{i}", r"(Successfully registered with master)")
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_worker(self, i: int) -> None:
        self._start(
            f"worker{i}",
            "org.apache.spark.deploy.worker.Worker",
            "--cores",
            str(self.cores),
            "--memory",
            self.memory,
            "--webui-port",
            "0",
            "--work-dir",
            f"{self.folder}/work{i}",
            self.url,
        )

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_HOME": _home(),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": SHORT,
            "SPARK_LOCAL_DIRS": f"{self.folder}/local",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_CONF_DIR": self.folder,
        }

    def _start(self, name: str, *command: str) -> None:
        with open(f"{self.folder}/{name}.log", "wb") as log:
            process = subprocess.Popen(
                [f"{_home()}/bin/spark-class", *command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=self.environment(),
                start_new_session=True,
            )
        self.processes.append(process)

    def log(self, name: str) -> str:
        return pathlib.Path(self.folder, name + ".log").read_text(errors="replace")

    def _wait(self, name: str, pattern: str) -> str:
        for _ in range(1200):
            found = re.search(pattern, self.log(name))
            if found:
                return found.group(1)
            if any(process.poll() is not None for process in self.processes):
                break
            time.sleep(0.1)
        raise RuntimeError(f"the {name} did not start: {self.log(name)[-2000:]}")

    def kill_worker(self, i: int) -> None:
        """Like a machine that loses its power: the worker and all that it started, without a word."""
        worker = self.processes[1 + i]
        for pid in [worker.pid, *_below(worker.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait()

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            below = _below(process.pid)
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            for pid in [process.pid, *below]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _below(pid: int) -> list[int]:
    """All processes that it started, and theirs."""
    parents: dict[int, list[int]] = {}
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            stat = (entry / "stat").read_text() if entry.name.isdigit() else ""
            if stat:
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, open_ones = [], [pid]
    while open_ones:
        below = parents.get(open_ones.pop(), [])
        found += below
        open_ones += below
    return found

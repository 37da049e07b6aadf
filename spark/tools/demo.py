"""A table of made-up drivers, published by one machine and by a Spark cluster of two workers here; --check
compares."""
import collections
import csv
import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from local_cluster import LocalCluster

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ["PGVEIL_BIN"]
ROWS = int(os.environ.get("PGVEIL_DEMO_ROWS", "200000"))
JOB = """version: 1
name: drivers
input: {file: drivers.csv}
attributes:
  plate: {class: identifier}
  age: {class: quasi_identifier, numeric: true}
  country: {class: quasi_identifier, hierarchy: {tree: {Europe: [Italy, France, Spain], America: [Canada, USA, Mexico]}}}
  km: {class: quasi_identifier, numeric: true}
  top_speed: {class: sensitive, l_diversity: {distinct: 2}}
k: 5
algorithm: mondrian
seed: 1
output: {file: one_machine.csv}
"""
checks = {True: 0, False: 0}


def say(text: str) -> None:
    print(text, flush=True)


def check(name: str, good: bool) -> None:
    checks[good] += 1
    say(f"{'ok    ' if good else 'FAILED'}  {name}")


def write_table(path: pathlib.Path) -> None:
    countries = ["Italy", "France", "Spain", "Canada", "USA", "Mexico"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["plate", "age", "country", "km", "top_speed"])
        state = 1
        for i in range(ROWS):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            a, b, c, d = state >> 8 & 0xFF, state >> 20 & 0xFFFF, state >> 40 & 0xFF, state >> 52 & 0xFF
            writer.writerow(
                [
                    f"P{i:07}",
                    18 + (a + c) // 7,
                    countries[(c * a >> 4) % 6],
                    (b * b >> 16) // 100 * 100,
                    90 + 10 * (d % 12),
                ]
            )


def published(folder: pathlib.Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for name in sorted(glob.glob(f"{folder}/part-*.csv")):
        with open(name, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


def spark(folder: pathlib.Path, cluster: LocalCluster) -> "subprocess.CompletedProcess[str]":
    options = (
        f"--master {cluster.url} --driver-memory 1g --executor-memory 700m --conf spark.ui.enabled=false"
    )
    command = [
        sys.executable,
        "-m",
        "pgveil_spark.submit",
        "--submit",
        options,
        "--binary",
        BINARY,
        "--output",
        str(folder / "cluster"),
        "--partitions",
        "4",
        "--report",
        str(folder / "cluster.json"),
        str(folder / "job.yaml"),
    ]
    return subprocess.run(
        command, cwd=HERE.parent, env=cluster.environment(), capture_output=True, text=True, check=False
    )


def compare(folder: pathlib.Path, again: str) -> None:
    rows = published(folder / "cluster")
    classes = collections.defaultdict(list)
    for row in rows:
        classes[row["age"], row["country"], row["km"]].append(row["top_speed"])
    check("every record was published once", len(rows) == ROWS)
    check("no identifier was", bool(rows) and "plate" not in rows[0])
    check("each class has 5 records or more", min(map(len, classes.values())) >= 5)
    check("and two speeds or more", min(len(set(speeds)) for speeds in classes.values()) >= 2)
    told = json.loads((folder / "cluster.json").read_text())
    check(
        "the report counts them",
        told["records"] == ROWS and told["smallest_class"] == min(map(len, classes.values())),
    )
    check("the output is not written over", "exists" in again)
    check("nothing else is left", {it.name for it in folder.iterdir()} ==
          {"drivers.csv", "job.yaml", "one_machine.csv", "one_machine.json", "cluster", "cluster.json"})


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is ended too
    with tempfile.TemporaryDirectory(prefix="pgveil-demo-spark.") as name:
        folder = pathlib.Path(name)
        say(f"== {ROWS} drivers; a Spark master and two workers on this machine")
        write_table(folder / "drivers.csv")
        (folder / "job.yaml").write_text(JOB)
        one = subprocess.run(
            [BINARY, "anonymize", "--report", str(folder / "one_machine.json"), str(folder / "job.yaml")],
            capture_output=True,
            text=True,
            check=False,
        )
        say("== one machine\n" + one.stdout + one.stderr)
        with LocalCluster(workers=2, memory="800m") as cluster:
            done = spark(folder, cluster)
            say("== the cluster\n" + done.stdout + (done.stderr if done.returncode else ""))
            again = spark(folder, cluster).stderr
            say("== once more, to the same place\n" + "\n".join(again.splitlines()[-3:]))
        for row in published(folder / "cluster")[:5]:
            say("  " + ", ".join(f"{key} {value}" for key, value in row.items()))
        if "--check" not in sys.argv:
            return done.returncode
        if done.returncode == 0:
            compare(folder, again)
        else:
            check("the cluster published", False)
        say(f"{checks[True]} passed, {checks[False]} failed")
        return 1 if checks[False] else 0


if __name__ == "__main__":
    sys.exit(main())

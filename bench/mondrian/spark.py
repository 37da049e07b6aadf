#!/usr/bin/env python3
"""Mondrian on a Spark cluster of two workers here against one machine: time split into start-up and work, DP
and GCP as ratios, by number of parts and sample. README.md says how.
Arguments: --rounds=N, --sets=adult,census, --parts=2,4,8,16, --samples=0.1%,100%, --jvm=default or short
(docs/spark.md: what short jobs gain), --rows=N (each set repeated up to N rows)."""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ["ROOT"])
sys.path[:0] = [str(ROOT / "spark"), str(ROOT / "spark" / "tools")]
from local_cluster import SHORT, LocalCluster  # noqa: E402

BINARY = os.environ["PGVEIL_BIN"]
DATASETS = pathlib.Path(os.environ.get("PGVEIL_DATASETS", ROOT.parent / "shared" / "datasets"))
HEAD = """version: 1
name: {name}
input: {{file: "{file}", separator: ";"}}
k: 5
algorithm: mondrian
mondrian: {{cut_by: normalized_span}}
seed: {seed}
output: {{file: out}}
attributes:
"""


# Most of what a short job takes is the Java machines compiling themselves.
JVM = {
    "default": "",
    "short": f' --conf "spark.driver.extraJavaOptions={SHORT}" --conf "spark.executor.extraJavaOptions={SHORT}"'
    " --conf spark.sql.shuffle.partitions=4",
}


def table_of(chosen):
    return {"adult": DATASETS, "census": ROOT / "build" / "bench" / "drawn"}[chosen] / "data" / f"{chosen}.csv"


def repeated(file, rows, folder):
    """The file, or one with its records again and again until there are so many."""
    if rows == 0:
        return file
    header, *records = file.read_text().splitlines(keepends=True)
    made = folder / file.name
    with made.open("w") as out:
        out.write(header)
        for begin in range(0, rows, len(records)):
            out.writelines(records[: rows - begin])
    return made


def adult(file, seed):
    job = (
        HEAD.format(name="adult", file=file, seed=seed)
        + "  age: {class: quasi_identifier, numeric: true}\n"
    )
    for name in ("education", "race", "native-country"):
        file = DATASETS / "hierarchies" / f"adult_hierarchy_{name}.csv"
        job += f'  {name}: {{class: quasi_identifier, hierarchy: {{file: "{file}"}}}}\n'
    return job + "  salary-class: {class: sensitive, l_diversity: {distinct: 2}}\n"


def census(file, seed):
    lines = table_of("census").read_text().splitlines()
    states = sorted({line.split(";")[lines[0].split(";").index("state")] for line in lines[1:]})
    job = HEAD.format(name="census", file=file, seed=seed)
    job += f"  state: {{class: quasi_identifier, hierarchy: {{order: {{values: {json.dumps(states)}, groups: [2, 2, 2, 2, 2]}}}}}}\n"
    for name in ("age", "education", "occupation"):
        job += f"  {name}: {{class: quasi_identifier, numeric: true}}\n"
    return job + "  income: {class: sensitive, l_diversity: {distinct: 2}}\n"


def options(given):
    """given: the defaults, which the arguments replace."""
    for argument in sys.argv[1:]:
        key, _, value = argument.removeprefix("--").partition("=")
        if key in given:
            given[key] = value
        elif key != "spark":
            sys.exit(f"unknown argument {argument}")
    return given


def central(folder, job):
    (folder / "job.yaml").write_text(job)
    subprocess.run(
        [BINARY, "anonymize", "--report", folder / "report.json", folder / "job.yaml"],
        check=True,
        capture_output=True,
    )
    (folder / "out").unlink()
    groups = json.loads((folder / "report.json").read_text())["mondrian"]
    (folder / "report.json").unlink()
    return groups["discernibility_penalty"], groups["gcp_tight"]


def distributed(folder, job, cluster, parts, sample, jvm, memory="1g", more=()):
    (folder / "job.yaml").write_text(job)
    begin = time.monotonic()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pgveil_spark.submit",
            "--submit",
            f"--master {cluster.url} --driver-memory {memory} --executor-memory {memory} "
            f"--conf spark.ui.enabled=false{JVM[jvm]}",
            "--binary",
            BINARY,
            "--partitions",
            str(parts),
            "--sample",
            sample,
            "--output",
            str(folder / "cluster"),
            "--report",
            str(folder / "cluster.json"),
            *more,
            str(folder / "job.yaml"),
        ],
        cwd=ROOT / "spark",
        env=cluster.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    whole = time.monotonic() - begin
    subprocess.run(["rm", "-r", folder / "cluster"], check=True)
    told = json.loads((folder / "cluster.json").read_text())
    work = (sum(told["phases_ms"].values()) - told["phases_ms"]["start"]) / 1000
    return whole - work, work, told["discernibility_penalty"], told["certainty_penalty"], told["parts"]


def shown(values):
    return f"{statistics.median(values):.3g} ({min(values):.3g}–{max(values):.3g})"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is ended too
    given = options(
        {
            "rounds": "5",
            "sets": "adult,census",
            "parts": "2,4,8,16",
            "samples": "0.1%,100%",
            "jvm": "default",
            "rows": "0",
        }
    )
    print(
        "| set | sample | parts asked / made | start-up, s | work, s | DP ÷ one machine's | GCP ÷ one machine's |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as name, LocalCluster(workers=2, memory="1200m") as cluster:
        folder = pathlib.Path(name)
        for chosen in given["sets"].split(","):
            file = repeated(table_of(chosen), int(given["rows"]), folder)

            def make(seed, write={"adult": adult, "census": census}[chosen], file=file):
                return write(file, seed)

            dp, gcp = central(folder, make(1))
            for sample in given["samples"].split(","):
                for parts in map(int, given["parts"].split(",")):
                    rounds = [
                        distributed(folder, make(seed), cluster, parts, sample, given["jvm"])
                        for seed in range(1, int(given["rounds"]) + 1)
                    ]
                    start, work, dps, gcps, made = zip(*rounds)
                    print(
                        f"| {chosen} | {sample} | {parts} / {statistics.median(made):g} | {shown(start)} | {shown(work)} | "
                        f"{shown([it / dp for it in dps])} | {shown([it / gcp for it in gcps])} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

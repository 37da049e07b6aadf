#!/usr/bin/env python3
"""pgveil-spark beside the public Spark implementation of De Capitani di Vimercati et al. (2021), on the same
cluster of two workers with one core each, in turns, with the same table, cuts, k and l. README.md says how.
Arguments: --public=FOLDER (a clone of their repository), --rows=N,N…, --rounds=N, --jvm=default or short,
--penalties=yes or no (one more run of theirs, which computes them), --most=N (theirs is stopped when it has
taken N times as long as pgveil)."""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

from spark import JVM, distributed, options, shown
from local_cluster import LocalCluster

# The columns of their experiment on a census, with as many values. All are numbers, so both cut at medians.
VALUES = {"state": 51, "age": 97, "education": 11, "occupation": 477, "income": 400}
QUASI_IDENTIFIERS = list(VALUES)[:-1]
MEASURES = ["discernability_penalty", "global_certainty_penalty"]
MEMORY = "4g"


def draw(rows, file):
    """Small numbers are more frequent than large ones, and the same rows are drawn each time."""
    random = numpy.random.default_rng(1)
    with file.open("w") as out:
        out.write(",".join(VALUES) + "\n")
        for begin in range(0, rows, 100_000):
            shares = random.random((min(100_000, rows - begin), len(VALUES))) ** 2
            records = (shares * list(VALUES.values())).astype(int).tolist()
            out.writelines(",".join(map(str, record)) + "\n" for record in records)


def our_job(file):
    kind = "{class: quasi_identifier, numeric: true}"
    attributes = "".join(f"  {name}: {kind}\n" for name in QUASI_IDENTIFIERS)
    return (
        f'version: 1\nname: census\ninput: {{file: "{file}", separator: ","}}\nk: 5\nalgorithm: mondrian\n'
        f"mondrian: {{cut_by: span}}\nseed: 1\noutput: {{file: out}}\nattributes:\n{attributes}"
        "  income: {class: sensitive, l_diversity: {distinct: 2}}\n"
    )


def theirs(folder, file, cluster, public, measures, limit=None):
    """The seconds and what was printed; nothing printed: it was stopped at the limit."""
    app = public / "distributed"
    (folder / "theirs.json").write_text(
        json.dumps(
            {
                "input": file.as_uri(),
                "output": (folder / "theirs.csv").as_uri(),
                "fraction": min(1, 100_000 / sum(1 for _ in file.open())),
                "quasiid_columns": QUASI_IDENTIFIERS,
                "sensitive_columns": ["income"],
                "column_score": "span",
                "fragmentation": "quantile",
                "repartition": "repartitionByRange",
                "K": 5,
                "L": 2,
                "quasiid_generalizations": [],
                "measures": measures,
            }
        )
    )
    command = [
        cluster.environment()["SPARK_HOME"] + "/bin/spark-submit",
        *("--master", cluster.url, "--driver-memory", MEMORY, "--executor-memory", MEMORY),
        *("--conf", "spark.ui.enabled=false", "--conf", "spark.default.parallelism=2"),
        *("--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.cores.max=2"),
        # Else Spark puts both of their parts into one task.
        *("--conf", "spark.sql.adaptive.coalescePartitions.enabled=false"),
        *("--conf", "spark.driver.maxResultSize=0", "--conf", "spark.rpc.message.maxSize=2000"),
        *("--py-files", ",".join(map(str, sorted((app / "mondrian").glob("*.py"))))),
        *(str(app / "anonymize.py"), str(folder / "theirs.json"), "2", "0", "0"),
    ]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=cluster.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return time.monotonic() - begin, ""
    if done.returncode != 0:
        sys.exit(done.stderr[-4000:])
    return time.monotonic() - begin, done.stdout


def penalties(printed):
    found = dict(line.split(" Penalty = ") for line in printed.splitlines() if " Penalty = " in line)
    return float(found["Discernability"]), float(found["Global Certainty"])


def figure(value):
    return "–" if value is None else f"{value:.3g}"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is ended too
    given = options(
        {"public": "", "rows": "500000", "rounds": "3", "jvm": "default", "penalties": "yes", "most": "20"}
    )
    public = pathlib.Path(given["public"]).resolve()
    if given["jvm"] not in JVM or not (public / "distributed" / "anonymize.py").is_file():
        sys.exit("--public= takes a clone of the implementation, and --jvm= default or short")
    print("| rows | pgveil, s | public, s | public ÷ pgveil | GCP | public GCP | DP | public DP |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name, LocalCluster(workers=2, memory=MEMORY) as cluster:
        folder = pathlib.Path(name)
        for rows in map(int, given["rows"].split(",")):
            file = folder / "census.csv"
            draw(rows, file)
            # Both cut the first parts by a sample of 100,000 records.
            sample = f"{min(100, 10_000_000 / rows):g}%"
            dp = gcp = other_dp = other_gcp = None
            if given["penalties"] == "yes":
                other_dp, other_gcp = penalties(theirs(folder, file, cluster, public, MEASURES)[1])
            ours, others, is_stopped = [], [], False
            for _ in range(int(given["rounds"])):
                start, work, dp, gcp, _ = distributed(
                    folder,
                    our_job(file),
                    cluster,
                    2,
                    sample,
                    given["jvm"],
                    memory=MEMORY,
                    more=["--partition-by", "quantiles"],
                )
                ours.append(start + work)
                print(f"{rows} rows: pgveil {ours[-1]:.1f} s", file=sys.stderr)
                seconds, printed = theirs(folder, file, cluster, public, [], ours[-1] * float(given["most"]))
                others.append(seconds)
                is_stopped = is_stopped or not printed
                print(f"{rows} rows: public {seconds:.1f} s{'' if printed else ', stopped'}", file=sys.stderr)
            ratios = [other / our for our, other in zip(ours, others)]
            more_than = "> " if is_stopped else ""
            ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
            print(
                f"| {rows:,} | {shown(ours)} | {more_than}{shown(others)} | {more_than}{ratio} | {figure(gcp)} | "
                f"{figure(other_gcp)} | {figure(dp)} | {figure(other_dp)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

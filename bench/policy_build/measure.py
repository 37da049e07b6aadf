"""The measurements of bench/policy_build/run.sh: measure.py --port=N --pairs=N. README.md says what they
mean."""
import argparse
import os
import statistics
import subprocess
import time

from bench_clients import connected
from intervals import interval, print_table

NAMES = "sex, age, race, marital_status, education"
GROUP_BY = f"SELECT {NAMES}, count(*) FROM people GROUP BY {NAMES}"
BUILD = ["./pgveil", "policy", "build", "people", "--config", "pgveil.yaml"]


def counted(port):
    """Seconds for a client that connects, asks the one GROUP BY and reads its answer."""
    start = time.perf_counter()
    connection = connected(port, "postgres", "bench")
    cursor = connection.cursor()
    cursor.execute(GROUP_BY)
    combinations = len(cursor.fetchall())
    connection.close()
    return time.perf_counter() - start, combinations


def built():
    """Seconds and megabytes of one build, and what it says."""
    start = time.perf_counter()
    process = subprocess.Popen(BUILD, stdout=subprocess.PIPE, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"pgveil policy build ended with status {status}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, said


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pairs", type=int, required=True)
    options = arguments.parse_args()
    rows = [
        [
            "parallel query",
            "combinations",
            "GROUP BY, s",
            "build, s",
            "ratio (95 %)",
            "pgveil CPU, s",
            "pgveil, MB",
        ]
    ]
    owner = connected(options.port, "postgres", "bench")
    for workers in (0, 2):
        owner.cursor().execute(f"ALTER ROLE postgres SET max_parallel_workers_per_gather = {workers}")
        counts, builds, combinations = [], [], 0
        counted(options.port)
        for pair in range(options.pairs):
            for what in (("count", "build"), ("build", "count"))[pair % 2]:
                if what == "build":
                    builds.append(built())
                else:
                    seconds, combinations = counted(options.port)
                    counts.append(seconds)
        middle, low, high = interval([build[0] / count for build, count in zip(builds, counts)])
        median = lambda i: statistics.median(build[i] for build in builds)
        rows.append(
            [
                "on" if workers else "off",
                f"{combinations:,}",
                f"{statistics.median(counts):.2f}",
                f"{median(0):.2f}",
                f"{middle:.2f} ({low:.2f}–{high:.2f})",
                f"{median(2):.2f}",
                f"{median(1):.0f}",
            ]
        )
    print_table(rows)
    print(builds[-1][3].strip())


if __name__ == "__main__":
    main()

"""The measurements of bench/scale/run.sh: measure.py --port=N --policies=N,N… --k=N. README.md says what
they mean."""
import argparse
import contextlib
import os
import re
import subprocess
import time

import psycopg2

from bench_clients import connected, listen_port
from intervals import print_table

LISTEN = listen_port()
COLUMNS = ("sex", "age", "race", "marital_status", "education")


def configure(policies, k, id_class="identifier"):
    """people.yaml with a policy for each of the first tables."""
    with open("people.yaml", "w", encoding="utf-8") as out:
        out.write("version: 1\npolicies:\n")
        for i in range(1, policies + 1):
            out.write(f"  - name: people{i}\n    database: bench\n    table: public.people{i}\n    k: {k}\n")
            out.write("    readers: [bench]\n    columns:\n")
            out.write(f"      id: {{class: {id_class}}}\n")
            for column in COLUMNS:
                out.write(f"      {column}: {{class: quasi_identifier}}\n")


def memory_mb(pid):
    """Resident now, and the most so far."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file)
    return tuple(int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def built():
    """Seconds, megabytes, and the cohorts of all policies."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        ["./pgveil", "policy", "build", "--all", "--config", "pgveil.yaml"], stdout=subprocess.PIPE, text=True
    )
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"pgveil policy build ended with status {status}")
    cohorts = sum(int(number) for number in re.findall(r"(\d+) cohorts", said))
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, cohorts


@contextlib.contextmanager
def serving():
    """The process of pgveil serve, once it answers and until it is no longer needed."""
    process = subprocess.Popen(["./pgveil", "serve", "--config", "pgveil.yaml"])
    try:
        while True:
            try:
                connected(LISTEN, "bench", "pgveil").close()
                break
            except psycopg2.OperationalError:
                if process.poll() is not None:
                    raise SystemExit("pgveil serve ended") from None
                time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


def measured(owner, policies, k):
    configure(policies, k)
    for i in range(1, policies + 1):
        owner.execute(f"GRANT SELECT ON people{i} TO bench")
    build_s, build_mb, cohorts = built()
    begin = time.perf_counter()
    with serving() as process:
        start_s = time.perf_counter() - begin
        console = connected(LISTEN, "bench", "pgveil").cursor()
        started_mb, _ = memory_mb(process.pid)
        begin = time.perf_counter()
        console.execute("RELOAD")
        reload_s = time.perf_counter() - begin
        for _ in range(3):
            console.execute("RELOAD")
        reloaded_mb, peak_mb = memory_mb(process.pid)
        begin = time.perf_counter()
        console.execute("BUILD POLICY people1 FRESH")
        one_s = time.perf_counter() - begin
        reader = connected(LISTEN, "bench", "bench").cursor()
        for i in range(1, policies + 1):
            reader.execute(f"SELECT count(*) FROM people{i} WHERE age IS NULL")
        used_mb, _ = memory_mb(process.pid)
    numbers = (build_s, build_mb, start_s, started_mb, reload_s, reloaded_mb, peak_mb, one_s, used_mb)
    return [f"{policies}", f"{cohorts:,}", *(f"{number:,.1f}" for number in numbers)]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--k", type=int, required=True)
    arguments.add_argument("--policies", required=True)
    options = arguments.parse_args()
    owner = connected(options.port, "postgres", "bench").cursor()
    print_table(
        [
            [
                "policies",
                "cohorts",
                "build all, s",
                "build all, MB",
                "start, s",
                "started, MB",
                "RELOAD, s",
                "after four RELOADs, MB",
                "peak, MB",
                "BUILD of one, s",
                "after a query of each, MB",
            ],
            *(measured(owner, count, options.k) for count in sorted(map(int, options.policies.split(",")))),
        ]
    )


if __name__ == "__main__":
    main()

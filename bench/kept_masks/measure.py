"""The measurements of bench/kept_masks/run.sh: measure.py --port=N --rounds=N --policies=N. README.md says
what they mean."""
import argparse
import re
import statistics
import subprocess
import time

import psycopg2

from bench_clients import connected, listen_port
from intervals import interval, print_table

with open("pgveil.yaml", encoding="utf-8") as file:
    CONFIG = file.read()
LISTEN = listen_port()


class Proxy:
    """pgveil serve over these policy files, whose tables it may read; ready_s: until it answers, all masks
    made."""

    def __init__(self, files, owner):
        self.owner = owner
        tables = [
            name
            for file in files
            for name in re.findall(r"table: public[.](\w+)", open(file, encoding="utf-8").read())
        ]
        self.tables = ", ".join(tables)
        owner.execute(f"GRANT SELECT ON {self.tables} TO bench")
        with open("kept.yaml", "w", encoding="utf-8") as out:
            out.write(re.sub(r"^policies: .*$", f"policies: [{', '.join(files)}]", CONFIG, flags=re.M))
        subprocess.run(
            ["./pgveil", "policy", "build", "--all", "--config", "kept.yaml"], check=True, capture_output=True
        )
        begin = time.perf_counter()
        self.process = subprocess.Popen(["./pgveil", "serve", "--config", "kept.yaml"])
        while True:
            try:
                self.console = connected(LISTEN, "bench", "pgveil")
                break
            except psycopg2.OperationalError:
                if self.process.poll() is not None:
                    raise SystemExit("pgveil serve ended") from None
                time.sleep(0.01)
        self.ready_s = time.perf_counter() - begin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.console.close()
        self.process.terminate()
        self.process.wait()
        self.owner.execute(f"REVOKE SELECT ON {self.tables} FROM bench")

    def seconds(self, command):
        begin = time.perf_counter()
        self.console.cursor().execute(command)
        return time.perf_counter() - begin

    def versions(self):
        cursor = self.console.cursor()
        cursor.execute("SHOW POLICIES")
        names = [column.name for column in cursor.description]
        return {row[names.index("policy")]: row[names.index("version")] for row in cursor}


def builds(owner, rounds):
    """BUILD of the small table, alone and beside the large ones."""
    took, ready = {}, {}
    for name, files in (("alone", ["small.yaml"]), ("beside", ["large.yaml", "small.yaml"])):
        with Proxy(files, owner) as proxy:
            ready[name] = proxy.ready_s
            took[name] = [proxy.seconds("BUILD POLICY small FRESH") for _ in range(rounds)]
    median = {name: statistics.median(seconds) for name, seconds in took.items()}
    ratio, low, high = interval([beside / alone for beside, alone in zip(took["beside"], took["alone"])])
    print_table(
        [
            ["", "start: every mask is made, s", "BUILD of 20 rows: one is made, s", "BUILD / start"],
            *[
                [
                    {"alone": "the small table alone", "beside": "beside the large ones"}[name],
                    f"{ready[name]:.2f}",
                    f"{median[name]:.2f}",
                    f"{median[name] / ready[name]:.2f}",
                ]
                for name in took
            ],
        ]
    )
    print(f"\nBUILD beside / BUILD alone: {ratio:.2f} ({low:.2f}–{high:.2f})\n")


def checks(owner, rounds, policies):
    """A value of every table falls below k at one moment: how long until each is repaired?"""
    waited = []
    with Proxy(["many.yaml"], owner) as proxy:
        for lost in range(rounds):
            time.sleep(1.5)
            before = proxy.versions()
            for i in range(1, policies + 1):
                owner.execute(f"DELETE FROM many{i} WHERE a = 'a{lost}'")
            begin = time.perf_counter()
            left = set(before)
            while left:
                now = proxy.versions()
                repaired = {name for name in left if now[name] != before[name]}
                waited += [time.perf_counter() - begin] * len(repaired)
                left -= repaired
                if time.perf_counter() - begin > 600:
                    raise SystemExit(f"not repaired after ten minutes: {sorted(left)}")
                time.sleep(0.02)
    waited.sort()
    print_table(
        [
            ["policies", "check_every", "repaired after, s (median)", "95 %", "the last"],
            [
                str(policies),
                "1s",
                f"{statistics.median(waited):.2f}",
                f"{waited[int(len(waited) * 0.95)]:.2f}",
                f"{waited[-1]:.2f}",
            ],
        ]
    )


def main():
    arguments = argparse.ArgumentParser()
    for name in ("port", "rounds", "policies"):
        arguments.add_argument(f"--{name}", type=int, required=True)
    options = arguments.parse_args()
    connection = connected(options.port, "postgres", "bench")
    owner = connection.cursor()
    builds(owner, options.rounds)
    checks(owner, options.rounds, options.policies)


if __name__ == "__main__":
    main()

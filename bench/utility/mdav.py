#!/usr/bin/env python3
"""How much of the variance of numbers is lost by the means of groups of five: MDAV (Domingo-Ferrer and
Torra 2005), which pgveil does not have, against the groups that Mondrian and least loss form.

    bench/utility/mdav.py build/release/cli/pgveil

Three tables of 1,000 records with two numbers that depend on each other and one that is skewed, from seeds.
Prints for each the sum of squared distances to the mean of the group ÷ that to the mean of all, after each
column was standardized."""
import csv
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

K = 5
JOB = """\
version: 1
name: numbers
input: {file: in.csv}
attributes:
  a: {class: quasi_identifier, numeric: true}
  b: {class: quasi_identifier, numeric: true}
  c: {class: quasi_identifier, numeric: true}
  id: {class: insensitive}
k: 5
algorithm: ALGORITHM
seed: 1
output: {file: out.csv, replace: true}
"""


def table(seed):
    draw = random.Random(seed)
    rows = []
    for _ in range(1000):
        first, second = draw.gauss(0, 1), draw.gauss(0, 0.7)
        rows.append(
            (
                round(50 + 12 * first),
                round(30000 + 9000 * (0.7 * first + second)),
                round(100 * draw.expovariate(1)),
            )
        )
    return rows


def standardized(rows):
    columns = list(zip(*rows))
    means, deviations = [statistics.fmean(it) for it in columns], [statistics.pstdev(it) for it in columns]
    return [tuple((x - m) / d for x, m, d in zip(row, means, deviations)) for row in rows]


def distance(one, other):
    return sum((x - y) ** 2 for x, y in zip(one, other))


def center(points, places):
    return tuple(statistics.fmean(points[i][j] for i in places) for j in range(len(points[0])))


def mdav(points):
    """In turn the records nearest to the one farthest from the center, and to the one farthest from that."""
    rest, groups = list(range(len(points))), []

    def farthest(place):
        return max(rest, key=lambda i: (distance(points[i], place), -i))

    def take(place):
        nonlocal rest
        nearest = sorted(rest, key=lambda i: (distance(points[i], place), i))[:K]
        groups.append(nearest)
        rest = [i for i in rest if i not in set(nearest)]

    while len(rest) >= 3 * K:
        first = points[farthest(center(points, rest))]
        take(first)
        take(points[farthest(first)])
    if len(rest) >= 2 * K:
        take(points[farthest(center(points, rest))])
    return groups + [rest]


def groups_of(pgveil, algorithm, rows, folder):
    with open(folder / "in.csv", "w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "c", "id"), *((*row, i) for i, row in enumerate(rows))])
    (folder / "job.yaml").write_text(JOB.replace("ALGORITHM", algorithm))
    subprocess.run([pgveil, "anonymize", folder / "job.yaml"], check=True, capture_output=True)
    groups = {}
    with open(folder / "out.csv", newline="") as file:
        for row in csv.DictReader(file):
            groups.setdefault((row["a"], row["b"], row["c"]), []).append(int(row["id"]))
    return list(groups.values())


def loss(points, groups):
    centers = [center(points, group) for group in groups]
    own = sum(distance(points[i], at) for group, at in zip(groups, centers) for i in group)
    # Each standardized column has the variance 1.
    return own / (len(points) * len(points[0]))


def main():
    pgveil = pathlib.Path(sys.argv[1]).resolve()
    for seed in (1, 2, 3):
        rows = table(seed)
        points = standardized(rows)
        losses = {"mdav": loss(points, mdav(points))}
        with tempfile.TemporaryDirectory() as folder:
            for algorithm in ("mondrian", "least_loss"):
                losses[algorithm] = loss(points, groups_of(pgveil, algorithm, rows, pathlib.Path(folder)))
        print(f"seed {seed}: " + ", ".join(f"{name} {100 * share:.2f} %" for name, share in losses.items()))


if __name__ == "__main__":
    main()

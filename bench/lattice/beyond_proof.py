"""Lattices that are too large for a proof: beyond_proof.py PGVEIL FOLDER SECONDS. Draws 30,000 records of the
shape of a table of credit cards (categories and binned amounts that two hidden factors join), with 14, 18 and
24 quasi-identifiers, and prints the loss that each algorithm reaches within the limit, and the lower bound of
all scores that it reports. The ratio is to flash's."""
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

ROWS = 30_000
SIZES = (14, 18, 24)
STOPPED = 3  # published the best so far
ALGORITHMS = ("flash", "best_first", "beam")


def shape(number):
    """Whether the column is a category, and how many values it has."""
    if number % 4 == 0:
        return True, (2, 4, 7, 11)[number // 4 % 4]
    return False, (20, 40, 80, 160)[number % 4]


def value(draw, number, factors):
    is_category, values = shape(number)
    score = 0.7 * factors[number % 2] + 0.7 * draw.gauss(0, 1)
    if is_category:
        return min(values - 1, int(abs(score) * values / 2.5))
    drawn = int(values / 8 * math.exp(score)) if number % 3 else int(values / 2 + score * values / 6)
    return max(0, min(values - 1, drawn))


def hierarchy(number):
    is_category, values = shape(number)
    if is_category:
        return "{masking: {masked: [1, 2]}}" if values > 10 else "{masking: {masked: [2]}}"
    width = max(2, values // 10)
    return f"{{intervals: {{widths: [{width}, {2 * width}, {4 * width}]}}}}"


def draw_table(folder, columns):
    draw = random.Random(7)
    lines = [",".join(f"q{number:02}" for number in range(columns))]
    for _ in range(ROWS):
        factors = draw.gauss(0, 1), draw.gauss(0, 1)
        lines.append(",".join(str(value(draw, number, factors)) for number in range(columns)))
    (folder / "in.csv").write_text("\n".join(lines) + "\n")


def run(program, folder, columns, algorithm, limit):
    attributes = "".join(f"  q{number:02}: {{class: quasi_identifier, hierarchy: {hierarchy(number)}}}\n"
                         for number in range(columns))
    (folder / "job.yaml").write_text(
        f"version: 1\nname: beyond\ninput: {{file: in.csv}}\nattributes:\n{attributes}k: 5\nsuppression: 5%\n"
        f"metric: loss\nseed: 1\nalgorithm: {algorithm}\nlimits: {{time: {limit}s}}\n"
        "output: {file: out.csv, replace: true}\n")
    begun = time.monotonic()
    done = subprocess.run([program, "anonymize", folder / "job.yaml", "--report", folder / "report.json"],
                          stdout=subprocess.DEVNULL)
    if done.returncode not in (0, STOPPED):
        raise RuntimeError(f"pgveil ended with status {done.returncode}")
    report = json.loads((folder / "report.json").read_text())
    return report["scores"]["loss"], report["search"], time.monotonic() - begun


def main(program, folder, limit):
    heads = ("quasi-identifiers", "algorithm", "loss", "none below", "to flash", "checks",
             f"s (limit {limit})", "proven")
    print(f"| {' | '.join(heads)} |\n{'| --- ' * len(heads)}|")
    for columns in SIZES:
        draw_table(folder, columns)
        first = None
        for algorithm in ALGORITHMS:
            loss, search, seconds = run(program, folder, columns, algorithm, limit)
            first = first or loss
            cells = (columns, algorithm, f"{loss:.4f}", f"{search['lower_bound']:.4f}", f"{loss / first:.3f}",
                     f"{search['checks']:,}", f"{seconds:.1f}", "yes" if search["is_proven"] else "no")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])

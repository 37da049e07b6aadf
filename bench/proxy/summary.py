"""Medians and ratios of bench/proxy/run.sh: summary.py proxy.csv"""
import csv
import statistics
import sys
from collections import defaultdict

TARGETS = ("direct", "pgbouncer", "pgveil")
MODES = ("simple", "extended", "prepared")


def read(path):
    """{(table, mode, clients): {target: {round: (tps, p99)}}}"""
    results = defaultdict(lambda: defaultdict(dict))
    with open(path, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            key = row["table"], row["mode"], int(row["clients"])
            results[key][row["target"]][int(row["round"])] = float(row["tps"]), float(row["p99_ms"])
    return results


TPS, P99 = 0, 1


def ratio(by_target, over, figure=TPS):
    """Median and range of the ratios within each round."""
    ours, theirs = by_target.get("pgveil", {}), by_target.get(over, {})
    rounds = [n for n in sorted(ours.keys() & theirs.keys()) if theirs[n][figure]]
    ratios = [ours[n][figure] / theirs[n][figure] for n in rounds]
    if not ratios:
        return ""
    digits = 2 if statistics.median(ratios) >= 0.1 else 4
    return f"{statistics.median(ratios):.{digits}f} ({min(ratios):.{digits}f}–{max(ratios):.{digits}f})"


def main(path):
    results = read(path)
    header = ["table", "mode", "clients", *TARGETS, "pgveil/PgBouncer", "pgveil/direct", "p99, pgveil/PgBouncer"]
    rows = []
    for table, mode, clients in sorted(results, key=lambda key: (key[0], key[2], MODES.index(key[1]))):
        by_target = results[table, mode, clients]
        medians = [
            f"{statistics.median(tps for tps, _ in by_target[t].values()):,.0f}" if t in by_target else "" for t in TARGETS
        ]
        rows.append(
            [table, mode, str(clients), *medians, ratio(by_target, "pgbouncer"), ratio(by_target, "direct"),
             ratio(by_target, "pgbouncer", P99)]
        )
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    rounds = max(len(runs) for by_target in results.values() for runs in by_target.values())
    print(f"transactions a second, median of {rounds} rounds; ratios: median (min–max) of the rounds")
    for line in lines:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


if __name__ == "__main__":
    main(sys.argv[1])

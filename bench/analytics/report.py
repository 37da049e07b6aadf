"""report.py analytics.tsv: the tables of bench/analytics/run.sh, in Markdown."""

import collections
import csv
import dataclasses
import statistics
import sys

from intervals import interval, print_table

SETS = {"tpch": "TPC-H", "hits": "web analytics"}
ENFORCEMENTS = ("query", "stored", "copy")
LEAST_SECONDS = 0.001  # shorter answers count as this long
SLOWEST = 5


@dataclasses.dataclass
class Run:
    """One statement of one pair."""

    raw: float
    masked: float
    rows: str  # same or other, or nothing
    reads: str  # identifier, or nothing
    wrong: str

    @property
    def ratio(self):
        return max(self.masked, LEAST_SECONDS) / max(self.raw, LEAST_SECONDS)


def read(path):
    """{(set, enforcement): {statement: its runs}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="", encoding="utf-8") as lines:
        for line in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            which, how, name, _, raw, masked, *rest = line
            found[which, how][name].append(Run(float(raw), float(masked), *rest))
    return found


def is_refused(runs):
    return any(run.wrong.startswith("refused") for run in runs)


def answered(by_name):
    return {name: runs for name, runs in by_name.items() if not is_refused(runs)}


def mean(timed):
    """The geometric mean of the statements' ratios in each pair, as its median and interval over the pairs. A
    statement that is out of time counts with the limit."""
    pairs = min(map(len, timed))
    return interval([statistics.geometric_mean(runs[pair].ratio for runs in timed) for pair in range(pairs)])


def median(runs, figure):
    return statistics.median(getattr(run, figure) for run in runs)


def shown(measured):
    return "{:.2f} ({:.2f}–{:.2f})".format(*measured)


def rows_of(results):
    for which, words in SETS.items():
        for how in ENFORCEMENTS:
            if (which, how) not in results:
                continue
            by_name = results[which, how]
            timed = list(answered(by_name).values())
            yield [
                words,
                how,
                str(len(by_name)),
                str(len(by_name) - len(timed)),
                str(sum(any(run.wrong for run in runs) for runs in timed)),
                str(sum(runs[0].rows == "other" for runs in timed)),
                f"{sum(median(runs, 'raw') for runs in timed):.2f}",
                f"{sum(median(runs, 'masked') for runs in timed):.2f}",
                shown(mean(timed)),
                shown(mean([runs for runs in timed if not runs[0].reads])),
                f"{max(median(runs, 'ratio') for runs in timed):.1f}",
            ]


def slowest(results):
    for (which, how), by_name in results.items():
        timed = {name: median(runs, "ratio") for name, runs in answered(by_name).items()}
        worst = sorted(timed, key=lambda name: -timed[name])[:SLOWEST]
        yield f"{SETS[which]}, {how}: " + ", ".join(f"{name} {timed[name]:.1f}" for name in worst) + "."


def refusals(results):
    for (which, how), by_name in results.items():
        for name, runs in by_name.items():
            if is_refused(runs):
                yield f"{SETS[which]} {name}, {how}: {runs[0].wrong}."


def main(path):
    results = read(path)
    print_table(
        [
            [
                "set",
                "masks",
                "statements",
                "refused",
                "out of time",
                "other rows",
                "raw, s",
                "pgveil, s",
                "pgveil ÷ raw",
                "without identifiers",
                "most",
            ],
            *rows_of(results),
        ]
    )
    print("\nThe statements of the highest ratios:\n")
    for line in slowest(results):
        print(f"- {line}")
    if refused := list(refusals(results)):
        print("\nRefused:\n")
        for line in refused:
            print(f"- {line}")


if __name__ == "__main__":
    main(sys.argv[1])

#!/usr/bin/env python3
"""Publishes ADULT and CUP in each way at each k, reads the published files, and prints what each loses.
Arguments: --quick: ADULT at k = 5 only; --rounds=N: how often the times of k = 5 are taken, in turns (3)."""

import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
from measures import accuracy, certainty_penalty, count_error, discernibility, draw_counts
from methods import METHODS, SETS, hierarchy, job
from release import Cells, Release, read_column, read_release

ROOT = pathlib.Path(os.environ["ROOT"])
sys.path.insert(0, str(ROOT / "bench"))
from intervals import interval, print_table  # noqa: E402

BINARY = os.environ.get("PGVEIL_BIN", str(ROOT / "build" / "release" / "cli" / "pgveil"))
DATASETS = os.environ.get("PGVEIL_DATASETS", str(ROOT.parent / "shared" / "datasets"))
KS, TIMED_K = (2, 5, 20, 100), 5
COUNTS = 1000
# Seconds of CPU that ARX 3.9.2 took for its iterative local recoding of ADULT, nine quasi-identifiers, k = 5,
# as a review of both programs recorded them. Its table has 4,571 classes.
RECORDED = {"adult": ("ARX 3.9.2, local recoding, 1 % a step (recorded)", 17.0)}


def numbered(data, folder):
    """The file of a set with a column of record numbers; → its table by column."""
    with open(f"{DATASETS}/data/{data.name}.csv", encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    with open(folder / f"{data.name}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(["record", *head])
        writer.writerows([number, *row] for number, row in enumerate(rows))
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def publish(text, folder):
    """→ seconds on the clock, seconds of CPU; None if there is nothing to publish."""
    (folder / "job.yaml").write_text(text, encoding="utf-8")
    begin = time.monotonic()
    with open(folder / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen([BINARY, "anonymize", "job.yaml"], cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):
            log.seek(0)
            sys.exit(f"bench local: the job failed: {log.read()[-500:]}\n{text}")
    return seconds, usage.ru_utime + usage.ru_stime


class Input:
    def __init__(self, data, folder):
        self.data, self.folder = data, folder
        table = numbered(data, folder)
        self.columns = [
            read_column(name, table[name], hierarchy(DATASETS, data, name), name in data.numbers)
            for name in data.columns
        ]
        self.others = [column for column in self.columns if column.name != data.predicted]
        self.is_first = numpy.array(data.is_first(table[data.predicted]))
        self.counts = draw_counts(self.columns, COUNTS, numpy.random.Generator(numpy.random.PCG64(1)))

    def release(self, method, k, columns):
        names = {column.name for column in columns}
        spent = publish(job(DATASETS, self.data, names, method, k, self.folder), self.folder)
        return read_release(self.folder / "published.csv", columns, len(self.is_first)), spent


def measured(given, method, k):
    print(f"{given.data.name}, k = {k}: {method}", file=sys.stderr, flush=True)
    release, _ = given.release(method, k, given.columns)
    model, _ = given.release(method, k, given.others)
    return {
        "penalty of a cell": certainty_penalty(release),
        "discernibility": discernibility(release),
        "error of a count": count_error(release, given.counts),
        "accuracy of a model": accuracy(model, given.others, given.is_first),
    }


def written(measure, value):
    if measure == "penalty of a cell":
        return f"{value:.4f}"
    if measure == "discernibility":
        power = math.floor(math.log10(value))
        return f"{value / 10**power:.2f}e{power}"
    return f"{100 * value:.1f} %"


MEASURES = ("penalty of a cell", "discernibility", "error of a count", "accuracy of a model")


def print_losses(inputs, results, ks):
    for given in inputs:
        data, records = given.data, len(given.is_first)
        most = max(given.is_first.mean(), 1 - given.is_first.mean())
        print(
            f"{data.name.upper()} has {records:,} records and {len(data.columns)} quasi-identifiers."
            f" The model predicts {data.question} from the other columns: it is right for"
            f" {100 * accuracy_of_raw(given):.1f} % if the raw records train it, and who always says the more"
            f" frequent class is right for {100 * most:.1f} %.\n"
        )
    places = [(given.data.name, k) for given in inputs for k in ks]
    for measure in MEASURES:
        rows = [[measure, *(f"{name.upper()}, k = {k}" for name, k in places)]]
        for method in METHODS:
            figures = (results[name, method, k][measure] for name, k in places)
            rows.append([method, *(written(measure, figure) for figure in figures)])
        print_table(rows)
        print()


def accuracy_of_raw(given):
    """The same model, trained by the records as they are: a release of which each cell stands for itself."""
    records = numpy.arange(len(given.is_first))
    cells = [
        Cells(
            numpy.arange(len(column.values)),
            numpy.arange(len(column.values) + 1),
            numpy.zeros(len(column.values)),
            column.codes,
        )
        for column in given.others
    ]
    return accuracy(Release(records, cells, 0), given.others, given.is_first)


def print_times(given, results, rounds):
    """Times at k = 5, in turns. The ratios are to Mondrian, pair by pair."""
    name = given.data.name
    spent = {method: [] for method in METHODS}
    for number in range(rounds):
        print(f"{name}: times, round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for method in METHODS:
            spent[method].append(given.release(method, TIMED_K, given.columns)[1])
    rows = [[f"{name.upper()}, k = {TIMED_K}", "s", "s of CPU", "s ÷ Mondrian's", "penalty ÷ Mondrian's"]]
    for method in METHODS:
        pairs = zip(spent[method], spent["Mondrian"], strict=True)
        ratio = interval([own[0] / other[0] for own, other in pairs])
        clock, cpu = (interval([one[part] for one in spent[method]])[0] for part in (0, 1))
        penalty, other = (results[name, it, TIMED_K]["penalty of a cell"] for it in (method, "Mondrian"))
        rows.append(
            [
                method,
                f"{clock:.2f}",
                f"{cpu:.2f}",
                f"{ratio[0]:.1f} ({ratio[1]:.1f}–{ratio[2]:.1f})",
                f"{penalty / other:.2f}",
            ]
        )
    if name in RECORDED:
        method, cpu = RECORDED[name]
        rows.append([method, "–", f"{cpu:.2f}", "–", "–"])
    print_table(rows)
    print()


def main():
    is_quick, rounds = False, 3
    for given in sys.argv[1:]:
        if given == "--quick":
            is_quick, rounds = True, 1
        elif given.startswith("--rounds=") and given[9:].isdigit() and int(given[9:]) > 0:
            rounds = int(given[9:])
        else:
            sys.exit(f'bench local: unknown argument "{given}"')
    if not pathlib.Path(DATASETS, "data").is_dir():
        print("skipped: ADULT and CUP are not beside the source tree (PGVEIL_DATASETS)")
        return
    ks = (TIMED_K,) if is_quick else KS
    with tempfile.TemporaryDirectory() as folder:
        inputs = [Input(data, pathlib.Path(folder)) for data in (SETS[:1] if is_quick else SETS)]
        results = {
            (given.data.name, method, k): measured(given, method, k)
            for given in inputs
            for method in METHODS
            for k in ks
        }
        print_losses(inputs, results, ks)
        for given in inputs:
            print_times(given, results, rounds)


main()

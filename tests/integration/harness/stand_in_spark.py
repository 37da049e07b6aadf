#!/usr/bin/env python3
"""In place of pgveil-spark where there is no Spark: takes its options, speaks its --json-lines, and lets
`pgveil anonymize` do the work. What it is to do beside that is said by --sample: 13% fails, 17% takes its
time until its input ends, 19% says what nobody understands, 23% ends without a word, 29% leaves a record out,
31% publishes the ages of others."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

PHASES = ("start", "ship", "profile", "sample", "partition", "anonymize", "write", "check")


def say(**line):
    print(json.dumps(line), flush=True)


def end_with_input():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def options():
    given, words = {}, iter(sys.argv[1:])
    for word in words:
        if word == "--json-lines":
            given[word] = True
        elif word.startswith("--submit="):
            given["--submit"] = word.split("=", 1)[1]
        elif word.startswith("--"):
            given[word] = next(words)
        else:
            given["job"] = word
    return given


def quality(mondrian, ranges, records, dimensions):
    penalty = mondrian[f"gcp_{ranges}"] * records * dimensions
    return {"groups": mondrian["groups"], "smallest": mondrian["smallest"], "largest": mondrian["largest"],
            "discernibility_penalty": mondrian["discernibility_penalty"], "certainty_penalty": penalty,
            "certainty_penalties": [penalty / dimensions] * dimensions}


def spoiled(rows, sample):
    if sample == "29%":
        return rows[:-1]
    if sample == "31%":
        labels = [row["q0"] for row in rows]
        return [
            dict(row, q0=label)
            for row, label in zip(rows, labels[len(labels) // 2 :] + labels[: len(labels) // 2])
        ]
    return rows


def main():
    given = options()
    assert given["--json-lines"] and "{" not in given["--submit"], given
    threading.Thread(target=end_with_input, daemon=True).start()
    print("what Java says by the way", flush=True)
    workers, sample = int(given["--partitions"]), given["--sample"]
    for phase in PHASES[:3]:
        say(progress={"phase": phase, "tasks": 4, "done": 1, "executors": workers})
    if sample == "13%":
        say(error="Spark failed: OUT_OF_MEMORY")
        return 1
    if sample == "17%":
        time.sleep(600)
    if sample == "19%":
        say(progress={"phase": "elsewhere"})
    if sample == "23%":
        print("a trace of somebody's: ValueError: secret", file=sys.stderr)
        return 7
    job = pathlib.Path(given["job"])
    one_machine = job.with_name("one_machine.yaml")
    one_machine.write_text(job.read_text().replace("output: {file: out}", "output: {file: out.csv}"))
    report = job.with_name("report.json")
    subprocess.run(
        [given["--binary"], "anonymize", str(one_machine), "--report", str(report)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    told = json.loads(report.read_text())
    with open(job.with_name("out.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for phase in PHASES[3:]:
        say(progress={"phase": phase, "tasks": workers, "done": workers, "executors": workers})
    folder = pathlib.Path(given["--output"].removeprefix("file://"))
    folder.mkdir()
    with open(folder / "part-00000.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(spoiled(rows, sample))
    dimensions, records = len(told["quasi_identifiers"]), told["rows"]
    say(
        report={
            "job": told["job"],
            "records": records,
            "k": told["k"],
            "seed": told["seed"],
            "sampled": records,
            "parts": workers,
            "records_by_part": [records // workers] * (workers - 1)
            + [records - records // workers * (workers - 1)],
            "quality": {
                ranges: quality(told["mondrian"], ranges, records, dimensions)
                for ranges in ("tight", "region")
            },
            "classes_counted": told["classes"],
            "smallest_class": told["smallest_class"],
            "notes": ["one machine did it"],
            "phases_ms": {phase: 1.5 for phase in PHASES},
        }
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say(error="interrupted; nothing was published")
        sys.exit(1)

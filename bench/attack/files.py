#!/usr/bin/env python3
"""What attackers learn from the files of jobs over ADULT: somebody who has the file alone, and somebody who
knows all quasi-identifiers of every person, without and with the job's report. A second table has what the
choice of the generalizations tells, and a third one what aggregates leave possible. README.md says how."""
import json
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(os.environ["ROOT"])
BINARY = ROOT / "build" / "release" / "cli" / "pgveil"
DATASETS = ROOT.parent / "shared" / "datasets"
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
METHODS = {
    "full domain": "suppression: 5%",
    "local recoding": "suppression: 99%\ngs: 0\nlocal_recoding: {least: 1%}",
    "mondrian": "algorithm: mondrian",
    "mondrian, regions": "algorithm: mondrian\nmondrian: {ranges: region_sets}",
    "mondrian, drawn cuts": "algorithm: mondrian\nresist: [downcoding, minimality, refinement]",
    "least loss": "algorithm: least_loss",
}

# The column that is aggregated, how, and whether it has a hierarchy.
AGGREGATES = (
    ("age", "mean", True),
    ("age", "mean", False),
    ("age", "geometric_mean", False),
    ("age", "median", False),
    ("age", "interval", False),
    ("education", "mode", True),
    ("education", "mode", False),
)


def job_of(method, k, models, aggregated=None):
    text = f'version: 1\nname: adult\ninput: {{file: "{DATASETS}/data/adult.csv", separator: ";"}}\nattributes:\n'
    for name in COLUMNS:
        file = DATASETS / "hierarchies" / f"adult_hierarchy_{name}.csv"
        is_numeric = name == "age" and "algorithm" in method
        how = "numeric: true" if is_numeric else f'hierarchy: {{file: "{file}", separator: ";"}}'
        if aggregated and name == aggregated[0]:
            how = (f"{how}, " if aggregated[2] else "") + f"aggregate: {aggregated[1]}"
        text += f"  {name}: {{class: quasi_identifier, {how}}}\n"
    text += f"  salary-class: {{class: sensitive{models}}}\nk: {k}\nlimits: {{threads: 2}}\n{method}\n"
    return text + "output: {file: out.csv, replace: true}\n"


def attacked(folder, *arguments):
    begin = time.monotonic()
    done = subprocess.run([BINARY, "attack", "--job", "job.yaml", "--format", "json", *arguments], cwd=folder,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout), time.monotonic() - begin


def learnt(found):
    (column,) = found["known_persons"]["columns"]
    assert column["claimed"] == column["true"], "a claim is wrong"
    return f"{100 * column['true'] / found['known_persons']['persons']:.1f}"


def refined_cells(found):
    """Generalized cells in which the order excludes a value, and those whose value follows."""
    columns = found["refined"]["columns"]
    assert all(column["claimed"] == column["true"] for column in columns), "a claim is wrong"
    generalized, narrowed, true = (sum(column[key] for column in columns)
                                   for key in ("generalized", "narrowed", "true"))  # fmt: skip
    return f"{100 * narrowed / generalized:.1f} | {true}"


def share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def choice_cells(found, ordered):
    """What the choice of the generalizations tells: who repeats the job, minimality, refinement by sizes, and
    what groups tell of their cells."""
    cells = ["-"] * 13
    repeated, minimality, groups = found["repeated"], found["minimality"], found["groups"]
    if repeated:
        cells[0] = learnt({"known_persons": repeated})
    if minimality:
        (column,) = minimality["columns"]
        assert column["claimed"] == column["true"] and not column["wrongly_excluded"], "a claim is wrong"
        cells[1:7] = [str(minimality["choices"]), str(minimality["decided"]), str(column["narrowed"]),
                      str(column["true"]), share(column["prior_right"], column["guessed"]),
                      share(column["guessed_right"], column["guessed"])]  # fmt: skip
    if ordered:
        columns = ordered["refined"]["columns"]
        assert all(column["pinned"] == column["pinned_true"] for column in columns), "a claim is wrong"
        cells[7] = str(sum(column["pinned"] for column in columns))
    if groups:
        columns = groups["columns"]
        assert all(column["occurring"] == column["occurring_true"] for column in columns), "a claim is wrong"
        assert all(column["alike"] == column["alike_true"] for column in columns), "a claim is wrong"
        total = {key: sum(column[key] for column in columns) for key in columns[0] if key != "column"}
        cells[8:13] = [str(total["occurring"]), *(share(total[key], total["generalized"]) for key in
                       ("settled", "last_of_class", "prior_right", "guessed_right"))]  # fmt: skip
    return cells


def line(folder, name, k, models, shown, choices):
    (folder / "job.yaml").write_text(job_of(METHODS[name], k, models))
    done = subprocess.run([BINARY, "anonymize", "job.yaml", "--report", "report.json"], cwd=folder,
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        return f"| {k} | {name} | {shown} | " + " | ".join(["not published"] + ["-"] * 11) + " |"
    report = json.loads((folder / "report.json").read_text())
    known = ("--knows", ",".join(COLUMNS))
    found, seconds = attacked(folder, *known)
    with_report, refined, ordered = "-", "- | - | -", None
    if report.get("mondrian") is None:
        ordered, slower = attacked(folder, *known, "--scheme", "report.json")
        with_report, refined = learnt(ordered), f"{refined_cells(ordered)} | {slower:.2f}"
    choices.append(f"| {k} | {name} | {shown} | " + " | ".join(choice_cells(found, ordered)) + " |")
    (column,) = found["columns"]
    records = found["records"]
    return (
        f"| {k} | {name} | {shown} | {report['certainty_penalty']:.3f} | {found['classes']} "
        f"| {100 * column['records_of_one_value'] / records:.1f} | {100 * column['prior_right'] / records:.1f} "
        f"| {100 * column['guessed_right'] / records:.1f} "
        f"| {100 * found['known_persons']['in_one_class'] / found['known_persons']['persons']:.1f} "
        f"| {learnt(found)} | {with_report} | {seconds:.2f} | {refined} |"
    )


def aggregate_cells(found):
    """Records whose values are narrowed, values left, records computed, and persons whose value follows for
    those who know the other columns."""
    (cell,) = found["aggregates"]
    person = next(it for it in found["known_persons"]["columns"] if it["column"] == cell["column"])
    assert person["claimed"] == person["true"], "a claim is wrong"
    return (f"{share(cell['narrowed'], cell['records'])} | {100 * cell['possible_share']:.1f} "
            f"| {cell['of_one_value']} | {person['true']}")  # fmt: skip


def aggregates_line(folder, k, aggregated):
    column, how, has_hierarchy = aggregated
    (folder / "job.yaml").write_text(job_of(METHODS["full domain"], k, "", aggregated))
    subprocess.run([BINARY, "anonymize", "job.yaml", "--report", "report.json"], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip
    known = ("--knows", ",".join(name for name in COLUMNS if name != column))
    found, seconds = attacked(folder, *known)
    ordered, _ = attacked(folder, *known, "--scheme", "report.json")
    return (f"| {k} | {column} | {how} | {'yes' if has_hierarchy else 'no'} | {found['classes']} "
            f"| {found['aggregates'][0]['records']} | {aggregate_cells(found)} | {aggregate_cells(ordered)} "
            f"| {seconds:.2f} |")  # fmt: skip


def main():
    if not (DATASETS / "data" / "adult.csv").exists():
        print("the files of jobs are left out: ADULT is not here")
        return
    print("| k | method | salary | GCP | classes | of one value % | prior % | guess % | class certain % "
          "| learnt % | with report % | attack s | narrowed % | refined | with report s |")  # fmt: skip
    print("|" + " --- |" * 15)
    choices = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for k in (2, 5, 20, 100):
            for name in METHODS:
                print(line(folder, name, k, "", "k alone", choices), flush=True)
                print(line(folder, name, k, ", l_diversity: {distinct: 2}", "2-diverse", choices), flush=True)
    print("\n| k | method | salary | who repeats the job learns % | forgone | decided | narrowed | learnt | prior % "
          "| guess % | pinned | occurring | settled % | last % | prior of cells % | guess of cells % |")  # fmt: skip
    print("|" + " --- |" * 16)
    print("\n".join(choices))
    print("\n| k | column | aggregate | hierarchy | classes | records | narrowed % | left % | computed | persons "
          "| with report: narrowed % | left % | computed | persons | attack s |")  # fmt: skip
    print("|" + " --- |" * 15)
    with tempfile.TemporaryDirectory() as place:
        for k in (2, 5):
            for aggregated in AGGREGATES:
                print(aggregates_line(pathlib.Path(place), k, aggregated), flush=True)


main()

#!/usr/bin/env python3
"""docs/benchmarks.md: its pictures are drawn from its tables, and bench/all/page.py writes what was measured,
what could not be, and where pgveil falls short. Prints what is wrong, then 'N passed, N failed'."""

import pathlib
import sys
import tempfile

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "all"))
import page  # noqa: E402
from losses_picture import losses_picture  # noqa: E402
from picture import picture  # noqa: E402
from sections import SECTIONS, SHORT  # noqa: E402
from tables import measured, table, tables  # noqa: E402

MASKS = """\
| table   | statement     | parallel | raw, ms | masked, ms | ratio (95 %)     |
| ------- | ------------- | -------- | ------- | ---------- | ---------------- |
| people5 | one column    | off      | 100     | 179        | 1.79 (1.78–1.88) |
| people5 | one column    | on       | 60      | 600        | 10.0 (9.00–11.0) |
| people5 | three columns | off      | 100     | 130        | 1.30 (1.20–1.40) |
"""
ENGINE = """\
| configuration                          | factor | same |
|----------------------------------------|--------|------|
| adult k=5 s=0 discernibility_monotonic | 7.0    | yes  |
| cup k=5 s=0.05 height                  | 9.7    | NO   |
| cup k=5 s=0.05 precision               | –      | yes  |
"""
RUN = (
    "command=./run bench {}\nstarted=1 May 2026, 10:00 UTC\ncommit=0123abc\nload=0.4\nseconds=61\nstatus={}\n"
)


LOCAL = """\
ADULT has 30,162 records.

| penalty of a cell   | ADULT, k = 5 | ADULT, k = 20 | CUP, k = 5 | CUP, k = 20 |
| ------------------- | ------------ | ------------- | ---------- | ----------- |
| Mondrian            | 0.1117       | 0.2000        | 0.1151     | 0.1500      |
| least loss          | 0.0239       | 0.0800        | 0.0560     | 0.0800      |
| another, recorded   | 0.0591       | –             | –          | –           |

| ADULT, k = 5 | s    | s ÷ Mondrian's |
| ------------ | ---- | -------------- |
| Mondrian     | 0.10 | 1.0 (1.0–1.0)  |
"""


def pictures_of_the_page():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    sections = page.earlier(text)
    drawn = {"benchmarks": picture(sections), "losses": losses_picture(sections["local"])}
    return [
        f"docs/pictures/{name}.svg is not the picture of docs/benchmarks.md"
        for name, svg in drawn.items()
        if svg != (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    ]


def tables_are_read_and_written():
    (rows,) = tables(MASKS)
    expected = {
        "1.79 (1.78–1.88)": (1.79, 1.78, 1.88),
        "1,234 (5–6,789)": (1234.0, 5.0, 6789.0),
        "3": (3.0, 3.0, 3.0),
    }
    return [
        *([] if len(rows) == 3 and rows[0]["raw, ms"] == "100" else [f"{rows} were read"]),
        *([] if tables(table(rows)) == [rows] else ["a table that is written is read as another one"]),
        *(
            f"{cell} is read as {measured(cell)}"
            for cell, wanted in expected.items()
            if measured(cell) != wanted
        ),
    ]


def the_engine_is_compared_with_its_targets():
    (engine,) = (write for name, _, write in SECTIONS if name == "engine")
    text = "\n".join(engine(ENGINE))
    wanted = (
        "| nothing may be suppressed | 1 | 7.0 | 7.0 | 7.0 | 5 | 0 |",
        "| some records may be suppressed | 1 | 9.7 | 9.7 | 9.7 | 10 | 1 |",
        "1 of 2 configurations give",
        "fars, atus, ihis, acs15 could not be had",
        f"{SHORT}the search misses its target of 10 times",
        f"{SHORT}1 configurations give another optimum",
    )
    return [f"{words} is missing in {text}" for words in wanted if words not in text]


def losses_are_compared_with_their_targets():
    (local,) = (write for name, _, write in SECTIONS if name == "local")
    text = "\n".join(local(LOCAL))
    svg = losses_picture(LOCAL)
    return [
        *([] if f"{SHORT}least loss has a penalty of 0.0560 on CUP" in text else ["CUP's miss is not said"]),
        *(["ADULT's penalty counts as a miss"] if "0.0239 on" in text else []),
        *([] if svg.count('class="line"') == 6 else ["the picture does not have two lines in two panels"]),
        *(["the picture shows a line without all figures"] if "another" in svg else []),
        *([] if "not measured" in losses_picture("") else ["an empty picture does not say so"]),
    ]


def written(folder, names):
    page.main(folder, *names)
    return (folder / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def the_page_says_what_was_measured():
    problems = []

    def expect(condition, words):
        problems.extend([] if condition else [words])

    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        results = root / "build" / "bench"
        results.mkdir(parents=True)
        (root / "docs" / "pictures").mkdir(parents=True)
        (results / "masks.md").write_text(MASKS, encoding="utf-8")
        (results / "masks.run").write_text(RUN.format("masks", 0))
        (results / "engine.run").write_text(RUN.format("engine", 1))
        (results / "engine.log").write_text("compiling\nthere is no compiler\n")
        first = written(root, ["masks", "engine"])
        expect(
            "one column | 467 | 100 | 179 | 1.79 (1.78–1.88) | 1.2 |" in first,
            "the ratio of masks is missing",
        )
        expect("10.0 (9.00" not in first, "a row with parallel query is shown")
        expect(
            "- With 467 cohorts, masks cost more than their target for one column.\n" in first,
            "the miss is not listed",
        )
        expect("could not be run: `there is no compiler`" in first, "the reason of the engine is missing")
        expect("load average at its start was 0.4" in " ".join(first.split()), "the load is missing")
        expect(first.count("This was not measured.") == 4, "sections without figures are not four")

        (results / "masks.md").unlink()
        (results / "engine.md").write_text("skipped: no datasets\n")
        (results / "engine.run").write_text(RUN.format("engine", 0))
        second = written(root, ["engine"])
        expect(page.earlier(second)["masks"] == page.earlier(first)["masks"], "a section was not kept")
        expect(
            "could not be run: `skipped: no datasets`" in second, "a benchmark that printed no table is shown"
        )
        file = root / "docs" / "benchmarks.md"
        elsewhere = " ".join(second.split()).count(f", on {dict(page.machine(ROOT))['processor']} with")
        expect(elsewhere == 2, "the two sections that were measured do not name their machine")
        file.write_text(second.replace(" at commit 0123abc, on ", " at commit 0123abc, on another "))
        expect("on another" in written(root, ["engine"]), "figures of another machine were not kept")
    return problems


CHECKS = (
    pictures_of_the_page,
    tables_are_read_and_written,
    the_engine_is_compared_with_its_targets,
    losses_are_compared_with_their_targets,
    the_page_says_what_was_measured,
)

if __name__ == "__main__":
    sys.exit(tally.report((check.__name__, check()) for check in CHECKS))

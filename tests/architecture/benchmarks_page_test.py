#!/usr/bin/env python3
"""docs/benchmarks.md: its picture is drawn from its tables, and bench/all/page.py writes what was measured,
what could not be, and where pgveil falls short. Prints what is wrong, then 'N passed, N failed'."""

import pathlib
import sys
import tempfile

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "all"))
import page  # noqa: E402
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


def picture_of_the_page():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    drawn = picture(page.earlier(text)[1])
    stored = (ROOT / "docs" / "pictures" / "benchmarks.svg").read_text(encoding="utf-8")
    return (
        [] if drawn == stored else ["docs/pictures/benchmarks.svg is not the picture of docs/benchmarks.md"]
    )


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
        expect(first.count("not measured on this machine") == 3, "sections without figures are not three")

        (results / "masks.md").unlink()
        (results / "engine.md").write_text("skipped: no datasets\n")
        (results / "engine.run").write_text(RUN.format("engine", 0))
        second = written(root, ["engine"])
        expect(page.earlier(second)[1]["masks"] == page.earlier(first)[1]["masks"], "a section was not kept")
        expect(
            "could not be run: `skipped: no datasets`" in second, "a benchmark that printed no table is shown"
        )
        file = root / "docs" / "benchmarks.md"
        file.write_text(second.replace("| processor | ", "| processor | another "), encoding="utf-8")
        expect("1.79" not in written(root, ["engine"]), "figures of another machine were kept")
    return problems


CHECKS = (
    picture_of_the_page,
    tables_are_read_and_written,
    the_engine_is_compared_with_its_targets,
    the_page_says_what_was_measured,
)

if __name__ == "__main__":
    sys.exit(tally.report((check.__name__, check()) for check in CHECKS))

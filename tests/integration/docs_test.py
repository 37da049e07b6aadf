#!/usr/bin/python3
"""Every command on the pages of the site is run, in order, and prints what the page shows. What can't be run here
has its reason in the page's source; these are counted and printed.

With UPDATE_GOLDEN=1 outputs that differ are written into the pages: review the diff like code."""

import json
import os
import re

from harness import documents, tree_picture
from harness.reader import Reader
from harness.runner import REPOSITORY, Case, main

DOCS = REPOSITORY / "docs"
FOLDERS = ("tutorials", "how-to", "explanation")
OTHERS = ("analysts.md", "index.md", "star-schemas.md", "../README.md")
SLOW = re.compile(r"^pgveil: .*; \d+ s so far$")  # what a command says of itself on a busy machine
WIDTH = 118  # an output line that is longer is cut when a page is updated


def page_names():
    found = [path.relative_to(DOCS).as_posix() for folder in FOLDERS for path in sorted((DOCS / folder).glob("*.md"))]
    return found + list(OTHERS)


def read(name):
    return documents.read(f"docs/{name}", (DOCS / name).read_text(encoding="utf-8"))


def do(reader, step, page):
    """→ (expected, actual) lines; equal when the step went as the page says."""
    expected = step.expected(page.lines)
    if step.kind == "shell":
        said = reader.shell(step.text).split("\n")
        return expected, [line for line in said if not SLOW.search(line)]
    if step.kind == "sql":
        return expected, reader.sql(step.text).split("\n")
    if step.kind == "setup":
        said = reader.shell(step.text)
        return [], [] if reader.status == 0 else [f"status {reader.status}", *said.split("\n")]
    if step.kind == "background":
        return [], reader.background(step.text, step.name).split("\n")
    if step.kind == "file":
        reader.write(step.name, step.text)
        return [], []
    return ["…", *expected, "…"], reader.text_of(step.name).split("\n")


def updated(lines, changes):
    """The page with other outputs; the last ones first, so that the numbers of lines stay right."""
    for step, actual in reversed(changes):
        shown = cut(actual)
        lines = [*lines[:step.first], *shown, *lines[step.last:]]
    return lines


def cut(actual):
    kept = [line.rstrip() for line in actual]
    while kept and not kept[-1]:
        kept.pop()
    while kept and not kept[0]:
        kept.pop(0)
    return [line if len(line) <= WIDTH else line[:WIDTH - 1].rpartition(" ")[0].rstrip() + " …" for line in kept]


class DocsTest(Case):
    test_seconds = max(Case.test_seconds, 600)  # a page is a whole session of work

    def try_page(self, name):
        page = read(name)
        if not [step for step in page.steps if step.kind != "not run"]:
            return
        changes, problems = [], []
        reader = Reader(page.world or "none")
        try:
            for step in page.steps:
                if step.kind == "not run":
                    continue
                expected, actual = do(reader, step, page)
                if documents.is_like(expected, actual):
                    continue
                if step.kind in ("shell", "sql"):
                    changes.append((step, actual))
                problems.append(f"{page.where(step)}: {step.text}\n" + "\n".join(
                    ["  the page shows:", *expected, "  it printed:", *actual]))
        finally:
            reader.stop()
        if os.environ.get("UPDATE_GOLDEN") == "1" and changes:
            (DOCS / name).write_text("\n".join(updated(page.lines, changes)), encoding="utf-8")
            problems = [each for each in problems if not any(page.where(step) in each for step, _ in changes)]
        self.assertEqual([], problems, "\n" + "\n".join(problems))

    def test_what_is_run(self):
        """The pages can be read, and most of what they show is run."""
        pages = [read(name) for name in page_names()]
        steps = [(page, step) for page in pages for step in page.steps]
        run = [step for _, step in steps if step.kind != "not run"]
        left_out = [(page, step) for page, step in steps if step.kind == "not run"]
        for page, step in left_out:
            print(f"not run: {page.where(step)}: {step.name}")
        print(f"the pages have {len(run)} steps that are run and {len(left_out)} blocks that are not")
        self.assertTrue(all(step.name for _, step in left_out), "a block is not run, for no reason")
        self.assertGreater(len(run), 3 * len(left_out))

    def test_picture_of_a_tree(self):
        """docs/pictures/tree.svg is the tree that pgveil builds of the worked example."""
        reader = Reader("people")
        try:
            said = reader.shell('psql -h 127.0.0.1 -p 6432 -U operator pgveil -At -c "SHOW TREE people_k2 AS JSON"')
        finally:
            reader.stop()
        drawn, stored = tree_picture.picture(json.loads(said)), DOCS / "pictures" / "tree.svg"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            stored.write_text(drawn, encoding="utf-8")
        self.assertEqual(stored.read_text(encoding="utf-8"), drawn, "draw it again with UPDATE_GOLDEN=1")

    def test_what_differs_is_seen(self):
        self.assertTrue(documents.is_like(["a", "…", "built 2026-01-01 10:00 UTC"], ["a", "b", "built 2025-02-02 11:11 UTC"]))
        self.assertTrue(documents.is_like(["took 3 s, … rows"], ["took 12.5 s, 17 rows", ""]))
        for expected, actual in ((["a"], ["b"]), (["a"], ["a", "b"]), (["a", "b"], ["a"]), ([], ["x"]),
                                 (["1 … 3"], ["1 2 4"]), (["…", "z"], ["z", "y"])):
            self.assertFalse(documents.is_like(expected, actual), (expected, actual))

    def test_pages_that_could_hide_something_are_refused(self):
        for text in ("```sql\nSELECT 1\n```", "```console\noutput\n```", "```console\n$ true", "a\n\n    $ false\n",
                     "<!-- not run: no -->\ntext\n", "<!-- file: a -->\n<!-- not run: b -->\n```text\n```"):
            with self.assertRaises(documents.BadPage, msg=text):
                documents.read("page", text)


for each in page_names():
    method = "test_" + each.removesuffix(".md").removeprefix("../").replace("/", "_").replace("-", "_")
    setattr(DocsTest, method, lambda self, name=each: self.try_page(name))


if __name__ == "__main__":
    main()

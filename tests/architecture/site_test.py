#!/usr/bin/env python3
"""The pages of the site (scripts/site_*.py, mkdocs.yml) without the program that lays them out: every page is in
the navigation, links outside docs/ are followed, reference pages are complete, and what is wrong with a built
site is seen."""
import pathlib
import re
import sys
import tempfile

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import site_check  # noqa: E402
import site_hook  # noqa: E402
import site_pages  # noqa: E402


def navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    return re.findall(r": (\S+\.md)$", text, re.MULTILINE)


def gathered():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "old").mkdir()
        (root / "old" / "page.md").write_text("# Old\n")
        site_pages.gather(root)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def of_links():
    """→ what is wrong with a page whose links lead out of docs/."""
    text = ("[a](../CONTRIBUTING.md#recipes) [b](../compose.yaml) [c](models/README.md) [d](https://x.org/)\n"
            "<!-- not run: because -->\n```text\n[e](../compose.yaml)\n```\n")
    expected = ("[a](repository/CONTRIBUTING.md#recipes) [b](repository/compose.yaml.txt) [c](models/README.md) "
                "[d](https://x.org/)\n```text\n[e](../compose.yaml)\n```\n")
    linked, others = site_pages.linked_page("docs/page.md", text)
    wrong = [] if linked == expected else [linked]
    return wrong + ([] if others == {"CONTRIBUTING.md", "compose.yaml"} else [str(others)])


NAVIGATION = '<nav><a href="a.html">a</a><a href="b.html">b</a></nav>'
# What stands on the page b.html of a small site → what must be found.
TRIALS = {
    "a site in order": ('<h1 id="here">b</h1><a href="a.html#top">a</a><a href="#here">b</a>', []),
    "a file that is not there": ('<a href="gone.html">x</a>', ["gone.html leads to no file"]),
    "a heading that is not there": ('<a href="a.html#gone">x</a>', ["a.html#gone leads to no heading"]),
    "a picture that is not there": ('<img src="gone.png">', ["gone.png leads to no file"]),
    "a script of another host": ('<script src="//x.org/a.js"></script>', ["loads //x.org/a.js from another host"]),
    "a style of another host": ('<link rel="stylesheet" href="https://x.org/a.css">',
                                ["loads https://x.org/a.css from another host"]),
    "a link to another host": ('<a href="https://x.org/">x</a>', []),
}


def tried(body, navigation):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "a.html").write_text(f'{navigation}<h1 id="top">a</h1>')
        (root / "b.html").write_text(navigation + body)
        return site_check.problems(root)["b.html"]


def checks():
    pages = gathered()
    here = {name for name in pages if name.endswith(".md") and not name.startswith("repository/")}
    named = navigation()
    yield "the navigation has every page", sorted(here - set(named))
    yield "the navigation has no page that is not there", sorted(set(named) - here)
    yield "the navigation has each page once", sorted({name for name in named if named.count(name) > 1})
    yield "pages of an earlier build are removed", [name for name in pages if name.startswith("old/")]
    yield "links out of docs/ are followed", of_links()
    yield "files that pages link to are there", [
        name for name in ("repository/CONTRIBUTING.md", "repository/compose.yaml.txt") if name not in pages]
    verbs = re.findall(r"(?m)^\.SS (pgveil .*)$", (ROOT / "docs" / "pgveil.1").read_text(encoding="utf-8"))
    commands = pages["reference/command-line.md"].decode()
    yield "the command line has every verb", [
        verb for verb in verbs if f"\n### {verb.replace(chr(92), '')}\n" not in commands]
    yield "there are verbs", [] if len(verbs) > 10 else [f"{len(verbs)} were read"]
    paths = re.findall(r"(?m)^  (/\S+):$", (ROOT / "docs" / "openapi.yaml").read_text(encoding="utf-8"))
    api = pages["reference/api.md"].decode().replace("&#123;", "{").replace("&#125;", "}")
    yield "the API has every address", [path for path in paths if f" {path} |" not in api]
    yield "there are addresses", [] if len(paths) > 20 else [f"{len(paths)} were read"]
    for heading, anchor in (("What is `k`?", "what-is-k"), ("A – B", "a--b"), ("l-diversity", "l-diversity")):
        found = site_hook.anchor(heading, "-")
        yield f"the anchor of {heading}", [] if found == anchor else [found]
    for what, (body, expected) in TRIALS.items():
        found = tried(body, NAVIGATION)
        yield f"what is wrong with a site is seen: {what}", [] if found == expected else found or ["nothing"]
    found = tried('<nav><a href="#x">x</a></nav><h1 id="x">x</h1>', '<nav><a href="a.html">a</a></nav>')
    yield "a page that the navigation leaves out is seen", [] if "leaves it out" in "".join(found) else ["it is not"]


if __name__ == "__main__":
    sys.exit(tally.report(checks()))

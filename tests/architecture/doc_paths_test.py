#!/usr/bin/env python3
"""Refuses a document that names a file or a heading that is not there.

Looked at: relative links in Markdown, with their anchors, and words in `backticks` that begin with a folder
of the repository, like a/folder/file.cpp. Such a word may leave the ending of a header and its source file
away, have the wildcard *, choices in {braces}, and NAME in capitals for what the reader puts in. Reads the
tree it stands in; needs nothing but Python. Prints what is wrong with file and line, then 'N passed, N
failed'. """
import itertools
import os
import pathlib
import re
import sys
import tempfile

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What programs write, or what belongs to others.
NOT_OURS = {"build", "node_modules"}
# What a build writes into the tree.
MADE = {"web/page/dist"}
ENDINGS = ("", ".hpp", ".cpp", ".py")

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
# Neither goes past the end of a paragraph.
CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
PATH = re.compile(r"^[\w.*{},/-]+$")
PLACEHOLDER = re.compile(r"(?<![a-z0-9])[A-Z]{3,}(?![a-z0-9])")


def is_ours(name):
    return name not in NOT_OURS and not name.startswith(".")


def documents(root):
    """Every Markdown file of the project. Other folders, which may hold a whole Debian, are not entered."""
    found = []
    for folder, below, names in os.walk(root):
        below[:] = filter(is_ours, below)
        found += (pathlib.Path(folder) / name for name in names if name.endswith(".md") and is_ours(name))
    return sorted(found)


def folders_of(root):
    """The names that a path of the repository begins with."""
    return {path.name for path in root.iterdir() if path.is_dir() and is_ours(path.name)}


def blank(text):
    """Spaces of the same shape, so that offsets and lines stay what they are."""
    return re.sub(r"[^\n]", " ", text)


def without_blocks(text):
    """The text without fenced and indented blocks: examples, which name files of their reader."""
    lines, is_inside, may_begin = [], False, True
    for line in text.split("\n"):
        is_fence = FENCE.match(line) is not None
        is_block = is_inside or is_fence or (line.startswith("    ") and may_begin)
        is_inside = is_inside != is_fence
        # An indented block begins after an empty line, and is no part of a list.
        may_begin = not line.strip() or (is_block and not is_fence)
        lines.append(blank(line) if is_block else line)
    return "\n".join(lines)


def anchor_of(heading):
    """What a heading is called in a link: small letters, hyphens for spaces, no other signs."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def anchors_of(text):
    """Of all headings; the second one of a name has -1 behind it, and so on."""
    found, seen = set(), {}
    for line in without_blocks(text).split("\n"):
        if match := HEADING.match(line):
            anchor = anchor_of(match.group(1))
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            found.add(f"{anchor}-{count}" if count else anchor)
    return found


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def links(text):
    """(line, target) of each link that stays in the repository; what stands in backticks is no link."""
    prose = CODE.sub(lambda match: blank(match.group(0)), text)
    for match in LINK.finditer(prose):
        if not ELSEWHERE.match(match.group(1)):
            yield line_of(prose, match.start()), match.group(1)


def named_paths(text, folders):
    """(line, word) of each word in backticks that looks like a path of the repository."""
    for match in CODE.finditer(text):
        for word in re.finditer(r"\S+", match.group(2)):
            name = word.group(0).strip(".,;:()[]\"'").rpartition("=")[2]
            first, slash, rest = name.partition("/")
            if slash and rest and first in folders and PATH.match(name):
                yield line_of(text, match.start(2) + word.start()), name


def choices(name):
    """a/{b,c}.cpp → a/b.cpp, a/c.cpp"""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part]
             for part in re.split(r"(\{[^{}]*\})", name)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def is_there(root, name):
    pattern = PLACEHOLDER.sub("*", name).rstrip("/")
    if pattern in MADE:
        return True
    if "*" in pattern:
        return any(True for ending in ENDINGS for _ in root.glob(pattern + ending))
    return any((root / (pattern + ending)).exists() for ending in ENDINGS)


def check_links(root, document):
    """Each relative link leads to a file, and its anchor to a heading of that file."""
    text = without_blocks(document.read_text())
    for line, target in links(text):
        where = f"{document.relative_to(root).as_posix()}:{line}"
        name, _, anchor = target.partition("#")
        file = document.parent / name if name else document
        if not file.exists():
            yield f"{where}: the link {target} leads to no file"
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
            yield f"{where}: {file.name} has no heading for #{anchor}"


def check_paths(root, document):
    """Each path in backticks is one of the tree."""
    text = without_blocks(document.read_text())
    for line, name in named_paths(text, folders_of(root)):
        for choice in choices(name):
            if not is_there(root, choice):
                yield f"{document.relative_to(root).as_posix()}:{line}: {choice} is not there"


SMALL_TREE = {
    "README.md": "# The House\n\n[how](docs/how.md#the-second-way) and [why](#the-house)\n",
    "docs/how.md": "# How\n\n## The second way\n\n`code/a/*.cpp`, `code/a/maker`, `code/{a,b}/maker.cpp`\n",
    "code/a/maker.cpp": "",
    "code/b/maker.cpp": "",
}

# What is written below the file docs/how.md of the tree above → what must be found; empty: nothing may.
TRIALS = {
    "a tree in order": ("", ""),
    "a link to a file that is not there": (
        "[x](gone.md)",
        "docs/how.md:6: the link gone.md leads to no file",
    ),
    "a link from the root instead of the document": ("[x](docs/how.md)", "leads to no file"),
    "an anchor that is not there": (
        "[x](../README.md#the-garden)",
        "README.md has no heading for #the-garden",
    ),
    "an anchor of the document itself": ("[x](#the-third-way)", "how.md has no heading for #the-third-way"),
    "a heading in a block is no heading": ("```\n# Third\n```\n[x](#third)", "no heading for #third"),
    "the second heading of a name": ("# How\n[x](#how-1)", ""),
    "a link to somebody else": ("[x](https://example.org/gone.md)", ""),
    "a link in backticks": ("`[x](gone.md)`", ""),
    "a path that is not there": ("`code/c/maker.cpp`", "docs/how.md:6: code/c/maker.cpp is not there"),
    "a path in a command": ("`clang code/c/maker.cpp`", "code/c/maker.cpp is not there"),
    "a path over the end of a line": (
        "`clang\ncode/c/maker.cpp`",
        "docs/how.md:7: code/c/maker.cpp is not there",
    ),
    "one choice of two": ("`code/{a,c}/maker.cpp`", "code/c/maker.cpp is not there"),
    "a wildcard for nothing": ("`code/a/*.hpp`", "code/a/*.hpp is not there"),
    "a name for the reader to choose": ("`code/a/NAME.cpp`", ""),
    "a name to choose in a folder that is not there": ("`code/c/NAME.cpp`", "code/c/NAME.cpp is not there"),
    "a path of somebody else": ("`etc/maker.cpp`, `/code/c/maker.cpp`, `https://example.org/code/c`", ""),
    "a path in a block": ("```\n`code/c/maker.cpp`\n```\n\n    `code/c/maker.cpp`", ""),
}


def try_tree(added, expected):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in SMALL_TREE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + (added if name == "docs/how.md" else ""))
        found = [problem for document in documents(root) for check in (check_links, check_paths)
                 for problem in check(root, document)]
    is_right = len(found) == 1 and expected in found[0] if expected else not found
    return [] if is_right else [f"expected {expected or 'nothing'}, found {found or 'nothing'}"]


def checks():
    """(name, problems) of every check."""
    found = list(documents(ROOT))
    yield "the tree has documents", [] if len(found) > 10 else ["the tree looks empty: wrong root?"]
    for document in found:
        name = document.relative_to(ROOT).as_posix()
        yield f"links of {name}", list(check_links(ROOT, document))
        yield f"paths in {name}", list(check_paths(ROOT, document))
    for what, (added, expected) in TRIALS.items():
        yield f"what documents name is seen: {what}", try_tree(added, expected)


if __name__ == "__main__":
    sys.exit(tally.report(checks()))

"""Reads what a page of the documentation asks its reader to do.

A page's blocks are fenced. A comment right before a block says what the test does with it:

  <!-- file: NAME -->        the block is a file that the reader writes
  <!-- part of: NAME -->     the block's lines are in this file, in this order
  <!-- background: TEXT -->  the block's command goes on running; it is ready when it has printed TEXT
  <!-- not run: REASON -->   nothing; the test counts these blocks and prints the reasons

Without a comment, a block ```console is run: after `$ ` stands a command of the shell, after `name=> ` (or `name=# `,
and `name-> ` for further lines) a statement for the psql that the last command started. What follows is the
output, in which … stands for anything; a line that is nothing else stands for any lines. A block of another
kind without a comment is an error. Elsewhere on the page:

  <!-- world: NAME -->       what is there when the page begins (harness/reader.py)
  <!-- setup: COMMAND -->    a command that the reader does not see"""

import dataclasses
import re

MARK = re.compile(r"^<!--\s*(world|setup|file|part of|background|not run):\s*(.*?)\s*-->$")
FENCE = re.compile(r"^(`{3,})(\w*)$")
PROMPT = re.compile(r"^(?:(\$) |([a-z_]+=[>#]) |([a-z_]+[-(][>#]) )(.*)$")
OF_BLOCKS = ("file", "part of", "background", "not run")


class BadPage(Exception):
    """The page can't be read; the text says where and why."""


@dataclasses.dataclass
class Step:
    """kind: "shell", "sql", "setup", or that of the mark before a block. first, last: of the lines of the expected
    output, or of the block; numbers of lines begin with 0."""
    kind: str
    text: str
    name: str = ""
    first: int = 0
    last: int = 0

    def expected(self, lines):
        return lines[self.first:self.last]


@dataclasses.dataclass
class Page:
    name: str
    lines: list
    world: str
    steps: list

    def where(self, step):
        return f"{self.name}:{step.first}"


def commands(lines, first, last):
    """The steps of a console block."""
    found = []
    for number in range(first, last):
        prompt = PROMPT.match(lines[number])
        shell, sql, more, text = prompt.groups() if prompt else (None, None, None, lines[number])
        is_continued = found and found[-1].kind == "shell" and found[-1].text.endswith("\\") and (
            found[-1].first == number)
        if shell or sql:
            found.append(Step("shell" if shell else "sql", text, first=number + 1, last=number + 1))
        elif (more or is_continued) and found and found[-1].first == number:
            found[-1].text += "\n" + text
            found[-1].first = found[-1].last = number + 1
        elif not found:
            raise BadPage(f"line {number + 1}: output before any prompt")
        else:
            found[-1].last = number + 1
    return found


def block_steps(marks, language, lines, first, last):
    if len(marks) > 1:
        raise BadPage(f"line {first}: more than one comment before a block")
    kind, name = marks[0] if marks else (None, "")
    text = "\n".join(lines[first:last]) + "\n"
    if kind == "background":
        return [Step(kind, each.text, name, first, last) for each in commands(lines, first, last)]
    if kind:
        return [Step(kind, text, name, first, last)]
    if language != "console":
        raise BadPage(f"line {first}: this block is neither a console nor marked")
    return commands(lines, first, last)


def read(name, text):
    lines = text.split("\n")
    page = Page(name, lines, "", [])
    marks, number = [], 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if mark := MARK.match(line):
            kind, value = mark.groups()
            if kind == "world":
                page.world = value
            elif kind == "setup":
                page.steps.append(Step("setup", value, first=number))
            else:
                marks.append((kind, value))
        elif fence := FENCE.match(line):
            end = next((at for at in range(number, len(lines)) if lines[at] == fence[1]), None)
            if end is None:
                raise BadPage(f"line {number}: the block has no end")
            page.steps += block_steps(marks, fence[2], lines, number, end)
            marks, number = [], end + 1
        elif line.startswith("<!--") and not line.endswith("-->"):
            raise BadPage(f"line {number}: a comment over several lines is not read")
        elif line.startswith("    ") and number > 1 and not lines[number - 2].strip():
            raise BadPage(f"line {number}: an indented block; fence it, so that it can be run")
        elif line.strip() and marks:
            raise BadPage(f"line {number}: the comment before it belongs to no block")
    return page


# What differs from run to run and means the same to a reader.
VARYING = [
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|\+00)?"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)?( ms| s\b| seconds?| MB| kB)"), r"N\2"),
    (re.compile(r"^\[\d+\] \d+$"), "[1] 1"),
]


def plain(line):
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return line.rstrip()


def trimmed(lines):
    """Without empty lines at both ends."""
    kept = [plain(line) for line in lines]
    while kept and not kept[0]:
        kept.pop(0)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def is_like(expected, actual):
    """Whether the lines of an output are what the page shows."""
    pattern = ""
    for line in trimmed(expected):
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in re.split(" ?…", line)) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in trimmed(actual))) is not None

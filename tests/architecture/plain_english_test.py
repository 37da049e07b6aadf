#!/usr/bin/env python3
"""The documents are written in plain English: no sentence is too long, no person is a man by default, and none of
the turns of phrase that made readers guess has come back. Code, code spans and addresses are not read."""
import pathlib
import re
import sys

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_WORDS = 40
# Sentences that may be longer, by their first words: lists of settings, metrics and the like.
LONG = ("`constraint_exclusion`, `cpu_index_tuple_cost`", "`type` (C or S), `user`")

# What was found in the documents once, with an example of each. Rules look at one sentence.
RIDDLES = {
    "a sentence that begins with Who and is no question": (
        r"^(Who|Whom|Whoever|Whose)\b(?!.*\?)", "Who has no certificate hears 28000."),
    "a sentence that begins with What and is no question": (
        r"^What (is|was|are|were|a|of|somebody)\b(?!.*[?:]$)", "What is counted stays hidden."),
    "somebody hears or is told on": (r"\b(hears?|nobody is asked)\b", "A client hears 28000."),
    "a thing that is none": (r"(?<!there )\bis none\b", "A hint is none to rely on."),
    "what is asked of something": (r"\basked of\b", "What is asked of the result."),
    "alike instead of an equivalence class": (r"\blook(s|ed)? alike\b", "Records that look alike."),
    "found again instead of re-identified": (r"\bfound again\b", "How easily people are found again."),
    "it is: something": (r"(?<!as )\bit is: ", "It is: the optimum."),
    "a verb that somebody says by a thing": (r"\b(so gone|in line holds|fits no|knows no other)\b",
                                             "Rolled-back changes are so gone."),
    "nothing but": (r"\b[Nn]othing (is|has|of)\b.*\bbut in\b", "Nothing is kept but in memory."),
    "as a whole, without its noun": (r"\bhas not as a whole\b", "A table that has not as a whole is refused."),
    "a person who is a man by default": (r"\b(he|him|his|himself)\b", "The attacker knows his own row."),
}
COMMENT_RULES = ("somebody hears or is told on", "a person who is a man by default", "a thing that is none",
                 "a sentence that begins with Who and is no question")
ABBREVIATED = re.compile(r"\b(e\.g|i\.e|et al|cf|vs|pp)\. ")
# An end of a sentence, perhaps inside of quotes or parentheses, before what can begin one.
END = re.compile(r"(?<=[.!?:])[)\"'”*]*\s+(?=[A-Z\"'“(\[<*`0-9\x01]|pgveil\b|k\b)")
ITEM = re.compile(r"\s*([-*]|\d+\.) +(.*)")
FENCE = re.compile(r"\s*(```|~~~)")


def paragraphs(text):
    """(line, text) of each paragraph, item and cell of a Markdown text, without its code."""
    found, block, start, in_list, is_fenced, was_blank = [], [], 0, False, False, True
    for number, line in enumerate([*text.split("\n"), ""], 1):
        item = ITEM.match(line)
        is_code = line.startswith("    ") and was_blank and not in_list
        is_row = line.lstrip().startswith("|")
        ends = not line.strip() or is_row or item or FENCE.match(line) or line.startswith("#") or is_code
        if ends and block:
            found.append((start, " ".join(block)))
            block = []
        if FENCE.match(line):
            is_fenced = not is_fenced
        elif is_fenced or is_code or line.startswith("#"):
            pass
        elif is_row:
            found += [(number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))
                      if not re.fullmatch(r"[-: ]*", cell)]
        elif line.strip():
            in_list = bool(item) or (in_list and (line.startswith(" ") or not was_blank))
            start = start if block else number
            block.append(item.group(2) if item else line.strip())
        was_blank = is_code or not line.strip()
    return found


def sentences(paragraph):
    spans = []

    def hidden(match):
        spans.append(match.group(0))
        return f"\x01{len(spans) - 1}\x02"

    text = re.sub(r"`[^`]*`|\]\([^)]*\)", hidden, ABBREVIATED.sub(r"\1_ ", paragraph)).replace("**", "")
    for sentence in END.split(text):
        yield sentence.strip(), re.sub("\x01(\\d+)\x02", lambda match: spans[int(match.group(1))], sentence)


def words(sentence):
    return [word for word in re.split(r"[\s/—–]+", sentence) if re.search(r"[A-Za-z0-9\x01]", word)]


def problems_of(text, rules=tuple(RIDDLES), most_words=MOST_WORDS):
    for line, paragraph in paragraphs(text):
        for bare, whole in sentences(paragraph):
            if len(words(bare)) > most_words and not whole.startswith(LONG):
                yield f"line {line}: {len(words(bare))} words: {whole[:70]}…"
            for rule in rules:
                if re.search(RIDDLES[rule][0], bare, re.IGNORECASE if rule == "it is: something" else 0):
                    yield f"line {line}: {rule}: {whole[:70]}"


def comments(text):
    """The comments of a file with #, as one text: a blank line ends a paragraph."""
    return "\n".join(match.group(1) if (match := re.search(r"(?:^|\s)#+ ?(.*)$", line)) else ""
                     for line in text.split("\n"))


def documents():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def checks():
    for path in documents():
        yield f"{path.relative_to(ROOT)}", list(problems_of(path.read_text(encoding="utf-8")))
    for folder in ("config", "demo"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".yaml", ".yml", ".sql", ".sh"):
                text = comments(path.read_text(encoding="utf-8").replace("--", "#"))
                yield f"comments of {path.relative_to(ROOT)}", list(problems_of(text, COMMENT_RULES, 60))
    for rule, (_, example) in RIDDLES.items():
        seen = [problem for problem in problems_of(example) if rule in problem]
        yield f"{rule}: is seen", [] if seen else [example]
        yield f"{rule}: is not seen in code", list(problems_of(f"    {example}\n\n`{example}`\n"))
    long = " ".join(["word"] * MOST_WORDS)
    yield "a long sentence is seen", [] if list(problems_of(f"- {long} more.")) else ["it is not"]
    yield "a long sentence in a table is seen", [] if list(problems_of(f"| a | {long} more |")) else ["it is not"]
    yield "two sentences are two", list(problems_of(f"One {long[5:]}.\nTwo {long[5:]}."))


if __name__ == "__main__":
    sys.exit(tally.report(checks()))

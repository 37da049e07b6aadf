#!/usr/bin/python3
"""line_length.py: no line of the project's own text is longer than 110 columns. Part of ./run format --check.

Longer lines are let through where a break would change what is said: inside strings that span lines (SQL,
YAML), in a line of code with a string, in rows of Markdown tables and in Markdown's fenced blocks, and in a
word that is longer itself. Comments and prose have no such excuse.
"""
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

COLUMNS = 110
ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".cpp", ".hpp", ".py", ".ts", ".tsx", ".mjs", ".css", ".sh", ".cmake", ".yaml", ".sql", ".md"}
NAMES = {"CMakeLists.txt", "run", "Dockerfile"}
# Output of programs and text from clients, whose layout nobody decides.
NOT_OURS = ("tests/golden/", "tests/integration/recorded/", "docs/openapi.yaml")
COMMENT = {
    "//": {".cpp", ".hpp", ".ts", ".tsx", ".mjs"},
    "--": {".sql"},
    "#": {".py", ".sh", ".cmake", ".yaml", ".txt", ""},
}


def inside_cpp_strings(text: str) -> set[int]:
    """→ the numbers of lines that begin inside a raw string."""
    pattern = r"//[^\n]*|R\"(\w*)\(.*?\)\1\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'"
    lines = set()
    for match in re.finditer(pattern, text, re.DOTALL):
        if match.group(0).startswith("R"):
            lines.update(range(text.count("\n", 0, match.start()) + 2, text.count("\n", 0, match.end()) + 2))
    return lines


def inside_python_strings(text: str) -> set[int]:
    """→ the numbers of lines that begin inside a string, docstrings excepted."""
    lines, before = set(), None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_statement = before in (None, tokenize.NEWLINE, tokenize.INDENT, tokenize.NL, tokenize.COMMENT)
        if token.type == tokenize.STRING and not (is_statement and token.string.startswith('"""')):
            lines.update(range(token.start[0] + 1, token.end[0] + 1))
        before = token.type if token.type != tokenize.DEDENT else tokenize.NEWLINE
    return lines


def inside_fences(text: str) -> set[int]:
    lines, is_inside = set(), False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_inside = not is_inside
        elif is_inside or line.startswith("    "):
            lines.add(number)
    return lines


def too_long(path: Path, text: str) -> list[int]:
    """→ the numbers of the lines that are too long and have no excuse."""
    suffix = path.suffix
    excused: set[int] = set()
    if suffix in {".cpp", ".hpp"}:
        excused = inside_cpp_strings(text)
    elif suffix == ".py":
        excused = inside_python_strings(text)
    elif suffix == ".md":
        excused = inside_fences(text)
    comment = next((mark for mark, suffixes in COMMENT.items() if suffix in suffixes), None)
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= COLUMNS or number in excused:
            continue
        body = line.strip()
        if len(max(body.split(), key=len)) > COLUMNS - 20:
            continue
        is_comment = comment is not None and body.startswith(comment)
        if suffix == ".md" and body.startswith("|"):
            continue
        if not is_comment and suffix != ".md" and re.search(r"[\"'`]", line):
            continue
        if suffix in {".sh", ".yaml", ".sql", ".tsx", ""} and not is_comment:
            continue  # here-documents, examples and texts of the page
        found.append(number)
    return found


def main() -> int:
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    if not names:  # an unpacked archive
        skipped = {"build", "node_modules", ".git"}
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        names = [str(path) for path in paths if not skipped & set(path.parts)]
    passed = failed = 0
    for name in sorted(names):
        path = Path(name)
        if not name or name.startswith(NOT_OURS) or not (path.suffix in SUFFIXES or path.name in NAMES):
            continue
        if not (ROOT / path).is_file():
            continue
        lines = too_long(path, (ROOT / path).read_text(encoding="utf-8"))
        if lines:
            where = ", ".join(map(str, lines[:8])) + (" …" if len(lines) > 8 else "")
            print(f"longer than {COLUMNS} columns: {name}: line {where}")
            failed += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

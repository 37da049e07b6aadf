"""The Markdown tables of a text, as the benchmarks print them."""

import re


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text):
    """→ a list of tables, each a list of rows, each a dictionary by the words of the head."""
    found, head = [], None
    for line in text.splitlines():
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells(line)
            found.append([])
        elif not re.fullmatch(r"[|: -]+", line):
            found[-1].append(dict(zip(head, cells(line), strict=True)))
    return found


def table(rows, columns=None):
    """Markdown, of the named columns."""
    columns = columns or list(rows[0])
    lines = [
        columns,
        ["-" * max(len(name), 3) for name in columns],
        *([row[name] for name in columns] for row in rows),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measured(cell):
    """(median, least, most) of "1.5 (1.2–1.8)", or of a number alone."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell.replace(",", ""))]
    return numbers[0], numbers[-2] if len(numbers) > 2 else numbers[0], numbers[-1]

"""A published table as a reader sees it: each cell stands for a set of values of its column. Nothing of
pgveil is used to read it."""

import csv
import re
from dataclasses import dataclass

import numpy


@dataclass
class Column:
    """The values of a column in the order of its hierarchy, or by size. leaves: how many values the
    hierarchy has."""

    name: str
    values: list
    leaves: int
    is_number: bool
    below: dict  # label of a hierarchy → the values of the table below it
    all_below: dict  # label → how many leaves of the hierarchy are below it
    codes: numpy.ndarray  # by record of the input

    def __post_init__(self):
        self.code_of = {value: code for code, value in enumerate(self.values)}
        self.numbers = numpy.array([float(value) for value in self.values]) if self.is_number else None


@dataclass
class Cells:
    """One column of a release. Cell c stands for the codes members[starts[c]:starts[c + 1]]."""

    members: numpy.ndarray
    starts: numpy.ndarray
    losses: numpy.ndarray  # by cell, 0 to 1
    cell_of: numpy.ndarray  # by record that is published


@dataclass
class Release:
    records: numpy.ndarray  # the numbers of the records that are published
    columns: list
    lost: int  # records that are not published


def read_column(name, cells, hierarchy_file, is_number):
    with open(hierarchy_file, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    occur = set(cells)
    below, all_below = {}, {}
    for row in rows:
        for label in dict.fromkeys(row):
            all_below[label] = all_below.get(label, 0) + 1
            if row[0] in occur:
                below.setdefault(label, []).append(row[0])
    order = [row[0] for row in rows if row[0] in occur]
    values = sorted(occur, key=float) if is_number else order
    assert len(values) == len(occur), f"the hierarchy of {name} lacks values"
    code_of = {value: code for code, value in enumerate(values)}
    codes = numpy.array([code_of[value] for value in cells])
    return Column(name, values, len(rows), is_number, below, all_below, codes)


def covered(column, cell):
    """(codes of the values of the table that the cell stands for, its loss)."""
    everything = range(len(column.values))
    if cell == "*":
        return everything, 1.0
    if cell in column.code_of:
        return [column.code_of[cell]], 0.0
    interval = re.fullmatch(r"\[(-?[\d.]+),(-?[\d.]+)\]", cell) if column.is_number else None
    if interval:
        low, high = map(float, interval.groups())
        return numpy.flatnonzero((column.numbers >= low) & (column.numbers <= high)), span(column, low, high)
    if cell.startswith("{"):
        members = next(csv.reader([cell[1:-1]], escapechar="\\"))
        return [column.code_of[member] for member in members], len(members) / column.leaves
    if cell in column.below:
        codes = [column.code_of[value] for value in column.below[cell]]
        if column.is_number:
            return codes, span(column, column.numbers[min(codes)], column.numbers[max(codes)])
        return codes, column.all_below[cell] / column.leaves
    raise SystemExit(f"bench local: the cell {cell!r} of {column.name} stands for nothing that is known")


def span(column, low, high):
    """The share of the column's range. A single value loses nothing."""
    whole = column.numbers[-1] - column.numbers[0]
    return (high - low) / whole if whole else 0.0


def read_cells(column, texts):
    numbers, cells = {}, numpy.empty(len(texts), dtype=numpy.int64)
    for row, text in enumerate(texts):
        cells[row] = numbers.setdefault(text, len(numbers))
    members, starts, losses = [], [0], []
    for text in numbers:
        codes, loss = covered(column, text)
        members.append(numpy.asarray(codes, dtype=numpy.int64))
        starts.append(starts[-1] + len(codes))
        losses.append(loss)
    return Cells(numpy.concatenate(members), numpy.array(starts), numpy.array(losses), cells)


def read_release(file, columns, records):
    """columns: of the input, those that are quasi-identifiers."""
    with open(file, encoding="utf-8", newline="") as text:
        rows = csv.reader(text, delimiter=";")
        head = next(rows)
        table = list(zip(*rows, strict=True))
    shown = numpy.array([int(number) for number in table[head.index("record")]])
    assert len(set(shown.tolist())) == len(shown), "a record was published twice"
    cells = [read_cells(column, table[head.index(column.name)]) for column in columns]
    release = Release(shown, cells, records - len(shown))
    for column, it in zip(columns, cells, strict=True):
        check_cover(column, it, shown)
    return release


def check_cover(column, cells, shown):
    """Each cell stands for the value that the record really has; otherwise the cells were read wrongly."""
    for cell in range(len(cells.starts) - 1):
        members = cells.members[cells.starts[cell] : cells.starts[cell + 1]]
        true = column.codes[shown[cells.cell_of == cell]]
        assert numpy.isin(true, members).all(), f"a cell of {column.name} does not stand for its value"

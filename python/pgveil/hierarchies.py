"""How the values of a quasi-identifier become coarser, level by level (docs/anonymize.md, "hierarchy")."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._frames import Frame, is_no_value, is_null, read, text_of
from ._library import NULL, NULL_TEXT, UsageError


class Hierarchy:
    """Made by the functions of this module. It is a value: the same hierarchy serves any number of tables.

    In its values, None stands for NULL. So does the text "NULL" if there is no None.
    """

    def __init__(
        self,
        rule: Mapping[str, Any] | None,
        rows: list[list[str | None]] | None = None,
        level: int | None = None,
    ) -> None:
        self.rule = rule
        self.rows = rows
        self.level = level

    def __repr__(self) -> str:
        made = f"Hierarchy({self.rule})" if self.rule else f"Hierarchy of {len(self.rows or [])} values"
        return made if self.level is None else f"{made} at level {self.level}"

    def at(self, level: int) -> Hierarchy:
        """The same hierarchy, fixed to one level: no search chooses it. 0 shows the values as they are.

        Differential privacy needs it of each hierarchy, unless it has search_epsilon.
        """
        return Hierarchy(self.rule, self.rows, level)

    def _values(self) -> list[Any]:
        """Those that an order, a tree or rows name."""
        return [it[0] for it in self.rows or []] if self.rule is None else list(_leaves(self.rule))

    def taken(self) -> set[Any]:
        """The texts of values and of what they become, which NULL cannot have."""
        texts = {it for row in self.rows or [] for it in row} | set(keys_of(self.rule)) | set(self._values())
        return texts if None in self._values() else texts - {NULL_TEXT}

    def for_column(self, frame: Frame, name: str, null_text: str) -> Hierarchy:
        """With the text that stands for NULL in this table."""
        values = self._values()
        word = None
        if None not in values and NULL_TEXT in values and null_text != NULL_TEXT and frame.has_null(name):
            if frame.has_text(name, NULL_TEXT):
                raise UsageError(
                    f'column {name} has NULL and the text "NULL", and its hierarchy only the text',
                    "write None for NULL in the hierarchy",
                )
            word = NULL_TEXT

        def named(it: Any) -> Any:
            return null_text if it is None or it == word else it

        rows = self.rows and [
            [named(it) if row[0] in (None, word) or it is None else it for it in row] for row in self.rows
        ]
        return Hierarchy(None if self.rule is None else _mapped(self.rule, named), rows, self.level)

    def file_text(self) -> str:
        """As the program's file of a hierarchy with a header, if it was made of rows."""
        rows = self.rows or []
        text = io.StringIO()
        writer = csv.writer(text, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerows([range(len(rows[0])) if rows else [], *rows])
        return text.getvalue()


def _leaves(part: Any) -> Iterator[Any]:
    if isinstance(part, (Mapping, list)):
        for it in part.values() if isinstance(part, Mapping) else part:
            yield from _leaves(it)
    else:
        yield part


def keys_of(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        yield from part
    if isinstance(part, (Mapping, list)):
        for it in part.values() if isinstance(part, Mapping) else part:
            yield from keys_of(it)


def _mapped(part: Any, named: Callable[[Any], Any]) -> Any:
    if isinstance(part, Mapping):
        return {key: _mapped(it, named) for key, it in part.items()}
    return [_mapped(it, named) for it in part] if isinstance(part, list) else named(part)


def _listed(what: str, given: Any, example: str) -> list[Any]:
    if isinstance(given, (str, bytes, set, frozenset, Mapping)) or not hasattr(given, "__iter__"):
        raise UsageError(f"the {what} are of type {type(given).__name__}, and not a list", f"write {example}")
    return list(given)


def _value(given: Any) -> str | None:
    if is_no_value(given):
        raise UsageError(
            f"a hierarchy has a value of type {type(given).__name__}, which no column has",
            "write texts, numbers, dates, or None for NULL",
        )
    return None if is_null(given) else text_of(given)


def _node(given: Any, depth: int = 0) -> Any:
    if depth > 100:
        raise UsageError("a tree is deeper than 100, or has itself as a node", "write fewer levels")
    if not isinstance(given, Mapping):
        return [_node(it, depth + 1) for it in given] if isinstance(given, (list, tuple)) else _value(given)
    made = {text_of(key): _node(it, depth + 1) for key, it in given.items()}
    if len(made) < len(given):
        raise UsageError("two nodes of a tree have the same text", "name each once")
    return made


def intervals(
    widths: Sequence[float], origin: float | None = None, low: float | None = None, high: float | None = None
) -> Hierarchy:
    """Numbers become intervals, one width for each level. Each width is a multiple of the one before.

    Values below ``low`` become ``< low``, and those of ``high`` and above ``>= high``.
    """
    rule: dict[str, Any] = {"widths": _listed("widths of intervals", widths, "intervals([5, 10])")}
    for key, value in (("origin", origin), ("low", low), ("high", high)):
        if value is not None:
            rule[key] = value
    return Hierarchy({"intervals": rule})


def masking(masked: Sequence[int] | None = None, keep: str = "prefix") -> Hierarchy:
    """Characters become ``*``, from the end (keep="prefix") or the beginning (keep="suffix").

    ``masked``: how many at each level; one more at each level if left out.
    """
    rule: dict[str, Any] = {"keep": keep}
    if masked is not None:
        rule["masked"] = _listed("numbers of masked characters", masked, "masking([1, 2])")
    return Hierarchy({"masking": rule})


def dates(*steps: str) -> Hierarchy:
    """``YYYY-MM-DD`` becomes some of day, month, quarter, year and decade, in this order."""
    if not all(isinstance(it, str) for it in steps):
        raise UsageError("a step of dates is no text", 'write dates("month", "year")')
    return Hierarchy({"dates": list(steps)})


def order(values: Iterable[Any], groups: Sequence[int]) -> Hierarchy:
    """Neighbours of a list are joined. ``groups``: how many at each level. None stands for NULL."""
    example = 'order(["low", "mid", "high"], [2])'
    named = [_value(it) for it in _listed("values of an order", values, example)]
    return Hierarchy({"order": {"values": named, "groups": _listed("groups of an order", groups, example)}})


def tree(nodes: Mapping[str, Any]) -> Hierarchy:
    """From the root down: ``{"Europe": ["France", {"Spain": ["Madrid"]}]}``. None stands for NULL."""
    if not isinstance(nodes, Mapping):
        raise UsageError(
            f"a tree is of type {type(nodes).__name__}, and not a dict",
            'write tree({"Europe": ["France", "Spain"]})',
        )
    return Hierarchy({"tree": _node(nodes)})


def from_frame(data: Any) -> Hierarchy:
    """Any table that anonymize() reads. Its columns are the levels: the values first, then what they become.
    None stands for NULL.
    """
    frame = read(data)
    frame.want(frame.names())
    columns = frame.wanted()
    rows = len(columns[0].codes) if columns else 0
    if rows == 0:
        raise UsageError("the table of a hierarchy is empty", "give it a row for each value")
    if any(len(it.codes) != rows for it in columns):
        raise UsageError("the columns of a hierarchy have different numbers of rows", "give all columns alike")
    return Hierarchy(
        None,
        [
            [None if it.codes[row] == NULL else it.values[it.codes[row]] for it in columns]
            for row in range(rows)
        ],
    )

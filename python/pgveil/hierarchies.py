"""How the values of a quasi-identifier become coarser, level by level (docs/anonymize.md, "hierarchy")."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._frames import read, text_of
from ._library import NULL


class Hierarchy:
    """Made by the functions of this module. It is a value: the same hierarchy serves any number of tables."""

    def __init__(
        self,
        rule: Mapping[str, Any] | None,
        rows: list[list[str]] | None = None,
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

        Differential privacy needs it of each hierarchy.
        """
        return Hierarchy(self.rule, self.rows, level)

    def file_text(self) -> str:
        """As the program's file of a hierarchy, if it was made of rows."""
        text = io.StringIO()
        csv.writer(text, delimiter=";", lineterminator="\n").writerows(self.rows or [])
        return text.getvalue()


def intervals(
    widths: Sequence[float], origin: float | None = None, low: float | None = None, high: float | None = None
) -> Hierarchy:
    """Numbers become intervals, one width for each level. Each width is a multiple of the one before.

    Values below ``low`` become ``< low``, and those of ``high`` and above ``>= high``.
    """
    rule: dict[str, Any] = {"widths": list(widths)}
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
        rule["masked"] = list(masked)
    return Hierarchy({"masking": rule})


def dates(*steps: str) -> Hierarchy:
    """``YYYY-MM-DD`` becomes some of day, month, quarter, year and decade, in this order."""
    return Hierarchy({"dates": list(steps)})


def order(values: Iterable[Any], groups: Sequence[int]) -> Hierarchy:
    """Neighbours of a list are joined. ``groups``: how many at each level."""
    return Hierarchy({"order": {"values": [text_of(it) for it in values], "groups": list(groups)}})


def tree(nodes: Mapping[str, Any]) -> Hierarchy:
    """From the root down: ``{"Europe": ["France", {"Spain": ["Madrid"]}]}``."""
    return Hierarchy({"tree": dict(nodes)})


def from_frame(data: Any) -> Hierarchy:
    """The columns are the levels: the values first, then what they become. Any table that anonymize() reads."""
    columns = read(data).columns
    rows = len(columns[0].codes) if columns else 0
    return Hierarchy(
        None,
        [["" if it.codes[row] == NULL else it.values[it.codes[row]] for it in columns] for row in range(rows)],
    )

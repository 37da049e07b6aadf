"""Where the table is divided: cuts found on a sample, as a binary tree. Pure functions over arrays of
positions: a number's position is the number (NULL's: −∞, before all numbers), a category's its place in its
hierarchy's order."""
from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence, Union

import numpy as np


@dataclass(frozen=True)
class Leaf:
    part: int


@dataclass(frozen=True)
class Cut:
    dimension: int
    last: float  # the largest position of the left side
    left: "Node"
    right: "Node"


Node = Union[Leaf, Cut]


def leaves(node: Node) -> Iterator[int]:
    """From left to right."""
    if isinstance(node, Leaf):
        yield node.part
    else:
        yield from leaves(node.left)
        yield from leaves(node.right)


def dimensions_of(node: Node) -> set[int]:
    if isinstance(node, Leaf):
        return set()
    return {node.dimension} | dimensions_of(node.left) | dimensions_of(node.right)


def renumbered(node: Node, part_of: Callable[[int], int]) -> Node:
    if isinstance(node, Leaf):
        return Leaf(part_of(node.part))
    return Cut(node.dimension, node.last, renumbered(node.left, part_of), renumbered(node.right, part_of))


def _entropy(column: np.ndarray) -> float:
    counts = np.unique(column, return_counts=True)[1]
    shares = counts / len(column)
    return float(-(shares * np.log(shares)).sum())


def _span(column: np.ndarray, whole: float) -> float:
    least, greatest = column.min(), column.max()
    if np.isneginf(least) and not np.isneginf(greatest):
        return whole  # from NULL to a number
    return 0.0 if least == greatest else float(greatest - least)


def scores(sample: np.ndarray, cut_by: str, wholes: Sequence[float]) -> list[tuple[float, int]]:
    """(−score, dimension) of those with two values or more, best first; the earlier one where scores are
    equal."""
    made = []
    for d in range(sample.shape[1]):
        column = sample[:, d]
        if len(column) == 0 or column.min() == column.max():
            continue
        if cut_by == "entropy":
            score = _entropy(column)
        elif cut_by == "min_entropy":
            score = -_entropy(column)
        elif cut_by == "span":
            score = _span(column, wholes[d])
        else:
            score = _span(column, wholes[d]) / (wholes[d] or 1.0)
        made.append((-score, d))
    return sorted(made)


def _median_cut(column: np.ndarray) -> Optional[float]:
    """The largest position on the left, as the native cut has it: (≤ median | >) or (< median | ≥), the more
    even one."""
    ordered = np.sort(column)
    median = ordered[(len(ordered) - 1) // 2]
    before, through = np.searchsorted(ordered, median, "left"), np.searchsorted(ordered, median, "right")
    size = len(ordered)
    cuts = [(abs(size - 2 * int(through)), 0, median)] if through < size else []
    if before > 0:
        cuts.append((abs(size - 2 * int(before)), 1, ordered[before - 1]))
    return float(min(cuts)[2]) if cuts else None


def multidimensional(sample: np.ndarray, parts: int, cut_by: str, wholes: Sequence[float]) -> Node:
    """The largest part is cut at the median of its best attribute, until there are enough."""
    cuts: dict[int, tuple[int, float, int, int]] = {}  # node → dimension, last, left, right
    waiting = [(-len(sample), 0, np.arange(len(sample)))]
    nodes, made = 1, 1
    while waiting and made < parts:
        _, node, rows = heapq.heappop(waiting)
        for _, d in scores(sample[rows], cut_by, wholes):
            last = _median_cut(sample[rows, d])
            if last is None:
                continue
            left = sample[rows, d] <= last
            cuts[node] = (d, last, nodes, nodes + 1)
            for side, child in ((rows[left], nodes), (rows[~left], nodes + 1)):
                heapq.heappush(waiting, (-len(side), child, side))
            nodes += 2
            made += 1
            break
    return _numbered(cuts)


def quantiles(sample: np.ndarray, parts: int, cut_by: str, wholes: Sequence[float]) -> Node:
    """The best attribute's quantiles; fewer parts where it has few values."""
    best = scores(sample, cut_by, wholes)
    if not best:
        return Leaf(0)
    d = best[0][1]
    ordered = np.sort(sample[:, d])
    at = [
        ordered[(i * len(ordered)) // parts - 1] for i in range(1, parts) if (i * len(ordered)) // parts > 0
    ]
    lasts = [float(last) for last in np.unique(at) if last < ordered[-1]]
    next_part = iter(range(len(lasts) + 1))

    def tree(begin: int, end: int) -> Node:
        if begin == end:
            return Leaf(next(next_part))
        middle = (begin + end) // 2
        left = tree(begin, middle)
        return Cut(d, lasts[middle], left, tree(middle + 1, end))

    return tree(0, len(lasts))


def _numbered(cuts: dict[int, tuple[int, float, int, int]]) -> Node:
    next_part = iter(range(len(cuts) + 1))

    def tree(node: int) -> Node:
        if node not in cuts:
            return Leaf(next(next_part))
        d, last, left, right = cuts[node]
        made_left = tree(left)
        return Cut(d, last, made_left, tree(right))

    return tree(0)


def merged(order: Sequence[int], sizes: dict[int, int], failing: set[int]) -> dict[int, int]:
    """part → part it is now of: each that fails goes to the smaller of its neighbours. `order`: parts from
    left to right, those without records included. The answer may still fail, of fewer parts."""
    groups = [[part] for part in order]
    size = [sizes.get(part, 0) for part in order]
    fails = [part in failing or sizes.get(part, 0) == 0 for part in order]
    while len(groups) > 1 and any(fails):
        at = fails.index(True)
        neighbours = [i for i in (at - 1, at + 1) if 0 <= i < len(groups)]
        into = min(neighbours, key=lambda i: (size[i], i))
        low, high = min(at, into), max(at, into)
        # Whether it is enough is counted again; two that fail are not yet known to be good.
        fails[low] = fails[at] and fails[into]
        groups[low] += groups[high]
        size[low] += size[high]
        for kept in (groups, size, fails):
            del kept[high]  # type: ignore[attr-defined]
    return {part: new for new, group in enumerate(groups) for part in group}


def key_of_part(part: int, parts: int) -> int:
    """A number that Spark's hash partitioning sends to the task `part` of `parts`, so that each task has one
    part."""
    return next(key for key in range(1 << 31) if murmur3(key) % parts == part)


def murmur3(number: int, seed: int = 42) -> int:
    """Spark's hash() of an int, signed."""
    def rotated(value: int, by: int) -> int:
        return ((value << by) | (value >> (32 - by))) & 0xFFFFFFFF

    k = rotated(number * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    h = (rotated(seed ^ k, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= 4
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h

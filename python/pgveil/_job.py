"""The arguments of anonymize() as the text of a job (docs/anonymize.md). JSON is YAML, too."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

from ._frames import Frame
from ._library import UsageError
from .hierarchies import Hierarchy

# These form groups, which cut numbers as numbers.
GROUPING = ("mondrian", "least_loss")

# Python 3.9 evaluates these, and knows no | of types.
QuasiIdentifiers = Union[Sequence[str], Mapping[str, Optional[Hierarchy]]]
Sensitive = Union[Sequence[str], Mapping[str, Mapping[str, Any]]]


class EpsilonAndDelta(TypedDict):
    epsilon: float
    delta: float


class DifferentialPrivacy(EpsilonAndDelta, total=False):
    """epsilon: from 0.01 to 10. delta: from 10^-15 to 0.01. search_epsilon: the part of epsilon that the
    choice of levels may spend, from 0.001 on; without it, each hierarchy has one level."""

    search_epsilon: float


def _names(what: str, names: Any) -> list[str]:
    if isinstance(names, str):
        raise UsageError(f"{what} is one text", f'write a list: {what}=["{names}"]')
    return list(names)


def text(
    frame: Frame,
    quasi_identifiers: QuasiIdentifiers,
    k: int | None,
    sensitive: Sensitive,
    insensitive: Sequence[str],
    algorithm: str | None,
    seed: int | None,
    settings: Mapping[str, Any],
    folder: pathlib.Path,
) -> str:
    """folder: for files of hierarchies."""
    attributes: dict[str, Any] = {}

    def add(name: str, attribute: dict[str, Any]) -> None:
        if name in attributes:
            raise UsageError(f"{name} has two classes", "name it once")
        attributes[name] = attribute

    given = quasi_identifiers if isinstance(quasi_identifiers, Mapping) else {}
    for name in _names("quasi_identifiers", quasi_identifiers):
        attribute: dict[str, Any] = {"class": "quasi_identifier"}
        hierarchy = given.get(name)
        if hierarchy is not None and hierarchy.rule is not None:
            attribute["hierarchy"] = hierarchy.rule
        elif hierarchy is not None:
            file = folder / f"{len(attributes)}.csv"
            file.write_text(hierarchy.file_text(), encoding="utf-8")
            attribute["hierarchy"] = {"file": str(file)}
        elif algorithm in GROUPING and name in frame.originals and frame.is_numeric(name):
            attribute["numeric"] = True
        if hierarchy is not None and hierarchy.level is not None:
            attribute["min_level"] = attribute["max_level"] = hierarchy.level
        add(name, attribute)
    models = sensitive if isinstance(sensitive, Mapping) else {}
    for name in _names("sensitive", sensitive):
        add(name, {"class": "sensitive", **models.get(name, {})})
    for name in _names("insensitive", insensitive):
        add(name, {"class": "insensitive"})
    job: dict[str, Any] = {
        "version": 1,
        "name": "table",
        "input": {"file": "table"},
        "attributes": attributes,
        "output": {"file": "published"},
    }
    if algorithm is not None:
        job["algorithm"] = algorithm
    if k is not None:
        job["k"] = k
    if seed is not None:
        job["seed"] = seed
    for key, value in settings.items():
        if key in job:
            raise UsageError(f"{key} is no setting", f"give it as an argument of its own, or leave it out")
        job[key] = value
    return json.dumps(job, ensure_ascii=False)

"""The arguments of anonymize() as the text of a job (docs/anonymize.md). JSON is YAML, too."""

from __future__ import annotations

import decimal
import json
import math
import numbers
import operator
import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

from ._frames import Frame
from ._library import NULL_TEXT, UsageError, encoded
from .hierarchies import Hierarchy, keys_of, order

# These form groups, which cut numbers as numbers.
GROUPING = ("mondrian", "least_loss")

# Python 3.9 evaluates these, and knows no | of types.
QuasiIdentifiers = Union[Sequence[str], Mapping[str, Optional[Hierarchy]]]
Sensitive = Union[Sequence[str], Mapping[str, Optional[Mapping[str, Any]]]]


class EpsilonAndDelta(TypedDict):
    epsilon: float
    delta: float


class DifferentialPrivacy(EpsilonAndDelta, total=False):
    """epsilon: from 0.01 to 10. delta: from 10^-15 to 0.01. search_epsilon: the part of epsilon that the
    choice of levels may spend, from 0.001 on; without it, each hierarchy has one level."""

    search_epsilon: float


def names(what: str, given: Any) -> list[str]:
    """Of columns, or texts of another kind."""
    if isinstance(given, str):
        raise UsageError(f"{what} is one text", f'write a list: {what}=["{given}"]')
    if isinstance(given, (set, frozenset)):
        raise UsageError(f"{what} is a set, whose order changes from run to run", "write a list")
    if isinstance(given, (bytes, bytearray)) or not hasattr(given, "__iter__"):
        raise UsageError(
            f"{what} is of type {type(given).__name__}, and not a list", f'write a list: {what}=["a", "b"]'
        )
    return [str(it) for it in given]


def _by_name(what: str, given: Any) -> dict[str, Any]:
    """What a dict gives each column; None for all if it is a list."""
    listed = names(what, list(given) if isinstance(given, Mapping) else given)
    for at, name in enumerate(listed):
        if name in listed[:at]:
            raise UsageError(f"{what} has {name} twice", "name it once")
    return dict(zip(listed, given.values() if isinstance(given, Mapping) else [None] * len(listed)))


def hierarchies_of(quasi_identifiers: Any) -> dict[str, Hierarchy | None]:
    given = _by_name("quasi_identifiers", quasi_identifiers)
    for name, hierarchy in given.items():
        if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
            raise UsageError(
                f"the hierarchy of {name} is of type {type(hierarchy).__name__}",
                "write one of pgveil.hierarchies, such as pgveil.hierarchies.intervals([10, 20]), or None: numbers "
                "need none with the default algorithm",
            )
    return given


def models_of(sensitive: Any) -> dict[str, Mapping[str, Any]]:
    given = _by_name("sensitive", sensitive)
    for name, models in given.items():
        if models is not None and not isinstance(models, Mapping):
            raise UsageError(
                f"the models of {name} are of type {type(models).__name__}",
                f'write a dict: sensitive={{"{name}": {{"l_diversity": {{"distinct": 2}}}}}}',
            )
    return {name: models or {} for name, models in given.items()}


def _with_order(models: Mapping[str, Any]) -> dict[str, Any]:
    """A list of the values as the hierarchy that has it, in which NULL gets its text."""
    listed = models.get("order")
    return {**models, "order": order(listed, [])} if isinstance(listed, (list, tuple)) else dict(models)


def whole(what: str, value: Any) -> int:
    """As an argument of the library, which knows 0 to 2^32 - 1."""
    try:
        made = operator.index(value)
    except TypeError:
        made = -1
    if not 0 <= made < 2**32 or isinstance(value, bool):
        raise UsageError(f"{what} is {value!r}, and not a whole number from 0 to 4294967295", "correct it")
    return made


def at_least_zero(what: str, value: Any) -> float:
    is_number = isinstance(value, (numbers.Real, decimal.Decimal)) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) < math.inf:
        raise UsageError(f"{what} is {value!r}, and not a number of 0 or more", "correct it")
    return float(value)


def _of_json(value: Any) -> Any:
    """Numbers of NumPy and decimals, and paths."""
    is_whole = isinstance(value, decimal.Decimal) and value.is_finite() and value == int(value)
    if isinstance(value, numbers.Integral) or is_whole:
        return int(value)
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    kind = "a hierarchy" if isinstance(value, Hierarchy) else f"of type {type(value).__name__}"
    raise UsageError(f"a value of the settings is {kind}", "write numbers, texts, lists and dicts")


_TEXT_OR_EXPONENT = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9.]+[eE][-+]?[0-9]+')


def _without_exponents(made: str) -> str:
    """JSON whose numbers have none: 1e-05 is no number for intervals, and no value of a column."""
    return _TEXT_OR_EXPONENT.sub(
        lambda it: it[0] if it[0].startswith('"') else f"{decimal.Decimal(it[0]):f}", made
    )


def _of_settings(frame: Frame, settings: Mapping[str, Any]) -> list[str]:
    """The columns that settings ask for. The file of a subset may have any of them."""
    unit, subset = settings.get("unit"), settings.get("subset")
    named = [] if unit is None else [str(unit)]
    if isinstance(subset, Mapping):
        named += [str(subset["column"])] if "column" in subset else frame.names()
    return named


def text(
    frame: Frame,
    hierarchies: Mapping[str, Hierarchy | None],
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

    if not isinstance(settings, Mapping):
        raise UsageError(
            f"settings is of type {type(settings).__name__}", 'write a dict: {"suppression": "5%"}'
        )
    models = {name: _with_order(given) for name, given in models_of(sensitive).items()}
    kept = names("insensitive", insensitive)
    frame.want([*hierarchies, *models, *kept, *_of_settings(frame, settings)])
    of_models = [it for all_of in models.values() for it in all_of.values()]
    used = [it for it in (*hierarchies.values(), *of_models) if isinstance(it, Hierarchy)]
    # With differential privacy, no record may decide how another is shown, or whether there is a table. So
    # the text is fixed there, and a value that has it is missing.
    is_private = "differential_privacy" in settings
    null_text = NULL_TEXT if is_private else frame.null_text(set().union(*(it.taken() for it in used)))

    def rule_of(name: str, hierarchy: Hierarchy) -> Any:
        own = hierarchy.for_column(frame, name, null_text)
        if own.rule is not None:
            return own.rule
        file = folder / f"{len(attributes)}.csv"
        file.write_bytes(encoded(f"the hierarchy of {name}", [own.file_text()])[0])
        return {"file": str(file), "header": True}  # or the first row may be taken for one

    for name, hierarchy in hierarchies.items():
        attribute: dict[str, Any] = {"class": "quasi_identifier"}
        if hierarchy is not None:
            attribute["hierarchy"] = rule_of(name, hierarchy)
            if hierarchy.level is not None:
                attribute["min_level"] = attribute["max_level"] = hierarchy.level
        elif algorithm in GROUPING and frame.is_numeric(name):
            attribute["numeric"] = True
        add(name, attribute)
    for name, given in models.items():
        told = {key: rule_of(name, it) if isinstance(it, Hierarchy) else it for key, it in given.items()}
        if isinstance(given.get("order"), Hierarchy):
            told["order"] = told["order"]["order"]["values"]
        add(name, {"class": "sensitive", **told})
    for name in kept:
        add(name, {"class": "insensitive"})
    if any(len(json.dumps(it)) > 1024 for it in keys_of(attributes)):
        message = "the name of a column or of a node of a tree is longer than 1,000 characters"
        raise UsageError(message, "shorten it")
    read: dict[str, Any] = {"file": "table"}
    if frame.has_null() or is_private:
        read["null"] = null_text
    job: dict[str, Any] = {
        "version": 1,
        "name": "table",
        "input": read,
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
            is_argument = key in ("algorithm", "k", "seed")
            hint = "give it as an argument of its own" if is_argument else "leave it out: the arguments say it"
            raise UsageError(f"{key} is no setting", hint)
        job[key] = value
    try:
        made = json.dumps(job, ensure_ascii=False, default=_of_json)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the settings cannot be written as a job: {error}", "use texts as keys") from None
    return _without_exponents(made).replace("\x7f", "\\u007f")  # which JSON may have as it is, and YAML not

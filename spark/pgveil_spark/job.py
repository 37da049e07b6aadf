"""A job as the native reader describes it (`pgveil spark-worker --job`)."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Optional

from .errors import Failure


@dataclass(frozen=True)
class Attribute:
    name: str
    is_quasi_identifier: bool
    is_published: bool
    is_numeric: bool
    models: tuple[str, ...]  # in words, with numbers as both sides read them: "t_closeness 0.2 ordered"
    is_compared: bool  # some model compares its values with those of the whole table
    must_be_numbers: bool = False  # the native reader, which sees only compared values, does not test it
    min_level: Optional[int] = None  # of the levels that the job allows; none: all from the lowest
    max_level: Optional[int] = None


@dataclass(frozen=True)
class Mondrian:
    cut_by: str
    cuts: str
    ranges: str


@dataclass(frozen=True)
class Job:
    name: str
    path: str
    attributes: tuple[Attribute, ...]
    k: int
    smallest_class: int  # k, or more if a model demands it of every class
    risks: tuple[str, ...]  # models of all classes together, in words: "average_risk 0.05"
    suppression: float
    threads: int
    suppressed_records: str
    null: Optional[str]
    seed: Optional[int]
    mondrian: Optional[Mondrian]
    input: dict[str, str] = field(default_factory=dict)
    output: Optional[str] = None
    output_separator: Optional[str] = None

    @property
    def published(self) -> list[Attribute]:
        return [it for it in self.attributes if it.is_published]

    @property
    def quasi_identifiers(self) -> list[Attribute]:
        return [it for it in self.attributes if it.is_quasi_identifier]

    @property
    def surveyed(self) -> list[Attribute]:
        """Those whose different values the native reader has to see."""
        return [it for it in self.attributes if it.is_quasi_identifier or it.is_compared]

    @property
    def diverse(self) -> list[Attribute]:
        return [it for it in self.attributes if it.models]


def _attribute(described: dict[str, Any]) -> Attribute:
    return Attribute(
        described["name"],
        described["class"] == "quasi_identifier",
        described["class"] != "identifier",
        described["numeric"],
        tuple(str(words) for words in described["models"]),
        described["compared"],
        described.get("order") == "number" and not described["compared"],
        described["min_level"],
        described["max_level"],
    )


def job_of(description: str, path: str) -> Job:
    try:
        it = json.loads(description)
        return Job(
            it["name"],
            path,
            tuple(_attribute(one) for one in it["attributes"]),
            it["k"],
            it["smallest_class"],
            tuple(it["risks"]),
            it["suppression"],
            it["threads"],
            it["suppressed_records"],
            it.get("null"),
            it.get("seed"),
            Mondrian(**it["mondrian"]) if "mondrian" in it else None,
            it["input"],
            it.get("output"),
            it.get("output_separator"),
        )
    except (ValueError, KeyError, TypeError) as wrong:
        raise Failure(
            "the native reader's description is not understood",
            "are the package and the binary of one version?",
        ) from wrong

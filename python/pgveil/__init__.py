"""k-anonymous tables from data frames.

    import pgveil
    release = pgveil.anonymize(people, quasi_identifiers=["age", "town"], k=5)
    release.data      # a frame of the same kind
    release.report    # what was kept, and what was lost

The engine is that of the program pgveil: the same result, tests and messages. docs/python.md has more.
"""

from __future__ import annotations

import functools
import pathlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from . import _job, hierarchies
from ._frames import SUPPRESSED, Frame, read
from ._job import DifferentialPrivacy, QuasiIdentifiers, Sensitive
from ._library import ConfigurationError, Error, PolicyError, Report, Table, UsageError, version
from .hierarchies import Hierarchy

__all__ = [
    "Anonymizer",
    "Check",
    "ConfigurationError",
    "Error",
    "Hierarchy",
    "PolicyError",
    "Release",
    "Report",
    "UsageError",
    "anonymize",
    "check",
    "hierarchies",
    "risk",
]
__version__ = version()


class Release:
    """What anonymize() returns: ``data``, a table of the same kind as the input, and its ``report``."""

    def __init__(self, data: Any, report: Report) -> None:
        self.data = data
        self.report = report

    def __repr__(self) -> str:
        return f"{self.report!r}\n{self.data!r}"

    def _repr_html_(self) -> str:
        show = getattr(self.data, "_repr_html_", None)
        return self.report._repr_html_() + (show() if show else "")


class Check:
    """What check() returns: ``is_kept``, whether all that was required is kept, and the ``report``."""

    def __init__(self, is_kept: bool, report: Report) -> None:
        self.is_kept = is_kept
        self.report = report

    def __bool__(self) -> bool:
        return self.is_kept

    def __repr__(self) -> str:
        return repr(self.report)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def _run(
    frame: Frame,
    quasi_identifiers: QuasiIdentifiers,
    k: int | None,
    sensitive: Sensitive,
    insensitive: Sequence[str],
    algorithm: str | None,
    seed: int | None,
    settings: Mapping[str, Any],
    levels: Sequence[int] | None = None,
    heights: Sequence[int] | None = None,
    wants_utility: bool = False,
) -> Release:
    given = _job.hierarchies_of(quasi_identifiers)
    with tempfile.TemporaryDirectory(prefix="pgveil-") as folder:
        job = _job.text(
            frame,
            given,
            k,
            sensitive,
            insensitive,
            algorithm,
            seed,
            settings,
            pathlib.Path(folder),
        )
        table, report = Table.of(frame.columns()).anonymize(job, levels, heights, wants_utility)
    return Release(frame.restored(table.columns(), lambda name: name not in given), report)


def anonymize(
    data: Any,
    quasi_identifiers: QuasiIdentifiers,
    k: int | None = None,
    *,
    sensitive: Sensitive = (),
    insensitive: Sequence[str] = (),
    algorithm: str | None = None,
    seed: int | None = None,
    utility: bool = False,
    unit: str | None = None,
    differential_privacy: DifferentialPrivacy | None = None,
    **settings: Any,
) -> Release:
    """Publishes a table in which each class of records that look alike has k or more of them.

    A column that is named nowhere is not published. The rows are shuffled, because their order would tell
    which row is which.

    data: a DataFrame of pandas or polars, a Table of pyarrow, or a dict of columns. None, NaN and NaT are
        NULL.
    quasi_identifiers: the columns by which somebody could find a person (Sweeney 2002). As a dict, each may
        have its hierarchy (pgveil.hierarchies), which every algorithm but the default needs. "mondrian" needs
        none for numbers, and the default none at all: it cuts numbers, decimals too, into ranges, and shows
        sets of up to 64 values.
    k: the least size of a class. Leave it out only with differential_privacy, of which k follows.
    sensitive: the columns that must not become known. As a dict, each may have models: {"illness":
        {"l_diversity": {"distinct": 2}, "t_closeness": {"t": 0.2}}} (Machanavajjhala et al. 2007, Li et al.
        2007).
    insensitive: columns that are published as they are.
    algorithm: "least_loss", the default, forms groups that lose as little as possible (docs/least-loss.md).
        "flash" finds the one best transformation for all records, and proves it. With
        differential_privacy, name none. Others: docs/anonymize.md.
    seed: for the order of the rows. The same data, arguments and seed give the same table, except with
        differential_privacy.
    utility: whether the report says how much of each column is left.
    unit: a column that tells persons or households apart. k then counts them instead of records, and the
        column is not published (docs/anonymize.md, "Units").
    differential_privacy: {"epsilon": 1, "delta": 1e-6}. Whether one record is in the data changes the
        probability of any table by a factor of at most e^epsilon, except for a probability of at most delta
        (SafePub: Bild, Kuhn and Prasser 2018). Records are sampled with a new secret at each call. Each
        quasi-identifier needs a hierarchy, which must not be made from the data. Either it is at one level,
        pgveil.hierarchies.intervals([10, 20]).at(2), or levels are chosen privately, with a part of epsilon:
        {"epsilon": 1, "delta": 1e-6, "search_epsilon": 0.1}. A record with a value that a hierarchy does not
        know is left out. Columns of the other classes and settings that let the data decide, such as
        suppression, are refused. Publish only one such table of the same people: the epsilons and deltas of
        several add up. Publish no report: it tells exact numbers of records
        (docs/models/differential-privacy.md).
    settings: other keys of a job: suppression="5%", metric="loss", limits={"threads": 2}, …

    Raises UsageError, ConfigurationError and PolicyError, with the words of the program, and TypeError for
    data of another kind.
    """
    own = {"unit": unit, "differential_privacy": differential_privacy}
    return _run(
        read(data),
        quasi_identifiers,
        k,
        sensitive,
        insensitive,
        algorithm or ("least_loss" if differential_privacy is None else None),
        seed,
        {**{key: it for key, it in own.items() if it is not None}, **settings},
        wants_utility=utility,
    )


def check(
    data: Any,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    k: int = 0,
    require: Sequence[str] = (),
    risks: Sequence[str] = (),
) -> Check:
    """Which privacy models a table keeps, and with which parameters (docs/check-table.md).

    k: what is required; 0: nothing. require: models of sensitive columns, ["illness=distinct 3"]. risks: of
    the whole table, ["average_risk 0.05"].
    """
    groups = _job.names("quasi_identifiers", quasi_identifiers)
    measured = _job.names("sensitive", sensitive)
    models = _job.names("require", require)
    frame = read(data)
    # The library cuts at the last "=", too, because the name of a column may have one.
    frame.want([*groups, *measured, *(it for it in (model.rpartition("=")[0] for model in models) if it)])
    columns = frame.wanted()
    # Whether others show a value counts only for records that show nothing of their groups.
    if not columns or all(frame.has_text(it, SUPPRESSED) for it in groups):
        frame.want_others()
        columns = [*frame.wanted(), *frame.unread([*groups, *measured, *models])]
    table = Table.of(frame.measured(columns))
    return Check(*table.check(groups, measured, _job.whole("k", k), models, _job.names("risks", risks)))


def risk(
    data: Any,
    columns: Sequence[str] = (),
    *,
    threshold: float = 0.2,
    population_size: float = 0,
    most_columns: int = 2,
) -> Report:
    """How easily the people of a table are re-identified (docs/risk.md).

    columns: what an attacker knows; none: all. threshold: the report has the share of records with a higher
    risk. population_size: how many people could be in the table; then the report estimates how many are
    unique among them (Dankar et al. 2012). most_columns: of the sets whose identifying power is measured, at
    most 20.
    """
    names = _job.names("columns", columns)
    frame = read(data)
    frame.want(names or frame.names())
    frame.want_others()  # for the hints, which are about all columns
    return Table.of(frame.measured(frame.columns())).risk(
        names,
        _job.at_least_zero("threshold", threshold),
        _job.at_least_zero("population_size", population_size),
        _job.whole("most_columns", most_columns),
    )


class Anonymizer:
    """Finds a transformation on one table and applies it to others, as scikit-learn's transformers do.

    ``fit`` searches, ``transform`` applies the levels that were found, and tests the new rows anew: classes
    that break a model are suppressed, as far as ``suppression`` allows. Rows that are released twice are
    two releases, which can be compared, so transform new people only.

    quasi_identifiers: a dict with a hierarchy for each. algorithm: one that searches levels.
    The other arguments are those of anonymize(). The rows that are returned are shuffled, so no labels y of
    theirs can be given: anonymize them as a column.
    """

    def __init__(
        self,
        quasi_identifiers: Mapping[str, Hierarchy | None],
        k: int = 5,
        sensitive: Sensitive = (),
        insensitive: Sequence[str] = (),
        algorithm: str = "flash",
        seed: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.sensitive = sensitive
        self.insensitive = insensitive
        self.algorithm = algorithm
        self.seed = seed
        self.settings = settings

    _NAMES = ("quasi_identifiers", "k", "sensitive", "insensitive", "algorithm", "seed", "settings")

    def __repr__(self) -> str:
        return f"Anonymizer({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of its transformers."""
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, by name. deep: has no meaning here."""
        return {name: getattr(self, name) for name in self._NAMES}

    def set_params(self, **params: Any) -> Anonymizer:
        """Changes arguments. What was fitted stays, until fit is called again."""
        for name, value in params.items():
            if name not in self._NAMES:
                raise ValueError(f"{name} is no parameter of Anonymizer: it has {', '.join(self._NAMES)}")
            setattr(self, name, value)
        return self

    def _release(self, data: Any, levels: Sequence[int] | None, heights: Sequence[int] | None) -> Release:
        return _run(
            read(data),
            self.quasi_identifiers,
            self.k,
            self.sensitive,
            self.insensitive,
            self.algorithm,
            self.seed,
            self.settings or {},
            levels,
            heights,
        )

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Sets ``levels_``, ``heights_`` and ``report_``."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Sets what ``fit`` sets, and returns the published table, whose rows are shuffled."""
        for name in ("report_", "levels_", "heights_", "columns_"):
            self.__dict__.pop(name, None)
        if y is not None:
            raise UsageError(
                "y would no longer belong to the rows, which are shuffled",
                "give it as a column, anonymize it with the others, and take it from the result",
            )
        if self.algorithm in _job.GROUPING:
            raise UsageError(
                f"{self.algorithm} makes groups, which apply only to their own rows",
                "choose an algorithm that searches levels, such as flash, or call anonymize()",
            )
        if "differential_privacy" in (self.settings or {}):
            raise UsageError(
                "differential_privacy has its levels itself, and samples the records of each table",
                "call anonymize()",
            )
        release = self._release(X, None, None)
        self.report_ = release.report
        self.levels_ = list(release.report["levels"])
        self.heights_ = list(release.report["heights"])
        self.columns_ = list(_job.hierarchies_of(self.quasi_identifiers))
        return release.data

    def transform(self, X: Any) -> Any:
        """Applies the levels that ``fit`` found, and returns the published table, whose rows are shuffled."""
        if not hasattr(self, "levels_"):
            raise _not_fitted("this Anonymizer is not fitted", "call fit first")
        if list(_job.hierarchies_of(self.quasi_identifiers)) != self.columns_:
            raise UsageError("quasi_identifiers has other columns than at fit", "call fit again")
        return self._release(X, self.levels_, self.heights_).data


def _not_fitted(message: str, hint: str) -> UsageError:
    """Also of scikit-learn's kind, if that is there."""
    known = sys.modules.get("sklearn.exceptions")
    kind = UsageError if known is None else _not_fitted_kind(known.NotFittedError)
    return kind(message, hint)


@functools.lru_cache(maxsize=None)
def _not_fitted_kind(known: type[Exception]) -> type[UsageError]:
    """Pickle cannot find a class that is made in a function, so it calls the function."""
    members = {"__module__": __name__, "__reduce__": lambda it: (_not_fitted, (it.message, it.hint))}
    return type("NotFittedError", (UsageError, known), members)

"""Data frames as columns of codes, and back. None of pandas, polars and pyarrow is needed unless it is used.

A value becomes text once, however many rows have it. None, NaN and NaT are NULL.
"""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._library import NULL, Column


def text_of(value: Any) -> str:
    """How pgveil reads a value, as the program reads it from Parquet and Arrow. Whole numbers have no fraction,
    midnights no time, and no number has an exponent, because those with one cannot be cut into ranges."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number.is_integer() else _plain(repr(number))
    if isinstance(value, decimal.Decimal):
        return _plain(str(value))
    if isinstance(value, datetime.datetime):
        is_midnight = value.time() == datetime.time() and value.tzinfo is None
        return value.date().isoformat() if is_midnight else value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def _plain(text: str) -> str:
    number = decimal.Decimal(text)
    return f"{number:f}" if number.is_finite() else text


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in (
        "NaTType",
        "NAType",
    )


class _Encoder:
    """Joins values whose texts are equal."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.originals: list[Any] = []
        self._known: dict[str, int] = {}

    def code(self, value: Any) -> int:
        if _is_null(value):
            return NULL
        text = text_of(value)
        found = self._known.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
            self.originals.append(value)
        return found


# Equal values of these types have equal texts. Decimals and times with a zone do not: 1.10 is equal to 1.1,
# and one record must not decide how others are shown.
_EQUAL_TEXTS = frozenset((str, int, float, bool, datetime.date))


def _of_values(name: str, values: Iterable[Any]) -> tuple[Column, list[Any]]:
    encoder = _Encoder()
    codes = array("I")
    known: dict[Any, int] = {}
    for value in values:
        if type(value) not in _EQUAL_TEXTS:
            codes.append(encoder.code(value))
            continue
        code = known.get((type(value), value))
        if code is None:
            code = known[(type(value), value)] = encoder.code(value)
        codes.append(code)
    return Column(name, codes, encoder.texts), encoder.originals


def _of_factors(name: str, codes: Any, values: Iterable[Any]) -> tuple[Column, list[Any]]:
    """codes: whole numbers of NumPy, −1 for NULL."""
    import numpy

    encoder = _Encoder()
    target = numpy.array([encoder.code(value) for value in values] + [NULL], dtype=numpy.uint32)
    return Column(name, numpy.ascontiguousarray(target[codes]), encoder.texts), encoder.originals


def _is_numeric(originals: list[Any]) -> bool:
    return bool(originals) and all(
        isinstance(it, numbers.Real) and not isinstance(it, bool) and type(it).__name__ != "bool_"
        for it in originals
    )


class Frame:
    """A data frame that was read. originals: by column, the values that the codes stand for."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.columns: list[Column] = []
        self.originals: dict[str, list[Any]] = {}

    def add(self, read: tuple[Column, list[Any]]) -> None:
        column, originals = read
        self.columns.append(column)
        self.originals[column.name] = originals

    def names(self) -> list[str]:
        return [it.name for it in self.columns]

    def is_numeric(self, name: str) -> bool:
        return _is_numeric(self.originals[name])

    def restored(self, columns: list[Column], keeps_type: Callable[[str], bool]) -> Any:
        """The columns as a frame of this kind. keeps_type: whether a column has its original values."""
        made: dict[str, list[Any]] = {}
        for column in columns:
            shown: list[Any] = list(column.values)
            if keeps_type(column.name):
                by_text = {text_of(it): it for it in self.originals[column.name]}
                shown = [by_text.get(it, it) for it in column.values]
            made[column.name] = [None if code == NULL else shown[code] for code in column.codes]
        if self.kind == "pandas":
            import pandas

            return pandas.DataFrame(made)
        if self.kind == "polars":
            import polars

            return polars.DataFrame(made, strict=False)
        if self.kind == "pyarrow":
            import pyarrow

            return pyarrow.table(made)
        return made


def read(data: Any) -> Frame:
    """data: a DataFrame of pandas or polars, a Table of pyarrow, or a mapping of names to values."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        import pandas

        frame = Frame("pandas")
        for name in data.columns:
            column = data[name]
            # In a column of objects, factorize() joins values that are equal and have different texts.
            if column.dtype == object and pandas.api.types.infer_dtype(column, skipna=True) != "string":
                frame.add(_of_values(str(name), column))
                continue
            codes, values = pandas.factorize(column, use_na_sentinel=True)
            frame.add(_of_factors(str(name), codes, list(values)))
        return frame
    if module == "polars":
        frame = Frame("polars")
        for name in data.columns:
            frame.add(_of_values(name, data[name]))
        return frame
    if module == "pyarrow":
        import numpy

        frame = Frame("pyarrow")
        for name, column in zip(data.column_names, data.columns):
            joined = column.combine_chunks().dictionary_encode()
            if hasattr(joined, "chunks"):
                joined = joined.combine_chunks()
            codes = joined.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(numpy.int64)
            frame.add(_of_factors(name, codes, joined.dictionary.to_pylist()))
        return frame
    if isinstance(data, Mapping):
        frame = Frame("mapping")
        for name, values in data.items():
            frame.add(_of_values(str(name), values))
        return frame
    raise TypeError(
        f"{type(data).__name__} is no table that pgveil reads: give a DataFrame of pandas or polars, a Table of "
        "pyarrow, or a dict of columns"
    )

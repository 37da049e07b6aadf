"""Data frames as columns of codes, and back. None of pandas, polars and pyarrow is needed unless it is used.

A value becomes text once, however many rows have it. None and all that is not equal to itself is NULL: NaN,
NaT, and NA of pandas.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from ._library import NULL, NULL_TEXT, Column, UsageError


def text_of(value: Any) -> str:
    """How pgveil reads a value, as the program reads it from Parquet and Arrow. Whole numbers have no fraction,
    midnights no time, and no number has an exponent, because those with one cannot be cut into ranges."""
    if isinstance(value, str):
        return value
    if _is_truth(value):
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
    if type(value).__name__ == "datetime64":
        return _text_of_datetime64(str(value))
    return str(value)


def _text_of_datetime64(text: str) -> str:
    """NumPy writes 2020-01-01T10:00:00.500. pgveil's fractions have 6 or 9 digits."""
    date, _, time = text.partition("T")
    seconds, _, fraction = time.partition(".")
    seconds = f"{seconds}:00:00"[:8]
    if not (seconds + fraction).strip("0:"):
        return date
    fraction = fraction.rstrip("0")
    if fraction:
        fraction = "." + fraction.ljust(6 if len(fraction) <= 6 else 9, "0")
    return f"{date} {seconds}{fraction}"


def _plain(text: str) -> str:
    number = decimal.Decimal(text)
    return f"{number:f}" if number.is_finite() else text


def _is_truth(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # those of NumPy, too


def is_null(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()  # to compare a signaling NaN is an error
    try:
        differs = value != value
    except Exception:
        return False
    return _is_truth(differs) and bool(differs)  # arrays give an array


def is_no_value(value: Any) -> bool:
    """Lists, dicts, arrays and bytes, and objects that have no text of their own."""
    if isinstance(value, str):
        return False
    kind = type(value)
    methods: tuple[Any, ...] = (kind.__str__, kind.__repr__)
    return methods == (object.__str__, object.__repr__) or isinstance(value, (Collection, memoryview))


class _Encoder:
    """Joins values whose texts are equal."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.originals: list[Any] = []
        self.refused: str | None = None  # the type of a value that no column can have
        self.has_null = False
        self._known: dict[str, int] = {}

    def code(self, value: Any) -> int:
        if is_null(value):
            self.has_null = True
            return NULL
        text = text_of(value)
        found = self._known.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
            self.originals.append(value)
            if is_no_value(value):
                self.refused = type(value).__name__
        return found

    def read(self, name: str, codes: Any) -> ReadColumn:
        return ReadColumn(Column(name, codes, self.texts), self.originals, self.refused, self.has_null)


class ReadColumn(NamedTuple):
    column: Column
    originals: list[Any]
    refused: str | None
    has_null: bool


# Equal values of these types have equal texts. Decimals and times with a zone do not: 1.10 is equal to 1.1,
# and one record must not decide how others are shown.
_EQUAL_TEXTS = frozenset((str, int, float, bool, datetime.date))


def _rows_of(name: str, values: Any) -> Any:
    is_wrong = isinstance(values, (str, bytes, bytearray, memoryview, Mapping, set, frozenset))
    if is_wrong or hasattr(values, "columns") or not hasattr(values, "__iter__"):
        raise UsageError(
            f"column {name} is of type {type(values).__name__}, which is no list of values",
            "give a list, an array or a series with one value for each row",
        )
    return values.to_pylist() if hasattr(values, "to_pylist") else values  # the values of pyarrow are wrapped


def _of_values(name: str, values: Any) -> ReadColumn:
    encoder = _Encoder()
    codes = array("I")
    known: dict[Any, int] = {}
    for value in _rows_of(name, values):
        if type(value) not in _EQUAL_TEXTS:
            codes.append(encoder.code(value))
            continue
        code = known.get((type(value), value))
        if code is None:
            code = known[(type(value), value)] = encoder.code(value)
        codes.append(code)
    return encoder.read(name, codes)


def _of_factors(name: str, codes: Any, values: Iterable[Any]) -> ReadColumn:
    """codes: whole numbers of NumPy, −1 for NULL."""
    import numpy

    encoder = _Encoder()
    target = numpy.array([encoder.code(value) for value in values] + [NULL], dtype=numpy.uint32)
    encoder.has_null = encoder.has_null or bool((codes < 0).any())
    return encoder.read(name, numpy.ascontiguousarray(target[codes]))


def _is_number(value: Any) -> bool:
    if isinstance(value, decimal.Decimal):
        return value.is_finite()
    return isinstance(value, numbers.Real) and not _is_truth(value)


class Frame:
    """A data frame that was read. originals: by column, the values that the codes stand for."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.columns: list[Column] = []
        self.originals: dict[str, list[Any]] = {}
        self._by_name: dict[str, ReadColumn] = {}

    def add(self, read: ReadColumn) -> None:
        name = read.column.name
        if name in self._by_name:
            raise UsageError(f"there are two columns {name}", "rename one")
        self.columns.append(read.column)
        self.originals[name] = read.originals
        self._by_name[name] = read

    def names(self) -> list[str]:
        return [it.name for it in self.columns]

    def want(self, names: Iterable[str]) -> None:
        """Refuses columns whose values have no texts. Those that nobody asks for may have any values."""
        for name in names:
            refused = self._by_name[name].refused if name in self._by_name else None
            if refused is not None:
                raise UsageError(
                    f"column {name} has a value of type {refused}, which is no text, number, date or truth value",
                    "convert the column, or leave it out",
                )

    def is_numeric(self, name: str) -> bool:
        originals = self.originals.get(name, [])
        return bool(originals) and all(map(_is_number, originals))

    def has_null(self, name: str | None = None) -> bool:
        """Whether a column has NULL, or any."""
        read = self._by_name.values() if name is None else [it for it in (self._by_name.get(name),) if it]
        return any(it.has_null for it in read)

    def has_text(self, name: str, text: str) -> bool:
        return name in self._by_name and text in self._by_name[name].column.values

    def null_text(self, taken: Collection[str] = ()) -> str:
        """What stands for NULL: a text that no value has, and that is not taken."""
        text, tries = NULL_TEXT, 0
        while text in taken or any(text in it.values for it in self.columns):
            tries += 1
            text = f"{NULL_TEXT} ({tries})"
        return text

    def measured(self) -> list[Column]:
        """The columns for check and risk, where the library's text for NULL is fixed. No value is told there,
        so a value that has this text gets another."""
        if not self.has_null():
            return self.columns
        other = self.null_text()
        return [
            Column(it.name, it.codes, [other if text == NULL_TEXT else text for text in it.values])
            for it in self.columns
        ]

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
    if module == "pandas" and hasattr(data, "columns"):
        import pandas

        frame = Frame("pandas")
        for at, name in enumerate(data.columns):
            column = data.iloc[:, at]  # two columns may have one name
            # In a column of objects, factorize() joins values that are equal and have different texts.
            if column.dtype == object and pandas.api.types.infer_dtype(column, skipna=True) != "string":
                frame.add(_of_values(str(name), column))
                continue
            codes, values = pandas.factorize(column, use_na_sentinel=True)
            frame.add(_of_factors(str(name), codes, list(values)))
        return frame
    if module == "polars" and hasattr(data, "to_dict"):
        frame = Frame("polars")
        for name in data.columns:
            frame.add(_of_values(name, data[name]))
        return frame
    if module == "pyarrow" and hasattr(data, "combine_chunks") and hasattr(data, "columns"):
        import numpy

        frame = Frame("pyarrow")
        for name, column in zip(data.column_names, data.columns):
            try:
                joined = column.combine_chunks().dictionary_encode()
            except NotImplementedError:  # of lists and structs
                frame.add(_of_values(name, column))
                continue
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

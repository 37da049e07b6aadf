"""Data frames as columns of codes, and back. None of pandas, polars and pyarrow is needed unless it is used.

A value becomes text once, however many rows have it. None and all that is not equal to itself is NULL: NaN,
NaT, and NA of pandas.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._library import NULL, NULL_TEXT, Column, UsageError, encoded

SUPPRESSED = "*"  # what a published table shows in place of a value


def text_of(value: Any) -> str:
    """How pgveil reads a value, as the program reads it from Parquet and Arrow. Whole numbers have no fraction,
    midnights no time, and no number has an exponent, because those with one cannot be cut into ranges."""
    if isinstance(value, str):
        return value
    if _is_truth(value):
        return "true" if value else "false"
    if isinstance(value, numbers.Real):
        try:
            return _text_of_number(value)
        except (ValueError, OverflowError):  # of integers with more than 4300 digits, and of huge fractions
            raise UsageError("a number has too many digits", "round it") from None
    if isinstance(value, decimal.Decimal):
        return _plain(str(value))
    if isinstance(value, datetime.datetime):
        is_midnight = value.time() == datetime.time() and value.tzinfo is None
        is_midnight = is_midnight and not getattr(value, "nanosecond", 0)  # of pandas
        return value.date().isoformat() if is_midnight else value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if type(value).__name__ == "datetime64":
        return _text_of_datetime64(str(value))
    return str(value)


def _text_of_number(value: numbers.Real) -> str:
    if isinstance(value, numbers.Integral):
        return str(int(value))
    number = float(value)
    return str(int(number)) if number.is_integer() else _plain(repr(number))


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
        self.places: list[int] = []
        self.refused: str | None = None  # the type of a value that no column can have
        self.has_null = False
        self._known: dict[str, int] = {}

    def code(self, value: Any, place: int) -> int:
        if is_null(value):
            self.has_null = True
            return NULL
        text = text_of(value)
        found = self._known.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
            self.originals.append(value)
            self.places.append(place)
            if is_no_value(value):
                self.refused = type(value).__name__
        return found

    def read(self, name: str, codes: Any, source: Any) -> ReadColumn:
        if self.refused is not None:
            raise UsageError(
                f"column {name} has a value of type {self.refused}, "
                "which is no text, number, date or truth value",
                "convert the column, or leave it out",
            )
        is_numeric = bool(self.originals) and all(map(_is_number, self.originals))
        return ReadColumn(Column(name, codes, self.texts), source, self.places, self.has_null, is_numeric)


class ReadColumn(NamedTuple):
    """source: what has the original values, at a place for each value of the column."""

    column: Column
    source: Any
    places: list[int]
    has_null: bool
    is_numeric: bool


# Equal values of these types have equal texts. Decimals and times with a zone do not: 1.10 is equal to 1.1,
# and one record must not decide how others are shown.
_EQUAL_TEXTS = frozenset((str, int, float, bool, datetime.date))


def _has_rows(values: Any) -> bool:
    is_wrong = isinstance(values, (str, bytes, bytearray, memoryview, Mapping, set, frozenset))
    is_wrong = is_wrong or getattr(values, "shape", None) == ()  # an array of NumPy that is one value
    return not is_wrong and not hasattr(values, "columns") and hasattr(values, "__iter__")


def _rows_of(name: str, values: Any) -> Any:
    if not _has_rows(values):
        raise UsageError(
            f"column {name} is of type {type(values).__name__}, which is no list of values",
            "give a list, an array or a series with one value for each row",
        )
    return values.to_pylist() if hasattr(values, "to_pylist") else values  # the values of pyarrow are wrapped


def _of_values(name: str, values: Any) -> ReadColumn:
    encoder = _Encoder()
    codes = array("I")
    known: dict[Any, int] = {}
    for row, value in enumerate(_rows_of(name, values)):
        if type(value) not in _EQUAL_TEXTS:
            codes.append(encoder.code(value, row))
            continue
        code = known.get((type(value), value))
        if code is None:
            code = known[(type(value), value)] = encoder.code(value, row)
        codes.append(code)
    return encoder.read(name, codes, values)


def _of_mapping(name: str, values: Any) -> ReadColumn:
    return _of_values(name, list(_rows_of(name, values)))


def _of_factors(name: str, codes: Any, values: Iterable[Any], source: Any) -> ReadColumn:
    """codes: whole numbers of NumPy, −1 for NULL. values: those of the source."""
    import numpy

    encoder = _Encoder()
    made = [encoder.code(value, place) for place, value in enumerate(values)]
    is_joined = len(encoder.originals) < len(made) - made.count(NULL)
    if is_joined and isinstance(encoder.originals[0], (datetime.date, datetime.time, datetime.timedelta)):
        raise _finer_than_python(name)
    encoder.has_null = encoder.has_null or bool((codes < 0).any())
    target = numpy.array([*made, NULL], dtype=numpy.uint32)
    return encoder.read(name, numpy.ascontiguousarray(target[codes]), source)


def _finer_than_python(name: str) -> UsageError:
    """Most times of Python have no nanoseconds, so several values would become one."""
    message = f"column {name} has values that differ only in nanoseconds"
    return UsageError(message, "round them to microseconds")


def _of_pandas(name: str, column: Any) -> ReadColumn:
    import pandas

    # In a column of objects, factorize() joins values that are equal and have different texts.
    if column.dtype == object and pandas.api.types.infer_dtype(column, skipna=True) != "string":
        return _of_values(name, column)
    try:
        codes, values = pandas.factorize(column, use_na_sentinel=True)
    except NotImplementedError:  # of Arrow's lists and structs
        return _of_values(name, column)
    return _of_factors(name, codes, list(values), values)


def _of_polars(name: str, column: Any) -> ReadColumn:
    made = _of_values(name, column)
    if column.dtype.is_temporal() and len(made.places) < column.drop_nulls().n_unique():
        raise _finer_than_python(name)
    return made


def _of_arrow(name: str, column: Any) -> ReadColumn:
    import numpy
    import pyarrow

    try:
        if pyarrow.types.is_dictionary(column.type):  # its values may be there twice, and its codes unsigned
            column = column.cast(column.type.value_type)
        joined = column.combine_chunks().dictionary_encode()
        if hasattr(joined, "chunks"):
            joined = joined.combine_chunks()
    except NotImplementedError:  # of lists and structs
        return _of_values(name, column)
    codes = joined.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(numpy.int64)
    try:
        return _of_factors(name, codes, joined.dictionary.to_pylist(), joined.dictionary)
    except ValueError as wrong:  # bytes that are not UTF-8; nanoseconds, if pandas is not installed
        raise UsageError(
            f"column {name} has values that cannot be read in Python", "correct them", str(wrong)
        ) from None


_READERS: dict[str, Callable[[str, Any], ReadColumn]] = {
    "mapping": _of_mapping,
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
}


def _taken(kind: str, source: Any, places: list[int | None]) -> Any:
    """The values at these places, None for NULL, in the source's type. Categories become their values: those
    that no row has, and their order, would be published, too."""
    if kind == "pandas":
        import numpy
        import pandas

        values = pandas.Series(source, dtype=source.dtype)
        if isinstance(values.dtype, pandas.CategoricalDtype):
            values = values.astype(values.cat.categories.dtype if values.notna().all() else object)
        if str(values.dtype).startswith("dictionary"):  # of Arrow
            values = values.astype(object)
        if None in places and isinstance(values.dtype, numpy.dtype) and values.dtype.kind in "iub":
            values = values.astype(object)  # which would become floating-point numbers
        at = numpy.array([-1 if it is None else it for it in places], dtype=numpy.int64)
        if values.dtype == object:  # whose take() would write NaN in place of None
            taken = numpy.full(len(at), None, dtype=object)
            taken[at >= 0] = values.to_numpy()[at[at >= 0]]
        else:
            taken = values.array.take(at, allow_fill=True)
        return pandas.Series(taken, dtype=values.dtype)  # a frame would guess the type of objects again
    if kind == "polars":
        import polars

        made = source.gather(polars.Series(places, dtype=polars.UInt32))
        return made.cast(polars.String) if made.dtype in (polars.Categorical, polars.Enum) else made
    if kind == "pyarrow":
        import pyarrow

        try:
            return source.take(pyarrow.array(places, pyarrow.int64()))
        except NotImplementedError:
            source = source.to_pylist()
            return pyarrow.array([None if it is None else source[it] for it in places])
    return [None if it is None else source[it] for it in places]


def _is_number(value: Any) -> bool:
    if isinstance(value, decimal.Decimal):
        return value.is_finite()
    return isinstance(value, numbers.Real) and not _is_truth(value)


def _is_name(text: str) -> bool:
    """Whether a column of the library may have it."""
    return text != "" and "\0" not in text and not any("\ud800" <= it <= "\udfff" for it in text)


def _constant(name: str, rows: int) -> Column:
    return Column(name, array("I", bytes(4 * rows)), [""] if rows else [])


class Frame:
    """A data frame, of which the columns that are wanted are read."""

    def __init__(self, kind: str, columns: Iterable[tuple[Any, Any]]) -> None:
        self.kind = kind
        self._given: dict[str, list[Any]] = {}  # two columns may have one name
        for name, column in columns:
            self._given.setdefault(str(name), []).append(column)
        self._read: dict[str, ReadColumn] = {}

    def names(self) -> list[str]:
        return list(self._given)

    def want(self, names: Iterable[str]) -> None:
        """Reads these columns, as far as the frame has them."""
        for name in names:
            given = self._given.get(name, [])
            if len(given) > 1:
                raise UsageError(f"there are two columns {name}", "rename one")
            if given and name not in self._read:
                self._read[name] = _READERS[self.kind](name, given[0])

    def want_others(self) -> None:
        """Reads the other columns, too, as far as they can be read."""
        for name in self._given:
            if name in self._read or not _is_name(name):
                continue
            try:
                self.want([name])
                encoded(name, self._read[name].column.values)
            except UsageError:
                self._read.pop(name, None)

    def wanted(self) -> list[Column]:
        return [it.column for it in self._read.values()]

    def _rows(self) -> int:
        return max((len(it.codes) for it in self.wanted()), default=0)

    def unread(self, named: Sequence[str]) -> list[Column]:
        """One column that has a value in each row, if columns were not read. Its name is part of no text of
        named, so that no requirement can be measured on it."""
        if len(self._read) == len(self._given):
            return []
        name = "columns that were not read"
        while name in self._given or any(name in it for it in named):
            name += "'"
        return [_constant(name, self._rows())]

    def columns(self) -> list[Column]:
        """All, for a report that names those that are not published. The others have no values of theirs."""
        rows = self._rows()
        made = []
        for name, given in self._given.items():
            if name in self._read:
                made.append(self._read[name].column)
            elif _is_name(name):
                is_sized = _has_rows(given[0]) and hasattr(given[0], "__len__")
                made.append(_constant(name, len(given[0]) if is_sized else rows))
        return made

    def is_numeric(self, name: str) -> bool:
        return name in self._read and self._read[name].is_numeric

    def has_null(self, name: str | None = None) -> bool:
        """Whether a column has NULL, or any."""
        read = self._read.values() if name is None else [it for it in (self._read.get(name),) if it]
        return any(it.has_null for it in read)

    def has_text(self, name: str, text: str) -> bool:
        return name in self._read and text in self._read[name].column.values

    def null_text(self, taken: Collection[str] = ()) -> str:
        """What stands for NULL: a text that no value has, and that is not taken."""
        text, tries = NULL_TEXT, 0
        while text in taken or any(text in it.values for it in self.wanted()):
            tries += 1
            text = f"{NULL_TEXT} ({tries})"
        return text

    def measured(self, columns: list[Column]) -> list[Column]:
        """For check and risk, where the library's text for NULL is fixed. No value is told there, so a value
        that has this text gets another."""
        if not self.has_null():
            return columns
        other = self.null_text()
        return [
            Column(it.name, it.codes, [other if text == NULL_TEXT else text for text in it.values])
            for it in columns
        ]

    def restored(self, columns: list[Column], keeps_type: Callable[[str], bool]) -> Any:
        """The columns as a frame of this kind. keeps_type: whether a column has its original values."""
        made: dict[str, Any] = {}
        for column in columns:
            shown: list[Any] = column.values
            read = self._read[column.name]
            place_of = dict(zip(read.column.values, read.places))
            keeps = keeps_type(column.name) and all(it in place_of for it in shown)
            if keeps:
                shown = [place_of[it] for it in shown]
            values = [None if code == NULL else shown[code] for code in column.codes]
            made[column.name] = _taken(self.kind, read.source, values) if keeps else values
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
    modules = {it.__module__.partition(".")[0] for it in type(data).__mro__}  # of the classes it derives from
    if "pandas" in modules and hasattr(data, "columns"):
        return Frame("pandas", ((name, data.iloc[:, at]) for at, name in enumerate(data.columns)))
    if "polars" in modules and hasattr(data, "to_dict"):
        return Frame("polars", ((name, data[name]) for name in data.columns))
    if "pyarrow" in modules and hasattr(data, "combine_chunks") and hasattr(data, "columns"):
        return Frame("pyarrow", zip(data.column_names, data.columns))
    if isinstance(data, Mapping):
        return Frame("mapping", data.items())
    kind = type(data).__name__
    hint = {"LazyFrame": "call .collect()", "RecordBatch": "call pyarrow.Table.from_batches([…])"}.get(
        kind, "give a DataFrame of pandas or polars, a Table of pyarrow, or a dict of columns"
    )
    raise TypeError(f"{kind} is no table that pgveil reads: {hint}")

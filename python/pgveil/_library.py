"""The shared library behind this package (library/pgveil.h), called by ctypes.

ctypes releases the interpreter's lock during a call, so other threads go on.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import threading
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

ABI_VERSION = 1
NULL = 0xFFFFFFFF
NULL_TEXT = "NULL"  # what the library reads a NULL as, unless a job names another text
_TEXT, _JSON, _HTML = 1, 2, 3


class Error(Exception):
    """What pgveil refuses. ``message`` and ``hint`` are the words of the program pgveil, in terms of Python.

    ``detail`` may have values of the data, for example those that are no numbers. It is not part of the
    exception's text, so that a log does not get them.
    """

    def __init__(self, message: str, hint: str = "", detail: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint
        self.detail = detail


class UsageError(Error):
    """An argument is wrong."""


class ConfigurationError(Error):
    """A column, a hierarchy or a setting cannot be used."""


class PolicyError(Error):
    """The table cannot be published in this way: for example, it has fewer than k records."""


_KINDS = {1: UsageError, 2: ConfigurationError, 3: PolicyError}


_IsCancelled = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("levels", ctypes.POINTER(ctypes.c_uint32)),
        ("heights", ctypes.POINTER(ctypes.c_uint32)),
        ("level_count", ctypes.c_uint32),
        ("wants_utility", ctypes.c_int),
        ("is_cancelled", _IsCancelled),
        ("context", ctypes.c_void_p),
    ]


_Texts = ctypes.POINTER(ctypes.c_char_p)


class _CheckOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("quasi_identifiers", _Texts),
        ("quasi_identifier_count", ctypes.c_uint32),
        ("sensitive", _Texts),
        ("sensitive_count", ctypes.c_uint32),
        ("k", ctypes.c_uint64),
        ("required", _Texts),
        ("required_count", ctypes.c_uint32),
        ("risks", _Texts),
        ("risk_count", ctypes.c_uint32),
    ]


class _RiskOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("columns", _Texts),
        ("column_count", ctypes.c_uint32),
        ("threshold", ctypes.c_double),
        ("population_size", ctypes.c_double),
        ("most_columns", ctypes.c_uint32),
    ]


def _load() -> ctypes.CDLL:
    given = os.environ.get("PGVEIL_LIBRARY")
    path = pathlib.Path(given) if given else pathlib.Path(__file__).with_name("libpgveil.so")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as wrong:
        raise ImportError(
            f"pgveil's library cannot be loaded: {wrong}. Install the wheel that ./run wheel makes, or set "
            "PGVEIL_LIBRARY to the path of libpgveil.so"
        ) from None
    found = library.pgveil_abi_version()
    if found != ABI_VERSION:
        raise ImportError(f"{path} has version {found} of the interface, and this package needs {ABI_VERSION}")
    handle, text, error = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
    u32, u64 = ctypes.c_uint32, ctypes.c_uint64
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "pgveil_version": (text, []),
        "pgveil_error_kind_of": (ctypes.c_int, [handle]),
        "pgveil_error_message": (text, [handle]),
        "pgveil_error_hint": (text, [handle]),
        "pgveil_error_detail": (text, [handle]),
        "pgveil_error_free": (None, [handle]),
        "pgveil_table_new": (handle, []),
        "pgveil_table_add_column": (
            ctypes.c_int,
            [handle, text, handle, u64, text, handle, u32, error],
        ),
        "pgveil_table_rows": (u64, [handle]),
        "pgveil_table_columns": (u32, [handle]),
        "pgveil_table_name": (text, [handle, u32]),
        "pgveil_table_codes": (handle, [handle, u32]),
        "pgveil_table_values": (u32, [handle, u32]),
        "pgveil_table_value": (handle, [handle, u32, u32, ctypes.POINTER(u64)]),
        "pgveil_table_free": (None, [handle]),
        "pgveil_report_in": (text, [handle, ctypes.c_int]),
        "pgveil_report_free": (None, [handle]),
        "pgveil_anonymize": (
            handle,
            [handle, text, ctypes.POINTER(_Options), error, error],
        ),
        "pgveil_check": (
            handle,
            [handle, ctypes.POINTER(_CheckOptions), ctypes.POINTER(ctypes.c_int), error],
        ),
        "pgveil_risk": (handle, [handle, ctypes.POINTER(_RiskOptions), error]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def version() -> str:
    """The version of the library, for example "0.1.0"."""
    return str(_library.pgveil_version().decode())


# What the program tells about files of YAML and its command line, for callers in Python.
_IN_PYTHON = (
    (
        "give the attribute a hierarchy, or write numeric: true if its values are numbers",
        "give it a hierarchy, or convert its values if they are numbers",
    ),
    (
        "give the attribute a hierarchy, or name the text that stands for NULL",
        "give it a hierarchy, round longer numbers, or write None where a value is missing",
    ),
    ("add hierarchy: {file: name.csv} or {tree: …}", 'add "hierarchy": one of pgveil.hierarchies'),
    ("add hierarchy: {file: name.csv}", "give it one of pgveil.hierarchies"),
    ("--require is not COLUMN=…", "require is not COLUMN=…"),
    ("; is the separator right?", ""),
    (", or name the separator if it is another one: separator in the hierarchy's section", ""),
    ("use a hierarchy file for other values", "round longer numbers, or take hierarchies.from_frame"),
    ("split the file", "make large hierarchies with hierarchies.from_frame"),
)


def _in_python(text: str, job: str) -> str:
    """Names the argument or the key in place of its position in the job, and the column in place of the file
    of its hierarchy: the caller has seen neither."""

    def key_at(place: re.Match[str]) -> str:
        before = job.encode()[: int(place[1]) - 1].decode(errors="replace")
        key = re.search(r'"((?:[^"\\]|\\.)*)": $', before)
        named = f"{key[1]}: " if key else ""
        return "" if place.string.startswith(named, place.end()) else named

    for name, file in re.findall(r'"((?:[^"\\]|\\.)*)": {"class": [^{]*"hierarchy": {"file": "([^"]*)"', job):
        text = text.replace(file, f"the hierarchy of {name}")
    text = re.sub(r"\bjob:1:(\d+): ", key_at, text)
    for words, own in _IN_PYTHON:
        text = text.replace(words, own)
    return text


def _raise(error: ctypes.c_void_p, job: str = "") -> NoReturn:
    try:
        kind = _KINDS.get(_library.pgveil_error_kind_of(error), Error)
        message, hint, detail = (
            getattr(_library, f"pgveil_error_{part}")(error).decode(errors="replace")
            for part in ("message", "hint", "detail")
        )
    finally:
        _library.pgveil_error_free(error)
    raise kind(_in_python(message, job), _in_python(hint, job), detail)


def encoded(what: str, texts: Sequence[str]) -> list[bytes]:
    try:
        return [it.encode() for it in texts]
    except UnicodeEncodeError as wrong:
        raise UsageError(f"{what} has a surrogate, which is no character", "correct it", repr(wrong.object)) from None


def _texts(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*encoded("a name", texts)) if texts else None


class Column:
    """A column of codes and the texts that they stand for. ``codes`` is an array of 32-bit numbers with the
    buffer protocol (an array.array, or one of NumPy)."""

    def __init__(self, name: str, codes: Any, values: list[str]) -> None:
        self.name = name
        self.codes = codes
        self.values = values


class Report:
    """What pgveil found or did. It shows itself in a notebook, and ``print`` shows its text.

    ``report["classes"]`` and ``report.json`` are what the program's ``--report`` writes.
    """

    def __init__(self, handle: Any) -> None:
        import json

        try:
            self.text: str = _library.pgveil_report_in(handle, _TEXT).decode()
            self.html = _library.pgveil_report_in(handle, _HTML).decode()
            self.json: dict[str, Any] = json.loads(_library.pgveil_report_in(handle, _JSON))
        finally:
            _library.pgveil_report_free(handle)

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        import html

        # A page of its own, so that its styles do not reach the notebook.
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="" style="width:100%;height:30em;border:0"></iframe>'


def _interruptible(call: Callable[[], Any], free: Callable[[Any], None], options: _Options) -> Any:
    """What call gives, in a thread of its own. After an exception here, such as KeyboardInterrupt, the call
    is cancelled. What it still gives is freed once, by one of the two threads, even if more follow."""
    is_stopped, is_over = threading.Event(), threading.Event()
    options.is_cancelled = _IsCancelled(lambda _: is_stopped.is_set())
    made: list[Any] = []

    def free_made() -> None:
        try:
            it = made.pop()
        except IndexError:
            return
        free(it)

    def run() -> None:
        try:
            made.append(call())
            if is_stopped.is_set():
                free_made()
        finally:
            is_over.set()

    def wait() -> None:
        while not is_over.wait(0.1):  # a signal that comes just before a wait is handled only after it
            pass
        worker.join()  # which, if it were interrupted, would take a thread for ended that is not

    # It must not end with the interpreter while the library calls is_cancelled.
    worker = threading.Thread(target=run, daemon=False)
    try:
        worker.start()
        wait()
    except BaseException:
        is_stopped.set()
        free_made()
        if worker.is_alive():
            wait()
        raise
    return made.pop()


class Table:
    """A table of the library."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __del__(self) -> None:
        _library.pgveil_table_free(self._handle)

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Table:
        table = cls(_library.pgveil_table_new())
        for column in columns:
            (name,) = encoded("the name of a column", [column.name])
            if b"\0" in name:
                raise UsageError(f"the name {column.name!r} of a column has a NUL character", "rename it")
            texts = encoded(f"a value of {column.name}", column.values)
            offsets = array("Q", [0])
            for it in texts:
                offsets.append(offsets[-1] + len(it))
            codes = memoryview(column.codes)
            if codes.itemsize != 4 or not codes.c_contiguous:
                raise ValueError(f"the codes of {column.name} are not 32-bit numbers in one piece")
            rows = codes.nbytes // 4
            held = (ctypes.c_uint32 * rows).from_buffer(column.codes) if rows else None
            error = ctypes.c_void_p()
            added = _library.pgveil_table_add_column(
                table._handle,
                name,
                ctypes.addressof(held) if held is not None else None,
                rows,
                b"".join(texts),
                offsets.buffer_info()[0],
                len(texts),
                ctypes.byref(error),
            )
            if added != 0:
                _raise(error)
        return table

    def columns(self) -> list[Column]:
        made = []
        rows = _library.pgveil_table_rows(self._handle)
        for at in range(_library.pgveil_table_columns(self._handle)):
            codes = array("I", [])
            address = _library.pgveil_table_codes(self._handle, at)
            codes.frombytes(ctypes.string_at(address, rows * 4) if rows else b"")
            values = []
            for value in range(_library.pgveil_table_values(self._handle, at)):
                size = ctypes.c_uint64()
                text = _library.pgveil_table_value(self._handle, at, value, ctypes.byref(size))
                values.append(ctypes.string_at(text, size.value).decode(errors="replace"))
            name = _library.pgveil_table_name(self._handle, at).decode()
            made.append(Column(name, codes, values))
        return made

    def anonymize(
        self,
        job: str,
        levels: Sequence[int] | None = None,
        heights: Sequence[int] | None = None,
        wants_utility: bool = False,
    ) -> tuple[Table, Report]:
        options = _Options(size=ctypes.sizeof(_Options), wants_utility=int(wants_utility))
        if levels is not None:
            options.levels = (ctypes.c_uint32 * len(levels))(*levels)
            options.level_count = len(levels)
            if heights is not None:
                options.heights = (ctypes.c_uint32 * len(heights))(*heights)
        report, error = ctypes.c_void_p(), ctypes.c_void_p()
        (text,) = encoded("an argument", [job])

        def call() -> Any:
            return _library.pgveil_anonymize(
                self._handle, text, ctypes.byref(options), ctypes.byref(report), ctypes.byref(error)
            )

        def free(made: Any) -> None:
            _library.pgveil_table_free(made)
            _library.pgveil_report_free(report)
            _library.pgveil_error_free(error)

        # Python handles Ctrl-C in its main thread, and only while that is not in a call of the library.
        is_main = threading.current_thread() is threading.main_thread()
        made = _interruptible(call, free, options) if is_main else call()
        if not made:
            _raise(error, job)
        return Table(made), Report(report)

    def check(
        self,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        k: int,
        required: Sequence[str],
        risks: Sequence[str],
    ) -> tuple[bool, Report]:
        options = _CheckOptions(
            size=ctypes.sizeof(_CheckOptions),
            quasi_identifiers=_texts(quasi_identifiers),
            quasi_identifier_count=len(quasi_identifiers),
            sensitive=_texts(sensitive),
            sensitive_count=len(sensitive),
            k=k,
            required=_texts(required),
            required_count=len(required),
            risks=_texts(risks),
            risk_count=len(risks),
        )
        is_kept, error = ctypes.c_int(), ctypes.c_void_p()
        made = _library.pgveil_check(
            self._handle, ctypes.byref(options), ctypes.byref(is_kept), ctypes.byref(error)
        )
        if not made:
            _raise(error)
        return is_kept.value != 0, Report(made)

    def risk(
        self, columns: Sequence[str], threshold: float, population_size: float, most_columns: int
    ) -> Report:
        options = _RiskOptions(
            size=ctypes.sizeof(_RiskOptions),
            columns=_texts(columns),
            column_count=len(columns),
            threshold=threshold,
            population_size=population_size,
            most_columns=most_columns,
        )
        error = ctypes.c_void_p()
        made = _library.pgveil_risk(self._handle, ctypes.byref(options), ctypes.byref(error))
        if not made:
            _raise(error)
        return Report(made)

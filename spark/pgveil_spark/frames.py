"""The bytes between this package and `pgveil spark-worker` (docs/spark.md): numbers of four bytes, little
endian; a text is its length and its bytes; texts are how many, all their lengths, all their bytes. No loop
over values."""
from __future__ import annotations

from typing import Sequence

import numpy as np
import pyarrow as pa

from .errors import Failure

BEGIN = b"PGVM" + (2).to_bytes(4, "little")


def number(value: int) -> bytes:
    return value.to_bytes(4, "little")


def numbers(values: pa.Array | np.ndarray) -> bytes:
    return np.asarray(values).astype("<u4").tobytes()


def wide_numbers(values: pa.Array | np.ndarray) -> bytes:
    """Of eight bytes."""
    return np.asarray(values).astype("<u8").tobytes()


def text(value: str) -> bytes:
    raw = value.encode()
    return number(len(raw)) + raw


def texts(values: pa.Array) -> bytes:
    """An array of strings without nulls."""
    values = pa.concat_arrays([values.cast(pa.large_string())])  # offsets from 0
    offsets = (
        np.frombuffer(values.buffers()[1], dtype=np.int64, count=len(values) + 1, offset=values.offset * 8)
        if len(values)
        else np.zeros(1, np.int64)
    )
    data = values.buffers()[2]
    raw = data.to_pybytes()[offsets[0]:offsets[-1]] if data is not None else b""
    return number(len(values)) + np.diff(offsets).astype("<u4").tobytes() + raw


def text_list(values: Sequence[str]) -> bytes:
    return texts(pa.array(values, pa.large_string()))


def hierarchy(rows: Sequence[Sequence[str]]) -> bytes:
    return number(len(rows[0]) if rows else 0) + text_list([cell for row in rows for cell in row])


class Reader:
    """Reads an answer. The other end is our own binary; what does not fit is an error all the same."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0
        if self._take(len(BEGIN)) != BEGIN:
            raise Failure(
                "the native worker's answer begins otherwise",
                "are the package and the binary of one version?",
            )

    def _take(self, size: int) -> bytes:
        piece = self._raw[self._at:self._at + size]
        if len(piece) != size:
            raise Failure("the native worker's answer ends too early")
        self._at += size
        return piece

    def number(self) -> int:
        return int.from_bytes(self._take(4), "little")

    def text(self) -> str:
        return self._take(self.number()).decode()

    def numbers(self, count: int) -> np.ndarray:
        return np.frombuffer(self._take(4 * count), dtype="<u4")

    def texts(self) -> pa.Array:
        lengths = self.numbers(self.number())
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        raw = self._take(int(offsets[-1]))
        return pa.LargeStringArray.from_buffers(
            len(lengths), pa.py_buffer(offsets.tobytes()), pa.py_buffer(raw)
        )

    def hierarchy(self) -> list[list[str]]:
        width = self.number()
        cells = self.texts().to_pylist()
        if width == 0:
            return []
        return [cells[at:at + width] for at in range(0, len(cells), width)]

    def end(self) -> None:
        if self._at != len(self._raw):
            raise Failure("something follows the native worker's answer")

"""Starts pgveil's native code: on the driver to read jobs and hierarchies, in tasks to cut partitions."""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
from typing import Iterable, Optional

import numpy as np
import pyarrow as pa

from . import frames
from .errors import Failure
from .job import Attribute, Job, job_of


class NativeError(Exception):
    """What the binary said: the first line for everyone, the rest for the job's owner."""


def run(command: list[str], pieces: Iterable[bytes] = (), libraries: Optional[str] = None) -> bytes:
    """Writes the pieces to its standard input and returns its standard output."""
    environment = dict(os.environ)
    if libraries:
        environment["LD_LIBRARY_PATH"] = libraries
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
    except OSError as wrong:
        raise NativeError(f"{command[0]} can't be started: {wrong.strerror}") from wrong
    with process:
        assert process.stdin and process.stdout and process.stderr
        try:
            try:
                for piece in pieces:
                    process.stdin.write(piece)
                process.stdin.close()
            except BrokenPipeError:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()  # it has said why
            # It reads all before it writes, and says one line at most before it ends.
            answer = process.stdout.read()
            said = process.stderr.read().decode(errors="replace").strip()
            status = process.wait()
        except BaseException:
            process.kill()
            raise
    if status != 0:
        raise NativeError(said.removeprefix("pgveil: ") or f"pgveil ended with status {status}")
    return answer


class Domain:
    """The values of a surveyed attribute in the whole table, in their order, and what is above them."""

    def __init__(self, attribute: Attribute, values: list[str], rows: list[list[str]]) -> None:
        self.attribute = attribute
        self.values = values
        self.rows = rows  # of the hierarchy; none: numeric, or sensitive without a hierarchy

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1 if self.rows else 0


class Binary:
    """pgveil on the driver."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        if not os.access(self.path, os.X_OK) or not os.path.isfile(self.path):
            raise Failure(f"there is no program {path}", "build pgveil, or name its binary with --binary")

    def _run(self, *arguments: str, pieces: Iterable[bytes] = ()) -> bytes:
        try:
            return run([self.path, "spark-worker", *arguments], pieces)
        except NativeError as wrong:
            raise Failure(str(wrong)) from wrong

    def read_job(self, path: str) -> Job:
        return job_of(self._run("--job", path).decode(), os.path.abspath(path))

    def classes_to_suppress(self, job: Job, sizes: dict[int, int], is_recount: bool = False) -> int:
        """How many of the smallest classes must go, until the others keep the job's risks. sizes: how many
        classes have a size. is_recount: 0 if all together keep them, and another number otherwise."""
        if not job.risks or not sizes:
            return 0
        ascending = sorted(sizes)
        header = {"sizes": len(sizes), "is_recount": is_recount, "risks": list(job.risks)}
        asked = [
            frames.BEGIN,
            frames.text(json.dumps(header)),
            frames.wide_numbers(np.array(ascending)),
            frames.wide_numbers(np.array([sizes[size] for size in ascending])),
        ]
        reader = frames.Reader(self._run("--risks", pieces=asked))
        low, high = reader.number(), reader.number()
        reader.end()
        return low + (high << 32)

    def domains(self, job: Job, values: dict[str, list[str]]) -> list[Domain]:
        """values: of each surveyed attribute, all different ones of its column, of numeric ones the ends."""
        asked = [frames.BEGIN] + [frames.text_list(sorted(values[it.name])) for it in job.surveyed]
        reader = frames.Reader(self._run("--job", job.path, "--domains", pieces=asked))
        made = []
        for attribute in job.surveyed:
            ordered = reader.texts().to_pylist()
            made.append(Domain(attribute, ordered, reader.hierarchy()))
        reader.end()
        return made


def text_column(column: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
    """Dictionary and codes of a column of texts without nulls."""
    encoded = column.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], encoded.type)
    return whole.dictionary, whole.indices

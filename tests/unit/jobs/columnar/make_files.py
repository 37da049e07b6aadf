#!/usr/bin/env python3
"""Writes the files of columnar_test.cpp with pyarrow, beside this script. They were made with pyarrow 26.0.1.
The encrypted ones have other bytes each time, because their keys are random."""
import base64
import datetime
import decimal
import pathlib

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

FILES = pathlib.Path(__file__).parent / "files"


def all_types() -> pa.Table:
    moment = datetime.datetime(2024, 2, 29, 23, 5, 7, 120000)
    utc = datetime.timezone.utc
    columns = {
        "i8": pa.array([-128, 127, None], pa.int8()),
        "i16": pa.array([-32768, 0, None], pa.int16()),
        "i32": pa.array([-2147483648, 1, None], pa.int32()),
        "i64": pa.array([-9223372036854775808, 2, None], pa.int64()),
        "u8": pa.array([0, 255, None], pa.uint8()),
        "u16": pa.array([0, 65535, None], pa.uint16()),
        "u32": pa.array([0, 4294967295, None], pa.uint32()),
        "u64": pa.array([0, 18446744073709551615, None], pa.uint64()),
        "f32": pa.array([0.1, -2.0, None], pa.float32()),
        "f64": pa.array([1e-7, float("nan"), None], pa.float64()),
        "ok": pa.array([True, False, None]),
        "text": pa.array(["", "Ünder\n\"q\"", None]),
        "large": pa.array(["a", "b", None], pa.large_string()),
        "day": pa.array([datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None]),
        "local": pa.array([moment, datetime.datetime(1969, 12, 31), None], pa.timestamp("ms")),
        "zoned": pa.array([moment.replace(tzinfo=utc), datetime.datetime(1970, 1, 1, tzinfo=utc), None],
                          pa.timestamp("us", "Europe/Berlin")),
        "nanos": pa.array([1, -1, None], pa.timestamp("ns")),
        "clock": pa.array([datetime.time(23, 59, 59), datetime.time(0, 0, 0, 1), None], pa.time64("us")),
        "money": pa.array([decimal.Decimal("-0.05"), decimal.Decimal("12345678901234567890.10"), None],
                          pa.decimal128(30, 2)),
        "wide": pa.array([decimal.Decimal(10) ** 60, decimal.Decimal(-1), None], pa.decimal256(76, 0)),
        "kind": pa.array(["x", "y", None]).dictionary_encode(),
        "none": pa.nulls(3),
    }
    return pa.table(columns)


class PlainKeys(pe.KmsClient):
    """Stores keys as they are, because nobody has to read these files."""

    def __init__(self, _config: pe.KmsConnectionConfig) -> None:
        pe.KmsClient.__init__(self)

    def wrap_key(self, key_bytes: bytes, _master_key: str) -> str:
        return base64.b64encode(key_bytes).decode()

    def unwrap_key(self, wrapped_key: str, _master_key: str) -> bytes:
        return base64.b64decode(wrapped_key)


def write_encrypted(table: pa.Table, path: pathlib.Path, plaintext_footer: bool) -> None:
    config = pe.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": ["town"]}, plaintext_footer=plaintext_footer
    )
    properties = pe.CryptoFactory(PlainKeys).file_encryption_properties(pe.KmsConnectionConfig(), config)
    with pq.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)


def main() -> None:
    FILES.mkdir(exist_ok=True)
    table = all_types()
    pq.write_table(table, FILES / "types.parquet")
    pa.feather.write_feather(table, FILES / "types.feather", compression="zstd")
    with pa.ipc.new_stream(FILES / "types.arrows", table.schema) as stream:
        stream.write_table(table)
        stream.write_table(table)
    numbers = pa.table({"id": pa.array(range(1000)), "town": pa.array([it % 7 for it in range(1000)])})
    packing = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(FILES / "packed.arrows", numbers.schema, options=packing) as stream:
        stream.write_table(numbers)
    people = pa.table({
        "id": pa.array(range(1000)),
        "town": pa.array([f"town {i * i % 17}" for i in range(1000)]),
        "tags": pa.array([[i, i + 1] for i in range(1000)]),
        "raw": pa.array([bytes([i % 256]) for i in range(1000)]),
        "place": pa.array([{"lat": i, "lon": {"east": True}} for i in range(1000)]),
        "age": pa.array([None if i % 10 == 0 else i % 90 for i in range(1000)]),
    })
    pq.write_table(people, FILES / "people.parquet", row_group_size=300, compression="zstd",
                   data_page_version="2.0")
    towns = pa.table({"age": pa.array([1, 2, 3]), "town": pa.array(["x", "y", "z"])})
    delta = {"age": "DELTA_BINARY_PACKED", "town": "DELTA_BYTE_ARRAY"}
    pq.write_table(towns, FILES / "delta.parquet", use_dictionary=False, column_encoding=delta)
    write_encrypted(towns, FILES / "encrypted.parquet", plaintext_footer=False)
    write_encrypted(towns, FILES / "encrypted_column.parquet", plaintext_footer=True)
    numbers = pa.table({"n": pa.array([1, 2, 3])})
    pq.write_table(numbers, FILES / "codec.parquet", compression="lz4")
    moments = [datetime.datetime(1600, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
               datetime.datetime(2024, 2, 29, 10)]  # fmt: skip
    moments = pa.table({"at": pa.array(moments, pa.timestamp("us"))})
    pq.write_table(moments, FILES / "int96.parquet", use_deprecated_int96_timestamps=True, store_schema=False)
    first = pa.table({"at": pa.array([-2**63, -2**63 + 1, 2**63 - 1], pa.timestamp("ns"))})
    pa.feather.write_feather(first, FILES / "nanos.feather", compression="uncompressed")
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    pa.feather.write_feather(twice, FILES / "twice.feather", compression="uncompressed")


if __name__ == "__main__":
    main()

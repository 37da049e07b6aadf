#!/usr/bin/env python3
"""make_wheel.py PACKAGE LIBRARY FOLDER VERSION: writes pgveil-VERSION-py3-none-PLATFORM.whl into the folder.

A wheel is a zip with three files about it (PEP 427 and PEP 376). It is written here because pip's build tools
are not on every machine, and nothing has to be compiled. The same inputs give the same bytes."""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile
from collections.abc import Mapping

METADATA = """\
Metadata-Version: 2.1
Name: pgveil
Version: {version}
Summary: k-anonymous tables from data frames
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas>=2.0; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars>=1.0; extra == "polars"
Provides-Extra: pyarrow
Requires-Dist: pyarrow>=14; extra == "pyarrow"
"""


def write_wheel(path: pathlib.Path, about: str, files: Mapping[str, bytes]) -> None:
    """about: the folder of the files about the wheel, to which RECORD is added."""
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in [*files.items(), (f"{about}/RECORD", f"{record}{about}/RECORD,,\n".encode())]:
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in pathlib.PurePath(name).suffixes else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)


def main(package: str, library: str, folder: str, version: str) -> None:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    about = f"pgveil-{version}.dist-info"
    files = {
        f"pgveil/{path.name}": path.read_bytes()
        for path in sorted(pathlib.Path(package).iterdir())
        if path.suffix == ".py" or path.name == "py.typed"
    }
    files["pgveil/libpgveil.so"] = pathlib.Path(library).read_bytes()
    files[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{about}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: pgveil\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n".encode()
    )
    write_wheel(pathlib.Path(folder) / f"pgveil-{version}-py3-none-{platform}.whl", about, files)


if __name__ == "__main__":
    main(*sys.argv[1:])

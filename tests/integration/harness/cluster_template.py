#!/usr/bin/python3
"""cluster_template.py FOLDER: one initdb for many private servers, which copy it: ./run test calls it
once."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.postgres import initdb  # noqa: E402

initdb(pathlib.Path(sys.argv[1]))

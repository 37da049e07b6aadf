"""Connections of the benchmarks whose server is bench_database.sh's. They run in its directory, where
pgveil.yaml and the superuser's password are."""
import pathlib
import re

import psycopg2


def listen_port():
    """Where pgveil listens."""
    return int(re.search(r"^listen: .*port: (\d+)", pathlib.Path("pgveil.yaml").read_text(), re.M).group(1))


def connected(port, role, database):
    """With autocommit. The password is the superuser's, which pgveil does not ask for."""
    connection = psycopg2.connect(
        host="127.0.0.1",
        port=port,
        user=role,
        dbname=database,
        password=pathlib.Path("superuser_password").read_text(),
    )
    connection.autocommit = True
    return connection

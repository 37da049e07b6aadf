#!/usr/bin/python3
"""PostgreSQL's own regression SQL: the same output through pgveil, as a bypass role, as from the server
itself.

Runs with --long when the tests' sources are there: $PGVEIL_REGRESS names src/test/regress of PostgreSQL 15,
by default build/postgresql-15/src/test/regress. On Debian: apt-get source postgresql-15 (with deb-src),
unpacked there. PGVEIL_REGRESS_FILES names the files to run ("boolean char int4"); by default all of
parallel_schedule, one by one. """
import os
import pathlib
import re
import subprocess
import unittest

from harness import configuration
from harness.pgveil import Pgveil
from harness.postgres import Postgres
from harness.runner import Case, REPOSITORY, main

SOURCES = pathlib.Path(os.environ.get("PGVEIL_REGRESS", REPOSITORY / "build/postgresql-15/src/test/regress"))
PASSWORD = "regression secret"
ROLES = f"""
CREATE ROLE pgveil_query LOGIN PASSWORD 'query-role secret';
CREATE ROLE pgveil_admin LOGIN PASSWORD 'admin-role secret';
CREATE ROLE regression LOGIN SUPERUSER PASSWORD '{PASSWORD}';
CREATE DATABASE regression TEMPLATE template0;
ALTER DATABASE regression SET lc_messages TO 'C';
ALTER DATABASE regression SET lc_monetary TO 'C';
ALTER DATABASE regression SET lc_numeric TO 'C';
ALTER DATABASE regression SET lc_time TO 'C';
ALTER DATABASE regression SET bytea_output TO 'hex';
ALTER DATABASE regression SET timezone_abbreviations TO 'Default';
"""

# Files whose output differs, and why it has to.
DIFFERENT = {}
# Numbers that differ between any two runs.
NOISE = [(re.compile(pattern), word) for pattern, word in (
    (r"\b(backend|process|PID|pid)( with PID|:)? \d+", r"\1 N"), (r"pg_temp_\d+", "pg_temp_N"),
    (r"pg_toast_\d+", "pg_toast_N"), (r"on socket .*|at port \d+|port \"\d+\"", "at its address"))]


def schedule():
    if named := os.environ.get("PGVEIL_REGRESS_FILES"):
        return named.split()
    lines = (SOURCES / "parallel_schedule").read_text().splitlines()
    return [name for line in lines if line.startswith("test:") for name in line.removeprefix("test:").split()]


def quiet(text):
    for pattern, word in NOISE:
        text = pattern.sub(word, text)
    return text


class Regression(Case):
    def server(self):
        postgres = Postgres(is_logging=False)
        self.addCleanup(postgres.stop)
        hba = postgres.directory / "data" / "pg_hba.conf"
        hba.write_text("host all regression 127.0.0.1/32 scram-sha-256\n" + hba.read_text())
        postgres.rows("SELECT pg_reload_conf()")
        postgres.run(ROLES)
        return postgres

    def outputs(self, postgres, port):
        """By file: all that psql printed."""
        outside = postgres.directory / "results"
        outside.mkdir()
        environment = {
            **os.environ,
            "PGTZ": "PST8PDT",
            "PGDATESTYLE": "Postgres, MDY",
            "PGPASSWORD": PASSWORD,
            "LC_MESSAGES": "C",
            "PG_ABS_SRCDIR": str(SOURCES),
            "PG_ABS_BUILDDIR": str(outside),
            "PG_LIBDIR": str(outside),
            "PG_DLSUFFIX": ".so",
        }
        found = {}
        for name in schedule():
            # By standard input, as pg_regress does: messages then have no line numbers, which depend on when
            # they come.
            with open(SOURCES / "sql" / f"{name}.sql", "rb") as script:
                done = subprocess.run(
                    [
                        "psql",
                        "-X",
                        "-a",
                        "-q",
                        "-h",
                        "127.0.0.1",
                        "-p",
                        str(port),
                        "-U",
                        "regression",
                        "-d",
                        "regression",
                        "-v",
                        "HIDE_TABLEAM=on",
                        "-v",
                        "HIDE_TOAST_COMPRESSION=on",
                    ],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    stdin=script,
                    env=environment,
                    timeout=600,
                )
            found[name] = quiet(done.stdout.decode("utf-8", "replace").replace(str(outside), "results"))
        return found

    @unittest.skipUnless(os.environ.get("PGVEIL_LONG") == "1", "takes minutes: ./run test --long")
    @unittest.skipUnless((SOURCES / "sql").is_dir(), f"no {SOURCES}: the source of postgresql-15")
    def test_the_same_output_as_direct(self):
        direct = self.server()
        expected = self.outputs(direct, direct.port)
        direct.stop()
        postgres = self.server()
        pgveil = Pgveil(postgres, (), (), database="regression", authentication="scram-sha-256",
                        passwords={"regression": PASSWORD}, limits="client_message_bytes: 67108864",
                        accept_excess=("temp", "create", "select:public.*"),
                        more="bypass_roles: [{role: regression, user: regression, password_file: raw}]\n"
                             "audit: {file: audit.log}\n")
        self.addCleanup(pgveil.stop)
        pgveil.config_path.write_text(
            pgveil.config_path.read_text().replace("policies: [policies/*.yaml]", "policies: []")
        )
        configuration.write_secret(pgveil.directory / "raw", PASSWORD + "\n")
        pgveil.start()
        got = self.outputs(postgres, pgveil.port)
        folder = REPOSITORY / "build" / "test"
        different = [name for name in expected if got[name] != expected[name]]
        if os.access(folder, os.W_OK):
            for name in different:
                (folder / f"regress_{name}.direct").write_text(expected[name])
                (folder / f"regress_{name}.through").write_text(got[name])
        print(
            f"regression: {len(expected) - len(different)} of {len(expected)} files alike; different: {different}"
        )
        self.assertEqual(sorted(set(different) - set(DIFFERENT)), [])
        verify = pgveil.command("audit-verify", str(pgveil.directory / "audit.log"), timeout=600)
        self.assertEqual(verify.returncode, 0, verify.stdout)


if __name__ == "__main__":
    main()

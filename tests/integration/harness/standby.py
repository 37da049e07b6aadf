"""A standby that follows a private PostgreSQL by streaming replication."""
import subprocess

from .postgres import Postgres

REPLICATION = "host replication all 127.0.0.1/32 trust\n"


def let_standbys_in(primary):
    with open(primary.directory / "data" / "pg_hba.conf", "a") as hba:
        hba.write(REPLICATION)
    primary.run("SELECT pg_reload_conf()")


class Standby(Postgres):
    """A copy of a running server that follows it."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__()

    def _prepare(self):
        data = self.directory / "data"
        subprocess.run(
            [
                "pg_basebackup",
                "-h",
                "127.0.0.1",
                "-p",
                str(self.primary.port),
                "-U",
                "postgres",
                "-D",
                data,
                "-R",
                "-c",
                "fast",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=120,
            cwd="/",
            **self._as_user(),
        )
        with open(data / "postgresql.conf", "a") as conf:
            conf.write(f"port = {self.port}\nunix_socket_directories = '{self.directory}'\n")

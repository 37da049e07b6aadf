#!/usr/bin/python3
"""A pooler between pgveil and the server, here the real PgBouncer, is noticed and refused in each of its modes:
it would give sessions of clients to each other."""
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from harness import world
from harness.pgveil import Pgveil
from harness.ports import free_port
from harness.postgres import plain_user
from harness.runner import main
from harness.server import ServerCase

BOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
INI = """
[databases]
demo = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users
pool_mode = {mode}
{more}
"""
# All that a start-up packet of pgveil's has and PgBouncer does not know.
IGNORE = "ignore_startup_parameters = options,extra_float_digits,search_path,backslash_quote,array_nulls," \
         "transform_null_equals,default_transaction_read_only,row_security,client_min_messages,jit," \
         "pgveil.notices,pgveil.search_path"


class Pooler(ServerCase):
    @classmethod
    def start(cls):
        if BOUNCER is None:
            cls.skipTest(cls, "needs the package pgbouncer")
        world.create(cls.postgres)

    def bounced(self, mode, more):
        """A pgveil whose host is a PgBouncer."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-bouncer-"))
        self.addCleanup(shutil.rmtree, folder, True)
        port = free_port()
        (folder / "users").write_text(f'"pgveil_query" "{world.QUERY_PASSWORD}"\n'
                                      f'"pgveil_admin" "{world.ADMIN_PASSWORD}"\n')
        (folder / "pgbouncer.ini").write_text(INI.format(server=self.postgres.port, port=port, folder=folder,
                                                         mode=mode, more=more))
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
            if plain_user() is not None:
                shutil.chown(path, plain_user())
        process = subprocess.Popen([BOUNCER, "-q", folder / "pgbouncer.ini"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=plain_user())
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        for _ in range(1200):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        made = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES)
        self.addCleanup(made.stop)
        path = made.config_path
        path.write_text(path.read_text().replace(f"port: {self.postgres.port}", f"port: {port}"))
        return made

    def assert_refused(self, mode, more):
        made = self.bounced(mode, more)
        for verb in ("check", "serve"):
            done = made.command(verb, "--config", str(made.config_path))
            self.assertEqual(done.returncode, 1)
            self.assertIn("a pooler answers there, such as PgBouncer, and not the server itself", done.stderr)
            self.assertIn("name the server's own host and port", done.stderr)

    def test_as_it_is_installed(self):
        for mode in ("transaction", "session"):
            with self.subTest(mode):
                self.assert_refused(mode, "")

    def test_where_it_ignores_the_settings_of_our_start_up_packet(self):
        """The login succeeds, and the settings are not in force."""
        for mode in ("transaction", "session"):
            with self.subTest(mode):
                self.assert_refused(mode, IGNORE)

    def test_the_server_itself_is_accepted(self):
        made = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES)
        self.addCleanup(made.stop)
        done = made.command("check", "--quick", "--config", str(made.config_path))
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()

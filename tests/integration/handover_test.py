#!/usr/bin/python3
"""Sockets that the starter hands over, as systemd does: one pgveil takes another's place and no client is
turned away."""
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

from harness import world
from harness.pgveil import Pgveil, binary, serving_environment
from harness.ports import free_port
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient

# As systemd starts a service: the variables name the process itself, and the descriptors begin at 3.
STARTER = """
import os, sys
descriptors = [int(word) for word in sys.argv[1].split(",") if word]
for at, descriptor in enumerate(descriptors):
    os.dup2(descriptor, 100 + at)
for at in range(len(descriptors)):
    os.dup2(100 + at, 3 + at)
    os.close(100 + at)
if descriptors:
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(descriptors)))
os.execv(sys.argv[2], sys.argv[2:])
"""


class Handover(ServerCase):
    def arranged(self, more="audit: {file: audit.log}\n", **options):
        """A configuration; nothing runs."""
        pgveil = Pgveil(self.postgres, (world.PEOPLE,), world.OPEN_TABLES, more=more, **options)
        self.addCleanup(pgveil.stop)
        return pgveil

    @classmethod
    def start(cls):
        world.create(cls.postgres)

    def listening(self, family=socket.AF_INET, address=("127.0.0.1", 0)):
        made = socket.socket(family)
        self.addCleanup(made.close)
        made.bind(address)
        made.listen(128)
        return made

    def serve(self, pgveil, *sockets, notify=None):
        numbers = [each.fileno() for each in sockets]
        with open(pgveil.log_path, "ab") as log:
            process = subprocess.Popen(
                [
                    "/usr/bin/python3",
                    "-c",
                    STARTER,
                    ",".join(map(str, numbers)),
                    str(binary()),
                    "serve",
                    "--config",
                    str(pgveil.config_path),
                ],
                stdout=log,
                stderr=log,
                pass_fds=numbers,
                cwd=pgveil.directory,
                env={**serving_environment(), **({"NOTIFY_SOCKET": notify} if notify else {})},
                start_new_session=True,
            )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def wait_for(self, pgveil, words, count=1):
        for _ in range(1200):
            if pgveil.log().count(words) >= count:
                return
            time.sleep(0.05)
        self.fail(f"{words} is not {count} times in\n{pgveil.log()}")

    def test_one_takes_the_others_place(self):
        pgveil, listener = self.arranged(), self.listening()
        port = listener.getsockname()[1]
        first = self.serve(pgveil, listener)
        self.wait_for(pgveil, "listening on a socket that was handed over")
        with RawClient(port, "operator", "pgveil") as console:
            self.assertEqual(console.query("BUILD POLICY people_k2").errors, [])
        stays = RawClient(port, "analyst", "demo")
        self.addCleanup(stays.close)
        wrong, answered, is_over = [], [0], threading.Event()

        def come_and_go():
            while not is_over.is_set():
                try:
                    with RawClient(port, "analyst", "demo") as client:
                        reply = client.query("SELECT count(city) FROM people")
                        answered[0] += 1
                        if reply.texts() != [["4"]]:
                            wrong.append(reply.errors)
                except OSError as fault:
                    wrong.append(repr(fault))
        threads = [threading.Thread(target=come_and_go) for _ in range(3)]
        for thread in threads:
            thread.start()
        second = self.serve(pgveil, listener)
        self.wait_for(pgveil, "listening on a socket that was handed over", 2)
        first.send_signal(signal.SIGRTMIN)  # as SHUTDOWN WAIT_FOR_CLIENTS, whose console may be the other's
        self.wait_for(pgveil, "stopping, ")
        since = answered[0]
        while answered[0] < since + 20 and not wrong:
            time.sleep(0.05)
        is_over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertIsNone(first.poll())
        self.assertEqual(stays.query("SELECT count(city) FROM people").texts(), [["4"]])
        # It may wait for days, so it reloads, too.
        policies = pgveil.policy_path.read_text()
        pgveil.policy_path.write_text(policies.replace("analyst", "somebody"))
        first.send_signal(signal.SIGHUP)
        self.until(lambda: stays.query("SELECT count(city) FROM people").sqlstate() == "42501",
                   "a reader that was removed goes on in the process that waits")
        pgveil.policy_path.write_text(policies)
        stays.close()
        self.assertEqual(first.wait(timeout=60), 0)
        with RawClient(port, "analyst", "demo") as client:
            self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(timeout=60), 0)
        done = pgveil.command("audit-verify", str(pgveil.directory / "audit.log"))
        self.assertEqual(done.returncode, 0, done.stdout)  # both wrote it: one chain

    def test_the_newer_one_takes_the_port_of_the_metrics(self):
        port = free_port()
        pgveil = self.arranged(more=f"metrics: {{host: 127.0.0.1, port: {port}}}\n")
        listener = self.listening()
        first = self.serve(pgveil, listener)
        self.wait_for(pgveil, "listening on a socket that was handed over")
        second = self.serve(pgveil, listener)
        self.wait_for(pgveil, "listening on a socket that was handed over", 2)
        self.wait_for(pgveil, f"another process listens on 127.0.0.1:{port}")
        # Of several clients at least one is the first process's, which then waits for it.
        clients = [RawClient(listener.getsockname()[1], "analyst", "demo") for _ in range(20)]
        first.send_signal(signal.SIGRTMIN)
        self.wait_for(pgveil, f"listening on port {port}")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as page:
            self.assertEqual(page.status, 200)
        for client in clients:
            self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])
            client.close()
        self.assertEqual(first.wait(timeout=60), 0)
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(timeout=60), 0)

    def test_a_port_that_is_taken_is_an_error_without_a_hand_over(self):
        taken = self.listening()
        pgveil = self.arranged(more=f"metrics: {{host: 127.0.0.1, port: {taken.getsockname()[1]}}}\n")
        self.assertEqual(self.serve(pgveil).wait(timeout=60), 1)
        self.assertIn("can't listen on", pgveil.log())

    def test_the_service_manager_hears_when_it_serves_and_when_it_waits(self):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-notify-")
        self.addCleanup(folder.cleanup)
        for path in (f"{folder.name}/notify", f"@pgveil-test-{os.getpid()}"):
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(manager.close)
            manager.settimeout(60)
            manager.bind(path.replace("@", "\0"))
            pgveil, listener = self.arranged(), self.listening()
            process = self.serve(pgveil, listener, notify=path)
            self.assertEqual(manager.recv(100), b"READY=1\nSTATUS=serving")
            with RawClient(listener.getsockname()[1], "analyst", "demo"):
                process.send_signal(signal.SIGRTMIN)
                self.assertEqual(manager.recv(100), b"STATUS=waiting until the clients have disconnected")
            self.assertEqual(process.wait(timeout=60), 0)

    def test_who_comes_while_nobody_accepts_waits(self):
        pgveil, listener = self.arranged(), self.listening()
        early = socket.create_connection(listener.getsockname())
        early.close()
        answers = []
        client = threading.Thread(
            target=lambda: answers.append(RawClient(listener.getsockname()[1], "analyst", "demo"))
        )
        client.start()
        self.serve(pgveil, listener)
        client.join(timeout=90)
        with answers[0] as came:
            self.assertEqual(came.query("SELECT count(*) FROM towns").texts(), [["4"]])

    def test_a_unix_socket_beside_it(self):
        pgveil = self.arranged()
        folder = tempfile.TemporaryDirectory(prefix="pgveil-socket-")
        self.addCleanup(folder.cleanup)
        path = str(pathlib.Path(folder.name) / ".s.PGSQL.6432")
        self.serve(pgveil, self.listening(socket.AF_UNIX, path))
        self.wait_for(pgveil, "listening on")
        done = subprocess.run(
            [
                "psql",
                "-XAtq",
                "-h",
                folder.name,
                "-p",
                "6432",
                "-U",
                "analyst",
                "-c",
                "SELECT count(*) FROM towns",
                "demo",
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((done.stdout, done.stderr), ("4\n", ""))
        self.assertTrue(os.path.exists(path))

    def assert_refused(self, pgveil, words, *sockets):
        self.assertEqual(self.serve(pgveil, *sockets).wait(timeout=60), 1)
        self.assertIn(words, pgveil.log())

    def test_what_is_no_socket_to_listen_on(self):
        self.assert_refused(self.arranged(), "two TCP sockets", self.listening(), self.listening())
        with open("/dev/null") as file:
            self.assert_refused(self.arranged(), "no socket that listens", file)
        with socket.socket() as idle:
            self.assert_refused(self.arranged(), "no socket that listens", idle)

    def test_trust_stays_on_this_machine(self):
        self.assert_refused(
            self.arranged(),
            "auth.method trust, and the address to listen on is 0.0.0.0",
            self.listening(address=("0.0.0.0", 0)),
        )

    def test_variables_of_another_process_mean_nothing(self):
        pgveil = self.arranged()
        os.environ.update(LISTEN_PID="1", LISTEN_FDS="1")
        try:
            pgveil.start()
        finally:
            del os.environ["LISTEN_PID"], os.environ["LISTEN_FDS"]
        with pgveil.client() as client:
            self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""The Debian packages in bare folders of Debian 12 and 13: install, remove, purge; and, with systemd running,
upgrade while clients are connected. Needs root, the network, and the packages in build/packages."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from debian import REPOSITORY, CannotBoot, Folder, bash  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.postgres import Postgres  # noqa: E402
from harness.runner import Case, main  # noqa: E402
from harness.wire import RawClient  # noqa: E402

CLIENTS = 1_000
PACKAGES = REPOSITORY / "build" / "packages"
VERSION = bash('source "$ROOT/scripts/version.sh"; version_of_tree').stdout.strip()


def package(name, release):
    return PACKAGES / f"{name}_{VERSION}~deb{release}_amd64.deb"


def next_package(release, number, folder):
    """The same package with a later version: an upgrade is a matter of scripts and sockets."""
    tree = pathlib.Path(folder) / f"tree-{number}"
    subprocess.run(["dpkg-deb", "-R", package("pgveil", release), tree], check=True, timeout=120)
    control = tree / "DEBIAN" / "control"
    old = f"Version: {VERSION}~deb{release}\n"
    text = control.read_text()
    assert old in text
    control.write_text(text.replace(old, f"Version: {VERSION}+{number}~deb{release}\n"))
    made = pathlib.Path(folder) / f"pgveil-{number}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made], check=True, timeout=120,
                   stdout=subprocess.DEVNULL)
    return made


class Packages:
    release = 0
    test_seconds = 1800

    def setUp(self):
        if not package("pgveil", self.release).is_file():
            self.skipTest(f"there is no {package('pgveil', self.release).name}: ./run package {self.release}")
        self.folder = Folder(self.release)
        self.addCleanup(self.folder.remove)
        self.folder.must("apt-get", "-q", "update")

    def install(self, *names):
        for name in names:
            self.folder.take(package(name, self.release), f"/tmp/{name}.deb")
        self.folder.install(*(f"/tmp/{name}.deb" for name in names))

    def test_install_remove_purge(self):
        folder = self.folder
        self.install("pgveil", "pgveil-dbgsym")
        lines = folder.must("pgveil", "--version").splitlines()
        self.assertEqual(lines[0], f"pgveil {VERSION}")
        self.assertRegex(lines[1], r"^commit [0-9a-f]{12}")
        self.assertIn("parser of PostgreSQL", lines[2])
        for path in (
            "/usr/share/man/man1/pgveil.1.gz", "/usr/share/doc/pgveil/README.md.gz",
            "/usr/share/doc/pgveil/examples/pgveil.yaml", "/usr/libexec/pgveil/hand-over",
            "/usr/lib/systemd/system/pgveil@.service", "/usr/lib/systemd/system/pgveil.socket",
        ):
            self.assertTrue(folder.has(path) or folder.has(path.removesuffix(".gz"))
                            or folder.has(path.removeprefix("/usr")), path)
        sections = subprocess.run(["readelf", "-SW", folder.path / "usr/bin/pgveil"], capture_output=True,
                                  text=True, timeout=60).stdout
        self.assertIn(".text", sections)
        self.assertNotIn(".debug_info", sections)
        symbols = list((folder.path / "usr/lib/debug/.build-id").glob("*/*.debug"))
        self.assertEqual(len(symbols), 1)
        completes = 'source /usr/share/bash-completion/completions/pgveil && complete -p pgveil'
        self.assertIn("_pgveil", folder.must("bash", "-c", completes))
        self.assertEqual(folder.must("stat", "-c", "%U %a", "/etc/pgveil", "/var/lib/pgveil", "/var/log/pgveil"),
                         "pgveil 700\n" * 3)
        self.assertIn("/usr/sbin/nologin", folder.must("getent", "passwd", "pgveil"))
        page = folder.run("grep", "-c", "<title>", "/usr/bin/pgveil")
        self.assertEqual(page.returncode, 0, "the page is not in the program")

        (folder.path / "etc/pgveil/pgveil.yaml").write_text("# mine\n")
        folder.must("apt-get", "-q", "-y", "remove", "pgveil")  # and the symbols, which depend on it
        self.assertFalse(folder.has("/usr/bin/pgveil"))
        self.assertTrue(folder.has("/etc/pgveil/pgveil.yaml"))
        self.install("pgveil")
        self.assertTrue(folder.has("/etc/pgveil/pgveil.yaml"))
        folder.must("apt-get", "-q", "-y", "purge", "pgveil")
        for path in ("/etc/pgveil", "/var/lib/pgveil", "/var/log/pgveil", "/usr/bin/pgveil",
                     "/usr/share/doc/pgveil", "/usr/lib/debug/.build-id"):
            self.assertFalse(folder.has(path), path)

    # -- with a running system
    def state(self, instance, wanted="StatusText"):
        return self.folder.must("systemctl", "show", "-p", wanted, "--value", f"pgveil@{instance}").strip()

    def wait_for(self, what, wanted):
        deadline = time.monotonic() + 120
        while (got := what()) != wanted:
            self.assertLess(time.monotonic(), deadline, f"it is {got!r} and not {wanted!r}")
            time.sleep(0.2)

    def configure(self, metrics_port):
        """pgveil in the folder, for a PostgreSQL of this machine. → the port of pgveil's socket."""
        postgres = Postgres(is_logging=False)
        self.addCleanup(postgres.stop)
        world.create(postgres)
        written = Pgveil(
            postgres, (world.PEOPLE,), world.OPEN_TABLES,
            limits=f"max_clients: {CLIENTS + 200}, login_clients: {CLIENTS}",
            more="pool: {mode: transaction, size: 10}\n"
                 f"metrics: {{host: 127.0.0.1, port: {metrics_port}}}\n")
        self.addCleanup(written.stop)
        subprocess.run(["cp", "-R", f"{written.directory}/.", self.folder.path / "etc/pgveil"], check=True,
                       timeout=60)
        self.folder.must("chown", "-R", "pgveil:pgveil", "/etc/pgveil")
        drop_in = self.folder.path / "etc/systemd/system/pgveil.socket.d"
        drop_in.mkdir(parents=True)
        (drop_in / "port.conf").write_text(f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{written.port}\n")
        return written.port

    def answers(self, client):
        return client.query("SELECT count(city) FROM people").texts()

    def come_and_go(self, port):
        """Threads that log in, ask and leave. → a function that ends them and gives what went wrong."""
        wrong, is_over, count = [], threading.Event(), [0]

        def clients():
            while not is_over.is_set():
                try:
                    with RawClient(port, "analyst", "demo") as client:
                        if (got := self.answers(client)) != [["4"]]:
                            wrong.append(got)
                    count[0] += 1
                except Exception as fault:  # pylint: disable=broad-except
                    wrong.append(repr(fault))
        threads = [threading.Thread(target=clients) for _ in range(3)]
        for thread in threads:
            thread.start()
        self.addCleanup(is_over.set)

        def end():
            before = count[0]
            while count[0] < before + 20 and not wrong:
                time.sleep(0.05)
            is_over.set()
            for thread in threads:
                thread.join()
            return wrong
        return end

    def test_upgrade_keeps_every_client(self):
        folder = self.folder
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * CLIENTS), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        folder.install("systemd", "systemd-sysv")
        self.install("pgveil")
        metrics_port = free_port()
        port = self.configure(metrics_port)
        try:
            folder.boot()
        except CannotBoot as reason:
            self.skipTest(str(reason))
        # The package alone makes nothing listen.
        self.assertEqual(folder.run("systemctl", "is-active", "pgveil.socket").stdout, "inactive\n")
        verified = folder.run("systemd-analyze", "verify", "--man=no", "pgveil@a.service", "pgveil.socket")
        complaints = [line for line in verified.stderr.splitlines() if "pgveil" in line]
        self.assertEqual((verified.returncode, complaints), (0, []))
        folder.must("systemctl", "enable", "--now", "pgveil.socket", "pgveil@a")
        self.assertEqual(self.state("a"), "serving")
        with RawClient(port, "operator", "pgveil") as console:
            self.assertEqual(console.query("BUILD POLICY people_k2").errors, [])

        stay = [RawClient(port, "analyst", "demo") for _ in range(CLIENTS)]
        for client in stay:
            self.addCleanup(client.close)
            self.assertEqual(self.answers(client), [["4"]])
        end = self.come_and_go(port)
        with tempfile.TemporaryDirectory() as made:
            second, third, fourth = (next_package(self.release, number, made) for number in (2, 3, 4))
            for path in (second, third, fourth):
                folder.take(path, "/root/" + path.name)  # a system that runs has its own /tmp
        folder.must("dpkg", "-i", "/root/pgveil-2.deb")
        self.assertEqual(self.state("b"), "serving")
        self.wait_for(lambda: self.state("a").split(" ")[0], "waiting")
        self.assertEqual(end(), [])
        for client in stay:
            self.assertEqual(self.answers(client), [["4"]])  # of the older process
        self.assertEqual(self.ready(metrics_port), "ready\n")  # of the newer one

        # While the older one still has clients, a further upgrade finds a third place.
        newer = RawClient(port, "analyst", "demo")
        self.addCleanup(newer.close)
        folder.must("dpkg", "-i", "/root/pgveil-3.deb")
        self.assertEqual(self.state("c"), "serving")
        self.assertEqual(self.answers(newer), [["4"]])
        self.assertEqual(self.answers(stay[0]), [["4"]])
        for client in (*stay, newer):
            client.close()
        for instance in "ab":
            self.wait_for(lambda at=instance: self.state(at, "ActiveState"), "inactive")

        self.folder.must("systemctl", "reload", "pgveil@c")
        self.assertEqual(self.state("c"), "serving")

        # A new one that does not start leaves the older one serving.
        config = folder.path / "etc/pgveil/pgveil.yaml"
        good = config.read_text()
        config.write_text("listen: {prot: 1}\n")
        told = folder.run("dpkg", "-i", "/root/pgveil-4.deb")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("the new pgveil did not start, and the older one serves on", told.stderr)
        self.assertEqual(self.state("c"), "serving")
        with RawClient(port, "analyst", "demo") as client:
            self.assertEqual(self.answers(client), [["4"]])
        config.write_text(good)

        folder.must("apt-get", "-q", "-y", "purge", "pgveil")
        self.assertFalse(folder.has("/etc/pgveil"))
        with self.assertRaises(OSError):
            RawClient(port, "analyst", "demo")

    def ready(self, port):
        deadline = time.monotonic() + 30
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as page:
                    return page.read().decode()
            except OSError:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.2)


class Debian12(Packages, Case):
    release = 12


class Debian13(Packages, Case):
    release = 13


if __name__ == "__main__":
    main()

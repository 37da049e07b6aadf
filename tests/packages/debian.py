"""A Debian in a folder: commands in it without a running system, and with its own systemd as the first process,
where systemd-nspawn can start one. It shares this machine's network. Needs root."""
import os
import pathlib
import shutil
import subprocess
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BOOT_SECONDS = 90


class CannotBoot(Exception):
    """systemd does not start in a folder here."""


def bash(script, *arguments):
    """Runs a piece of the project's own scripts."""
    return subprocess.run(
        ["bash", "-euc", f'source "$ROOT/scripts/packages.sh"; source "$ROOT/scripts/debootstrap.sh"; {script}',
         "bash", *map(str, arguments)],
        env={**os.environ, "ROOT": str(REPOSITORY)}, capture_output=True, text=True, timeout=900)


class Folder:
    def __init__(self, release):
        """A copy of a bare Debian `release` (12 or 13), which is made once, from the network."""
        bare = REPOSITORY / "build" / f"bare-{release}"
        made = bash('make_debian "$1" "$2"', release, bare)
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        self.path = REPOSITORY / "build" / "test" / f"debian-{release}-{os.getpid()}"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", "--reflink=auto", bare, self.path], check=True, timeout=300)
        self._nspawn = None
        self._log = self.path.with_suffix(".log")

    def remove(self):
        self.halt()
        subprocess.run(["rm", "-rf", "--one-file-system", self.path, self._log], check=True, timeout=300)

    def take(self, file, to):
        """Copies a file of this machine into the folder."""
        shutil.copy(file, self.path / to.lstrip("/"))

    def has(self, path):
        return os.path.lexists(self.path / path.lstrip("/"))

    def run(self, *command):
        """→ the finished process; in the running system, if there is one."""
        if self._nspawn is None:
            return bash('in_debian "$@"', self.path, *command)
        return subprocess.run(
            ["nsenter", "-t", str(self._first_process()), "-m", "-u", "-i", "-p", "-r", "-w", "--",
             "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
             "DEBIAN_FRONTEND=noninteractive", *map(str, command)],
            capture_output=True, text=True, timeout=600)

    def must(self, *command):
        done = self.run(*command)
        if done.returncode != 0:
            said = f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
            if self._nspawn is not None:
                said += self.run("journalctl", "--no-pager", "-o", "cat", "-n", "30", "-u", "pgveil*").stdout
            raise AssertionError(f"{command} → {done.returncode}\n{said}")
        return done.stdout

    def install(self, *packages):
        """By name from Debian, or a path of a package in the folder."""
        self.must("apt-get", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0", "install", *packages)

    # -- the running system
    def boot(self):
        if shutil.which("systemd-nspawn") is None:
            raise CannotBoot("there is no systemd-nspawn; the package systemd-container has it")
        for policy in self.path.glob("usr/sbin/policy-rc.d"):
            policy.unlink()
        with open(self._log, "wb") as log:
            self._nspawn = subprocess.Popen(
                ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--boot", "-D", self.path],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < deadline and self._nspawn.poll() is None:
            if self._first_process() is not None:
                state = self.run("systemctl", "is-system-running").stdout.strip()
                if state in ("running", "degraded"):
                    return
            time.sleep(0.5)
        log = self._log.read_text(errors="replace")[-500:]
        self.halt()
        raise CannotBoot(f"systemd does not start in a folder here: {log!r}")

    def halt(self):
        if self._nspawn is None:
            return
        self.run("systemctl", "poweroff", "--force")
        try:
            self._nspawn.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._nspawn.kill()
            self._nspawn.wait()
        self._nspawn = None

    def _first_process(self):
        """The id, on this machine, of process 1 of the folder; None: there is none yet."""
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                ids = [line.split() for line in status.read_text().splitlines() if line.startswith("NSpid:")]
                if ids and ids[0][-1] == "1" and len(ids[0]) > 2 and self._is_below(int(status.parent.name)):
                    return status.parent.name
            except OSError:
                continue  # it has ended
        return None

    def _is_below(self, process):
        """Whether systemd-nspawn is among its ancestors."""
        while process > 1:
            if process == self._nspawn.pid:
                return True
            process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        return False

#!/usr/bin/python3
"""The wheel for other distributions (scripts/portable_wheel.sh), of a small library that needs libpq, and with it
much that the manylinux policies do not allow."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from harness.runner import main

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What every distribution has that the tags promise (PEP 600 and the policies of auditwheel).
ALLOWED = {
    "libc.so.6", "libm.so.6", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1",
    "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
}  # fmt: skip
SOURCE = "int PQlibVersion(void);\nint pgveil_abi_version(void) { return PQlibVersion(); }\n"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def portable(root, wheel, folder, **environment):
    return run(
        "bash", root / "scripts" / "portable_wheel.sh", wheel, folder,
        env=os.environ | {"ROOT": str(root)} | environment,
    )  # fmt: skip


def needed(library):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library, check=True).stdout))


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "small.c").write_text(SOURCE)
        library = cls.folder / "libpgveil.so"
        made = run("cc", "-shared", "-fPIC", "-o", library, cls.folder / "small.c", "-lpq")
        if made.returncode != 0:
            raise unittest.SkipTest(f"no library can be compiled: {made.stderr[-200:]}")
        make = [sys.executable, ROOT / "scripts" / "make_wheel.py", ROOT / "python" / "pgveil", library]
        run(*make, cls.folder, "0.1.0", check=True)
        (cls.own,) = cls.folder.glob("*.whl")

    def made(self, name="one"):
        """The wheel in a folder of this name; it is made once."""
        if not (ROOT / "build" / "wheel-tools" / "ready").is_file():
            self.skipTest("there is no build/wheel-tools; ./run wheel makes it")
        folder = self.folder / name
        if not folder.is_dir():
            folder.mkdir()
            done = portable(ROOT, self.own, folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        (wheel,) = folder.iterdir()
        return wheel

    def test_its_files_need_nothing_but_each_other_and_what_every_distribution_has(self):
        wheel = self.made()
        self.assertRegex(wheel.name, r"^pgveil-0\.1\.0-py3-none-manylinux_2_\d+_x86_64\.whl$")
        place = self.folder / "unpacked"
        zipfile.ZipFile(wheel).extractall(place)
        copied = {it.name for it in (place / "pgveil.libs").iterdir()}
        self.assertGreater(len(copied), 3, "libpq needs libssl, libcrypto and others")
        library = place / "pgveil" / "libpgveil.so"
        for file in (library, *(place / "pgveil.libs").iterdir()):
            self.assertLessEqual(needed(file), copied | ALLOWED, file.name)
        for name, path in re.findall(r"(\S+) => (\S+)", run("ldd", library, check=True).stdout):
            inside = pathlib.Path(path).resolve().is_relative_to(place.resolve())
            self.assertEqual(inside, name in copied, name)
        self.assertGreater(ctypes.CDLL(str(library)).pgveil_abi_version(), 90000)

    def test_the_tag_is_no_older_than_the_newest_symbol_of_glibc(self):
        wheel = self.made()
        place = self.folder / "symbols"
        zipfile.ZipFile(wheel).extractall(place)
        used = set()
        for file in place.rglob("*.so*"):
            symbols = run("readelf", "-W", "--dyn-syms", file, check=True).stdout
            used |= {int(it) for it in re.findall(r"UND \S+@GLIBC_2\.(\d+)", symbols)}
        self.assertGreater(max(used), 4)
        self.assertGreaterEqual(int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1]), max(used))

    def test_each_copied_library_comes_with_its_license(self):
        wheel = self.made()
        with zipfile.ZipFile(wheel) as opened:
            names = opened.namelist()
            texts = {it: opened.read(it) for it in names if "/licenses/" in it}
            record = opened.read("pgveil-0.1.0.dist-info/RECORD").decode()
        self.assertEqual([line.split(",")[0] for line in record.splitlines()], names)
        packages = {it.split("/")[2] for it in texts}
        copied = [it.split("/")[1] for it in names if it.startswith("pgveil.libs/")]
        for library in (re.sub(r"-[0-9a-f]{8}\.", ".", it, count=1) for it in copied):
            listed = run("dpkg-query", "-S", f"*/{library}", check=True).stdout
            owners = {line.split(":")[0] for line in listed.splitlines()}
            self.assertTrue(owners & packages, library)
        for path, text in texts.items():
            for name in re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9.+-]+[A-Za-z0-9])", text):
                self.assertIn(f"pgveil-0.1.0.dist-info/licenses/common-licenses/{name.decode()}", texts, path)

    def test_the_same_library_gives_the_same_bytes(self):
        self.assertEqual(self.made().read_bytes(), self.made("again").read_bytes())

    def test_without_a_network_it_says_what_is_missing(self):
        root = self.folder / "tree"
        shutil.copytree(ROOT / "scripts", root / "scripts")
        (root / "build").mkdir()
        nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
        done = portable(root, self.own, self.folder, PIP_CONFIG_FILE="/dev/null", **nowhere)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"is there a network\?|install python3-venv")
        self.assertFalse((root / "build" / "wheel-tools" / "ready").exists())
        self.assertEqual([it.name for it in self.folder.glob("*.whl")], [self.own.name])


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Canaries: whatever the drivers, the protocol tests, the attack cases and the generator do as a masked user,
no byte to the client, no line of pgveil's log and no answer of the console to stats_users holds a value that
only hidden cells have; and the values that many people share do come through."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import canaries  # noqa: E402
import conversations  # noqa: E402
import pipeline  # noqa: E402
import tables  # noqa: E402
import worlds  # noqa: E402
from harness import world  # noqa: E402
from harness.postgres import Postgres  # noqa: E402
from harness.runner import REPOSITORY, Case, main, shared_folder  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
STATEMENTS = 20000 if IS_LONG else 1500
# These see raw rows or trees by their office; the rest of all users is searched.
OFFICERS = ("dpo", "operator")
SUITES = ("drivers", "extended_protocol", "frames", "sql_forms", "refusals", "psql_commands", "recorded")
# Not those that the owner wrote into a comment or an open table.
SHARED_ONLY_HIDDEN = (
    "Quillfeather",
    "Wexcombe",
    "Marrowgate",
    "Thornbury",
    "Harkwell",
    "Ostrander",
    "Pellworth",
    "Vinterbourne",
    "Dunmarrow",
    "Abernethy",
    "Falconer",
    "Luthier",
    "Glazier",
)


class CanariesTest(Case):
    test_seconds = 3600 if IS_LONG else 600

    def run_suite(self, name, folder):
        """An integration test with a tap on each of its pgveils."""
        file = REPOSITORY / "tests" / "integration" / f"{name}_test.py"
        done = subprocess.run(
            [sys.executable, file],
            capture_output=True,
            text=True,
            timeout=self.test_seconds,
            env={**os.environ, "PGVEIL_TAP": folder, "PGVEIL_LONG": ""},
        )
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-2000:])

    def search(self, folder, rare, common, is_literal_fine):
        """→ how many connections, bytes and lines of log were searched."""
        answers, bytes_searched, lines, seen = 0, 0, 0, set()
        for path in sorted(pathlib.Path(folder).iterdir()):
            if path.suffix == ".log":
                log = path.read_bytes()
                self.assertEqual(
                    canaries.found(log, rare), [], f"in the log: {canaries.lines_with(log, rare)}"
                )
                lines += log.count(b"\n")
            elif path.suffix == ".answered" and path.name.split(".")[1] not in OFFICERS:
                answered, asked = path.read_bytes(), path.with_suffix(".asked").read_bytes()
                # What a client wrote itself may come back, as a constant in its own statement.
                hits = [token for token in canaries.found(answered, rare)
                        if not is_literal_fine or not canaries.found(asked, [token])]
                self.assertEqual(hits, [], f"{path.name}: {asked[-300:]}")
                seen.update(canaries.found(answered, common))
                answers, bytes_searched = answers + 1, bytes_searched + len(answered)
        self.assertEqual(sorted(seen), sorted(common), "the search would see nothing")
        return answers, bytes_searched, lines

    def test_drivers_and_protocol_tests(self):
        with tempfile.TemporaryDirectory(prefix="pgveil-tap-") as folder:
            for name in SUITES:
                self.run_suite(name, folder)
            answers, searched, lines = self.search(folder, world.HIDDEN, ("Nurse", "Aber", "Hamlet"), True)
        print(
            f"\ncanaries: {answers} connections of {len(SUITES)} test files, {searched} bytes to clients and {lines} lines "
            "of log without a hidden value"
        )
        self.assertGreater(answers, 50)
        self.assertGreater(lines, 50)

    def test_attack_cases(self):
        with tempfile.TemporaryDirectory(prefix="pgveil-tap-") as folder:
            self.run_suite("attack_cases", folder)
            answers, searched, lines = self.search(folder, world.HIDDEN, ("Nurse", "Aber", "Hamlet"), True)
        print(f"\ncanaries: {answers} connections of our attack cases, {searched} bytes, {lines} lines of log")
        self.assertGreater(answers, 80)

    def test_shared_attack_cases(self):
        if shared_folder("leaks") is None:
            self.skipTest("../shared is not there")
        with tempfile.TemporaryDirectory(prefix="pgveil-tap-") as folder:
            self.run_suite("leaks", folder)
            answers, searched, lines = self.search(folder, SHARED_ONLY_HIDDEN, ("Nurse", "Albany"), True)
        print(f"\ncanaries: {answers} connections of the shared attack cases, {searched} bytes, {lines} lines of log")
        self.assertGreater(answers, 300)

    def test_generated_statements(self):
        postgres, each = Postgres(is_logging=False), None
        try:
            postgres.run(world.ROLES)
            each = worlds.World(postgres, self.seed_with_canaries()).start()
            rare, common = canaries.of_tables(each.protected)
            answered = self.answers(each)
            console = each.pgveil.console_bytes("watcher", ("SHOW POLICIES", "SHOW VERSION", "SHOW HELP"))
            for what, data in (
                ("answers", answered),
                ("console", console),
                ("log", each.pgveil.log().encode()),
            ):
                self.assertEqual(canaries.found(data, rare), [], what)
            self.assertEqual(len(canaries.found(answered, common)), len(common))
        finally:
            if each is not None:
                each.stop()
            postgres.stop()
        print(
            f"\ncanaries: {STATEMENTS} generated statements, {len(answered)} bytes: none of {len(rare)} rare values, all of "
            f"{len(common)} common ones"
        )

    @staticmethod
    def seed_with_canaries():
        for seed in range(SEED * 1000, SEED * 1000 + 100):
            protected = [table for table in tables.random_tables(random.Random(seed), 6) if table.policy]
            rare, common = canaries.of_tables(protected)
            if len(rare) > 5 and len(common) > 2:
                return seed
        raise AssertionError("no world has canaries")

    def answers(self, each):
        client = pipeline.Pipeline(each.pgveil.port, "analyst", each.raw, {"statement_timeout": "20s"})
        try:
            found = [
                body
                for _, (answer,) in pipeline.answers(
                    [client], each.queries(STATEMENTS), conversations.segments
                )
                for _, body in answer
            ]
        finally:
            client.close()
        return b"\n".join(found)

    def test_the_search_finds_what_it_should(self):
        for text in ("a rare77 b", "RARE77", "77erar", "\\x7261726537", "cmFyZTc3"):
            self.assertEqual(canaries.found(text.encode(), ["rare77"]), ["rare77"], text)
        self.assertEqual(canaries.found(b"rare", ["rare77"]), [])
        self.assertTrue(re.search("rare", canaries.lines_with(b"x\nrare77 y\nz", ["rare77"])[0]))


if __name__ == "__main__":
    main()

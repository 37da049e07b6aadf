"""Runs the tests of one file: each test has a time limit, and the last line is `N passed, N failed`."""
import faulthandler
import functools
import os
import pathlib
import signal
import sys
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SHARED = REPOSITORY.parent / "shared"

if "--long" in sys.argv:  # of ./run test --long
    sys.argv.remove("--long")
    os.environ["PGVEIL_LONG"] = "1"

# The longest test takes 90 s. A machine may be slow, and other tests run at the same time.
TEST_SECONDS = 3600 if os.environ.get("PGVEIL_LONG") == "1" else 420
UNTIL_SECONDS = 60


class TooSlow(Exception):
    """A test waited longer than any of its parts may."""


def limited(run):
    """A test that hangs fails instead."""
    @functools.wraps(run)
    def wrapper(self, result=None):
        def fire(*_):
            faulthandler.dump_traceback()
            raise TooSlow(f"the test did not end within {self.test_seconds} s")
        signal.signal(signal.SIGALRM, fire)
        signal.alarm(self.test_seconds)
        try:
            return run(self, result)
        finally:
            signal.alarm(0)
    return wrapper


class Case(unittest.TestCase):
    """The base of all test cases here."""
    maxDiff = 4000
    test_seconds = TEST_SECONDS
    run = limited(unittest.TestCase.run)

    def until(self, condition, what):
        """Waits for what happens soon after an answer, such as the end of a session whose client has gone."""
        deadline = time.monotonic() + UNTIL_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                self.fail(what)
            time.sleep(0.05)


class Results(unittest.TextTestResult):
    """Counts what passed; a subtest that fails makes its test fail. Remembers how long each test took, the
    first of a class with what the class prepared."""
    passed = 0

    def startTestRun(self):
        super().startTestRun()
        self.seconds, self._before = [], time.monotonic()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def stopTest(self, test):
        super().stopTest(test)
        now = time.monotonic()
        self.seconds.append((now - self._before, test.id().removeprefix("__main__.")))
        self._before = now


def shared_folder(name):
    """../shared/<name>, or None when this checkout stands alone."""
    folder = SHARED / name
    return folder if folder.is_dir() else None


def main():
    os.environ.setdefault("PGTZ", "UTC")
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=1 + ("-v" in sys.argv), resultclass=Results)
    program = unittest.main(module="__main__", exit=False, testRunner=runner, verbosity=runner.verbosity)
    result = program.result
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    for seconds, test in sorted(result.seconds, reverse=True)[:5]:
        print(f"{seconds:6.1f} s  {test}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f"{result.passed} passed, {failed} failed", flush=True)
    sys.exit(0 if failed == 0 and result.passed + len(result.skipped) > 0 else 1)

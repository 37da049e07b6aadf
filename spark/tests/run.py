#!/usr/bin/env python3
"""Runs the tests of pgveil-spark; the last line is 'N passed, N failed'. PGVEIL_BIN names the binary.
Arguments: names of tests."""
import pathlib
import signal
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools"), str(HERE)]


class Result(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.took = []  # (seconds, name)

    def startTest(self, test):
        super().startTest(test)
        self.stream.flush()
        self._began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.took.append((time.monotonic() - self._began, test.id()))

    def say_longest(self):
        for seconds, name in sorted(self.took, reverse=True)[:10]:
            print(f"{seconds:6.1f} s  {name}")

    def say_skipped(self):
        """A line for each reason."""
        for reason in dict.fromkeys(reason for _, reason in self.skipped):
            tests = [test.id().rsplit(".", 1)[-1] for test, its in self.skipped if its == reason]
            print(f"skipped: {tests[0] if len(tests) == 1 else f'{len(tests)} tests'}: {reason}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cluster is ended too
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in sys.argv[1:]] or None
    suite = unittest.TestSuite(
        loader.loadTestsFromName(name)
        for name in ("plan_test", "frames_test", "supported_test", "cluster_test", "models_test",
                     "alike_test", "command_test")
    )
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result, warnings="ignore").run(
        suite
    )
    result.say_longest()
    result.say_skipped()
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(1 if failed or result.testsRun == 0 else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""`rebuild_every`: the proxy builds again by itself, as a build that goes on; what fails leaves the version that is there."""
import time

from harness import world
from harness.runner import main
from harness.stack import StackCase

SECONDS = 30  # how long anything may take before the test gives up


class Rebuilds(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def write(self, more):
        self.pgveil.write_policies(self.policies)
        path = self.pgveil.policy_path
        path.write_text(path.read_text().replace("    k: 2\n", f"    k: 2\n{more}", 1))
        reply = self.pgveil.console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())

    def version(self):
        reply = self.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        row = dict(zip(names, next(row for row in reply.texts() if row[0] == "people_k2")))
        return int(row["version"] or 0)

    def wait_for(self, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.pgveil.log()[-2000:]}")
            time.sleep(0.1)

    def towns(self):
        return self.texts("SELECT city, count(*) FROM people WHERE city = 'Oslo' GROUP BY 1")

    def test_it_builds_again_until_told_otherwise(self):
        first = self.version()
        self.postgres.run("INSERT INTO people SELECT n, 'Farmer', 'Oslo', 'NN' FROM generate_series(900, 909) AS n", "demo")
        self.assertEqual(self.towns(), [])
        self.write("    rebuild_every: 1s\n")
        self.assertEqual(self.version(), first, "the key is not part of what is released")
        self.wait_for(lambda: self.version() > first, "no build")
        self.wait_for(lambda: self.towns() == [["Oslo", "10"]], "the new town is not shown")
        self.assertIn("built by rebuild_every", self.pgveil.log())
        self.assertIn(f"goes on from version {first}", self.pgveil.log())

        self.postgres.run("REVOKE SELECT ON people FROM pgveil_admin", "demo")
        try:
            self.wait_for(lambda: "rebuild of policy people_k2" in self.pgveil.log(), "the failure is not in the log")
            self.assertEqual(self.towns(), [["Oslo", "10"]])
        finally:
            self.postgres.run("GRANT SELECT ON people TO pgveil_admin", "demo")
        self.wait_for(lambda: "works again" in self.pgveil.log(), "it was not tried again")

        self.write("")
        time.sleep(0.2)  # one that had begun
        last = self.version()
        time.sleep(2.5)
        self.assertEqual(self.version(), last)

    def test_less_than_a_second_is_refused(self):
        path = self.pgveil.policy_path
        before = path.read_text()
        path.write_text(before.replace("    k: 2\n", "    k: 2\n    rebuild_every: 100ms\n", 1))
        try:
            self.assertIn("built more often than once a second", repr(self.pgveil.console("RELOAD").texts()))
        finally:
            path.write_text(before)


if __name__ == "__main__":
    main()

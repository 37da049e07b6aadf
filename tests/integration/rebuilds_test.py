#!/usr/bin/python3
"""`rebuild_every`: the proxy builds again by itself, as a build that goes on; what fails leaves the version
that is there. Drift repair of many policies at once: each costs the value that went, and the others stay as
they are."""
import time

from harness import world
from harness.runner import main
from harness.stack import StackCase
from naive import Policy

SECONDS = 90  # how long anything may take before the test gives up


class Rebuilds(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def setUp(self):
        super().setUp()
        self.pgveil.write_policies(self.policies)  # whatever another test has left there

    def write(self, more):
        self.pgveil.write_policies(self.policies)
        path = self.pgveil.policy_path
        path.write_text(path.read_text().replace("    k: 2\n", f"    k: 2\n{more}", 1))
        reply = self.pgveil.console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())

    def policy(self):
        reply = self.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        return dict(zip(names, next(row for row in reply.texts() if row[0] == "people_k2")))

    def version(self):
        return int(self.policy()["version"] or 0)

    def wait_for(self, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.pgveil.log()[-2000:]}")
            time.sleep(0.1)

    def towns(self):
        return self.texts("SELECT city, count(*) FROM people WHERE city = 'Oslo' GROUP BY 1")

    def test_it_builds_again_until_told_otherwise(self):
        first = self.version()
        self.postgres.run(
            "INSERT INTO people SELECT n, 'Farmer', 'Oslo', 'NN' FROM generate_series(900, 909) AS n", "demo"
        )
        self.assertEqual(self.towns(), [])
        self.write("    rebuild_every: 1h\n")
        time.sleep(1.5)  # the daemon looks once a second, so it has met the longer interval
        self.assertEqual(self.version(), first, "the key is not part of what is released")
        self.write("    rebuild_every: 1s\n")
        self.wait_for(lambda: self.version() > first, "no build")
        self.wait_for(lambda: self.towns() == [["Oslo", "10"]], "the new town is not shown")
        # The version is served before its lines are written.
        for line in ("built by rebuild_every", f"continues version {first}"):
            self.wait_for(lambda line=line: line in self.pgveil.log(), f"{line!r} is not in the log")

        self.postgres.run("REVOKE SELECT ON people FROM pgveil_admin", "demo")
        try:
            self.wait_for(
                lambda: "rebuild of policy people_k2" in self.pgveil.log(), "the failure is not in the log"
            )
            self.assertEqual(self.towns(), [["Oslo", "10"]])
            self.assertRegex(self.policy()["last_failure"], r"^\d{4}-\d\d-\d\dT[\d:]{8}Z$")
            self.assertTrue(self.policy()["failure"])
        finally:
            self.postgres.run("GRANT SELECT ON people TO pgveil_admin", "demo")
        self.wait_for(lambda: "works again" in self.pgveil.log(), "it was not tried again")
        self.assertEqual((self.policy()["last_failure"], self.policy()["failure"]), (None, None))

        self.write("")
        time.sleep(1)
        self.wait_for(lambda: not self.policy()["building"], "a build that had begun does not end")
        last = self.version()
        time.sleep(2.5)
        self.assertEqual(self.version(), last)

    def test_less_than_a_second_is_refused(self):
        path = self.pgveil.policy_path
        before = path.read_text()
        path.write_text(before.replace("    k: 2\n", "    k: 2\n    rebuild_every: 100ms\n", 1))
        try:
            self.assertIn("rebuild_every is below one second", repr(self.pgveil.console("RELOAD").texts()))
        finally:
            path.write_text(before)


MANY = tuple(f"many{i}" for i in range(6))
COLUMNS = {"id": "identifier", "a": "quasi_identifier", "b": "quasi_identifier"}


class Repairs(StackCase):
    policies = tuple(Policy(name, f"public.{name}", 3, COLUMNS) for name in MANY)
    built = MANY
    has_version_schema = True

    @classmethod
    def prepare(cls):
        # Values a0 to a5 of column a, 20 rows of the first and two fewer of each further one.
        for name in MANY:
            cls.postgres.run(
                f"CREATE TABLE {name} AS SELECT 100 * i + j AS id, 'a' || i AS a, 'b' || j % 9 AS b "
                f"FROM generate_series(0, 5) AS i, generate_series(1, 20 - 2 * i) AS j; "
                f"GRANT SELECT ON {name} TO pgveil_query, pgveil_admin", "demo")

    def shown(self, name):
        """Counts per visible value; empty while another version is taken up (40001)."""
        with self.pgveil.client() as client:
            reply = client.query(f"SELECT a, count(*) FROM {name} GROUP BY 1")
        self.assertIn(reply.sqlstate(), (None, "", "40001"), reply.errors)
        return {row[0]: int(row[1]) for row in reply.texts()}

    def versions(self):
        reply = self.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        return {row[0]: dict(zip(names, row))["version"] for row in reply.texts()}

    def wait_for(self, happened, what):
        end = time.monotonic() + SECONDS
        while not happened():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.pgveil.log()[-2000:]}")
            time.sleep(0.1)

    def test_a_value_that_goes_costs_its_own_rows_in_every_table(self):
        built = self.versions()
        before = {name: self.shown(name) for name in MANY}
        path = self.pgveil.policy_path
        path.write_text(path.read_text().replace("    k: 3\n", "    k: 3\n    drift: {check_every: 1s}\n"))
        reply = self.pgveil.console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())
        self.assertEqual(self.versions(), built)

        changed, untouched = MANY[:-1], MANY[-1]
        for name in changed:
            self.postgres.run(f"DELETE FROM {name} WHERE a = 'a1' AND id > 102", "demo")
        # Two people are left of the second most frequent value: they are shown as those at the end of the
        # chain are.
        expected = {a: n for a, n in before[untouched].items() if a != "a1"}
        expected[None] = expected.get(None, 0) + 2
        for name in changed:
            self.wait_for(lambda table=name: self.shown(table) == expected, f"{name} is not repaired")
        now = self.versions()
        for name in MANY:
            self.assertEqual(
                now[name] != built[name], name in changed, f"{name}: {built[name]} → {now[name]}"
            )
        self.assertEqual(self.shown(untouched), before[untouched])

        # Who comes to the value later shows nothing, of it or of what the rest of the chain would show.
        self.postgres.run(
            "INSERT INTO many0 SELECT n, 'a1', 'b0' FROM generate_series(900, 939) AS n", "demo"
        )
        expected[None] += 40
        self.assertEqual(self.shown("many0"), expected)
        self.assertEqual(
            self.texts("SELECT count(*) FROM many0 WHERE a IS NULL AND b IS NULL")[0][0], str(expected[None])
        )
        self.pgveil.build("many0")
        self.assertEqual(self.shown("many0"), expected)
        self.assertEqual(self.shown(untouched), before[untouched])


if __name__ == "__main__":
    main()

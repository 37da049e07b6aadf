#!/usr/bin/python3
"""Several policies over one table, while rows come and go and versions are stored from everywhere: what the
answers of two readers make together keeps what both policies promise, whoever builds, repairs, dies or looks
away in between."""
import collections
import os
import signal
import subprocess
import sys
import threading
import time

from harness import configuration, world
from harness.pgveil import Pgveil, binary
from harness.runner import main
from harness.stack import StackCase

SECONDS = 150  # how long anything may take before the test gives up
K = 5

TABLES = """
CREATE TABLE {name} (id int PRIMARY KEY, a text, b text, diagnosis text);
INSERT INTO {name} SELECT i, {a}, {b}, {diagnosis} FROM generate_series(0, {last}) AS i;
GRANT SELECT ON {name} TO pgveil_query, pgveil_admin;
"""
SHAPES = {
    # All classes that a row can be in have 20.
    "grid": ("'a' || i % 2", "'b' || i / 2 % 2", "'x' || i % 7", 79),
    # Cohorts of one are unions of the other's, on these rows: nobody is a0 without being b0.
    "lucky": ("'a' || i / 10", "CASE WHEN i < 20 THEN 'b0' ELSE 'b1' END", "'x' || i % 7", 39),
    # Sound one by one; together one class of 1.
    "race": ("'a' || i % 2", "CASE WHEN i % 2 = 0 OR i = 1 THEN 'b0' ELSE 'b1' END", "'x'", 19999),
    # Two diagnoses in each cohort, one in each common class.
    "ill": ("'a' || i % 2", "'b' || i / 2 % 2", "CASE WHEN i % 2 = i / 2 % 2 THEN 'flu' ELSE 'cold' END", 79),
    "copied": ("'a' || i % 3", "'b0'", "'x' || i % 7", 59),
    "held": ("'a' || i % 2", "'b' || i / 2 % 2", "'x' || i % 7", 79),
    "late": ("'a' || i % 2", "'b' || i / 2 % 2", "'x' || i % 7", 79),
    "moved": ("'a' || i % 4", "'b0'", "'x' || i % 7", 79),
}


def policy(table, column, reader, more="", diagnosis="class: insensitive"):
    return f"""\
  - name: {table}_{column}
    database: demo
    table: public.{table}
    k: {K}
    readers: [{reader}]
    drift: {{check_every: 24h}}
{more}    columns: {{id: {{class: insensitive}}, {column}: {{class: quasi_identifier}}, diagnosis: {{{diagnosis}}}}}
"""


def pair(table, **options):
    return policy(table, "a", "analyst", **options) + policy(table, "b", "bob", **options)


def often(text, policy_name):
    """The policy's drift is checked each second from now on."""
    head, tail = text.split(f"- name: {policy_name}\n", 1)
    return head + f"- name: {policy_name}\n" + tail.replace("check_every: 24h", "check_every: 1s", 1)


class JointReleases(StackCase):
    policies = (world.PEOPLE,)
    built = ()
    options = {"catalog_check_every": "1s"}
    has_version_schema = True

    @classmethod
    def prepare(cls):
        for name, (a, b, diagnosis, last) in SHAPES.items():
            cls.postgres.run(TABLES.format(name=name, a=a, b=b, diagnosis=diagnosis, last=last), "demo")

    @classmethod
    def start(cls):
        super().start()
        # setup-sql takes the query role's rights on tables that no policy names yet.
        cls.postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query", "demo")

    def setUp(self):
        self.write("")

    # -- what the tests do
    def write(self, policies):
        self.pgveil.policy_path.write_text(configuration.policies_yaml(self.policies, "demo") + policies)
        self.reload()

    def reload(self, pgveil=None):
        reply = (pgveil or self.pgveil).console("RELOAD")
        self.assertNotIn("error", [row[1] for row in reply.texts()], reply.texts())

    def build(self, name, fresh=False, pgveil=None):
        return (pgveil or self.pgveil).console(f"BUILD POLICY {name}{' FRESH' if fresh else ''}")

    def build_all(self, *names):
        for name in names:
            self.assertEqual(self.build(name, fresh=True).errors, [], name)

    def start_build(self, name, pgveil=None):
        it = pgveil or self.pgveil
        return subprocess.Popen(
            [binary(), "policy", "build", name, "--fresh", "--config", str(it.config_path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=it.directory,
        )

    def wait_for(self, happened, what):
        end = time.monotonic() + SECONDS
        while not (found := happened()):
            self.assertLess(time.monotonic(), end, f"{what}\n{self.pgveil.log()[-3000:]}")
            time.sleep(0.05)
        return found

    def state(self, name, pgveil=None):
        """→ state, version and reason of one policy."""
        reply = (pgveil or self.pgveil).console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        row = dict(zip(names, next(row for row in reply.texts() if row[names.index("policy")] == name)))
        return row["state"], int(row["version"] or 0), " ".join(str(cell) for cell in row.values())

    def answer(self, sql, user):
        """Asked again while the version changes."""
        while True:
            with self.pgveil.client(user) as client:
                reply = client.query(sql)
            if reply.sqlstate() != "40001":
                self.assertEqual(reply.errors, [], sql)
                return reply.texts()

    def classes(self, table):
        """The rows of each joint class, as two readers count them who put their answers together."""
        cells = []
        for user, column in (("analyst", "a"), ("bob", "b")):
            cells.append(dict(self.answer(f"SELECT id, {column} FROM {table}", user)))
        self.assertEqual(set(cells[0]), set(cells[1]))
        return collections.Counter((cells[0][row], cells[1][row]) for row in cells[0])

    def assert_sound(self, table):
        classes = self.classes(table)
        cohorts = [collections.Counter(key[i] for key in classes) for i in (0, 1)]
        for key, rows in classes.items():
            is_cohort = cohorts[0][key[0]] == 1 or cohorts[1][key[1]] == 1
            self.assertTrue(rows >= K or is_cohort, f"{table}: {classes}")
        for i in (0, 1):  # each alone
            alone = collections.Counter()
            for key, rows in classes.items():
                alone[key[i]] += rows
            self.assertGreaterEqual(min(alone.values()), K, f"{table}: {classes}")

    def is_open(self, name, pgveil=None):
        return self.state(name, pgveil)[0] == "open"

    def assert_refused(self, reply, words):
        self.assertEqual(reply.sqlstate(), "42501", reply.errors)
        self.assertIn(words, reply.errors[0]["M"])

    def number(self, name):
        return int(
            self.postgres.rows(f"SELECT number FROM pgveil.version WHERE policy = '{name}'", "demo")[0][0]
        )

    def wait_for_writer(self, count=1):
        """Until that many wait for the lock on the versions."""
        self.wait_for(
            lambda: len(
                self.postgres.rows(
                    "SELECT FROM pg_locks WHERE NOT granted AND relation = 'pgveil.version'::regclass", "demo"
                )
            )
            >= count,
            "nobody waits for the lock",
        )

    def hold_lock(self):
        holder = self.direct("demo", "postgres")
        for sql in ("BEGIN", "LOCK TABLE pgveil.version IN SHARE ROW EXCLUSIVE MODE"):
            self.assertEqual(holder.query(sql).errors, [])
        return holder

    # As another pgveil stores one: the same tree under the next number.
    NEXT_NUMBER = """UPDATE pgveil.version SET number = number + 1,
        document = regexp_replace(document, '"number": [0-9]+', '"number": ' || number + 1) WHERE policy = '{}'"""


class Promises(JointReleases):
    def test_rows_that_come_never_make_a_small_class(self):
        self.write(pair("grid"))
        self.build_all("grid_a", "grid_b")
        self.assert_sound("grid")
        for i, (a, b) in enumerate(
            [("a0", "b1"), ("a1", "b0"), ("a9", "b9"), (None, "b0"), ("a0", None), (None, None)]
        ):
            cells = ", ".join("NULL" if it is None else f"'{it}'" for it in (a, b))
            self.postgres.run(f"INSERT INTO grid VALUES ({1000 + i}, {cells}, 'x')", "demo")
            self.assert_sound("grid")
        self.postgres.run("DELETE FROM grid WHERE id >= 1000", "demo")

    def test_a_pair_that_a_row_to_come_can_break_is_refused(self):
        self.write(pair("lucky"))
        self.build_all("lucky_a")
        self.assert_refused(self.build("lucky_b"), "a person who is added later can be alone in a joint class")
        self.assertFalse(self.is_open("lucky_b"))
        self.write(policy("lucky", "a", "analyst") +
                   policy("lucky", "b", "bob", '    accept_joint_release: "they sit in one room"\n'))
        self.build_all("lucky_b")
        self.assertIn("accepted by lucky_b: they sit in one room", self.pgveil.log())
        # What was accepted is not any more: the younger one closes, and says why.
        self.write(pair("lucky"))
        self.assertTrue(self.is_open("lucky_a"))
        self.assertIn("not yet counted together with policy lucky_a", self.state("lucky_b")[2])
        self.wait_for(
            lambda: "stays closed: policies lucky_b and lucky_a release data about the same people" in self.pgveil.log(),
            "it was not counted",
        )
        self.assertFalse(self.is_open("lucky_b"))
        self.assert_refused(self.pgveil.console("EXPORT POLICY lucky_b TO FILE 'x.csv'"), "is closed")

    def test_deletions_are_repaired_together(self):
        # A new policy is checked within a second, which would repair what CHECK POLICY is to find.
        self.write(pair("grid").replace("check_every: 24h", "check_every: 24h, action: alert"))
        self.build_all("grid_a", "grid_b")
        # Each alone keeps 20 and more; together 3 are left of a1 and b1.
        self.postgres.run(
            "CREATE TABLE kept AS SELECT * FROM grid; DELETE FROM grid WHERE a = 'a1' AND b = 'b1' AND id > 11",
            "demo",
        )
        try:
            self.assertEqual(min(self.classes("grid").values()), 3)
            for name in ("grid_a", "grid_b"):
                row = self.pgveil.console(f"CHECK POLICY {name}").texts()[0]
                self.assertIn("their smallest joint class has 3 units, but 5 are promised", row[-1])
            self.write(often(pair("grid"), "grid_b"))
            self.wait_for(lambda: min(self.classes("grid").values()) >= K, "it was not repaired")
            self.assert_sound("grid")
            self.assertEqual(self.number("grid_a"), self.state("grid_a")[1])
            # The line comes after the version.
            words = "joins 1 cohorts of version"
            self.wait_for(lambda: words in self.pgveil.log(), "the log does not say it")
            for name in ("grid_a", "grid_b"):
                self.assertEqual(self.pgveil.console(f"CHECK POLICY {name}").texts()[0][-1], "ok")
        finally:
            self.postgres.run(
                "DELETE FROM grid; INSERT INTO grid SELECT * FROM kept; DROP TABLE kept", "demo"
            )

    def shown_policies(self):
        answer = self.pgveil.console("SHOW POLICIES")
        return [dict(zip((it.name for it in answer.columns), row)) for row in answer.texts()]

    def test_alert_says_it_and_changes_nothing(self):
        text = pair("grid").replace("check_every: 24h", "check_every: 1s, action: alert")
        self.write(text)
        self.build_all("grid_a", "grid_b")
        before = self.number("grid_b")
        self.postgres.run(
            "CREATE TABLE kept AS SELECT * FROM grid; DELETE FROM grid WHERE a = 'a1' AND b = 'b1' AND id > 11",
            "demo",
        )
        try:
            self.wait_for(lambda: "DRIFT: policies grid_" in self.pgveil.log(), "nothing was said")
            # It is shown a moment after it is in the log.
            self.wait_for(lambda: any(row["finding"] not in (None, "ok") for row in self.shown_policies()),
                          "the finding is not shown")
            self.assertEqual(self.number("grid_b"), before)
            found = {row["policy"]: row for row in self.shown_policies()}
            said = [row["finding"] for row in found.values() if row["finding"] not in (None, "ok")]
            self.assertTrue(said and all("grid_" in words for words in said), found)
            self.assertTrue(all(row["last_check"] for row in found.values() if row["finding"]), found)
        finally:
            self.postgres.run(
                "DELETE FROM grid; INSERT INTO grid SELECT * FROM kept; DROP TABLE kept", "demo"
            )

    def test_constraints_hold_for_common_classes(self):
        diverse = "class: sensitive, l_diversity: {distinct: 2}"
        self.write(pair("ill", diagnosis=diverse))
        self.build_all("ill_a")
        self.assert_refused(self.build("ill_b"), "joint classes violate the constraint of column diagnosis")
        # Also where one policy is finer than the other, and promises nothing itself.
        fine = policy("ill", "a", "analyst", "    strategy: greedy\n", "class: sensitive").replace(
            "ill_a", "ill_fine"
        )
        self.write(policy("ill", "b", "bob", diagnosis=diverse) +
                   fine.replace("a: {class: quasi_identifier}",
                                "a: {class: quasi_identifier}, b: {class: quasi_identifier}"))
        self.build_all("ill_b")
        self.assert_refused(self.build("ill_fine"), "violate the constraint of column diagnosis")

    def test_a_copy_beside_a_live_policy(self):
        live = policy("copied", "a", "bob").replace("copied_a", "copied_live")
        copy = policy("copied", "a", "analyst", "    enforcement: copy\n")
        words = "copied_a answers from a copy of another moment than copied_live,"
        self.write(copy + live)
        for name in ("copied_a", "copied_live"):
            self.assert_refused(self.build(name), words)
        checked = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
        self.assertIn(words, checked.stderr)
        self.write(copy + live.replace("    columns", '    accept_joint_release: "one team"\n    columns'))
        self.build_all("copied_a", "copied_live")
        another = copy.replace("copied_a", "copied_more").replace("analyst", "bob")
        self.write(copy + another)
        self.assert_refused(self.build("copied_more"), "both answer from copies, of different moments")


class Taking(JointReleases):
    """Versions that somebody stored who did not look."""

    def forget(self, *names):
        """As an older pgveil stored them, which did not count them together."""
        for name in names:
            self.postgres.run(
                "UPDATE pgveil.version SET document = regexp_replace(document, ',\\s*\"beside\": \\[[^]]*\\]', '') "
                f"WHERE policy = '{name}'",
                "demo",
            )

    def test_they_are_counted_before_they_are_open(self):
        self.write(pair("late"))
        self.build_all("late_a", "late_b")
        self.forget("late_a", "late_b")
        before = self.number("late_b")
        self.assertEqual(self.number("late_a"), 1)
        self.pgveil.restart()
        self.assertTrue(self.is_open("late_a"))
        self.wait_for(lambda: self.is_open("late_b"), "it did not open")
        self.assertEqual(self.number("late_b"), before + 1)
        # The line comes after the version.
        words = f"version {before + 1} replaces version {before}: it was counted together"
        self.wait_for(lambda: words in self.pgveil.log(), "the log does not say it")
        self.assert_sound("late")
        # Now it is written down, also for who starts next.
        self.pgveil.restart()
        self.assertTrue(self.is_open("late_b"))
        self.assertEqual(self.number("late_b"), before + 1)

    def test_they_stay_closed_when_they_do_not_hold(self):
        self.write(pair("lucky"))
        self.build_all("lucky_a")
        self.write(policy("lucky", "b", "bob"))  # without the file of the other
        self.build_all("lucky_b")
        self.assertEqual(self.texts("SELECT count(*) FROM lucky", user="bob"), [["40"]])
        self.write(pair("lucky"))
        self.assertTrue(self.is_open("lucky_a"))
        self.wait_for(
            lambda: "stays closed: policies lucky_b and lucky_a" in self.pgveil.log(), "it was not counted"
        )
        with self.pgveil.client("bob") as client:
            self.assertEqual(client.query("SELECT count(*) FROM lucky").sqlstate(), "42501")


class AtOnce(JointReleases):
    def reset(self, *names):
        self.postgres.run(
            "UPDATE pgveil.version SET is_current = false, closed_because = 'a test' WHERE policy IN ("
            + ", ".join(f"'{name}'" for name in names)
            + ")",
            "demo",
        )
        self.wait_for(lambda: not any(self.is_open(name) for name in names), "still open")

    def assert_one_of(self, outcomes):
        """outcomes: of two builds, '' or the error."""
        self.assertEqual(sorted(bool(words) for words in outcomes), [False, True], outcomes)
        self.assertIn("smallest joint class has 1 units, but 5 are promised", "".join(outcomes))
        states = [self.is_open(name) for name in ("race_a", "race_b")]
        self.assertEqual(sorted(states), [False, True])

    def test_two_processes_build_at_once(self):
        self.write(pair("race"))
        for _ in range(3):
            self.reset("race_a", "race_b")
            builds = [self.start_build(name) for name in ("race_a", "race_b")]
            outcomes = [build.communicate(timeout=SECONDS)[1] for build in builds]
            self.wait_for(lambda: self.is_open("race_a") or self.is_open("race_b"), "no version was taken up")
            self.assert_one_of(outcomes)

    def test_both_have_counted_when_the_first_one_stores(self):
        """Each has found the other absent: the second to store has to look again."""
        self.write(pair("race"))
        self.reset("race_a", "race_b")
        with self.hold_lock() as holder:
            builds = [self.start_build(name) for name in ("race_a", "race_b")]
            self.wait_for_writer(2)
            holder.query("COMMIT")
            outcomes = [build.communicate(timeout=SECONDS)[1] for build in builds]
        self.wait_for(lambda: self.is_open("race_a") or self.is_open("race_b"), "no version was taken up")
        self.assert_one_of(outcomes)

    def test_two_consoles_of_two_pgveils(self):
        self.write(pair("race"))
        other = self.kept(Pgveil(self.postgres, self.policies, (), catalog_check_every="1s"))
        other.policy_path.write_text(self.pgveil.policy_path.read_text())
        other.start()
        self.reset("race_a", "race_b")
        replies = {}

        def build(name, pgveil):
            replies[name] = self.build(name, fresh=True, pgveil=pgveil)

        with self.hold_lock() as holder:
            threads = [
                threading.Thread(target=build, args=each)
                for each in (("race_a", self.pgveil), ("race_b", other))
            ]
            for thread in threads:
                thread.start()
            self.wait_for_writer(2)
            holder.query("COMMIT")
            for thread in threads:
                thread.join()
        self.wait_for(lambda: self.is_open("race_a") or self.is_open("race_b"), "no version was taken up")
        self.assert_one_of(["".join(error["M"] for error in reply.errors) for reply in replies.values()])
        # Both serve the same.
        for name in ("race_a", "race_b"):
            self.wait_for(lambda it=name: self.is_open(it) == self.is_open(it, other), "the two differ")

    def test_a_build_whose_past_moved_on_begins_again(self):
        self.write(pair("held"))
        self.build_all("held_a", "held_b")
        before = self.number("held_a")
        with self.hold_lock() as holder:
            build = self.start_build("held_a")
            self.wait_for_writer()
            self.assertEqual(holder.query(self.NEXT_NUMBER.format("held_a")).errors, [])
            holder.query("COMMIT")
            self.assertEqual(build.communicate(timeout=SECONDS)[1], "")
        self.assertEqual(self.number("held_a"), before + 2)

    def test_a_repair_of_a_version_that_is_past_is_dropped(self):
        text = policy("moved", "a", "analyst")
        self.write(text)
        self.build_all("moved_a")
        before = self.number("moved_a")
        with self.hold_lock() as holder:
            self.postgres.run("DELETE FROM moved WHERE a = 'a0' AND id > 8", "demo")
            self.write(often(text, "moved_a"))
            self.wait_for_writer()
            self.assertEqual(holder.query(self.NEXT_NUMBER.format("moved_a")).errors, [])
            holder.query("COMMIT")
        self.wait_for(
            lambda: f"version {before + 2} suppresses 1 splits of version {before + 1}" in self.pgveil.log(),
            "the newer version was not repaired",
        )
        self.assertNotIn(f"suppresses 1 splits of version {before} ", self.pgveil.log())
        self.assertIn("not stored, because a version of its table was stored", self.pgveil.log())

    def test_a_holder_of_the_lock_that_dies(self):
        self.write(pair("held"))
        code = (
            "import sys, time; sys.path.insert(0, sys.argv[1]); from harness.wire import RawClient\n"
            "c = RawClient(int(sys.argv[2]), 'postgres', 'demo'); c.query('BEGIN')\n"
            "c.query('LOCK TABLE pgveil.version IN SHARE ROW EXCLUSIVE MODE'); print('held', flush=True); time.sleep(600)"
        )
        folder = os.path.dirname(os.path.abspath(__file__))
        holder = subprocess.Popen(
            [sys.executable, "-c", code, folder, str(self.postgres.port)], stdout=subprocess.PIPE
        )
        try:
            self.assertEqual(holder.stdout.readline(), b"held\n")
            build = self.start_build("held_a")
            self.wait_for_writer()
        finally:
            holder.kill()
            holder.wait()
            holder.stdout.close()
        self.assertEqual(build.communicate(timeout=SECONDS)[1], "")
        self.assertTrue(self.wait_for(lambda: self.is_open("held_a"), "not open"))

    def test_a_build_that_dies_with_the_lock(self):
        self.write(pair("held"))
        self.build_all("held_a")
        before = self.number("held_a")
        # The writer has the lock and waits for a row: it is killed there.
        with self.direct("demo", "postgres") as blocker:
            blocker.query("BEGIN")
            self.assertEqual(
                blocker.query("SELECT FROM pgveil.version WHERE policy = 'held_a' FOR UPDATE").errors, []
            )
            dying = self.start_build("held_a")
            self.wait_for(
                lambda: self.postgres.rows(
                    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE pgveil.version%'"
                ),
                "it does not store",
            )
            dying.send_signal(signal.SIGKILL)
            dying.communicate()
            blocker.query("ROLLBACK")
        self.assertEqual(self.build("held_a").errors, [])
        self.assertIn(self.number("held_a"), (before + 1, before + 2))


class InFiles(JointReleases):
    """The same without the schema pgveil: versions are files of the state directory."""
    has_version_schema = False

    def folder(self):
        return self.pgveil.directory / "state" / "demo"

    def test_two_processes_build_at_once(self):
        self.write(pair("race"))
        for _ in range(3):
            for path in self.folder().glob("race_*"):
                path.unlink()
            builds = [self.start_build(name) for name in ("race_a", "race_b")]
            outcomes = [build.communicate(timeout=SECONDS)[1] for build in builds]
            self.assertEqual(sorted(bool(words) for words in outcomes), [False, True], outcomes)
            self.assertEqual(len(list(self.folder().glob("race_*.json"))), 1)

    def test_a_holder_of_the_lock_that_dies(self):
        self.write(pair("held"))
        self.build_all("held_b")
        code = ("import fcntl, sys, time\nf = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX)\n"
                "print('held', flush=True); time.sleep(600)")
        holder = subprocess.Popen(
            [sys.executable, "-c", code, str(self.folder() / ".lock")], stdout=subprocess.PIPE
        )
        try:
            self.assertEqual(holder.stdout.readline(), b"held\n")
            build = self.start_build("held_a")
            time.sleep(1)
            self.assertIsNone(build.poll())
        finally:
            holder.kill()
            holder.wait()
            holder.stdout.close()
        self.assertEqual(build.communicate(timeout=SECONDS)[1], "")
        self.wait_for(lambda: self.is_open("held_a") and self.is_open("held_b"), "not open")

    def test_deletions_are_repaired_together(self):
        self.write(pair("grid"))
        self.build_all("grid_a", "grid_b")
        self.postgres.run("DELETE FROM grid WHERE a = 'a1' AND b = 'b1' AND id > 11", "demo")
        self.write(often(pair("grid"), "grid_a"))
        self.wait_for(lambda: min(self.classes("grid").values()) >= K, "it was not repaired")
        self.assert_sound("grid")


if __name__ == "__main__":
    main()

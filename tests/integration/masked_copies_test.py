#!/usr/bin/python3
"""enforcement: copy. Answers come from a table of masked rows that BUILD made: they are those of the rows of
that time, the table itself is not read, and a copy that is not the version's closes the policy."""
import dataclasses
import re
import threading
import time

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase

COPIES = """SELECT relname FROM pg_class WHERE relnamespace = 'pgveil'::regnamespace AND relname LIKE '%.copy.%'
            AND relkind = 'r' ORDER BY oid"""
STATEMENTS = (
    "SELECT * FROM people ORDER BY 2, 3, 4",
    "SELECT state, count(*) FROM people GROUP BY state ORDER BY 1",
    "SELECT * FROM staff ORDER BY id",
    "TABLE staff ORDER BY 1",
    "SELECT job, town, avg(pay), max(seen), min(badge), array_agg(id ORDER BY id) FROM staff GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT a.id, b.id FROM staff a JOIN staff b USING (town, job) ORDER BY 1, 2",
    "SELECT id, mood, is_active, born FROM staff WHERE id = 17",
    "SELECT id FROM staff WHERE mood = 'glad' AND grade > 1.4 ORDER BY 1",
    "SELECT s.id, t.size FROM staff s LEFT JOIN towns t ON s.town = t.town ORDER BY 1",
    "SELECT count(*), count(name), count(note), count(born) FROM staff",
    "SELECT s FROM staff s ORDER BY s.id",
    "SELECT row_to_json(p) FROM people p ORDER BY row_to_json(p)::text",
    "COPY (SELECT * FROM staff ORDER BY id) TO STDOUT",
)


def copied(policy):
    return dataclasses.replace(policy, enforcement="copy")


class Copied(StackCase):
    policies = (copied(world.PEOPLE), copied(world.STAFF))
    has_masked_copy = True
    has_version_schema = True
    options = {"catalog_check_every": "1s"}

    def setUp(self):
        self.postgres.run("BEGIN; LOCK TABLE people; DELETE FROM people; COMMIT", "demo")
        self.postgres.run(re.search(r"INSERT INTO public.people.*?;", world.ROWS, re.S)[0], "demo")
        self.pgveil.build("people_k2")

    def copies(self, policy="people_k2"):
        return [row[0] for row in self.postgres.rows(COPIES, "demo") if row[0].startswith(policy)]

    def current(self):
        return self.postgres.rows(
            "SELECT document::json->'copy'->>'name' FROM pgveil.version WHERE policy = 'people_k2'", "demo"
        )[0][0]

    def as_admin(self, sql):
        self.postgres.run(sql, "demo")
        self.pgveil.console("RELOAD")

    def sqlstate(self, sql="SELECT count(*) FROM people", user="analyst"):
        with self.pgveil.client(user) as client:
            return client.query(sql).sqlstate()

    def closed_because(self):
        reply = self.pgveil.console("SHOW POLICIES")
        names = [column.name for column in reply.columns]
        return next(dict(zip(names, row))["closed_because"] for row in reply.texts() if row[0] == "people_k2")

    def finding(self):
        """Of CHECK POLICY, or why there is nothing to check any more."""
        reply = self.pgveil.console("CHECK POLICY people_k2")
        return reply.errors[0]["M"] if reply.errors else reply.texts()[0][-1]


class MaskedCopies(Copied):
    def test_answers_are_those_of_the_masked_table(self):
        since = self.postgres.log_position()
        self.assert_answers_as_masked(STATEMENTS)
        received = "".join(self.postgres.received(since))
        self.assertIn(f'pgveil."{self.current()}"', received)
        for table in ("public.people", "public.staff"):
            self.assertNotIn(f"FROM {table}", received)

    def test_rows_are_those_of_the_build(self):
        before = self.texts("SELECT * FROM people")
        self.postgres.run(
            "INSERT INTO people SELECT 100 + g, 'Farmer', 'Hamlet', 'OH' FROM generate_series(1, 3) g;"
            "DELETE FROM people WHERE id = 7; UPDATE people SET city = 'Columbus' WHERE id = 8",
            "demo",
        )
        self.assertEqual(self.texts("SELECT * FROM people"), before)
        checked = self.pgveil.console("CHECK POLICY people_k2")
        self.assertEqual(checked.errors, [])
        self.assertIn("rows of the build", checked.texts()[0][-1])
        self.pgveil.build("people_k2")
        self.assertEqual(self.texts("SELECT count(*), count(state) FROM people"), [["13", "8"]])

    def test_a_statement_prepared_before_a_build_does_not_read_the_old_copy(self):
        with self.pgveil.client() as client:
            client.query("PREPARE s AS SELECT count(*) FROM people")
            self.assertEqual(client.query("EXECUTE s").texts(), [["11"]])
            self.postgres.run("INSERT INTO people VALUES (12, 'Farmer', 'Hamlet', 'OH')", "demo")
            self.pgveil.build("people_k2")
            reply = client.query("EXECUTE s")
            self.assertEqual((reply.sqlstate(), reply.rows), ("26000", []), reply.errors)
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["12"]])

    def test_an_old_transaction_gets_an_error_and_no_row(self):
        with self.pgveil.client() as client:
            client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
            self.pgveil.build("people_k2")
            reply = client.query("SELECT count(*) FROM people")
            self.assertTrue(reply.errors or reply.texts() == [["11"]], reply.errors)

    def test_outdated_copies_are_dropped_but_for_the_last(self):
        for _ in range(4):
            self.pgveil.build("people_k2")
        copies = self.copies()
        self.assertEqual(len(copies), 2)
        self.assertEqual(copies[-1], self.current())

    def test_the_copy_shows_nothing_of_order_and_has_the_plain_indexes(self):
        rows = self.postgres.rows(f'SELECT * FROM pgveil."{self.current()}"', "demo")
        self.assertEqual(rows, self.postgres.rows(
            f'SELECT * FROM pgveil."{self.current()}" ORDER BY id::text COLLATE "C", occupation COLLATE "C", '
            'city COLLATE "C", state COLLATE "C"', "demo"))
        indexes = {
            policy: [
                row[0]
                for row in self.postgres.rows(
                    f"""SELECT indexdef FROM pg_indexes WHERE schemaname = 'pgveil' AND tablename = '{self.copies(policy)[-1]}'""",
                    "demo",
                )
            ]
            for policy in ("people_k2", "staff_k3")
        }
        self.assertEqual(indexes["people_k2"], [])  # on a hidden column, and on a part of the rows
        self.assertEqual(len(indexes["staff_k3"]), 1)
        self.assertIn("USING btree (id)", indexes["staff_k3"][0])

    def test_who_reads_what(self):
        self.assertEqual(self.texts("SELECT count(id) FROM people", "dpo"), [["11"]])
        self.assertEqual(self.sqlstate(f'SELECT * FROM pgveil."{self.current()}"'), "42501")
        self.assertEqual(self.sqlstate(user="stranger"), "42501")
        acl = self.postgres.rows(
            f"""SELECT relacl FROM pg_class WHERE relname = '{self.current()}'""", "demo"
        )[0][0]
        maintain = "m" if self.postgres.major >= 17 else ""
        self.assertEqual(acl, f"{{pgveil_admin=rx{maintain}/pgveil_admin,pgveil_query=r/pgveil_admin}}")

    def test_another_table_in_the_copys_place_is_not_read(self):
        for change in (
            "ALTER TABLE pgveil.{} RENAME TO kept; CREATE TABLE pgveil.{} AS SELECT * FROM people;"
            "REVOKE ALL ON pgveil.kept FROM pgveil_query; GRANT SELECT ON pgveil.{} TO pgveil_query",
            "ALTER TABLE pgveil.{} ALTER COLUMN city TYPE varchar(20)",
            "TRUNCATE pgveil.{}",
            "ALTER TABLE pgveil.{} RENAME COLUMN city TO town",
            "DROP TABLE pgveil.{}",
        ):
            with self.subTest(change), self.pgveil.client() as client:
                client.query("PREPARE s AS SELECT * FROM people")
                self.assertEqual(len(client.query("EXECUTE s").rows), 11)
                name = self.current()
                self.postgres.run(change.replace("{}", f'"{name}"'), "demo")
                reply = client.query("EXECUTE s")
                self.assertEqual((len(reply.errors), reply.rows), (1, []))
                self.assert_no_hidden_value(reply.raw)
                self.pgveil.console("RELOAD")
                self.assertEqual(self.sqlstate(), "42501")
                self.assertIn("its copy was removed or changed", self.closed_because())
                self.postgres.run(f'DROP TABLE IF EXISTS pgveil.kept, pgveil."{name}"', "demo")
                self.pgveil.build("people_k2")
                self.assertIsNone(self.sqlstate())

    def test_its_owner_has_no_right_to_write_it(self):
        name = self.current()
        for change in (
            "INSERT INTO {} VALUES (99)",
            "UPDATE {} SET city = 'Hamlet'",
            "DELETE FROM {}",
            "TRUNCATE {}",
        ):
            with self.assertRaisesRegex(Exception, "permission denied"):
                self.postgres.run(
                    f"SET ROLE pgveil_admin; {change.format(f'pgveil.{chr(34)}{name}{chr(34)}')}", "demo"
                )
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])

    def test_a_copy_that_was_vacuumed_and_frozen_is_as_built(self):
        for _ in range(2):
            self.postgres.run(f'VACUUM (FREEZE, ANALYZE) pgveil."{self.current()}"', "demo")
            self.assertIn("ok", self.finding())

    def test_copies_go_with_their_policy(self):
        whole = self.pgveil.policy_path.read_text()
        self.pgveil.build("people_k2")
        self.addCleanup(self.pgveil.restart)
        self.addCleanup(self.pgveil.policy_path.write_text, whole)
        people, staff = whole.split("  - name: staff_k3")
        for left, gone in (
            (people, "staff_k3"),
            (whole.replace("enforcement: copy", "enforcement: query", 1), "people_k2"),
        ):
            with self.subTest(gone):
                self.assertTrue(self.copies(gone))
                name = self.copies(gone)[-1]
                self.pgveil.policy_path.write_text(left)
                done = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
                self.assertIn(
                    f'pgveil."{name}" is a masked copy of policy {gone}, which no longer uses copies', done.stdout
                )
                with self.direct("demo") as reader:  # a statement that holds it
                    reader.query(f'BEGIN; SELECT count(*) FROM pgveil."{name}"')
                    self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                    self.assertEqual(self.copies(gone), [name])
                    readable = self.postgres.rows(
                        f"""SELECT has_table_privilege('pgveil_query', 'pgveil."{name}"', 'SELECT')""", "demo"
                    )
                    self.assertEqual(readable[0][0], "f")
                    reader.query("ROLLBACK")
                self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                self.assertEqual(self.copies(gone), [])
                done = self.pgveil.command("check", "--quick", "--config", str(self.pgveil.config_path))
                self.assertNotIn("masked copy", done.stdout)
                self.pgveil.policy_path.write_text(whole)
                self.assertEqual(self.pgveil.console("RELOAD").errors, [])
                self.pgveil.build(gone)

    def test_the_table_itself_changed(self):
        self.as_admin("ALTER TABLE people RENAME COLUMN city TO town")
        self.assertEqual(self.sqlstate(), "42501")
        self.as_admin("ALTER TABLE people RENAME COLUMN town TO city")
        self.pgveil.build("people_k2")
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])

    def test_a_column_that_the_table_got_is_null_beside_the_copy(self):
        before = self.texts("SELECT * FROM people")
        self.as_admin("ALTER TABLE people ADD COLUMN extra integer DEFAULT 7")
        try:
            self.assertEqual(self.texts("SELECT * FROM people"), [row + [None] for row in before])
            self.assertEqual(self.texts("SELECT count(extra), count(city) FROM people"), [["0", "4"]])
            name = self.current()
            self.as_admin(f'ALTER TABLE pgveil."{name}" ADD COLUMN extra integer')
            self.assertEqual(self.sqlstate(), "42501")  # the copy is not what was made
        finally:
            self.as_admin("ALTER TABLE people DROP COLUMN extra")
            self.pgveil.build("people_k2")
        self.assertEqual(self.texts("SELECT * FROM people"), before)

    def test_a_build_that_fails_leaves_the_version_and_no_copy(self):
        before = self.copies()
        self.postgres.run("DELETE FROM people WHERE id > 1", "demo")
        self.assertEqual(self.pgveil.console("BUILD POLICY people_k2").sqlstate(), "42501")
        self.assertEqual(self.copies(), before)
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])

    def test_no_drift_check_and_no_export(self):
        for target in ("TO TABLE public.copy_out", "TO FILE 'copy.csv'"):
            error = self.pgveil.console(f"EXPORT POLICY people_k2 {target}").errors[0]
            self.assertEqual(error["C"], "42501")
            self.assertIn("answers from a copy", error["M"])

    def test_the_role_check_knows_copies(self):
        done = self.pgveil.command("check", "--config", str(self.pgveil.config_path))
        self.assertNotIn(".copy.", done.stdout + done.stderr)
        self.pgveil.restart()
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])

    def test_without_the_schema_a_build_says_what_is_missing(self):
        self.postgres.create_database("bare", template=None)
        self.postgres.run("CREATE TABLE public.people (id integer, occupation text, city text, state text);"
                          "INSERT INTO people SELECT g, 'a', 'b', 'c' FROM generate_series(1, 9) g;"
                          "GRANT SELECT ON people TO pgveil_query, pgveil_admin", "bare")
        other = self.kept(Pgveil(self.postgres, (copied(world.PEOPLE),), (), database="bare").start())
        error = other.console("BUILD POLICY people_k2").errors[0]
        self.assertIn("enforcement: copy needs an admin_role and the schema pgveil", error["M"])
        with other.client() as client:
            self.assertEqual(client.query("SELECT * FROM people").sqlstate(), "42501")


class Watched(Copied):
    """The drift check comes every second."""

    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            text = each.policy_path.read_text()
            each.policy_path.write_text(
                re.sub(r"^    enforcement: copy$", r"\g<0>\n    drift: {check_every: 1s}", text, flags=re.M)
            )
        return super().kept(each)

    def test_rows_that_a_superuser_puts_in_changes_or_takes_away_are_noticed(self):
        for change in (
            "INSERT INTO {} VALUES (99, 'Spy', 'Secret', 'ZZ')",
            "UPDATE {} SET city = 'Secret' WHERE ctid = '(0,1)'",
            "DELETE FROM {} WHERE ctid = '(0,2)'",
            "DELETE FROM {}",
        ):
            with self.subTest(change):
                self.assertIn("ok", self.finding())
                name = self.current()
                self.postgres.run(change.replace("{}", f'pgveil."{name}"'), "demo")
                self.assertIn("rows of its masked copy were changed", self.finding())
                self.wait_until_closed("rows of its masked copy were changed since the build")
                self.pgveil.build("people_k2")
                self.assertEqual(self.texts("SELECT count(*) FROM people WHERE city = 'Secret'"), [["0"]])

    def wait_until_closed(self, why):
        """By the drift check, whose period is short here: PostgreSQL refuses at once, and pgveil knows why a
        moment later."""
        for _ in range(400):
            if self.sqlstate() == "42501" and why in (self.closed_because() or ""):
                return
            time.sleep(0.05)
        self.fail("the policy stays open")


class RowsThatChange(Copied):
    """What happens to the table between the count, after which the tree is computed, and the copy."""

    def build_while(self, *changes):
        """→ the answer of BUILD. The owner is in line behind the count, and the copy behind the owner."""
        answers = []
        with self.direct("demo") as first, self.direct("demo") as owner:
            first.query("BEGIN")
            first.query("LOCK TABLE people")
            build = threading.Thread(
                target=lambda: answers.append(self.pgveil.console("BUILD POLICY people_k2")))
            build.start()
            self.wait_for_waiters(1)
            owner.query("BEGIN")
            lock = threading.Thread(target=owner.query, args=("LOCK TABLE people",))
            lock.start()
            self.wait_for_waiters(2)
            first.query("ROLLBACK")
            lock.join(timeout=60)  # the count is over, and so is its transaction
            self.assertFalse(lock.is_alive())
            self.wait_for_waiters(1)
            # The watch looks at the catalog every second, in short transactions.
            idle = ("SELECT count(*) FROM pg_stat_activity WHERE usename = 'pgveil_admin' "
                    "AND state LIKE 'idle in%'")
            self.until(lambda: self.postgres.rows(idle) == [["0"]], "the transaction of the count goes on")
            for change in changes:
                self.assertEqual(owner.query(change).errors, [])
            owner.query("COMMIT")
            build.join(timeout=60)
        return answers[0]

    def wait_for_waiters(self, count):
        for _ in range(600):
            if self.postgres.rows("SELECT count(*) FROM pg_locks WHERE NOT granted") == [[str(count)]]:
                return
            time.sleep(0.05)
        self.fail(f"{count} were to wait for the table")

    def classes(self):
        return {tuple(row[:3]): int(row[3]) for row in self.texts(
            "SELECT occupation, city, state, count(*) FROM people GROUP BY 1, 2, 3")}

    def test_who_leaves_is_not_missed_in_a_class_of_the_copy(self):
        """Two farmers of Hamlet are shown; one of them moves away after the count."""
        self.assertEqual(self.classes()[("Farmer", "Hamlet", "OH")], 2)
        since = len(self.pgveil.log())
        reply = self.build_while("DELETE FROM people WHERE id = 5")
        self.assertEqual(reply.errors, [])
        classes = self.classes()
        self.assertEqual((sum(classes.values()), min(classes.values()) >= 2), (10, True), classes)
        self.assertFalse(any(row[0] == "Farmer" for row in classes), classes)
        self.assertIn("rows changed while the tree was built: 1 splits were undone", self.pgveil.log()[since:])
        row = dict(zip([column.name for column in reply.columns], reply.texts()[0]))
        self.assertEqual((row["rows"], row["smallest"]), ("10", "2"))
        self.assertIn("ok", self.finding())

    def test_who_comes_is_in_the_copy(self):
        self.assertEqual(self.build_while(
            "INSERT INTO people VALUES (12, 'Farmer', 'Hamlet', 'OH'), (13, 'Spy', 'Nowhere', 'OH')").errors, [])
        classes = self.classes()
        self.assertEqual((sum(classes.values()), classes[("Farmer", "Hamlet", "OH")]), (13, 3))
        self.assertEqual(self.texts("SELECT count(*) FROM people WHERE city = 'Nowhere'"), [["0"]])

    def test_too_few_left_is_no_version(self):
        before = self.current()
        self.assertEqual(self.build_while("DELETE FROM people WHERE id > 1").sqlstate(), "42501")
        self.assertEqual(self.current(), before)

    def test_an_altered_table_is_counted_again(self):
        since = len(self.pgveil.log())
        try:
            reply = self.build_while("ALTER TABLE people ADD COLUMN extra integer DEFAULT 7")
            self.assertEqual(reply.errors, [])
            self.assertIn("was altered while the policy was built", self.pgveil.log()[since:])
            self.assertEqual(self.texts("SELECT count(*), count(extra) FROM people"), [["11", "0"]])
        finally:
            self.as_admin("ALTER TABLE people DROP COLUMN extra")


if __name__ == "__main__":
    main()

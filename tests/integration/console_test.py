#!/usr/bin/python3
"""The admin console: every command through psql and psycopg 3, who may run which, and what EXPORT and RELOAD
leave behind when they fail."""
import csv
import dataclasses
import os
import stat
import threading

import psycopg

from harness import world
from harness.psql import psql
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient

MASKED_SORTED = sorted([["" if cell is None else cell for cell in row] for row in world.MASKED_PEOPLE])


class Console(StackCase):
    policies = (world.PEOPLE, world.STAFF, world.UNBUILT)

    def ask(self, command, user="operator"):
        """The answer as dictionaries."""
        reply = self.pgveil.console(command, user)
        self.assertEqual(reply.errors, [], command)
        names = [column.name for column in reply.columns]
        return [dict(zip(names, row)) for row in reply.texts()]

    def refused(self, command, user="operator"):
        reply = self.pgveil.console(command, user)
        self.assertEqual((len(reply.errors), reply.rows, reply.status), (1, [], "I"), command)
        return reply.errors[0]

    # -- SHOW
    def test_show_cohorts_is_the_papers_table(self):
        rows = self.ask("SHOW COHORTS people_k2")
        self.assertEqual([(row["cohort"], row["rows"], row["units"]) for row in rows], [
            ("D111", "2", "2"), ("D112", "2", "2"), ("D12", "2", "2"), ("D21", "3", "3"), ("D22", "2", "2")])
        self.assertEqual([row["shows"] for row in rows], [
            "occupation, city, state", "city, state", "state", "occupation", "nothing"])
        self.assertEqual(rows[0]["predicate"], "state = 'OH' AND city = 'Hamlet' AND occupation = 'Farmer'")
        self.assertEqual(
            rows[1]["predicate"], "state = 'OH' AND city = 'Hamlet' AND NOT occupation = 'Farmer'"
        )
        self.assertEqual(rows[2]["predicate"], "state = 'OH' AND NOT city = 'Hamlet'")
        self.assertEqual(rows[3]["predicate"], "NOT state = 'OH' AND occupation = 'Accountant'")
        self.assertEqual(rows[4]["predicate"], "NOT state = 'OH' AND NOT occupation = 'Accountant'")

    def test_show_rules_and_tree(self):
        rules = {row["column"]: row for row in self.ask("SHOW RULES people_k2")}
        self.assertEqual(rules["state"]["rows"], "6")
        self.assertEqual(rules["city"]["rows"], "4")
        self.assertEqual(rules["occupation"]["rows"], "5")
        self.assertEqual(rules["state"]["shown_when"], "state = 'OH'")
        tree = self.ask("SHOW TREE people_k2")
        self.assertIn("OH", "\n".join(row["tree"] for row in tree))
        self.assertEqual(
            [row["cohort"] for row in tree if row["cohort"]], ["D111", "D112", "D12", "D21", "D22"]
        )

    def test_cohorts_and_rules_in_excerpts(self):
        def labels(more):
            return [row["cohort"] for row in self.ask(f"SHOW COHORTS people_k2 {more}")]

        self.assertEqual(labels("FOR occupation"), ["D111", "D21"])
        self.assertEqual(labels("FOR occupation = 'Farmer'"), ["D111"])
        self.assertEqual(labels("LIMIT 2 OFFSET 1"), ["D112", "D12"])
        reply = self.pgveil.console("SHOW COHORTS people_k2 LIMIT 2")
        self.assertIn("5 cohorts, of which 1 to 2 are shown", reply.notices[0]["M"])
        self.assertEqual([row["rows"] for row in self.ask("SHOW RULES people_k2 FOR occupation")], ["2", "3"])
        self.assertEqual(self.refused("SHOW COHORTS people_k2 FOR id")["C"], "42703")
        self.assertEqual(self.refused("SHOW COHORTS people_k2 LIMIT -1")["C"], "42601")
        done = self.pgveil.command("policy", "show", "people_k2", "--cohorts", "--for", "occupation=Farmer",
                                   "--config", str(self.pgveil.config_path))
        self.assertEqual((done.returncode, done.stdout.count("D111"), "D12" in done.stdout), (0, 1, False))
        done = self.pgveil.command("policy", "show", "people_k2", "--cohorts", "--limit", "1", "--offset", "1",
                                   "--config", str(self.pgveil.config_path))
        self.assertIn("5 cohorts, of which 2 to 2 are shown", done.stdout)

    def test_show_policies(self):
        rows = {row["policy"]: row for row in self.ask("show policies;")}
        self.assertEqual(sorted(rows), ["people_k2", "staff_k3", "unbuilt_k2"])
        self.assertEqual(
            (rows["people_k2"]["state"], rows["people_k2"]["cohorts"], rows["people_k2"]["smallest"]),
            ("open", "5", "2"),
        )
        self.assertEqual(rows["unbuilt_k2"]["state"], "closed")
        self.assertIn("build", rows["unbuilt_k2"]["closed_because"].lower())

    def test_show_version_and_help(self):
        self.assertRegex(self.ask("SHOW VERSION")[0]["version"], r"pgveil \d+\.\d+")
        commands = [row["command"] for row in self.ask("SHOW HELP")]
        for start in (
            "SHOW POLICIES",
            "SHOW TREE",
            "SHOW RULES",
            "SHOW COHORTS",
            "BUILD POLICY",
            "CHECK POLICY",
            "EXPLAIN POLICY",
            "RELOAD",
            "EXPORT POLICY",
        ):
            self.assertTrue(any(command.startswith(start) for command in commands), start)

    # -- BUILD, CHECK, EXPLAIN
    def test_build_and_check(self):
        built = self.ask("BUILD POLICY people_k2")[0]
        self.assertEqual((built["rows"], built["cohorts"], built["smallest"]), ("11", "5", "2"))
        checked = self.ask("CHECK POLICY people_k2")[0]
        self.assertEqual(
            (checked["version"], checked["smallest"], checked["splits_below_k"]), (built["version"], "2", "0")
        )
        # 15 of 33 cells are shown, see the paper's table 4.
        self.assertTrue(built["disclosed"].startswith("45.4") or built["disclosed"].startswith("45.5"), built)

    def test_what_answers_are_worth(self):
        """docs/utility.md has the same figures."""
        built = self.ask("BUILD POLICY people_k2")[0]
        figures = ("69.7%", "70.8%", "city 36.4%")
        self.assertEqual((built["at_most"], built["mean_error"], built["least_shown"]), figures)
        checked = self.ask("CHECK POLICY people_k2")[0]
        self.assertEqual((checked["at_most"], checked["mean_error"], checked["least_shown"]), figures)
        rows = {(row["kind"], row["question"]): row for row in self.ask("SHOW UTILITY people_k2")}
        self.assertEqual(len(rows), 6)
        occupation = rows["column", "occupation"]
        self.assertEqual(
            tuple(occupation.values())[2:], ("45.5%", "3", "2", "46.7%", "100.0%", "2 of 3"), occupation
        )
        self.assertEqual(rows["pair", "city, state"]["mean_error"], "85.7%")
        self.assertIn("closed", str(self.refused("SHOW UTILITY unbuilt_k2")))

    def test_stats_users_see_no_error_that_one_row_could_move(self):
        row = next(it for it in self.ask("SHOW POLICIES", "watcher") if it["policy"] == "people_k2")
        self.assertEqual((row["at_most"], row["mean_error"], row["least_shown"]), (None, None, "city 36%"))
        self.assertEqual(self.refused("SHOW UTILITY people_k2", "watcher")["C"], "42501")

    def test_a_running_build_is_seen(self):
        with psycopg.connect(
            host="127.0.0.1", port=self.postgres.port, user="postgres", dbname="demo"
        ) as holder:
            holder.execute("LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
            answers = []
            build = threading.Thread(target=lambda: answers.extend(self.ask("BUILD POLICY people_k2")))
            build.start()
            try:
                while not (
                    seen := {row["policy"]: row["building"] for row in self.ask("SHOW POLICIES", "watcher")}
                )["people_k2"]:
                    self.assertTrue(build.is_alive())
                self.assertEqual(seen, {"people_k2": "starting", "staff_k3": None, "unbuilt_k2": None})
            finally:
                holder.rollback()
                build.join()
        self.assertEqual([row["smallest"] for row in answers], ["2"])
        self.assertEqual({row["building"] for row in self.ask("SHOW POLICIES")}, {None})

    def test_check_sees_drift(self):
        self.postgres.run(
            "BEGIN; CREATE TABLE kept AS SELECT * FROM people; DELETE FROM people WHERE id = 5; COMMIT",
            "demo",
        )
        try:
            checked = self.ask("CHECK POLICY people_k2")[0]
            self.assertNotEqual((checked["smallest"], checked["splits_below_k"]), ("2", "0"))
        finally:
            self.postgres.run(
                "TRUNCATE people; INSERT INTO people SELECT * FROM kept ORDER BY id; DROP TABLE kept", "demo"
            )
            self.ask("BUILD POLICY people_k2")

    def test_a_table_below_k_is_refused(self):
        self.postgres.run("DELETE FROM unbuilt WHERE ctid = '(0,2)'", "demo")
        error = self.refused("BUILD POLICY unbuilt_k2")
        self.assertNotIn("unbuilt-secret", str(error))
        self.assertEqual(self.pgveil.client().query("SELECT * FROM unbuilt").sqlstates(), ["42501"])
        self.postgres.run("INSERT INTO unbuilt VALUES (3, 'unbuilt-secret')", "demo")

    def test_explain(self):
        sql = "SELECT city FROM people WHERE state = ''OH''"
        row = self.ask(f"EXPLAIN POLICY FOR ROLE analyst FULL '{sql}'")[0]
        self.assertIn("CASE", row["text"])
        self.assertIn("OPERATOR(pg_catalog.=)", row["text"])
        row, mask = self.ask(f"EXPLAIN POLICY FOR ROLE analyst '{sql}'")
        self.assertEqual((row["verdict"], row["text"]), (
            "masked", "SELECT city\nFROM \"mask of public.people\" AS people\nWHERE state = 'OH'"))
        self.assertEqual(
            (mask["verdict"], mask["detail"][:26]), ("mask of public.people", "policy people_k2, version ")
        )
        self.assertIn("CASE", mask["text"])
        row = self.ask("EXPLAIN POLICY FOR ROLE outsider 'SELECT city FROM people'")[0]
        self.assertNotIn("CASE", row["text"])
        self.assertEqual((row["position"], row["place"].splitlines()[0]), ("18", "line 1, column 18"))
        rows = self.ask(
            "EXPLAIN POLICY FOR ROLE analyst 'SELECT pg_sleep(1)\nFROM diary; DELETE FROM people; SELECT 1'"
        )
        self.assertEqual(
            [row["verdict"] for row in rows],
            [
                "refused: function_not_listed",
                "refused: relation_not_listed",
                "refused: statement_kind",
                "as is",
            ],
        )
        self.assertEqual(
            rows[1]["place"], "line 2, column 6\n  FROM diary; DELETE FROM people; SELECT 1\n       ^"
        )
        self.assertEqual(self.ask("EXPLAIN POLICY FOR ROLE analyst 'SELEC 1'")[0]["verdict"][:5].lower() in (
            "error", "synta"), True)

    def test_refusals_are_counted_by_reason(self):
        def count(reason):
            return int({row["reason"]: row["total_count"] for row in self.ask("SHOW REFUSALS")}[reason])
        before = count("relation_not_listed"), count("statement_kind")
        with self.pgveil.client() as client:
            for _ in range(3):  # the verdict comes from the cache, and counts all the same
                client.query("SELECT * FROM diary")
            client.query("DELETE FROM people")
            client.query("SELECT nothing FROM people")
        self.ask("EXPLAIN POLICY FOR ROLE analyst 'DELETE FROM people'")
        self.assertEqual(
            (count("relation_not_listed"), count("statement_kind")), (before[0] + 3, before[1] + 1)
        )
        self.assertNotIn("diary", str(self.ask("SHOW REFUSALS")))

    # -- through drivers
    def test_psql(self):
        for command in (
            "SHOW POLICIES",
            "SHOW TREE people_k2",
            "SHOW RULES people_k2",
            "SHOW COHORTS people_k2",
            "SHOW VERSION",
            "SHOW HELP",
            "BUILD POLICY staff_k3",
            "CHECK POLICY staff_k3",
            "EXPLAIN POLICY FOR ROLE analyst 'SELECT 1'",
            "RELOAD",
        ):
            with self.subTest(command):
                done = psql(self.pgveil.port, "pgveil", "operator", command, options=("-t",))
                self.assertEqual(done.returncode, 0)
                self.assertNotIn("ERROR", done.stderr)
                self.assertNotEqual(done.stdout, "")

    def test_psycopg3(self):
        conninfo = f"host=127.0.0.1 port={self.pgveil.port} dbname=pgveil user=operator"
        with psycopg.connect(conninfo, autocommit=True) as connection:
            rows = connection.execute("SHOW COHORTS people_k2").fetchall()
            self.assertEqual([row[0] for row in rows], ["D111", "D112", "D12", "D21", "D22"])
            with self.assertRaises(psycopg.errors.SyntaxError):
                connection.execute("SHOW NOTHING")
            self.assertEqual(len(connection.execute("SHOW POLICIES").fetchall()), 3)
        with psycopg.connect(conninfo) as connection:  # with its implicit BEGIN and COMMIT
            self.assertEqual(len(connection.execute("SHOW POLICIES", prepare=True).fetchall()), 3)

    def test_extended_protocol(self):
        with self.pgveil.client("operator", "pgveil") as client:
            reply = client.extended("SHOW VERSION")
            self.assertEqual(reply.messages, "12TDCZ")
            self.assertEqual(client.extended("nonsense").sqlstates(), ["42601"])
            self.assertEqual(client.extended("").messages, "12nIZ")
            client.parse("SHOW HELP", "h")
            client.describe(b"S", "h")
            client.bind((), "h")
            client.execute(max_rows=2)
            client.execute()
            reply = client.sync()
            self.assertEqual(reply.messages.count("s"), 1)
            self.assertGreater(len(reply.rows), 5)

    # -- who may
    def test_authorization(self):
        shows = ("SHOW POLICIES", "SHOW REFUSALS", "SHOW VERSION", "SHOW HELP")
        admin_only = (
            "SHOW TREE people_k2",
            "SHOW RULES people_k2",
            "SHOW COHORTS people_k2",
            "BUILD POLICY people_k2",
            "CHECK POLICY people_k2",
            "ATTACK POLICY people_k2",
            "EXPLAIN POLICY FOR ROLE analyst 'SELECT 1'",
            "RELOAD",
            "EXPORT POLICY people_k2 TO TABLE public.x",
            "EXPORT POLICY people_k2 TO FILE 'x.csv'",
        )
        for command in shows:
            self.ask(command, user="watcher")
        for command in admin_only:
            with self.subTest(command):
                self.assertEqual(self.refused(command, user="watcher")["C"], "42501")
        with self.pgveil.client("operator") as client:  # an admin is no reader by that
            self.assertEqual(client.query("SELECT * FROM people").sqlstates(), ["42501"])
        self.assertEqual(os.listdir(self.pgveil.directory / "exports"), [])

    def test_nobody_else_gets_in_or_gets_an_answer(self):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        reply = client.log_in({"user": "analyst", "database": "pgveil"})
        states = reply.sqlstates() or client.query("SHOW POLICIES").sqlstates()
        self.assertEqual(len(states), 1)
        self.assertIn(states[0], ("42501", "28000"))

    def test_unknown_things(self):
        self.assertEqual(self.refused("SHOW TREE nothing")["C"], "42704")
        self.assertEqual(self.refused("SHOW TREE nothing AS JSON")["C"], "42704")
        for command in (
            "SHOW",
            "DROP POLICY people_k2",
            "SELECT * FROM people",
            "BUILD POLICY",
            "SHOW TREE people_k2 x",
            "EXPORT POLICY people_k2 TO",
            "EXPORT POLICY people_k2 TO FILE x",
            "SHOW TREE 'unended",
        ):
            self.assertEqual(self.refused(command)["C"], "42601", command)

    # -- RELOAD
    def test_a_broken_policy_file_changes_nothing(self):
        good = self.pgveil.policy_path.read_text()
        for broken, words in (
            ("version: 1\npolicies: [\n", "policies.yaml:"),
            (good + "    kk: 3\n", "policies.yaml:"),
            (good.replace("k: 2", "k: 1", 1), "policies.yaml:"),
            (good.replace("class: quasi_identifier", "class: quasi", 1), "quasi"),
        ):
            self.pgveil.policy_path.write_text(broken)
            try:
                reply = self.pgveil.console("RELOAD")
                said = str(reply.errors) + str(reply.texts())
                self.assertIn(words, said)
                with self.pgveil.client() as client:
                    self.assert_alive(client)
            finally:
                self.pgveil.policy_path.write_text(good)
        self.ask("RELOAD")
        self.assertEqual(self.texts("SELECT count(*) FROM people"), [["11"]])

    def test_an_edited_policy_closes_its_table_until_build(self):
        edited = dataclasses.replace(world.PEOPLE, k=3)
        with self.pgveil.client() as client:
            client.parse("SELECT * FROM people", "old")
            client.sync()
            try:
                self.pgveil.write_policies((edited, world.STAFF, world.UNBUILT))
                self.ask("RELOAD")
                error = client.query("SELECT * FROM people").errors[0]
                self.assertEqual(error["C"], "42501")
                self.assertIn("build", str(error).lower())
                client.bind((), "old")
                client.execute()
                self.assertEqual(client.sync().sqlstate(), "42501")
                self.assertEqual(client.query("SELECT count(*) FROM staff").texts(), [["60"]])
                self.ask("BUILD POLICY people_k2")
                self.assertEqual(client.query("SELECT count(occupation) FROM people").errors, [])
                client.bind((), "old")
                client.execute()
                self.assertEqual(client.sync().errors, [])
            finally:
                self.pgveil.write_policies(self.policies)
                self.ask("RELOAD")
                self.ask("BUILD POLICY people_k2")
        self.assertEqual(self.texts("SELECT count(occupation) FROM people"), [["5"]])

    def test_readers_change_with_reload_alone(self):
        self.pgveil.write_policies(
            (dataclasses.replace(world.PEOPLE, readers=("bi",)), world.STAFF, world.UNBUILT)
        )
        try:
            self.ask("RELOAD")
            with self.pgveil.client() as client:
                self.assertEqual(client.query("SELECT * FROM people").sqlstates(), ["42501"])
            self.assertEqual(self.texts("SELECT count(*) FROM people", user="bi"), [["11"]])
        finally:
            self.pgveil.write_policies(self.policies)
            self.ask("RELOAD")

    def test_versions_outlive_the_process(self):
        # A process forgets how its builds failed, and when it compared policies with their tables.
        of_process = {"last_failure": None, "failure": None, "last_check": None, "finding": None}
        lasting = lambda: [{**row, **of_process} for row in self.ask("SHOW POLICIES")]
        before = lasting()
        self.pgveil.restart()
        self.assertEqual(lasting(), before)
        self.assertEqual(self.texts("SELECT count(occupation) FROM people"), [["5"]])

    # -- EXPORT
    def test_export_to_a_table(self):
        row = self.ask("EXPORT POLICY people_k2 TO TABLE public.people_public")[0]
        try:
            self.assertEqual((row["rows"], row["cohorts"], row["smallest"]), ("11", "5", "2"))
            exported = self.postgres.rows("SELECT * FROM people_public ORDER BY ctid", "demo")
            width = len(exported[0])
            expected = [["" if cell is None else cell for cell in kept] for kept in exported]
            self.assertEqual(sorted(expected), [kept[-width:] for kept in MASKED_SORTED])
            self.assert_exported_order(exported)
            self.assertIn(
                self.refused("EXPORT POLICY people_k2 TO TABLE public.people_public")["C"], ("42P07", "42501")
            )
            with self.pgveil.client() as client:
                self.assertEqual(client.query("SELECT * FROM people_public").sqlstates(), ["42501"])
        finally:
            self.postgres.run("DROP TABLE IF EXISTS public.people_public", "demo")

    def test_each_strategy_answers_checks_and_exports_alike(self):
        good = self.pgveil.policy_path.read_text()
        rows = self.postgres.rows("SELECT * FROM staff ORDER BY id", "demo")
        columns = world.naive.read_columns(self.postgres, "demo", "public.staff")
        shown = {}
        for strategy in ("thorough", "greedy"):
            try:
                self.pgveil.policy_path.write_text(
                    good.replace("    k: 3\n", f"    k: 3\n    strategy: {strategy}\n", 1)
                )
                self.ask("RELOAD")
                self.ask("BUILD POLICY staff_k3")
                self.assertEqual(self.ask("CHECK POLICY staff_k3")[0]["finding"], "ok")
                self.assertEqual(
                    "falls_back" in self.ask("SHOW TREE staff_k3 AS JSON")[0]["tree"], strategy == "thorough"
                )
                answered = self.texts("SELECT * FROM staff ORDER BY id")
                release = world.naive.Release(
                    dataclasses.replace(world.STAFF, strategy=strategy), columns
                ).build(rows)
                self.assertEqual(answered, release.mask(rows))
                shown[strategy] = sum(cell is not None for row in answered for cell in row)
                self.ask("EXPORT POLICY staff_k3 TO TABLE public.staff_public")
                self.assertEqual(
                    self.postgres.rows("SELECT * FROM staff_public ORDER BY id", "demo"), answered
                )
            finally:
                self.postgres.run("DROP TABLE IF EXISTS public.staff_public", "demo")
                self.pgveil.policy_path.write_text(good)
                self.ask("RELOAD")
                self.ask("BUILD POLICY staff_k3")
        self.assertGreater(shown["thorough"], shown["greedy"])

    def test_a_version_from_when_greedy_was_the_default_stays_in_use(self):
        good = self.pgveil.policy_path.read_text()

        def reload(strategy):
            """→ the policy's line in SHOW POLICIES"""
            line = f"    strategy: {strategy}\n" if strategy else ""
            self.pgveil.policy_path.write_text(good.replace("    k: 3\n", "    k: 3\n" + line, 1))
            self.ask("RELOAD")
            return {row["policy"]: row for row in self.ask("SHOW POLICIES")}["staff_k3"]
        staff = "SELECT * FROM staff ORDER BY id"
        try:
            thorough = self.texts(staff)
            reload("greedy")
            self.ask("BUILD POLICY staff_k3 FRESH")
            greedy = self.texts(staff)
            self.assertNotEqual(greedy, thorough)
            before = reload("greedy")
            self.assertIn(
                "edited", reload("thorough")["closed_because"]
            )  # who names another strategy has edited the policy
            after = reload(None)
            self.assertEqual((after["state"], after["version"]), ("open", before["version"]))
            self.assertEqual(self.texts(staff), greedy)
            self.ask("BUILD POLICY staff_k3")  # goes on: the splits stay
            self.assertEqual(self.texts(staff), greedy)
            self.ask("BUILD POLICY staff_k3 FRESH")
            self.assertEqual(self.texts(staff), thorough)
            self.assertEqual(reload("thorough")["state"], "open")
        finally:
            reload(None)
            self.ask("BUILD POLICY staff_k3 FRESH")

    def assert_exported_order(self, exported):
        """By all columns, in C collation, NULLs at one end."""
        first, last = (
            sorted(exported, key=lambda row: [((cell is None) == nulls_last, cell or "") for cell in row])
            for nulls_last in (False, True)
        )
        self.assertIn(exported, (first, last))

    def test_the_exported_table_has_columns_and_types_only(self):
        self.ask("EXPORT POLICY staff_k3 TO TABLE public.staff_public")
        try:
            def described(table):
                return dict(self.postgres.rows(
                    f"SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = "
                    f"'{table}'::regclass AND attnum > 0", "demo"))
            exported = described("staff_public")
            self.assertEqual(
                exported, {name: kind for name, kind in described("staff").items() if name in exported}
            )
            for column in ("id", "job", "town", "pay"):
                self.assertIn(column, exported)
            self.assertEqual(
                self.postgres.rows(
                    "SELECT count(*) FROM pg_constraint WHERE conrelid = 'staff_public'::regclass", "demo"
                ),
                [["0"]],
            )
            self.assertEqual(self.postgres.rows(
                "SELECT count(*) FROM pg_index WHERE indrelid = 'staff_public'::regclass", "demo"), [["0"]])
            self.assert_no_hidden_value(str(self.postgres.rows("SELECT * FROM staff_public", "demo")))
        finally:
            self.postgres.run("DROP TABLE IF EXISTS public.staff_public", "demo")

    def test_export_to_a_file(self):
        row = self.ask("EXPORT POLICY people_k2 TO FILE 'people.csv'")[0]
        path = self.pgveil.directory / "exports" / "people.csv"
        try:
            self.assertEqual(row["rows"], "11")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            text = path.read_text()
            header, *rows = csv.reader(text.splitlines())
            self.assertEqual(header[-3:], ["occupation", "city", "state"])
            self.assertEqual(sorted(rows), [kept[-len(header):] for kept in MASKED_SORTED])
            self.assert_no_hidden_value(text)
            before = path.read_bytes()
            self.refused("EXPORT POLICY people_k2 TO FILE 'people.csv'")
            self.assertEqual(path.read_bytes(), before)
            self.assertEqual(os.listdir(path.parent), ["people.csv"])
        finally:
            path.unlink()

    def test_exports_stay_below_their_folder(self):
        folder = self.pgveil.directory / "exports"
        (folder / "link").symlink_to("/tmp")
        (folder / "out.csv").symlink_to(self.pgveil.directory / "outside.csv")
        try:
            for name in (
                "../x.csv",
                "/tmp/pgveil-x.csv",
                "link/x.csv",
                "out.csv",
                "",
                ".",
                "a/../../x.csv",
                "x\ny.csv",
                "nofolder/x.csv",
            ):
                with self.subTest(name):
                    self.refused(f"EXPORT POLICY people_k2 TO FILE '{name}'")
            self.assertEqual(sorted(os.listdir(folder)), ["link", "out.csv"])
            self.assertFalse((self.pgveil.directory / "outside.csv").exists())
            self.assertFalse((self.pgveil.directory / "x.csv").exists())
        finally:
            (folder / "link").unlink()
            (folder / "out.csv").unlink()

    def test_an_export_that_fails_leaves_nothing(self):
        tables = "SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') ORDER BY 1"
        before = self.postgres.rows(tables, "demo")
        self.refused("EXPORT POLICY unbuilt_k2 TO TABLE public.never")
        self.refused("EXPORT POLICY unbuilt_k2 TO FILE 'never.csv'")
        self.refused("EXPORT POLICY people_k2 TO TABLE no_schema.never")
        self.refused("EXPORT POLICY people_k2 TO TABLE public.people")
        self.refused("EXPORT POLICY people_k2 TO TABLE public.towns")
        self.postgres.run("DELETE FROM people WHERE id IN (5)", "demo")
        try:  # now a cohort has one row only
            for target in ("TABLE public.never", "FILE 'never.csv'"):
                reply = self.pgveil.console(f"EXPORT POLICY people_k2 TO {target}")
                if reply.errors:
                    continue
                self.assert_recounted(reply)
                self.postgres.run("DROP TABLE IF EXISTS public.never", "demo")
                (self.pgveil.directory / "exports" / "never.csv").unlink(missing_ok=True)
        finally:
            self.postgres.run("TRUNCATE people", "demo")
            self.postgres.run(world.ROWS[:world.ROWS.index("INSERT INTO public.staff")], "demo")
        self.assertEqual(self.postgres.rows(tables, "demo"), before)
        self.assertEqual(os.listdir(self.pgveil.directory / "exports"), [])
        self.ask("RELOAD")

    def assert_recounted(self, reply):
        """Instead of refusing, an export may collapse what fell below k: then its smallest cohort says so."""
        names = [column.name for column in reply.columns]
        self.assertGreaterEqual(int(dict(zip(names, reply.texts()[0]))["smallest"]), 2)

    def test_formulas_are_quoted_in_files(self):
        self.postgres.run(
            "CREATE TABLE formulas AS SELECT g AS id, '=1+1' AS city FROM generate_series(1, 4) g UNION ALL "
            "SELECT g, 'plain' FROM generate_series(5, 8) g; "
            "GRANT SELECT ON formulas TO pgveil_query, pgveil_admin",
            "demo",
        )
        policy = dataclasses.replace(world.PEOPLE, name="formulas_k2", table="public.formulas",
                                     columns={"city": "quasi_identifier"})
        try:
            self.pgveil.write_policies((*self.policies, policy))
            self.ask("RELOAD")
            self.ask("BUILD POLICY formulas_k2")
            self.ask("EXPORT POLICY formulas_k2 TO FILE 'formulas.csv'")
            text = (self.pgveil.directory / "exports" / "formulas.csv").read_text()
            self.assertIn("1+1", text)
            for line in csv.reader(text.splitlines()):
                self.assertFalse(any(cell.startswith("=") for cell in line), line)
        finally:
            (self.pgveil.directory / "exports" / "formulas.csv").unlink(missing_ok=True)
            self.pgveil.write_policies(self.policies)
            self.ask("RELOAD")
            self.postgres.run("DROP TABLE formulas", "demo")


if __name__ == "__main__":
    main()

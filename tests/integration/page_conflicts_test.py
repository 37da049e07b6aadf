"""Two admins at the page: who is first wins, the other is told what is there now. And tables that designs are
made for."""
import json
import threading

from harness import world
from harness.page import PASSWORDS, Browser, PageCase
from harness.runner import main


class Builds(PageCase):
    def look(self, browser=None, policy="people_k2"):
        return (browser or self.operator).api("POST", "state", {"policy": policy})

    def build(self, tag, browser=None, policy="people_k2", **more):
        return (browser or self.operator).api("POST", "build", {"policy": policy, "tag": tag}, **more)

    def test_the_first_builds_and_the_second_is_told_what_is_there(self):
        _, looked = self.look()
        other = self.browser("operator")
        _, seen = self.look(other)
        self.assertEqual(seen["tag"], looked["tag"])
        self.assertEqual(self.build(looked["tag"])[0], 200)
        status, answer = self.build(seen["tag"], other)
        self.assertEqual(status, 412, answer)
        self.assertEqual(answer["now"]["number"], looked["number"] + 1)
        self.assertEqual(self.look()[1], answer["now"])
        self.assertEqual(self.build(answer["now"]["tag"], other)[0], 200)

    def test_of_many_at_once_one_builds(self):
        _, looked = self.look()
        answers = []
        visitors = [
            threading.Thread(target=lambda: answers.append(self.build(looked["tag"])[0])) for _ in range(4)
        ]
        for each in visitors:
            each.start()
        for each in visitors:
            each.join()
        self.assertEqual(answers.count(200), 1, answers)
        self.assertLessEqual(set(answers), {200, 409, 412})
        self.assertEqual(self.look()[1]["number"], looked["number"] + 1)

    def test_a_file_that_was_changed_is_a_conflict(self):
        _, looked = self.look()
        self.assertEqual(
            (looked["file"], looked["file_is_loaded"], looked["file_problem"]),
            ("policies/policies.yaml", True, None),
        )
        text = self.pgveil.policy_path.read_text()
        try:
            self.pgveil.policy_path.write_text(text.replace("k: 2", "k: 3", 1))
            status, answer = self.build(looked["tag"])
            self.assertEqual((status, answer["now"]["file_is_loaded"], answer["now"]["k"]), (412, False, 2))
            self.pgveil.policy_path.write_text("policies: [")
            status, answer = self.build(looked["tag"])
            self.assertEqual(status, 412)
            self.assertIn("policies.yaml", answer["now"]["file_problem"])
            self.pgveil.policy_path.write_text("# a comment changes nothing\n" + text)
            self.assertEqual(self.look()[1]["tag"], looked["tag"])
        finally:
            self.pgveil.policy_path.write_text(text)

    def test_who_may_not_build_is_told_nothing(self):
        _, looked = self.look()
        watcher = self.browser("watcher")
        self.assertEqual(self.look(watcher)[0], 403)
        self.assertEqual(self.build(looked["tag"], watcher)[0], 403)
        self.assertEqual(Browser(self.port()).api("POST", "build", {})[0], 401)
        self.assertEqual(self.build(looked["tag"], leave_out=("X-CSRF-Token",))[0], 403)
        self.assertEqual(self.build(looked["tag"], Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(self.look()[1], looked)

    def test_what_is_unknown_or_of_another_shape(self):
        self.assertEqual(self.look(policy="nothing")[0], 400)
        self.assertEqual(self.build("x", policy="nothing")[0], 400)
        self.assertEqual(self.build("")[0], 412)
        self.assertEqual(self.operator.api("POST", "build", {"policy": "people_k2"})[0], 400)
        self.assertEqual(self.operator.api("POST", "state", {"policy": 1})[0], 400)

    def test_both_are_on_record(self):
        before = len(self.audited())
        self.build("stale")
        events = self.audited()[before:]
        self.assertEqual([(it["event"], it.get("sql"), it.get("sqlstate")) for it in events],
                         [("command", "BUILD POLICY \"people_k2\"", None), ("command_end", None, "40001")])

    def test_what_is_there_quotes_no_value_and_no_size_of_a_cohort(self):
        _, looked = self.look()
        self.assert_no_hidden_value(json.dumps(looked))
        self.assertNotIn("cohort", json.dumps(looked))


class Files(PageCase):
    NAME = "policies/policies.yaml"

    def files(self, browser=None):
        return (browser or self.operator).api("POST", "design/files", {})

    def file(self, name, browser=None):
        return (browser or self.operator).api("POST", "design/file", {"name": name})

    def test_a_file_is_read_with_its_tag(self):
        status, files = self.files()
        self.assertEqual((status, [it["name"] for it in files]), (200, [self.NAME]))
        status, file = self.file(self.NAME)
        self.assertEqual(
            (status, file["yaml"], file["tag"]), (200, self.pgveil.policy_path.read_text(), files[0]["tag"])
        )

    def test_another_text_has_another_tag(self):
        _, before = self.files()
        text = self.pgveil.policy_path.read_text()
        try:
            self.pgveil.policy_path.write_text(text + "# a thought\n")
            self.assertNotEqual(self.files()[1], before)
        finally:
            self.pgveil.policy_path.write_text(text)
        self.assertEqual(self.files()[1], before)

    def test_no_other_file_is_read(self):
        for name in (
            "pgveil.yaml",
            "admin_password",
            "../etc/passwd",
            "/etc/passwd",
            str(self.pgveil.policy_path),
            "",
            "policies/../policies/policies.yaml",
            "policies/*.yaml",
        ):
            status, answer = self.file(name)
            self.assertEqual(status, 404, (name, answer))

    def test_stats_roles_read_none(self):
        watcher = self.browser("watcher")
        self.assertEqual(self.files(watcher)[0], 403)
        self.assertEqual(self.file(self.NAME, watcher)[0], 403)


class Tables(PageCase):
    extra_sql = """CREATE TABLE public.folk (id integer PRIMARY KEY, "Home City" text NOT NULL, email text, age integer, born date);
        INSERT INTO public.folk SELECT g, 'Withamsville', 'whately-' || g, g % 30, CASE WHEN g % 2 = 0 THEN date '1990-01-01' + g END
          FROM generate_series(1, 300) g;
        CREATE TABLE public.halves (n integer) PARTITION BY RANGE (n);
        GRANT SELECT ON public.folk, public.halves TO pgveil_query, pgveil_admin;
        ANALYZE;"""

    def tables(self, database="demo", browser=None):
        return (browser or self.operator).api("POST", "design/tables", {"database": database})

    def columns(self, table, database="demo", browser=None):
        return (browser or self.operator).api(
            "POST", "design/columns", {"database": database, "table": table}
        )

    def test_tables_of_users_are_listed(self):
        status, tables = self.tables()
        self.assertEqual(status, 200, tables)
        self.assertLessEqual({"public.people", "public.folk", "public.halves"}, set(tables))
        self.assertFalse(
            [
                it
                for it in tables
                if it.startswith(("pg_", "information_schema.", "pgveil.")) or it == "public.v_people"
            ]
        )

    def test_columns_come_with_types_keys_and_estimates(self):
        status, answer = self.columns("public.folk")
        self.assertEqual((status, answer["rows"]), (200, 300), answer)
        columns = {it["name"]: it for it in answer["columns"]}
        self.assertEqual(list(columns), ["id", "Home City", "email", "age", "born"])
        self.assertEqual(
            [(it["type"], it["kind"], it["nullable"]) for it in columns.values()],
            [
                ("integer", "number", False),
                ("text", "text", False),
                ("text", "text", True),
                ("integer", "number", True),
                ("date", "date", True),
            ],
        )
        self.assertEqual(
            [(it["key"], it["unique"]) for it in columns.values()], [(True, True)] + 4 * [(False, False)]
        )
        self.assertEqual((columns["id"]["nearly_unique"], columns["id"]["distinct"]), (True, 300))
        self.assertEqual((columns["age"]["distinct"], columns["Home City"]["distinct"]), (30, 1))
        self.assertAlmostEqual(columns["born"]["null_share"], 0.5)
        self.assertTrue(columns["email"]["hints"] and columns["Home City"]["hints"])

    def test_no_value_is_told(self):
        for table in ("public.folk", "public.people", "public.staff", "public.diary"):
            _, answer = self.columns(table)
            self.assert_no_hidden_value(json.dumps(answer), table)
            self.assertNotIn("whately-", json.dumps(answer))
            self.assertNotIn("1990", json.dumps(answer))

    def test_a_table_that_was_never_analyzed_has_no_estimates(self):
        status, answer = self.columns("public.halves")
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["columns"][0]["distinct"], None)

    def test_what_is_no_table_of_users_is_not_there(self):
        for table in (
            "pg_catalog.pg_authid",
            "pg_toast.x",
            "information_schema.sql_parts",
            "pgveil.version",
            "public.v_people",
            "public.nothing",
            "people",
            "public.",
            ".people",
            "",
            "public.people; SELECT 1",
        ):
            status, answer = self.columns(table)
            self.assertEqual(status, 404, (table, answer))
        self.assertEqual(self.columns("public.people", database="postgres")[0], 404)
        self.assertEqual(self.tables("postgres")[0], 404)

    def test_stats_roles_see_none(self):
        watcher = self.browser("watcher")
        self.assertEqual(self.tables(browser=watcher)[0], 403)
        self.assertEqual(self.columns("public.people", browser=watcher)[0], 403)


if __name__ == "__main__":
    main()

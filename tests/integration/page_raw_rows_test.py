"""Raw rows on the page: for listed admins alone, each time with the password, on record before they are
sent."""
import json
import os
import resource

from harness.page import PASSWORDS, Browser, PageCase
from harness import world
from harness.runner import main


def ordered(rows):
    return sorted(rows, key=lambda row: [(cell is not None, cell or "") for cell in row])


class RawCase(PageCase):
    http = "{port: 0, raw_rows: [operator]}"
    policies = (*PageCase.policies, world.UNBUILT)
    extra_sql = """CREATE TABLE public.long (id integer PRIMARY KEY, word text);
        INSERT INTO public.long VALUES (1, repeat('x', 2000));
        GRANT SELECT ON public.long TO pgveil_query, pgveil_admin;"""

    def setUp(self):
        self.make_room()

    def look(self, policy="people_k2", password=PASSWORDS["operator"], browser=None, **more):
        return (browser or self.operator).api(
            "POST", "raw-rows", {"policy": policy, "password": password}, **more
        )

    def shown_to_analyst(self, sql):
        with self.pgveil.client("analyst", password=PASSWORDS["analyst"]) as client:
            return [
                [cell if cell is None else cell.decode() for cell in row] for row in client.query(sql).rows
            ]


class Shown(RawCase):
    def test_each_row_stands_beside_what_readers_are_shown_of_it(self):
        status, answer = self.look()
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["columns"], ["id", "occupation", "city", "state"])
        self.assertEqual(
            answer["raw"],
            [
                [str(it[0]), *it[1:]]
                for it in self.postgres.rows("SELECT * FROM public.people ORDER BY id", "demo")
            ],
        )
        self.assertEqual(answer["masked"][7], [None, None, None, "OH"])
        self.assertEqual(answer["raw"][7], ["8", "Accountant", "Withamsville", "OH"])
        for raw, masked in zip(answer["raw"], answer["masked"]):
            self.assertTrue(all(cell in (None, own) for cell, own in zip(masked, raw)), (raw, masked))
        self.assertEqual(ordered(answer["masked"]), ordered(self.shown_to_analyst("SELECT * FROM people")))

    def test_the_first_fifty_by_the_primary_key(self):
        status, answer = self.look("staff_k3")
        self.assertEqual(status, 200, answer)
        self.assertEqual([row[0] for row in answer["raw"]], [str(it) for it in range(1, 51)])
        self.assertIn("the first 50 rows; there are more", answer["notices"])
        # As texts: char(n) has no blanks at its end then, and a boolean is a word.
        words = {"t": "true", "f": "false"}
        shown = {row[0]: [cell and cell.rstrip() for cell in (*row[:7], words.get(row[7]), *row[8:])]
                 for row in self.shown_to_analyst("SELECT * FROM staff")}
        for masked in answer["masked"]:
            self.assertEqual(masked, shown[masked[0]])

    def test_what_is_closed_or_unknown_is_not_shown(self):
        self.assertEqual(self.look("unbuilt_k2")[0], 409)
        self.assertEqual(self.look("nothing")[0], 400)
        self.assertEqual(self.look("people_k2'; SELECT 1")[0], 400)

    def test_a_table_that_changed_is_not_shown(self):
        self.postgres.run("ALTER TABLE public.people RENAME COLUMN city TO town", "demo")
        try:
            status, answer = self.look()
            self.assertEqual(status, 409, answer)
            self.assert_no_hidden_value(json.dumps(answer))
        finally:
            self.postgres.run("ALTER TABLE public.people RENAME COLUMN town TO city", "demo")
            self.operator.api("POST", "policies/people_k2/build", {})

    def test_a_column_that_was_added_is_hidden(self):
        self.postgres.run("ALTER TABLE public.people ADD COLUMN more text DEFAULT 'seen raw'", "demo")
        try:
            status, answer = self.look()
            self.assertEqual((status, answer["columns"][-1]), (200, "more"), answer)
            self.assertEqual({row[-1] for row in answer["raw"]}, {"seen raw"})
            self.assertEqual({row[-1] for row in answer["masked"]}, {None})
        finally:
            self.postgres.run("ALTER TABLE public.people DROP COLUMN more", "demo")
            self.operator.api("POST", "policies/people_k2/build", {})


class Refused(RawCase):
    def test_a_stolen_session_has_no_password(self):
        for password in ("", "wrong", PASSWORDS["watcher"]):
            status, answer = self.look(password=password)
            self.assertEqual(status, 403, answer)
            self.assert_no_hidden_value(json.dumps(answer))

    def test_guessing_the_password_ends_soon(self):
        answers = [self.look(password="wrong")[0] for _ in range(9)]
        self.assertEqual(answers[-1], 429)
        self.assertEqual(self.look()[0], 429)

    def test_who_is_not_listed_sees_none(self):
        watcher = self.browser("watcher")
        status, answer = self.look(password=PASSWORDS["watcher"], browser=watcher)
        self.assertEqual((status, answer["sqlstate"]), (403, "42501"))
        self.assertEqual(self.look(password=PASSWORDS["operator"], browser=watcher)[0], 403)
        self.assertEqual(Browser(self.port()).api("POST", "raw-rows", {})[0], 401)

    def test_another_site_can_t_ask(self):
        for headers in (
            {"Origin": "http://evil.example"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Content_Type": "text/plain"},
            {"X_CSRF_Token": "x" * 24},
        ):
            self.assertEqual(self.look(**headers)[0], 403, headers)
        self.assertEqual(self.look(leave_out=("X-CSRF-Token",))[0], 403)
        self.assertEqual(self.operator.api("GET", "raw-rows")[0], 404)

    def test_a_body_of_another_shape_is_refused(self):
        for body in (
            {"policy": "people_k2"},
            {"policy": "people_k2", "password": 1},
            {"policy": "people_k2", "password": "x", "rows": 10000},
            [],
        ):
            self.assertEqual(self.operator.api("POST", "raw-rows", body)[0], 400, body)


class Record(RawCase):
    def test_each_look_is_on_record_with_role_table_and_rows(self):
        before = len(self.audited())
        self.look()
        self.look(password="wrong")
        events = self.audited()[before:]
        self.assertEqual({it["role"] for it in events}, {"operator"})
        self.assertEqual(
            [(it["event"], it.get("sql"), it.get("sqlstate")) for it in events],
            [
                ("command", "SHOW RAW ROWS OF POLICY people_k2", None),
                ("command", "11 RAW ROWS OF TABLE public.people", None),
                ("command_end", None, None),
                ("command", "SHOW RAW ROWS OF POLICY people_k2", None),
                ("command_end", None, "28P01"),
            ],
        )
        self.assert_no_hidden_value(json.dumps(self.audited()))
        self.assert_no_hidden_value(self.pgveil.log())
        for secret in PASSWORDS.values():
            self.assertNotIn(secret, json.dumps(self.audited()) + self.pgveil.log())

    def test_what_can_t_be_put_on_record_is_not_shown(self):
        size = os.path.getsize(self.pgveil.directory / "audit.log")
        for room in (0, 250, 450):  # for nothing; for about one line; for two
            resource.prlimit(self.pgveil.pid, resource.RLIMIT_FSIZE, (size + room, resource.RLIM_INFINITY))
            status, answer = self.look()
            self.assertEqual(status, 500, (room, answer))
            self.assertIn("audit log", answer["message"])
            self.assert_no_hidden_value(json.dumps(answer))
            resource.prlimit(
                self.pgveil.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )
            size = os.path.getsize(self.pgveil.directory / "audit.log")
        self.assertEqual(self.look()[0], 200)


class NotConfigured(PageCase):
    def test_no_admin_sees_raw_rows_unless_the_configuration_says_so(self):
        status, answer = self.operator.api(
            "POST", "raw-rows", {"policy": "people_k2", "password": PASSWORDS["operator"]}
        )
        self.assertEqual((status, answer["sqlstate"]), (403, "42501"))
        _, session = self.operator.api("GET", "session")
        self.assertEqual((session["raw_rows"], session["table_jobs"]), (False, False))


if __name__ == "__main__":
    main()

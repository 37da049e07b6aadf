"""The page's server: who is let in, what other sites can't do, what each role sees. The page itself is tested
in tests/web."""
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import time

from harness import world
from harness.page import PASSWORDS, Browser, PageCase, column
from harness.pgveil import binary
from harness.runner import Case, main
from harness.wire import scram_verifier


class SignIn(PageCase):
    def setUp(self):
        before = len(self.ports())
        self.pgveil.restart()  # the limit on sign-ins begins anew
        while len(self.ports()) == before:
            time.sleep(0.05)

    def test_a_wrong_password_an_unknown_role_and_a_role_without_standing_look_alike(self):
        answers = {
            self.browser().ask("POST", "/api/v1/session", {"role": role, "password": password})[1]
            for role, password in (
                ("operator", "wrong"),
                ("nobody", "wrong"),
                ("analyst", PASSWORDS["analyst"]),
                ("operator", ""),
                ("", ""),
            )
        }
        self.assertEqual(len(answers), 1, answers)
        self.assertIn("28P01", answers.pop())
        self.assertEqual(self.browser().api("GET", "session"), (200, None))

    def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(self):
        response, _ = self.browser().ask(
            "POST", "/api/v1/session", {"role": "operator", "password": PASSWORDS["operator"]}
        )
        cookie = response.getheader("Set-Cookie")
        for attribute in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="):
            self.assertIn(attribute, cookie)
        self.assertNotIn("Domain", cookie)

    def test_a_session_that_was_there_before_is_not_taken_over(self):
        planted = self.browser()
        planted.cookie = "pgveil_session=chosen-by-somebody-else"
        response, _ = planted.ask(
            "POST", "/api/v1/session", {"role": "operator", "password": PASSWORDS["operator"]}
        )
        self.assertNotIn("chosen", response.getheader("Set-Cookie"))
        self.assertEqual(planted.api("GET", "session"), (200, None))

    def test_signing_in_again_and_out_ends_the_session(self):
        first = self.browser("operator")
        again = self.browser()
        again.cookie = first.cookie
        again.sign_in("operator")
        self.assertEqual(first.api("GET", "policies")[0], 401)
        self.assertEqual(again.api("DELETE", "session"), (200, None))
        self.assertEqual(again.api("GET", "policies")[0], 401)

    def test_too_many_tries_are_refused_even_with_the_right_password(self):
        for _ in range(8):
            self.assertEqual(
                self.browser().api("POST", "session", {"role": "operator", "password": "wrong"})[0], 401
            )
        response, _ = self.browser().ask(
            "POST", "/api/v1/session", {"role": "operator", "password": PASSWORDS["operator"]}
        )
        self.assertEqual((response.status, response.getheader("Retry-After")), (429, "60"))
        self.browser("watcher")

    def test_another_password_ends_the_sessions_of_the_old_one(self):
        browser = self.browser("watcher")
        users = self.pgveil.directory / "users.txt"
        before = users.read_text()
        other = re.sub(
            r'("watcher") "[^"]*"', lambda it: f'{it.group(1)} "{scram_verifier("another")}"', before
        )
        try:
            users.write_text(other)
            self.browser("operator")
            with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
                self.assertEqual(console.query("RELOAD").errors, [])
            self.assertEqual(browser.api("GET", "policies")[0], 401)
        finally:
            users.write_text(before)

    def reload_with(self, old, new):
        path = self.pgveil.config_path
        before = path.read_text()
        self.assertIn(old, before)
        path.write_text(before.replace(old, new))

        def reload():
            with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
                self.assertEqual([row for row in console.query("RELOAD").texts() if row[1] != "ok"], [])
        self.addCleanup(lambda: (path.write_text(before), reload()))
        reload()

    def test_a_role_that_lost_its_standing_is_out(self):
        browser = self.browser("watcher")
        self.assertEqual(browser.api("GET", "policies")[0], 200)
        self.reload_with("stats_users: [watcher]", "stats_users: [analyst]")
        self.assertEqual(browser.api("GET", "policies")[0], 401)

    def test_so_is_one_that_the_access_file_does_not_let_in_from_there(self):
        watcher, operator = self.browser("watcher"), self.browser("operator")
        access = self.pgveil.directory / "access"
        access.write_text("host all watcher all reject\nhost all all all scram-sha-256\n")
        access.chmod(0o600)
        self.reload_with("users_file: users.txt", "users_file: users.txt, hba_file: access")
        self.assertEqual(watcher.api("GET", "policies")[0], 401)
        self.assertEqual(operator.api("GET", "policies")[0], 200)

    def test_signing_in_and_commands_are_on_record_without_literals(self):
        browser = self.browser("operator")
        self.browser().api("POST", "session", {"role": "operator", "password": "not the password"})
        browser.api(
            "POST",
            "explain",
            {"role": "analyst", "database": "demo", "sql": "SELECT * FROM people WHERE city = 'Whately'"},
        )
        browser.api("DELETE", "session")
        events = [event for event in self.audited() if event.get("session", 0) > 2**40]
        kinds = [(event["event"], event.get("verdict")) for event in events]
        for kind in (("login", "let in"), ("login", "refused"), ("command_end", "done"), ("logout", None)):
            self.assertIn(kind, kinds)
        text = json.dumps(events)
        self.assertIn("EXPLAIN POLICY", text.upper())
        for secret in ("Whately", "not the password", *PASSWORDS.values()):
            self.assertNotIn(secret, text)
            self.assertNotIn(secret, self.pgveil.log())


class SignInLinks(PageCase):
    """Links of the console that sign in to the page once."""

    def setUp(self):
        self.start_again()

    def command(self, role, text="SIGN IN LINK"):
        with self.pgveil.client(role, "pgveil", password=PASSWORDS[role]) as console:
            return console.query(text)

    def link(self, role="operator"):
        """→ (link, its token)"""
        ((link, valid_for),) = self.command(role).texts()
        self.assertEqual(valid_for, "10 minutes")
        address, token = link.split("#sign-in=")
        self.assertEqual(address, f"http://127.0.0.1:{self.port()}/")
        self.assertRegex(token, "^[0-9a-f]{64}$")
        return link, token

    def use(self, token, **headers):
        return self.browser().ask("POST", "/api/v1/session/link", {"link": token}, **headers)

    def test_a_link_signs_in_as_the_role_that_asked_for_it_and_not_twice(self):
        for role, standing in (("operator", "admin"), ("watcher", "stats")):
            _, token = self.link(role)
            response, text = self.use(token)
            self.assertEqual(response.status, 200, text)
            who = json.loads(text)
            self.assertEqual((who["role"], who["standing"]), (role, standing))
            cookie = response.getheader("Set-Cookie")
            for attribute in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="):
                self.assertIn(attribute, cookie)
            browser = self.browser()
            browser.cookie, browser.csrf = cookie.split(";")[0], who["csrf"]
            self.assertEqual(browser.api("GET", "policies")[0], 200)
            again, text = self.use(token)
            self.assertEqual((again.status, again.getheader("Set-Cookie")), (401, None), text)

    def test_used_replaced_and_guessed_links_look_alike(self):
        _, used = self.link()
        self.assertEqual(self.use(used)[0].status, 200)
        _, replaced = self.link()
        _, token = self.link()
        answers = {self.use(it)[1] for it in (used, replaced, "0" * 64, token[:-1], token.upper() + " ", "")}
        self.assertEqual(len(answers), 1, answers)
        self.assertIn("28P01", answers.pop())
        self.assertEqual(self.use(token)[0].status, 200)

    def test_guesses_are_limited(self):
        _, token = self.link()
        for _ in range(8):
            self.assertEqual(self.use("0" * 64)[0].status, 401)
        response, _ = self.use(token)
        self.assertEqual((response.status, response.getheader("Retry-After")), (429, "60"))
        self.browser("operator")  # passwords have a limit of their own

    def test_a_link_is_taken_only_from_the_page_itself(self):
        _, token = self.link()
        for headers, status in (
            ({"Origin": "http://evil.example"}, 403),
            ({"Sec_Fetch_Site": "cross-site"}, 403),
            ({"leave_out": ("Origin",)}, 403),
            ({"Host": "evil.example"}, 421),
            ({"Content_Type": "text/plain"}, 403),
        ):
            self.assertEqual(self.use(token, **headers)[0].status, status, headers)
        for body in ({"link": token, "role": "operator"}, {}, {"link": 1}, "no JSON"):
            self.assertEqual(
                self.browser().ask("POST", "/api/v1/session/link", body)[0].status, 400, body
            )
        self.assertEqual(self.browser().ask("GET", "/api/v1/session/link")[0].status, 401)
        self.assertEqual(self.use(token)[0].status, 200)

    def reload_with(self, old, new):
        path = self.pgveil.config_path
        before = path.read_text()
        self.assertIn(old, before)
        self.addCleanup(lambda: (path.write_text(before), self.command("operator", "RELOAD")))
        path.write_text(before.replace(old, new))
        self.assertEqual([row for row in self.command("operator", "RELOAD").texts() if row[1] != "ok"], [])

    def test_a_role_that_lost_its_standing_can_not_use_its_link(self):
        _, token = self.link("watcher")
        self.reload_with("stats_users: [watcher]", "stats_users: [analyst]")
        self.assertEqual(self.use(token)[0].status, 401)

    def test_neither_can_one_whose_password_was_changed(self):
        _, token = self.link("watcher")
        users = self.pgveil.directory / "users.txt"
        before = users.read_text()
        self.addCleanup(users.write_text, before)
        users.write_text(
            re.sub(r'("watcher") "[^"]*"', lambda it: f'{it.group(1)} "{scram_verifier("other")}"', before)
        )
        self.assertEqual(self.command("operator", "RELOAD").errors, [])
        self.assertEqual(self.use(token)[0].status, 401)

    def test_nor_one_that_the_access_file_does_not_let_in_from_there(self):
        _, token = self.link("watcher")
        access = self.pgveil.directory / "access"
        access.write_text("host all watcher all reject\nhost all all all scram-sha-256\n")
        access.chmod(0o600)
        self.reload_with("users_file: users.txt", "users_file: users.txt, hba_file: access")
        self.assertEqual(self.use(token)[0].status, 401)

    def test_a_link_does_not_outlive_the_process(self):
        _, token = self.link()
        self.start_again()
        self.assertEqual(self.use(token)[0].status, 401)

    def test_making_and_using_are_on_record_and_the_token_is_nowhere(self):
        _, token = self.link()
        self.use(token)
        self.use(token)
        events = self.audited()
        self.assertIn("SIGN IN LINK", [it.get("sql") for it in events if it["event"] == "command"])
        logins = [it for it in events if it.get("method") == "sign-in link"]
        self.assertEqual(
            [(it["verdict"], it["role"], it.get("sqlstate")) for it in logins[-2:]],
            [("let in", "operator", None), ("refused", "", "28P01")],
        )
        for text in (json.dumps(events), self.pgveil.log()):
            self.assertNotIn(token, text)

    def test_an_analyst_gets_no_link(self):
        with self.assertRaises(Exception):
            self.link("analyst")

    def test_raw_rows_still_ask_for_the_password(self):
        _, token = self.link()
        response, text = self.use(token)
        browser = self.browser()
        browser.cookie = response.getheader("Set-Cookie").split(";")[0]
        browser.csrf = json.loads(text)["csrf"]
        status, _ = browser.api("POST", "raw-rows", {"policy": "people_k2", "password": token})
        self.assertIn(status, (401, 403))


class Requests(PageCase):
    @classmethod
    def start(cls):
        super().start()
        cls.watcher = Browser(cls.port()).sign_in("watcher")

    def test_a_name_that_is_pointed_at_us_gets_nothing(self):
        for host in ("evil.example", f"evil.example:{self.port()}", "127.0.0.1.evil.example", ""):
            response, _ = self.operator.ask("GET", "/", Host=host)
            self.assertEqual(response.status, 421, host)
            self.assertEqual(self.operator.api("GET", "policies", Host=host)[0], 421, host)
        twice = f"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n".encode()
        self.assertIn(b"421", self.operator.raw(twice).split(b"\r\n")[0])

    def test_a_tunnel_has_a_port_of_its_own(self):
        response, _ = self.operator.ask("GET", "/api/v1/policies", Host="localhost:9999")
        self.assertEqual(response.status, 200)

    def test_another_site_can_neither_read_nor_change(self):
        self.assertEqual(self.operator.api("GET", "policies", Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(self.operator.api("GET", "policies", Origin="http://evil.example")[0], 403)
        build = ("POST", "policies/people_k2/build", {})
        before = column(self.operator.api("GET", "policies")[1], "version")
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"http://127.0.0.1:{self.port() + 1}"},
            {"Sec_Fetch_Site": "same-site"},
            {"Content_Type": "text/plain"},
            {"X_CSRF_Token": "x" * 24},
            {"X_CSRF_Token": self.watcher.csrf},
        ):
            self.assertEqual(self.operator.api(*build, **headers)[0], 403, headers)
        for name in ("Origin", "X-CSRF-Token"):
            self.assertEqual(self.operator.api(*build, leave_out=(name,))[0], 403, name)
        self.assertEqual(column(self.operator.api("GET", "policies")[1], "version"), before)

    def test_nobody_gets_nothing(self):
        for method, path in (
            ("GET", "policies"),
            ("GET", "policies/people_k2/version"),
            ("GET", "show/pools"),
            ("GET", "events"),
            ("POST", "policies/people_k2/build"),
            ("DELETE", "session"),
            ("POST", "protect/curve"),
            ("POST", "rows"),
            ("POST", "difference"),
            ("POST", "audit"),
            ("POST", "audit/groups"),
            ("POST", "distribution"),
            ("POST", "desk/runs"),
            ("GET", "nowhere"),
        ):
            status, answer = Browser(self.port()).api(method, path, {} if method == "POST" else None)
            self.assertEqual(status, 401, (path, answer))

    def test_stats_roles_see_no_value_and_no_size_of_a_cohort(self):
        status, policies = self.watcher.api("GET", "policies")
        self.assertEqual(status, 200)
        self.assertEqual(set(column(policies, "cohorts") + column(policies, "smallest")), {None})
        for share in column(policies, "disclosed"):
            self.assertRegex(share or "0%", r"^\d+%$")
        for method, path in (
            ("GET", "policies/people_k2/version"),
            ("GET", "policies/people_k2/rules"),
            ("GET", "policies/people_k2/cohorts"),
            ("POST", "policies/people_k2/check"),
            ("POST", "policies/people_k2/build"),
            ("POST", "policies/people_k2/attack"),
            ("GET", "show/config"),
            ("POST", "jobs/x/run"),
        ):
            body = {"knows": [], "format": "json"} if path.endswith("/attack") else {}
            status, answer = self.watcher.api(method, path, body if method == "POST" else None)
            self.assertEqual((status, answer["sqlstate"]), (403, "42501"), path)
        for path, body in (
            ("explain", {"role": "analyst", "database": "demo", "sql": "SELECT 1"}),
            ("design/check", {"yaml": ""}),
            ("protect/curve", {"yaml": "", "policy": "p", "ks": [2]}),
        ):
            self.assertEqual(self.watcher.api("POST", path, body)[0], 403, path)

    def test_a_stats_role_whose_answers_are_all_read_has_seen_no_value(self):
        for path in (
            "policies",
            "show/clients",
            "show/pools",
            "show/stats",
            "show/refusals",
            "show/jobs",
            "show/databases",
            "show/users",
            "show/lists",
            "show/mem",
            "show/servers",
            "show/version",
        ):
            response, text = self.watcher.ask("GET", "/api/v1/" + path)
            self.assertEqual(response.status, 200, text)
            self.assert_no_hidden_value(text, path)
            self.assertNotIn("Hamlet", text, path)

    def test_the_tree_is_the_console_s(self):
        status, version = self.operator.api("GET", "policies/people_k2/version")
        self.assertEqual(status, 200)
        self.assertEqual([node["rows"] for node in version["tree"]["nodes"]], [11, 6, 4, 2, 2, 2, 5, 3, 2])
        _, cohorts = self.operator.api("GET", "policies/people_k2/cohorts")
        self.assertEqual(column(cohorts, "rows"), ["2", "2", "2", "3", "2"])

    def test_explain_says_what_would_be_sent_and_every_refusal(self):
        ask = {"role": "analyst", "database": "demo", "sql": "SELECT city FROM people"}
        _, masked = self.operator.api("POST", "explain", ask)
        self.assertEqual(column(masked, "verdict")[0], "masked")
        _, refused = self.operator.api(
            "POST", "explain", ask | {"sql": "SELECT * FROM diary; SELECT pg_sleep(1)"}
        )
        self.assertTrue(all(it.startswith("refused") for it in column(refused, "verdict")), refused)

    def test_what_is_unknown_or_wrong_has_its_status(self):
        for method, path, body, expected in (
                ("GET", "nowhere", None, 404), ("GET", "policies/nothing/rules", None, 400),
                ("GET", "policies/unbuilt_k2/rules", None, 400), ("POST", "explain", "{", 400),
                ("POST", "explain", "[]", 400), ("PUT", "policies", None, 405),
                ("POST", "jobs/nothing/run", {}, 400), ("POST", "jobs/nothing/cancel", {}, 400)):
            status, answer = self.operator.api(method, path, body)
            self.assertEqual(status, expected, (path, answer))
            self.assertTrue(answer["message"])

    def test_requests_that_are_too_long_or_no_http_end(self):
        answer = self.operator.raw(
            b"POST /api/v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n"
        )
        self.assertIn(b"413", answer.split(b"\r\n")[0])
        self.assertIn(
            b"431",
            self.operator.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40000 + b"\r\n\r\n").split(
                b"\r\n"
            )[0],
        )
        self.assertIn(
            b"400", self.operator.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n").split(b"\r\n")[0]
        )
        self.assertEqual(self.operator.api("GET", "policies")[0], 200)

    def test_every_answer_forbids_what_the_page_does_not_need(self):
        for path in ("/", "/api/v1/policies", "/api/v1/nowhere", "/nothing", "/../../etc/passwd"):
            response, _ = self.operator.ask("GET", path)
            policy = response.getheader("Content-Security-Policy")
            for part in (
                "default-src 'none'",
                "frame-ancestors 'none'",
                "script-src 'self'",
                "base-uri 'none'",
            ):
                self.assertIn(part, policy, path)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(response.getheader("X-Content-Type-Options"), "nosniff")
            self.assertEqual(response.getheader("X-Frame-Options"), "DENY")
            if path.startswith("/api"):
                self.assertEqual(response.getheader("Cache-Control"), "no-store")

    def test_a_file_that_is_known_is_not_sent_again(self):
        response, text = self.operator.ask("GET", "/")
        if response.status == 404:
            self.assertIn("without the page", text)
            return
        again, rest = self.operator.ask("GET", "/", If_None_Match=response.getheader("ETag"))
        self.assertEqual((again.status, rest), (304, ""))

    def test_events_begin_with_all_tables_and_need_a_session(self):
        with socket.create_connection(("127.0.0.1", self.port()), timeout=60) as connection:
            connection.sendall(
                f"GET /api/v1/events HTTP/1.1\r\nHost: localhost:{self.port()}\r\nCookie: {self.watcher.cookie}\r\n\r\n".encode()
            )
            text = b""
            while b"event: databases" not in text or not text.endswith(b"\n\n"):
                piece = connection.recv(65536)
                self.assertTrue(piece, text)
                text += piece
        # When this process was held up, the next events have come as well.
        first = text[: text.index(b"\n\n", text.index(b"event: databases"))]
        for topic in (b"pools", b"clients", b"stats", b"refusals", b"jobs", b"databases"):
            self.assertEqual(first.count(b"event: " + topic + b"\n"), 1, topic)
        for line in text.split(b"\r\n\r\n", 1)[1].splitlines():
            if line.startswith(b"data: "):
                json.loads(line[6:])


DESIGN = """version: 1
policies:
  - name: try
    database: demo
    table: public.people
    k: 2
    columns:
      id: {class: identifier}
      occupation: {class: quasi_identifier}
      city: {class: %s}
      state: {class: quasi_identifier}
"""


class Designs(PageCase):
    # A table that no policy covers: nothing else of pgveil's (the drift check does) ever reads it.
    extra_sql = """CREATE TABLE public.apart AS TABLE public.people;
        CREATE TABLE public.aside AS TABLE public.people;
        GRANT SELECT ON public.apart, public.aside TO pgveil_admin"""

    def curve(self, *ks, city="quasi_identifier", text=None, policy="try"):
        return self.operator.api(
            "POST", "protect/curve", {"yaml": text or DESIGN % city, "policy": policy, "ks": ks}
        )

    def readings_of_apart(self, since):
        return [text for text in self.postgres.received(since, "pgveil_admin") if "apart" in text]

    def test_a_mistake_has_line_and_column(self):
        status, answer = self.operator.api("POST", "design/check", {"yaml": DESIGN % "quasi"})
        self.assertEqual(status, 200)
        self.assertEqual(
            (answer["error"]["line"], answer["error"]["column"], answer["policies"]), (10, 21, [])
        )

    def test_a_point_of_a_curve_is_what_build_makes(self):
        _, version = self.operator.api("GET", "policies/people_k2/version")
        status, answer = self.curve(2)
        self.assertEqual(status, 200, answer)
        point, = answer["points"]
        self.assertEqual(point["disclosure"], version["disclosure"])
        self.assertEqual(point["utility"], version["utility"])
        self.assertEqual(point["utility"]["columns"][0]["mean_error_ppm"], 466667)
        self.assertEqual(answer["attributes"], ["occupation", "city", "state"])

    def test_another_k_or_fewer_columns_need_no_second_count(self):
        apart = DESIGN.replace("public.people", "public.apart")
        since = self.postgres.log_position()
        self.curve(2, text=apart % "quasi_identifier")
        self.assertNotEqual(self.readings_of_apart(since), [])
        since = self.postgres.log_position()
        answers = [self.curve(k, text=apart % city)[1]
                   for k, city in ((3, "quasi_identifier"), (2, "identifier"), (2, "quasi_identifier"))]
        self.assertEqual(len({answer["counted_at"] for answer in answers}), 1)
        self.assertEqual(
            [answer["attributes"] for answer in answers],
            [["occupation", "city", "state"], ["occupation", "state"], ["occupation", "city", "state"]],
        )
        cohorts = [answer["points"][0]["disclosure"]["cohorts"] for answer in answers]
        self.assertLess(cohorts[0], cohorts[2])
        self.assertEqual(self.readings_of_apart(since), [])

    def test_nothing_is_applied(self):
        before = self.operator.api("GET", "policies")
        self.curve(4)
        self.assertEqual(self.operator.api("GET", "policies"), before)

    def test_what_can_t_be_built_says_why(self):
        self.assertIn("error", self.curve(12)[1]["points"][0])
        self.assertEqual(self.curve(1)[0], 400)
        self.assertEqual(self.curve(2, policy="another")[0], 404)
        self.assertEqual(
            self.curve(2, text=DESIGN.replace("database: demo", "database: postgres") % "sensitive")[0], 404
        )
        self.assertEqual(
            self.curve(2, text=DESIGN.replace("public.people", "public.nothing") % "sensitive")[0], 502
        )
        self.assertEqual(
            self.curve(2, text=DESIGN.replace("occupation:", "nothing:") % "sensitive")[0], 400
        )

    def test_a_question_that_nobody_waits_for_is_given_up(self):
        aside = DESIGN.replace("public.people", "public.aside") % "quasi_identifier"
        body = json.dumps({"yaml": aside, "policy": "try", "ks": [2]})
        with self.direct("demo") as holder:
            holder.query("BEGIN")
            holder.query("LOCK TABLE aside")  # counting waits for it
            connection = self.operator.connection()
            connection.request("POST", "/api/v1/protect/curve", body, {
                "Host": f"127.0.0.1:{self.operator.port}", "Sec-Fetch-Site": "same-origin",
                "Origin": f"http://127.0.0.1:{self.operator.port}", "X-CSRF-Token": self.operator.csrf,
                "Cookie": self.operator.cookie, "Content-Type": "application/json"})
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            self.until(lambda: self.postgres.rows(waiting) == [["1"]], "the question does not wait")
            connection.sock.close()

            def ends():
                return [line for line in self.audited() if line.get("sqlstate") == "57014"]
            self.until(ends, "the question was not given up")
            holder.query("ROLLBACK")
        self.assertEqual(len(ends()), 1, ends())
        self.assertEqual(self.curve(2, text=aside)[0], 200)

    def test_an_answer_has_no_value_of_the_table(self):
        self.assert_no_hidden_value(json.dumps(self.curve(2)))

    def test_the_audit_log_tells_of_it(self):
        self.curve(7, 8)
        self.assertTrue(any("WHAT IF K 7, 8 OF" in event.get("sql", "") for event in self.audited()))


class Rows(PageCase):
    """The masked rows of a query: what the role itself is given, or nothing."""

    def rows(self, sql, role="analyst", database="demo", browser=None):
        return (browser or self.operator).api(
            "POST", "rows", {"role": role, "database": database, "sql": sql}
        )

    def own_rows(self, sql):
        with self.pgveil.client("analyst", password=PASSWORDS["analyst"]) as client:
            return [
                tuple(cell if cell is None else cell.decode() for cell in row)
                for row in client.query(sql).rows
            ]

    def test_the_rows_are_those_that_the_role_is_given(self):
        for sql in (
            "SELECT * FROM people",
            "SELECT city, count(*) FROM people GROUP BY city ORDER BY 2 DESC, 1",
            "SELECT town FROM towns ORDER BY town",
            "SHOW server_version",
            "SELECT 1 WHERE false",
        ):
            status, answer = self.rows(sql)
            self.assertEqual(status, 200, answer)
            self.assertEqual(
                [tuple(row) for row in answer["rows"]], [tuple(row) for row in self.own_rows(sql)], sql
            )
            self.assertEqual(answer["notices"], [])
            self.assert_no_hidden_value(json.dumps(answer["rows"]), sql)

    def test_no_more_than_the_first_hundred(self):
        _, answer = self.rows("SELECT a.n FROM numbers a, numbers b")
        self.assertEqual(
            (len(answer["rows"]), answer["notices"]), (100, ["the first 100 rows; there are more"])
        )
        _, answer = self.rows("SELECT a.n FROM numbers a, numbers b LIMIT 100")
        self.assertEqual((len(answer["rows"]), answer["notices"]), (100, []))

    def test_what_the_role_may_not_ask_is_refused_as_for_it(self):
        for sql, status, sqlstate in (
            ("SELECT * FROM diary", 403, "42501"),
            ("SELECT nothing FROM people", 400, "42703"),
            ("SELECT pg_sleep(1)", 403, "42501"),
            ("DELETE FROM people", 403, "42501"),
            ("SELECT 1; SELECT 2", 400, "42601"),
            ("SELECT $1::int", 400, "08P01"),
            ("SELEC", 400, "42601"),
        ):
            answer = self.rows(sql)
            self.assertEqual((answer[0], answer[1]["sqlstate"]), (status, sqlstate), answer)

    def test_what_answers_no_rows_is_not_run(self):
        for sql in ("SET statement_timeout = 1", "BEGIN", ""):
            status, answer = self.rows(sql)
            self.assertEqual(status, 400, answer)
            self.assertIn("no rows", answer["message"])

    def test_roles_that_see_more_than_masks_are_no_choice(self):
        for role in ("dpo",):
            status, answer = self.rows("SELECT * FROM people", role)
            self.assertEqual((status, answer["sqlstate"]), (403, "42501"))
            self.assertIn("masked roles only", answer["message"])
        self.assertEqual(self.rows("SELECT * FROM people", "nobody")[0], 403)
        self.assertEqual(self.rows("SELECT * FROM people", "")[0], 400)
        self.assertEqual(self.rows("SELECT 1", "x" * 64)[0], 400)

    def test_neither_the_console_nor_another_database_is_reached(self):
        for database in ("pgveil", "postgres", ""):
            self.assertNotEqual(self.rows("SHOW CONFIG", "operator", database)[0], 200, database)

    def test_stats_roles_see_no_rows(self):
        status, answer = self.rows("SELECT 1", browser=Browser(self.port()).sign_in("watcher"))
        self.assertEqual((status, answer["sqlstate"]), (403, "42501"))

    def test_who_asked_and_what_was_asked_are_on_record_without_literals(self):
        self.rows("SELECT * FROM people WHERE state = 'OH' AND id <> 4711")
        events = self.audited()
        asked = [
            event for event in events if event.get("sql") == "MASKED ROWS FOR ROLE analyst IN DATABASE demo"
        ]
        self.assertEqual(asked[-1]["role"], "operator")
        logins = [event for event in events if event["event"] == "login" and event.get("method") == "page"]
        self.assertEqual((logins[-1]["role"], logins[-1]["verdict"]), ("analyst", "let in"))
        statements = [
            event
            for event in events
            if event["event"] == "statement" and event["session"] == logins[-1]["session"]
        ]
        self.assertEqual(statements[-1]["verdict"], "masked")
        self.assertNotIn("4711", json.dumps([event.get("sql") for event in events]))

    def test_a_body_of_another_shape_is_refused(self):
        for body in (
            {"role": "analyst", "database": "demo"},
            {"role": 1, "database": "demo", "sql": "SELECT 1"},
            {"role": "analyst", "database": "demo", "sql": "SELECT\u0000"},
        ):
            self.assertEqual(self.operator.api("POST", "rows", body)[0], 400, body)


class Differences(PageCase):
    policies = (*PageCase.policies, world.UNBUILT)

    def compare(self, policy="people_k2", saved="", browser=None):
        return (browser or self.operator).api("POST", "difference", {"policy": policy, "saved": saved})

    def test_a_build_now_of_the_same_table_changes_nothing(self):
        before = self.operator.api("GET", "policies")
        status, answer = self.compare()
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["changes"]["rows"], answer["same"], answer["after"]["number"]), ([], 5, 0))
        self.assertEqual(self.operator.api("GET", "policies"), before)

    def test_rows_that_came_change_cohorts(self):
        self.postgres.run(
            "INSERT INTO public.people SELECT 100 + g, 'Farmer', 'Hamlet', 'OH' FROM generate_series(1, 3) g",
            "demo",
        )
        try:
            _, answer = self.compare()
            self.assertEqual(answer["after"]["rows"], answer["before"]["rows"] + 3)
            self.assertIn("resized", column(answer["changes"], "change"))
        finally:
            self.postgres.run("DELETE FROM public.people WHERE id > 100", "demo")

    def test_a_saved_version_is_the_earlier_one(self):
        _, version = self.operator.api("GET", "policies/people_k2/version")
        status, answer = self.compare(saved=json.dumps(version))
        self.assertEqual(status, 200, answer)
        self.assertEqual(
            (answer["before"]["number"], answer["after"]["number"]), (version["number"], version["number"])
        )
        self.assertEqual(answer["changes"]["rows"], [])
        other = json.dumps(version | {"policy": "staff_k3"})
        self.assertEqual(self.compare(saved=other)[0], 400)
        self.assertEqual(self.compare(saved="{}")[0], 400)

    def test_what_is_not_there_or_not_allowed(self):
        self.assertEqual(self.compare("nothing")[0], 404)
        self.assertEqual(self.compare("unbuilt_k2")[0], 409)
        self.assertEqual(self.compare(browser=Browser(self.port()).sign_in("watcher"))[0], 403)


class Distributions(PageCase):
    def count(self, column="city", policy="people_k2", browser=None):
        body = {"policy": policy, "column": column}
        return (browser or self.operator).api("POST", "distribution", body)

    def test_values_of_fewer_than_k_units_are_not_named(self):
        status, answer = self.count()
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["grain"], 2)
        self.assertEqual(
            {it["value"]: it["rows"] for it in answer["values"]}, {"Hamlet": 4, "Washington": 2}
        )
        self.assertNotIn("Whately", json.dumps(answer))
        self.assertEqual((answer["rare_rows"], answer["null_rows"]), (6, 0))

    def test_it_is_on_record(self):
        self.count("state")
        texts = [event.get("sql") for event in self.audited()]
        self.assertIn('DISTRIBUTION OF COLUMN "state" OF POLICY "people_k2"', texts)

    def test_identifiers_unknown_columns_and_policies_have_none(self):
        for column in ("id", "nothing", ""):
            self.assertEqual(self.count(column)[0], 404, column)
        self.assertEqual(self.count(policy="nothing")[0], 400)
        self.assertEqual(self.operator.api("POST", "distribution", {"policy": "people_k2"})[0], 400)

    def test_stats_roles_do_not_see_it(self):
        self.assertEqual(self.count(browser=Browser(self.port()).sign_in("watcher"))[0], 403)


class AuditLog(PageCase):
    def look(self, browser=None, **filters):
        return (browser or self.operator).api(
            "POST", "audit", {"event": "", "role": "", "verdict": "", "text": ""} | filters
        )

    def test_the_latest_line_is_the_one_that_tells_of_looking(self):
        status, answer = self.look()
        self.assertEqual(status, 200, answer)
        self.assertEqual(
            (answer["events"][0]["event"], answer["events"][0]["sql"]), ("command", "LOOK AT THE AUDIT LOG")
        )
        self.assertNotIn("prev", answer["events"][0])

    def test_lines_are_chosen_by_event_role_verdict_and_text(self):
        self.browser().api("POST", "session", {"role": "watcher", "password": "wrong"})
        _, answer = self.look(event="login", role="watcher", verdict="refused")
        self.assertTrue(answer["events"])
        self.assertEqual(
            {(it["event"], it["role"], it["verdict"]) for it in answer["events"]},
            {("login", "watcher", "refused")},
        )
        _, answer = self.look(text="build POLICY")
        self.assertTrue(answer["events"])
        self.assertTrue(all("BUILD POLICY" in it["sql"] for it in answer["events"]))
        self.assertEqual(self.look(text="nobody ever said this")[1], {"events": [], "next": None, "is_whole": True})

    def test_two_hundred_lines_at_most_and_the_next_ones_on_demand(self):
        for _ in range(105):
            self.operator.api("GET", "show/version")
        _, answer = self.look()
        self.assertEqual((len(answer["events"]), answer["is_whole"]), (200, False))
        _, older = self.look(before=answer["next"])
        everything = self.audited()
        seen = [it["at"] for it in answer["events"] + older["events"]]
        expected = [it["at"] for it in reversed(everything)]
        self.assertEqual(seen, expected[expected.index(seen[0]):][: len(seen)])
        _, more = self.look(limit=10000)
        self.assertGreater(len(more["events"]), 200)
        self.assertTrue(more["is_whole"])
        self.assertIsNone(more["next"])

    def test_a_range_of_time(self):
        self.operator.api("GET", "show/version")
        latest = self.audited()[-1]["at"]
        second = latest[:19]
        _, answer = self.look(**{"from": second + "Z", "limit": 10000})
        self.assertTrue(answer["events"])
        self.assertTrue(all(it["at"][:19] >= second for it in answer["events"]))
        _, answer = self.look(to=second + ".5Z", limit=10000)
        self.assertTrue(all(it["at"][:19] < second for it in answer["events"]))
        self.assertEqual(self.look(**{"from": "2199-01-01T00:00:00Z"})[1]["events"], [])

    def test_the_looks_of_the_page_can_be_left_out(self):
        self.operator.api("GET", "show/pools")
        self.operator.api("POST", "policies/people_k2/check", {})
        _, answer = self.look(looks="hidden", limit=10000)
        texts = [it.get("sql") for it in answer["events"] if it["event"] == "command"]
        self.assertIn('CHECK POLICY "people_k2"', texts)
        self.assertNotIn("SHOW POOLS", texts)
        self.assertNotIn("LOOK AT THE AUDIT LOG", texts)
        ends = [it["request"] for it in answer["events"] if it["event"] == "command_end"]
        begun = [it["request"] for it in answer["events"] if it["event"] == "command"]
        self.assertEqual(sorted(ends), sorted(begun))
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            console.query("SHOW POOLS")  # of the console, not of the page
        _, answer = self.look(looks="hidden", limit=10000)
        self.assertIn("SHOW POOLS", [it.get("sql") for it in answer["events"]])

    def test_lines_are_counted_by_a_key(self):
        self.browser().api("POST", "session", {"role": "watcher", "password": "wrong"})
        body = {"event": "login", "role": "", "verdict": "", "text": ""}
        status, answer = self.operator.api("POST", "audit/groups", body | {"by": "role"})
        self.assertEqual(status, 200, answer)
        counted = {it["value"]: it["lines"] for it in answer["groups"]}
        logins = [it["role"] for it in self.audited() if it["event"] == "login"]
        self.assertEqual(counted, {role: logins.count(role) for role in set(logins)})
        self.assertEqual(answer["lines"], len(logins))
        self.assertEqual(self.operator.api("POST", "audit/groups", body)[0], 400)
        self.assertEqual(self.operator.api("POST", "audit/groups", body | {"by": "sql"})[0], 400)

    def test_a_question_of_another_shape_is_refused(self):
        for wrong in ({"limit": 0}, {"limit": 10001}, {"from": "yesterday"}, {"to": "2026-11-22"},
                      {"looks": "some"}, {"before": 3}, {"before": 2**40}, {"limit": "5"}, {"order": "up"}):
            self.assertEqual(self.look(**wrong)[0], 400, wrong)

    def test_stats_roles_do_not_read_it(self):
        watcher = Browser(self.port()).sign_in("watcher")
        self.assertEqual(self.look(watcher)[0], 403)
        body = {"event": "", "role": "", "verdict": "", "text": "", "by": "role"}
        self.assertEqual(watcher.api("POST", "audit/groups", body)[0], 403)


class Configuration(Case):
    """What is refused before anything listens."""

    def check(self, http, auth):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "pgveil.yaml"
            path.write_text(
                f"backend: {{host: 127.0.0.1, databases: [demo], query_role: {{user: q}}}}\nauth: {auth}\n"
                f"admin: {{admin_users: [operator], http: {http}}}\npolicies: []\nstate_dir: state\n"
            )
            done = subprocess.run(
                [binary(), "serve", "--config", str(path)], capture_output=True, text=True, timeout=60
            )
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_the_page_is_on_loopback_or_nowhere(self):
        for host in ("0.0.0.0", "192.0.2.1", "'::'", "localhost", "127.evil.example"):
            self.assertIn(
                "admin.http.host",
                self.check(f"{{host: {host}, port: 0}}", "{method: scram-sha-256, users_file: users}"),
            )

    def test_the_page_needs_passwords(self):
        self.assertIn("asks for passwords", self.check("{port: 0}", "{method: trust}"))


if __name__ == "__main__":
    main()

"""Protecting a table on the page: what is listed, drafted, tried, applied and undone, by whom, and what happens
when files, rights, reloads or other people are in the way."""
import json
import os
import resource
import socket
import stat
import threading
import time

from harness import world
from harness.page import PASSWORDS, Browser, PageCase
from harness.runner import main

TABLES = """
CREATE TABLE public.patients (
  patient_id integer PRIMARY KEY, first_name text, last_name text, birth_date date, sex text, city text,
  diagnosis text);
INSERT INTO public.patients
  SELECT g, 'first-secret-' || g, 'last-secret-' || g, date '1940-01-01' + (g % 60) * 365,
         (ARRAY['f', 'm'])[1 + g % 2], (ARRAY['Town-secret', 'Village-secret', 'rare-secret-' || g])
         [CASE WHEN g % 50 = 0 THEN 3 ELSE 1 + g % 2 END], (ARRAY['flu', 'cold', 'gout'])[1 + g % 3]
    FROM generate_series(1, 400) g;
CREATE TABLE public.ungranted (person_id integer PRIMARY KEY, email text, city text);
INSERT INTO public.ungranted SELECT g, g || '@secret', 'c' || g % 3 FROM generate_series(1, 100) g;
CREATE VIEW public.v_patients AS SELECT * FROM public.patients;
CREATE MATERIALIZED VIEW public.m_patients AS SELECT sex, count(*) FROM public.patients GROUP BY sex;
CREATE TABLE public."we<i>rd ""q"" 名" (id integer PRIMARY KEY, "<b>name</b>" text, "naïve ""x"" y" text);
INSERT INTO public."we<i>rd ""q"" 名" SELECT g, 'n' || g, 'v' || g % 2 FROM generate_series(1, 100) g;
CREATE TABLE public.secured (person_id integer PRIMARY KEY, city text);
ALTER TABLE public.secured ENABLE ROW LEVEL SECURITY;
CREATE TABLE public.wide ({wide});
INSERT INTO public.wide (c0) SELECT generate_series(1, 100);
GRANT SELECT ON public.patients, public.v_patients, public.m_patients, public."we<i>rd ""q"" 名", public.wide
  TO pgveil_query, pgveil_admin;
ANALYZE;
""".format(wide=", ".join(f"c{i} integer" for i in range(300)))
FILE = "policies/patients.yaml"
YAML = """version: 1
policies:
  - name: patients
    database: demo
    table: public.patients
    k: {k}
    readers: [{readers}]
    columns:
      patient_id: {{class: identifier}}
      sex: {{class: quasi_identifier}}
      city: {{class: {city}}}
      diagnosis: {{class: insensitive}}
"""
SECRETS = ("-secret", "gout")


def text(k=5, readers="analyst", city="quasi_identifier"):
    return YAML.format(k=k, readers=readers, city=city)


class ProtectCase(PageCase):
    http = "{port: 0, policy_authors: [operator], raw_rows: [operator]}"
    extra_sql = TABLES

    def setUp(self):
        for file in self.folder().glob("*.yaml"):
            if file.name != "policies.yaml":
                file.unlink()
        self.start_again()
        type(self).operator = self.browser("operator")

    @classmethod
    def folder(cls):
        return cls.pgveil.policy_path.parent

    def post(self, path, body, browser=None, **more):
        return (browser or self.operator).api("POST", "protect/" + path, body, **more)

    def apply(self, yaml=None, file=FILE, seen=None, password=PASSWORDS["operator"], **more):
        body = {"file": file, "yaml": text() if yaml is None else yaml, "seen": seen, "password": password}
        return self.post("apply", body, **more)

    def undo(self, number, password=PASSWORDS["operator"], **more):
        return self.post("undo", {"id": number, "password": password}, **more)

    def check(self, yaml, file=FILE, seen=None, **more):
        return self.post("check", {"file": file, "yaml": yaml, "seen": seen}, **more)

    def applied(self, *arguments, **more):
        status, answer = self.apply(*arguments, **more)
        self.assertEqual(status, 200, answer)
        return answer

    def build(self, state):
        return self.operator.api("POST", "build", {"policy": state["policy"], "tag": state["tag"]})

    def reload(self):
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            self.assertEqual(console.query("RELOAD").errors, [])

    def files(self):
        return sorted(it.name for it in self.folder().iterdir())

    def rows(self, sql, role="analyst"):
        with self.pgveil.client(role, password=PASSWORDS["analyst"]) as client:
            return client.query(sql)

    def assert_no_secret(self, answer):
        for secret in (*SECRETS, *world.HIDDEN):
            self.assertNotIn(secret, json.dumps(answer))


class Tables(ProtectCase):
    def tables(self, database="demo", **more):
        return self.post("tables", {"database": database}, **more)

    def test_every_table_with_its_state_and_what_looks_personal(self):
        status, answer = self.tables()
        self.assertEqual((status, answer["policy_folder"]), (200, "policies"), answer)
        tables = {it["table"]: it for it in answer["tables"]}
        for name, state in (("people", "protected"), ("staff", "protected"), ("towns", "open"),
                            ("patients", "unlisted"), ("v_patients", "unlisted"), ("diary", "unlisted")):
            self.assertEqual(tables["public." + name]["state"], state, name)
        self.assertEqual(tables["public.people"]["policies"][0]["name"], "people_k2")
        patients = tables["public.patients"]
        self.assertEqual((patients["kind"], patients["rows"], patients["looks"], patients["can_draft"]),
                         ("table", 400, "persons", True))
        self.assertLessEqual({"first_name", "last_name", "birth_date"},
                             {it["column"] for it in patients["personal"]})
        self.assertEqual(tables["public.v_patients"]["kind"], "view")
        self.assertTrue(tables["public.v_patients"]["personal"])
        self.assertEqual(tables["public.m_patients"]["kind"], "materialized view")
        self.assertEqual((tables["public.ungranted"]["may_count"], patients["may_count"]), (False, True))
        self.assertIn('public.we<i>rd "q" 名', tables)
        self.assertFalse(tables["public.secured"]["can_draft"])
        self.assert_no_secret(answer)

    def test_no_row_is_read_for_the_list(self):
        self.postgres.run("SELECT pg_stat_reset()", "demo")
        self.tables()
        scans = self.postgres.rows(
            "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'patients'", "demo")
        self.assertEqual([list(map(str, row)) for row in scans], [["0"]])

    def test_who_may_not_ask_is_told_nothing(self):
        self.assertEqual(self.tables(browser=self.browser("watcher"))[0], 403)
        self.assertEqual(Browser(self.port()).api("POST", "protect/tables", {"database": "demo"})[0], 401)
        self.assertEqual(self.tables("postgres")[0], 404)
        self.assertEqual(self.post("tables", {"database": 1})[0], 400)
        self.assertEqual(self.post("tables", {})[0], 400)


class ManyTables(PageCase):
    extra_sql = ("DO $$BEGIN FOR i IN 1..2000 LOOP EXECUTE format("
                 "'CREATE TABLE public.t%s (id integer PRIMARY KEY, first_name text, city text)', i); "
                 "END LOOP; END$$")
    built = ()

    def test_two_thousand_tables_are_listed_and_one_is_drafted(self):
        began = time.monotonic()
        status, answer = self.operator.api("POST", "protect/tables", {"database": "demo"})
        print(f"# 2,000 tables: {time.monotonic() - began:.1f} s")
        self.assertEqual(status, 200)
        self.assertGreaterEqual(len(answer["tables"]), 2000)
        began = time.monotonic()
        status, answer = self.operator.api(
            "POST", "protect/draft", {"database": "demo", "table": "public.people"})
        print(f"# a draft beside them: {time.monotonic() - began:.1f} s")
        self.assertEqual(status, 200, answer)


class Drafts(ProtectCase):
    def draft(self, table, **more):
        return self.post("draft", {"database": "demo", "table": table}, **more)

    def test_each_column_has_a_class_and_a_reason_and_the_text_can_be_applied(self):
        status, answer = self.draft("public.patients")
        self.assertEqual(status, 200, answer)
        classes = {it["name"]: it["class"] for it in answer["columns"]}
        self.assertEqual((classes["first_name"], classes["last_name"], classes["sex"]),
                         ("identifier", "identifier", "quasi_identifier"))
        self.assertTrue(all(it["reason"] for it in answer["columns"]))
        self.assertEqual((answer["sampled"], answer["looks"]), (400, "persons"))
        draft = answer["draft"]
        self.assertEqual((draft["policy"], draft["file"]), ("patients", FILE))
        self.assert_no_secret(answer)
        answer = self.applied(draft["yaml"], draft["file"])
        self.assertEqual(answer["policies"][0]["needs_build"], True)
        self.assertEqual(self.build(answer["policies"][0]["state"])[0], 200)

    def test_a_table_of_odd_names_is_drafted_and_applied(self):
        status, answer = self.draft('public.we<i>rd "q" 名')
        self.assertEqual(status, 200, answer)
        self.assertIn("<b>name</b>", [it["name"] for it in answer["columns"]])
        if answer["draft"]:
            answer = self.applied(answer["draft"]["yaml"], answer["draft"]["file"])
            self.assertEqual(self.build(answer["policies"][0]["state"])[0], 200)

    def test_three_hundred_columns(self):
        status, answer = self.draft("public.wide")
        self.assertEqual((status, len(answer["columns"])), (200, 300), answer)

    def test_a_reference_table_can_be_chosen(self):
        status, answer = self.draft("public.towns")
        self.assertEqual(status, 200, answer)
        self.assertTrue(answer["draft"] or answer["why_not"])

    def test_what_can_t_be_drafted_says_why(self):
        status, answer = self.draft("public.secured")
        self.assertEqual((status, answer["draft"]), (200, None))
        self.assertIn("row-level security", answer["why_not"])
        self.assertEqual(self.draft("public.nothing")[0], 404)
        self.assertEqual(self.draft("pg_catalog.pg_authid")[0], 404)
        self.assertEqual(self.draft("public.v_patients")[0], 404)
        self.assertEqual(self.draft("public.people", browser=self.browser("watcher"))[0], 403)


class Questions(ProtectCase):
    def curve(self, ks, **more):
        return self.post("curve", {"yaml": text(), "policy": "patients", "ks": ks}, **more)

    def test_a_curve_has_a_point_for_each_k(self):
        status, answer = self.curve([2, 5, 10, 300])
        self.assertEqual(status, 200, answer)
        points = answer["points"]
        self.assertEqual([it["k"] for it in points], [2, 5, 10, 300])
        shares = [it["disclosure"]["disclosed"] for it in points[:3]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertGreater(shares[0], 0)
        _, one = self.curve([5])
        self.assertEqual(one["points"], points[1:2])
        self.assert_no_secret(answer)

    def test_a_k_that_can_t_be_has_an_error_of_its_own(self):
        status, answer = self.curve([5, 401])
        self.assertEqual(status, 200, answer)
        self.assertIn("disclosure", answer["points"][0])
        self.assertIn("error", answer["points"][1])

    def test_what_is_no_list_of_k_is_refused(self):
        for ks in ([], [1], [2] * 25, [2.5], ["2"], [-3], 5, None, [2**54]):
            self.assertEqual(self.curve(ks)[0], 400, ks)
        self.assertEqual(self.curve([5], browser=self.browser("watcher"))[0], 403)

    def test_a_question_is_cancelled_while_the_table_is_counted(self):
        self.assertEqual(self.post("cancel", {}), (200, {"was_running": False}))
        answers = []
        with _lock(self):
            visitor = threading.Thread(target=lambda: answers.append(self.curve([2])))
            visitor.start()
            self.until(lambda: self.post("cancel", {})[1]["was_running"], "the question does not run")
            visitor.join()
        self.assertEqual((answers[0][0], answers[0][1]["sqlstate"]), (409, "57014"), answers)

    def test_a_newer_question_of_the_session_takes_the_place_of_the_older_one(self):
        answers = []
        with _lock(self):
            visitor = threading.Thread(target=lambda: answers.append(self.curve([2])))
            visitor.start()
            waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'public.patients'::regclass"
            self.until(lambda: self.postgres.rows(waiting, "demo"), "the older question does not wait")
            newer = threading.Thread(target=lambda: answers.append(self.curve([3])))
            newer.start()
            visitor.join()
            self.assertEqual((answers[0][0], answers[0][1]["sqlstate"]), (409, "57014"), answers)
        newer.join()
        self.assertEqual(answers[1][0], 200, answers)


class _lock:
    """Keeps the table from being counted, so that a question lasts."""

    def __init__(self, case):
        self.case = case

    def __enter__(self):
        self.client = self.case.direct("demo")
        self.client.query("BEGIN")
        self.client.query("LOCK TABLE public.patients IN ACCESS EXCLUSIVE MODE")

    def __exit__(self, *_):
        self.client.query("ROLLBACK")
        self.client.close()


class Samples(ProtectCase):
    def sample(self, yaml=None, password=PASSWORDS["operator"], policy="patients", **more):
        return self.post("sample", {"yaml": yaml or text(), "policy": policy, "password": password}, **more)

    def test_twenty_rows_raw_and_as_the_draft_would_show_them(self):
        status, answer = self.sample()
        self.assertEqual((status, len(answer["raw"]), len(answer["masked"])), (200, 20, 20), answer)
        at = {name: number for number, name in enumerate(answer["columns"])}
        for raw, masked in zip(answer["raw"], answer["masked"]):
            self.assertEqual((masked[at["first_name"]], masked[at["patient_id"]]), (None, None))
            self.assertEqual(masked[at["diagnosis"]], raw[at["diagnosis"]])
            self.assertTrue(all(cell in (None, own) for cell, own in zip(masked, raw)))
        self.assertEqual(self.files(), ["policies.yaml"])
        # The same rows when it is applied and built.
        state = self.applied()["policies"][0]["state"]
        self.assertEqual(self.build(state)[0], 200)
        _, real = self.operator.api("POST", "raw-rows", {"policy": "patients", "password": PASSWORDS["operator"]})
        self.assertEqual((real["masked"][:20], real["raw"][:20]), (answer["masked"], answer["raw"]))

    def test_constraints_count_too(self):
        yaml = text().replace("insensitive", "sensitive, l_diversity: {distinct: 2}")
        self.assertEqual(self.sample(yaml)[0], 200)

    def test_nothing_without_the_password_or_the_list(self):
        for password in ("", "wrong"):
            status, answer = self.sample(password=password)
            self.assertEqual(status, 403, answer)
            self.assert_no_secret(answer)
        self.assertEqual(self.sample(browser=self.browser("watcher"))[0], 403)
        answers = [self.sample(password="wrong")[0] for _ in range(9)]
        self.assertEqual(answers[-1], 429)

    def test_what_can_t_be_sampled(self):
        self.assertEqual(self.sample(policy="nobody")[0], 404)
        self.assertEqual(self.sample(text().replace("demo", "postgres"))[0], 404)
        self.assertEqual(self.sample("policies: [")[0], 400)

    def test_it_is_on_record_with_its_table(self):
        before = len(self.audited())
        self.sample()
        self.assertEqual(
            [(it["event"], it.get("sql")) for it in self.audited()[before:]],
            [("command", "SHOW RAW ROWS OF A DRAFT OF POLICY patients"),
             ("command", "20 RAW ROWS OF TABLE public.patients"), ("command_end", None)])


class Applied(ProtectCase):
    def test_a_new_policy_is_written_loaded_built_and_undone(self):
        before = self.rows("SELECT sex FROM patients").errors
        self.assertTrue(before)
        answer = self.applied(text(k=8))
        path = self.folder() / "patients.yaml"
        self.assertEqual(path.read_text(), text(k=8))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(self.files(), ["patients.yaml", "policies.yaml"])
        policy = answer["policies"][0]
        self.assertEqual((policy["name"], policy["needs_build"]), ("patients", True))
        self.assertEqual(self.build(policy["state"])[0], 200)
        self.assertEqual(self.rows("SELECT count(*) FROM patients").texts(), [["400"]])
        status, undone = self.undo(answer["undo"])
        self.assertEqual((status, undone["file"]["tag"]), (200, None), undone)
        self.assertEqual(self.files(), ["policies.yaml"])
        self.assertTrue(self.rows("SELECT sex FROM patients").errors)
        self.assertEqual(self.undo(answer["undo"])[0], 404)
        self.assert_no_secret([answer, undone])

    def test_a_file_that_is_there_keeps_mode_and_comes_back(self):
        path = self.folder() / "patients.yaml"
        first = self.applied()
        os.chmod(path, 0o640)
        second = self.applied(text(k=7), seen=first["file"]["tag"])
        self.assertEqual((path.read_text(), stat.S_IMODE(path.stat().st_mode)), (text(k=7), 0o640))
        self.assertEqual(self.undo(first["undo"])[0], 409)
        self.assertEqual(self.undo(second["undo"])[0], 200)
        self.assertEqual((path.read_text(), stat.S_IMODE(path.stat().st_mode)), (text(), 0o640))
        self.assertEqual(self.undo(first["undo"])[0], 200)

    def test_undo_works_after_a_restart(self):
        answer = self.applied()
        self.start_again()
        type(self).operator = self.browser("operator")
        self.assertEqual(self.undo(answer["undo"])[0], 200)
        self.assertEqual(self.files(), ["policies.yaml"])

    def test_a_lost_connection_leaves_the_table_closed_until_it_is_built(self):
        body = json.dumps({"file": FILE, "yaml": text(), "seen": None, "password": PASSWORDS["operator"]}).encode()
        head = (f"POST /api/v1/protect/apply HTTP/1.1\r\nHost: 127.0.0.1:{self.port()}\r\nOrigin: http://127.0.0.1:"
                f"{self.port()}\r\nCookie: {self.operator.cookie}\r\nX-CSRF-Token: {self.operator.csrf}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
        with socket.create_connection(("127.0.0.1", self.port())) as visitor:
            visitor.sendall(head + body)
        for _ in range(1200):
            status, state = self.operator.api("POST", "state", {"policy": "patients"})
            if status == 200:
                break
            time.sleep(0.05)
        self.assertIn("build", state["closed_because"])
        self.assertTrue(self.rows("SELECT sex FROM patients").errors)
        self.assertEqual(self.build(state)[0], 200)
        self.assertEqual(self.rows("SELECT count(*) FROM patients").texts(), [["400"]])

    def test_new_readers_may_read(self):
        first = self.applied(text(readers="bi"))
        self.build(first["policies"][0]["state"])
        self.assertTrue(self.rows("SELECT sex FROM patients").errors)
        second = self.applied(text(readers="bi, analyst"), seen=first["file"]["tag"])
        self.assertFalse(second["policies"][0]["needs_build"])
        self.assertEqual(self.rows("SELECT count(*) FROM patients").texts(), [["400"]])

    def test_both_records_have_the_hash_and_no_text(self):
        import hashlib
        digest = hashlib.sha256(text().encode()).hexdigest()
        before = len(self.audited())
        answer = self.applied()
        events = [(it["event"], it.get("sql")) for it in self.audited()[before:] if it["event"].startswith("command")]
        self.assertEqual(events, [
            ("command", f'APPLY POLICY FILE "{FILE}" SHA256 {digest}'),
            ("command", f'WRITE POLICY FILE "{FILE}" SHA256 {digest} IN PLACE OF NO FILE: POLICIES patients'),
            ("command_end", None)])
        before = len(self.audited())
        self.undo(answer["undo"])
        commands = [it.get("sql") for it in self.audited()[before:] if it["event"] == "command"]
        self.assertEqual(commands, ["UNDO A CHANGE OF A POLICY FILE",
                                    f'RESTORE POLICY FILE "{FILE}" NO FILE IN PLACE OF SHA256 {digest}'])
        self.assertNotIn("diagnosis", json.dumps(self.audited()))
        for secret in PASSWORDS.values():
            self.assertNotIn(secret, json.dumps(self.audited()) + self.pgveil.log())


class Refused(ProtectCase):
    def assert_nothing_changed(self):
        self.assertEqual(self.files(), ["policies.yaml"])
        self.assertEqual(self.operator.api("POST", "state", {"policy": "patients"})[0], 400)

    def test_who_is_not_listed_or_has_no_password(self):
        watcher = self.browser("watcher")
        status, answer = self.apply(browser=watcher, password=PASSWORDS["watcher"])
        self.assertEqual((status, answer["sqlstate"]), (403, "42501"))
        self.assertEqual(self.undo("0" * 32, browser=watcher)[0], 403)
        for password in ("", "wrong", PASSWORDS["watcher"]):
            self.assertEqual(self.apply(password=password)[0], 403)
        self.assertEqual([self.apply(password="wrong")[0] for _ in range(9)][-1], 429)
        self.assert_nothing_changed()

    def test_another_site_can_t_apply(self):
        for headers in ({"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "cross-site"},
                        {"Content_Type": "text/plain"}, {"X_CSRF_Token": "x" * 24}):
            self.assertEqual(self.apply(**headers)[0], 403, headers)
        self.assertEqual(self.apply(leave_out=("X-CSRF-Token",))[0], 403)
        self.assertEqual(self.operator.api("GET", "protect/apply")[0], 404)
        self.assert_nothing_changed()

    def test_names_that_lead_elsewhere(self):
        for name in ("../evil.yaml", "policies/../../evil.yaml", "/etc/cron.d/evil.yaml", "policies/sub/evil.yaml",
                     "policies/.evil.yaml", "policies/evil.yml", "policies/evil.yaml.sh", "policies/Evil.yaml",
                     "policies/e vil.yaml", "policies/名.yaml", "policies/<b>.yaml", "policies/'.yaml", "evil.yaml",
                     "pgveil.yaml", "users.txt", "policies/", "policies/.yaml", "", "policies/" + "a" * 64 + ".yaml",
                     "policies/-rf.yaml", "policies/a\n.yaml"):
            status, answer = self.apply(file=name)
            self.assertEqual(status, 400, (name, answer))
        self.assertEqual(self.apply(file="policies/a\u0000.yaml")[0], 400)
        self.assert_nothing_changed()

    def test_a_link_in_the_place_of_the_file(self):
        target = self.pgveil.directory / "elsewhere.yaml"
        target.write_text("keep me")
        (self.folder() / "patients.yaml").symlink_to(target)
        try:
            status, answer = self.apply()
            self.assertGreaterEqual(status, 400, answer)
            self.assertEqual(target.read_text(), "keep me")
        finally:
            (self.folder() / "patients.yaml").unlink()
            target.unlink()

    def test_a_text_that_does_not_load_is_never_written(self):
        for yaml, words in (
            ("policies: [", None),
            (text().replace("k: 5", "k: 1"), "out of range"),
            (text().replace("demo", "postgres"), "backend.databases"),
            (text().replace("public.patients", "public.nothing"), "nothing"),
            (text().replace("sex:", "sax:"), "sax"),
            (text().replace("name: patients", "name: people_k2"), "people_k2"),
            (text().replace("public.patients", "public.secured").replace("sex", "city2"), None),
        ):
            status, answer = self.apply(yaml)
            self.assertEqual(status, 400, (yaml, answer))
            self.assertTrue(answer["errors"], answer)
            if words:
                self.assertIn(words, json.dumps(answer["errors"]))
            status, checked = self.check(yaml)
            self.assertEqual((status, checked["errors"]), (200, answer["errors"]))
        self.assert_nothing_changed()

    def test_files_outside_of_the_folder_are_not_read(self):
        for path in ("/etc/passwd", "../query_password", "../users.txt"):
            yaml = text().replace("city: {class: quasi_identifier}",
                                  f"city: {{class: quasi_identifier, generalize: {{hierarchy: \"{path}\"}}}}")
            status, answer = self.check(yaml)
            self.assertEqual(status, 200, answer)
            self.assertTrue(answer["errors"])
            for word in ("root", "SCRAM", world.QUERY_PASSWORD):
                self.assertNotIn(word, json.dumps(answer))

    def test_a_policy_over_a_table_that_would_be_open_without_it_can_t_be_removed(self):
        config = self.pgveil.config_path.read_text()
        first = self.applied()
        self.pgveil.config_path.write_text(config.replace('"public.towns"', '"public.towns", "public.pat*"'))
        try:
            self.reload()
            other = text().replace("name: patients", "name: others").replace("public.patients", "public.diary")
            other = other[: other.index("    columns:")] + "    columns:\n      secret: {class: quasi_identifier}\n"
            status, answer = self.check(other, seen=first["file"]["tag"])
            self.assertEqual((status, answer["removed"]), (200, ["patients"]), answer)
            self.assertIn("open_tables would show public.patients", json.dumps(answer["errors"]))
            self.assertEqual(self.apply(other, seen=first["file"]["tag"])[0], 400)
        finally:
            self.pgveil.config_path.write_text(config)
            self.reload()

    def test_bodies_of_another_shape(self):
        good = {"file": FILE, "yaml": text(), "seen": None, "password": "x"}
        for body in ({}, [], {**good, "more": 1}, {**good, "seen": 5}, {**good, "yaml": None}, {**good, "file": 1},
                     {"file": FILE, "yaml": text(), "password": "x"}):
            self.assertEqual(self.post("apply", body)[0], 400, body)
        for body in ({}, {"id": 1, "password": "x"}, {"id": "x"}):
            self.assertEqual(self.post("undo", body)[0], 400, body)

    def test_ids_that_nobody_was_given(self):
        for number in ("0" * 32, "../../pgveil", "..", "", "A" * 32, "0" * 31):
            self.assertEqual(self.undo(number)[0], 404, number)

    def test_what_can_t_be_put_on_record_is_not_written(self):
        size = os.path.getsize(self.pgveil.directory / "audit.log")
        for room in (0, 450):
            resource.prlimit(self.pgveil.pid, resource.RLIMIT_FSIZE, (size + room, resource.RLIM_INFINITY))
            self.assertEqual(self.apply()[0], 500, room)
            resource.prlimit(
                self.pgveil.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            size = os.path.getsize(self.pgveil.directory / "audit.log")
            self.assert_nothing_changed()


class Conflicts(ProtectCase):
    def test_a_file_that_changed_since_is_a_conflict_with_what_is_there(self):
        first = self.applied()
        path = self.folder() / "patients.yaml"
        path.write_text(text() + "# by hand\n")
        status, answer = self.apply(text(k=9), seen=first["file"]["tag"])
        self.assertEqual((status, answer["now"]["yaml"]), (409, text() + "# by hand\n"), answer)
        self.assertEqual(path.read_text(), text() + "# by hand\n")
        status, answer = self.undo(first["undo"])
        self.assertEqual((status, answer["now"]["yaml"]), (409, text() + "# by hand\n"))
        self.assertEqual(self.apply(text(k=9), seen=None)[0], 409)
        self.assertEqual(self.apply(text(k=9), seen=answer["now"]["tag"])[0], 200)

    def test_a_file_that_is_gone(self):
        first = self.applied()
        (self.folder() / "patients.yaml").unlink()
        status, answer = self.apply(text(k=9), seen=first["file"]["tag"])
        self.assertEqual((status, answer["now"]), (409, None))

    def test_of_two_admins_at_once_one_wins(self):
        answers = []
        texts = [text(k=k) for k in (3, 4, 6)]
        visitors = [
            threading.Thread(target=lambda yaml=yaml: answers.append(self.apply(yaml))) for yaml in texts]
        for each in visitors:
            each.start()
        for each in visitors:
            each.join()
        self.assertEqual(sorted(it[0] for it in answers), [200, 409, 409], answers)
        lost = next(answer for status, answer in answers if status == 409)
        self.assertEqual(lost["now"]["yaml"], (self.folder() / "patients.yaml").read_text())

    def test_a_folder_that_can_t_be_written(self):
        os.chmod(self.folder(), 0o500)
        try:
            status, answer = self.apply()
            self.assertEqual(status, 500, answer)
            self.assertIn(str(self.folder()), answer["message"] + answer["hint"])
        finally:
            os.chmod(self.folder(), 0o700)
        self.assertEqual(self.files(), ["policies.yaml"])
        self.assertEqual(self.apply()[0], 200)

    def test_a_reload_that_fails_puts_the_former_file_back(self):
        first = self.applied()
        config = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(config + "nonsense: 1\n")
        try:
            status, answer = self.apply(text(k=9), seen=first["file"]["tag"])
            self.assertEqual((status, answer["restored"]), (409, True), answer)
            self.assertEqual((self.folder() / "patients.yaml").read_text(), text())
            status, answer = self.undo(first["undo"])
            self.assertEqual((status, answer["restored"]), (409, True), answer)
            self.assertEqual((self.folder() / "patients.yaml").read_text(), text())
            self.assertEqual(self.apply(file="policies/other.yaml", yaml=text().replace("patients", "staff2", 1)
                                        .replace("readers: [analyst]", "readers: [bi]"))[0] >= 400, True)
        finally:
            self.pgveil.config_path.write_text(config)
        self.assertEqual(self.undo(first["undo"])[0], 200)

    def test_a_role_that_lost_its_place_on_the_list(self):
        config = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(config.replace("policy_authors: [operator]", "policy_authors: []"))
        try:
            self.reload()
            self.assertEqual(self.apply()[0], 403)
            self.assertEqual(self.operator.api("GET", "session")[1]["policy_authors"], False)
        finally:
            self.pgveil.config_path.write_text(config)
            self.reload()


class Told(ProtectCase):
    def test_what_the_owner_has_to_run_is_told(self):
        yaml = text().replace("patients", "ungranted").replace("patient_id", "person_id").replace(
            "      sex: {class: quasi_identifier}\n", "").replace(
            "      diagnosis: {class: insensitive}\n", "")
        yaml = yaml.replace("ungranted_id", "person_id")
        status, answer = self.check(yaml)
        self.assertEqual((status, answer["errors"]), (200, []), answer)
        statements = {it["sql"] for it in answer["missing"]}
        self.assertIn('GRANT SELECT ON public.ungranted TO pgveil_admin;', {it.replace('"', "") for it in statements})
        self.assertIn('GRANT SELECT ON public.ungranted TO pgveil_query;', {it.replace('"', "") for it in statements})
        for statement in statements:
            self.postgres.run(statement, "demo")
        self.assertEqual(self.check(yaml)[1]["missing"], [])

    def test_what_shows_more_is_told_before(self):
        first = self.applied()
        yaml = text(k=2, readers="analyst, bi", city="insensitive")
        status, answer = self.check(yaml, seen=first["file"]["tag"])
        self.assertEqual(status, 200, answer)
        told = " ".join(answer["shows_more"])
        for words in ("k: 5 → 2", "column city", "role bi may read it"):
            self.assertIn(words, told)
        self.assertEqual(self.check(text(k=7), seen=first["file"]["tag"])[1]["shows_more"], [])
        self.assertEqual((self.folder() / "patients.yaml").read_text(), text())

    def test_how_clients_connect(self):
        status, answer = self.operator.api("GET", "protect/connection")
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["host"], answer["port"], answer["databases"], answer["tls"], answer["sslmode"]),
                         (None, self.pgveil._own_port, ["demo"], "disable", "disable"))
        self.assertEqual(self.browser("watcher").api("GET", "protect/connection")[0], 403)

    def test_builds_are_told_while_they_run(self):
        with socket.create_connection(("127.0.0.1", self.port()), timeout=60) as visitor:
            visitor.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: localhost:{self.port()}\r\nCookie: "
                            f"{self.operator.cookie}\r\n\r\n".encode())
            seen = b""
            while b"event: builds" not in seen:
                seen += visitor.recv(65536)


class NotConfigured(PageCase):
    def test_nobody_applies_unless_the_configuration_says_so(self):
        status, answer = self.operator.api("POST", "protect/apply", {
            "file": FILE, "yaml": text(), "seen": None, "password": PASSWORDS["operator"]})
        self.assertEqual((status, answer["sqlstate"]), (403, "42501"))
        self.assertEqual(self.operator.api("GET", "session")[1]["policy_authors"], False)


if __name__ == "__main__":
    main()

"""Jobs of the page over tables: what the columns hold, partitioned tables, and who may: the list that RELOAD
takes over."""
import csv
import io
import json
import os
import resource
import threading
import time
from collections import Counter

from page_job_uploads_test import FOLK, PageJobsCase
from harness.page import PASSWORDS
from harness.world import naive
from harness.runner import main
from harness.wire import RawClient

LISTED = "{port: 0, table_jobs: [operator]}"


class TableCase(PageJobsCase):
    http = LISTED
    proves = True

    def setUp(self):
        self.start_again()
        type(self).operator = self.browser("operator")
        self.assertEqual(self.prove(self.operator), 200)

    def ask(self, method, path, body=None, expected=200, browser=None):
        """Each run and each look takes a proof of its own."""
        if self.proves and browser is None and method == "POST" and path in ("runs", "table-columns"):
            self.prove(self.operator)
        return super().ask(method, path, body, expected, browser)

    def prove(self, browser, password=PASSWORDS["operator"]):
        return browser.api("POST", "prove", {"password": password})[0]

    def look(self, table="public.kinds", expected=200, browser=None, database="demo"):
        return self.ask("POST", "table-columns", {"database": database, "table": table}, expected, browser)

    def reload(self):
        """The steps: item → outcome, message."""
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            return {row[0]: row[1:] for row in console.query("RELOAD").texts()}

    def check(self, text):
        return self.ask("POST", "check", {"yaml": text, "files": {}})["error"]


KINDS = """
CREATE COLLATION public.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE public.pair AS (a integer, b text);
CREATE DOMAIN public.grade AS numeric CHECK (VALUE < 1000);
CREATE TABLE public.kinds (
  id integer PRIMARY KEY, town text, "Odd ""name"" of it" text, amount numeric, ratio float8, mark public.grade, born date, seen timestamp,
  tags integer[], doc json, bin bytea, two public.pair, fold text COLLATE public.folded, doubled integer GENERATED ALWAYS AS (id * 2) STORED,
  zip text, many text, long text, blank text, nothing text, fixed char(4), mood public.mood, is_new boolean, german text, mixed text, email text);
INSERT INTO public.kinds (id, town, "Odd ""name"" of it", amount, ratio, mark, born, seen, tags, doc, bin, two, fold, zip, many, long, blank, nothing, fixed, mood,
                          is_new, german, mixed, email)
SELECT g, CASE WHEN g % 4 = 0 THEN NULL WHEN g % 4 = 1 THEN 'NULL' ELSE 'Aber' END, (ARRAY['é', 'e', 'z', 'Z', 'a b', E'a\\nb', '<b>'])[1 + g % 7],
       (ARRAY[1.0, 1.00, -2.5, NULL])[1 + g % 4], (ARRAY[0.5, 'NaN', 3])[1 + g % 3], g % 9, date '2000-01-31' + g % 5, timestamp '2020-02-29 12:00' + g % 3 * interval '1 hour',
       ARRAY[g % 2, NULL], ('{"a": ' || g % 3 || '}')::json, decode(lpad(to_hex(g % 4), 2, '0'), 'hex'), ROW(g % 2, 'x')::public.pair,
       (ARRAY['yes', 'YES', 'no'])[1 + g % 3], lpad((g % 50)::text, 5, '0'), 'value ' || g % 201, repeat('x', 99 + g % 3), (ARRAY['', ' ', NULL])[1 + g % 3], NULL,
       (ARRAY['ab', 'abcd'])[1 + g % 2], (ARRAY['calm', 'glad']::public.mood[])[1 + g % 2], g % 2 = 0, (10 + g % 9) || '.02.2024',
       (ARRAY['1', 'one'])[1 + g % 2], 'p' || g % 3 || '@example.org'
  FROM generate_series(1, 600) g;
CREATE TABLE public.empty (a integer, b text);
CREATE TABLE public.wide (LIKE public.empty);
CREATE TABLE public.exact (short text, listed text);
INSERT INTO public.exact SELECT repeat('y', 100), 'v' || g FROM generate_series(1, 200) g;
CREATE SCHEMA other; CREATE TABLE other.t (a integer); INSERT INTO other.t VALUES (7);
CREATE SCHEMA shut; CREATE TABLE shut.t (a integer);
CREATE TABLE public.rls (a integer); ALTER TABLE public.rls ENABLE ROW LEVEL SECURITY;
CREATE MATERIALIZED VIEW public.kept AS SELECT 1 AS a;
DO $$ BEGIN FOR i IN 1..500 LOOP EXECUTE 'ALTER TABLE public.wide ADD COLUMN c' || i || ' integer'; END LOOP; END $$;
GRANT USAGE ON SCHEMA other TO pgveil_admin;
GRANT SELECT ON ALL TABLES IN SCHEMA public, other TO pgveil_admin, pgveil_query;
"""


class Values(TableCase):
    extra_sql = KINDS

    def setUp(self):
        self.make_room()
        self.assertEqual(self.prove(self.operator), 200)

    def counted(self, table, column):
        """→ different texts, NULLs, and the texts by bytes, as SQL says."""
        text = f"({column})::text COLLATE \"C\""
        row = self.postgres.rows(
            f"SELECT count(DISTINCT {text}), count(*) - count({column}), coalesce(json_agg(DISTINCT {text}) "
            f"FILTER (WHERE {column} IS NOT NULL), '[]') FROM {table}",
            "demo",
        )[0]
        return int(row[0]), int(row[1]), sorted(json.loads(row[2]), key=str.encode)

    def counts(self, table, column):
        """How many rows have each text, in the order of the texts."""
        row = self.postgres.rows(
            f"SELECT coalesce(json_agg(n ORDER BY t), '[]') FROM (SELECT ({column})::text COLLATE \"C\" AS t, count(*) AS n "
            f"FROM {table} WHERE {column} IS NOT NULL GROUP BY 1) AS each",
            "demo",
        )[0]
        return json.loads(row[0])

    def quoted(self, name):
        return '"' + name.replace('"', '""') + '"'

    def test_all_is_as_sql_counts_it(self):
        answer = self.look()
        self.assertEqual(answer["rows"], 600)
        self.assertEqual(len(answer["columns"]), 25)
        told = 0
        for column in answer["columns"]:
            distinct, nulls, texts = self.counted("public.kinds", "kinds." + self.quoted(column["name"]))
            self.assertEqual((column["distinct"], column["empty"]), (distinct, nulls), column["name"])
            few = len(texts) <= 200 and all(len(it.encode()) <= 100 for it in texts)
            self.assertEqual(column["values"], texts if few else None, column["name"])
            counts = self.counts("public.kinds", "kinds." + self.quoted(column["name"]))
            self.assertEqual(column["counts"], counts if few else None, column["name"])
            told += few
        self.assertEqual(told, 21)

    def test_null_is_not_the_text_that_says_so_and_an_empty_text_is_a_value(self):
        columns = {it["name"]: it for it in self.look()["columns"]}
        self.assertEqual(
            (columns["town"]["values"], columns["town"]["empty"], columns["town"]["distinct"]),
            (["Aber", "NULL"], 150, 2),
        )
        self.assertEqual((columns["blank"]["values"], columns["blank"]["empty"]), (["", " "], 200))
        self.assertEqual(
            (columns["nothing"]["values"], columns["nothing"]["empty"], columns["nothing"]["kind"]),
            ([], 600, "text"),
        )

    def test_texts_that_differ_are_two_values(self):
        columns = {it["name"]: it for it in self.look()["columns"]}
        self.assertEqual(columns["amount"]["values"], ["-2.5", "1.0", "1.00"])
        self.assertEqual(columns["fold"]["values"], ["YES", "no", "yes"])

    def test_kinds_are_what_all_values_look_like(self):
        columns = {it["name"]: it for it in self.look()["columns"]}
        kinds = {name: it["kind"] for name, it in columns.items()}
        for name in ("id", "amount", "mark", "doubled", "zip"):
            self.assertEqual(kinds[name], "number", name)
        for name in ("born", "seen", "german"):
            self.assertEqual(kinds[name], "date", name)
        for name in (
            "ratio",
            "mixed",
            "town",
            "bin",
            "tags",
            "blank",
            "is_new",
        ):  # ratio: NaN is no number of an interval
            self.assertEqual(kinds[name], "text", name)
        self.assertEqual(
            [
                (columns[name]["least"], columns[name]["greatest"])
                for name in ("id", "amount", "zip", "doubled")
            ],
            [(1, 600), (-2.5, 1), (0, 49), (2, 1200)],
        )
        self.assertNotIn("least", columns["ratio"])
        self.assertEqual(
            [columns[name]["type"] for name in ("id", "mark", "tags", "fixed")],
            ["integer", "public.grade", "integer[]", "character(4)"],
        )

    def test_hints_are_of_names_values_and_of_how_many_there_are(self):
        columns = {it["name"]: it for it in self.look()["columns"]}
        self.assertTrue(columns["email"]["hints"])
        self.assertEqual(columns["id"]["hints"], ["another number or code that identifies"])
        self.assertEqual(columns["mixed"]["hints"], [])

    def test_limits_are_met_exactly(self):
        columns = {it["name"]: it for it in self.look("public.exact")["columns"]}
        self.assertEqual([len(columns[name]["values"]) for name in ("short", "listed")], [1, 200])
        columns = {it["name"]: it for it in self.look()["columns"]}
        self.assertEqual([columns[name]["values"] for name in ("many", "long")], [None, None])
        self.assertEqual([columns[name]["distinct"] for name in ("many", "long")], [201, 3])
        self.assertIn("more than 500 columns", self.look("public.wide", 422)["message"])

    def test_a_table_without_rows(self):
        answer = self.look("public.empty")
        self.assertEqual(
            (answer["rows"], [(it["distinct"], it["empty"], it["values"]) for it in answer["columns"]]),
            (0, [(0, 0, [])] * 2),
        )

    def test_another_schema_of_users_is_read(self):
        self.assertEqual(self.look("other.t")["columns"][0]["values"], ["7"])

    def test_what_no_job_may_read_is_not_looked_at(self):
        for table, status, words in (
            ("public.people", 409, "released under policy people_k2"),
            ("public.v_people", 400, "no table that pgveil knows"),
            ("public.kept", 400, "no table that pgveil knows"),
            ("public.missing", 400, "no table that pgveil knows"),
            ("pg_catalog.pg_authid", 404, "no table of users"),
            ("pgveil.version", 404, "no table of users"),
            ("information_schema.tables", 404, "no table of users"),
            ("kinds", 404, "no table of users"),
            ("public." + "x" * 64, 404, "no table of users"),
            ("shut.t", 403, "permission denied"),
            ("public.rls", 403, "row-level security"),
        ):
            answer = self.look(table, status)
            self.assertIn(words, answer["message"], table)
            self.assert_no_hidden_value(json.dumps(answer))
        self.assertIn("backend.databases", self.look(database="postgres", expected=404)["message"])
        for body in (
            {"table": "public.kinds"},
            {"database": "demo", "table": 1},
            {"database": "demo", "table": "public.kinds", "more": 1},
        ):
            self.ask("POST", "table-columns", body, 400)

    def test_two_are_looked_at_at_once(self):
        upload = self.upload("people.csv", "a,b\n1,2\n")
        with RawClient(self.postgres.port, "postgres", "demo") as holder:
            holder.query("BEGIN; LOCK TABLE public.exact IN ACCESS EXCLUSIVE MODE")
            answers = []
            browsers = [self.browser("operator") for _ in range(2)]
            self.assertEqual([self.prove(browser) for browser in browsers], [200, 200])
            looks = [
                threading.Thread(
                    target=lambda it=it: answers.append(
                        it.api("POST", "desk/table-columns", {"database": "demo", "table": "public.exact"})[0]
                    )
                )
                for it in browsers
            ]
            for look in looks:
                look.start()
            deadline = time.monotonic() + 60
            while (
                int(
                    self.postgres.rows(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'public.exact'::regclass",
                        "demo",
                    )[0][0]
                )
                < 2
            ):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.assertIn("being looked at", self.look("public.kinds", 422)["message"])
            self.ask("POST", f"uploads/{upload}/columns", {"separator": ","}, 422)
            holder.query("COMMIT")
            for look in looks:
                look.join()
        self.assertEqual(answers, [200, 200])
        self.ask("POST", f"uploads/{upload}/columns", {"separator": ","})


class Allowed(TableCase):
    extra_sql = KINDS

    def read_by_admin(self, since):
        return [
            it
            for it in self.postgres.received(since, "pgveil_admin")
            if "kinds" in it and "pg_class" not in it
        ]

    def test_who_is_not_listed_and_who_has_no_password_sees_nothing(self):
        since = self.postgres.log_position()
        watcher = self.browser("watcher")
        self.assertEqual(self.look(expected=403, browser=watcher)["sqlstate"], "42501")
        stolen = self.browser("operator")
        self.assertIn("need your password again", self.look(expected=403, browser=stolen)["message"])
        self.assertEqual(self.prove(stolen, "wrong"), 403)
        self.look(expected=403, browser=stolen)
        for headers in (
            {"Origin": "http://evil.example"},
            {"Sec_Fetch_Site": "cross-site"},
            {"leave_out": ("X-CSRF-Token",)},
        ):
            status, _ = self.operator.api(
                "POST", "desk/table-columns", {"database": "demo", "table": "public.kinds"}, **headers
            )
            self.assertEqual(status, 403, headers)
        self.assertEqual(self.read_by_admin(since), [])
        self.look()
        self.look(expected=403, browser=self.operator)  # the password counts for one look
        self.assertNotEqual(self.read_by_admin(since), [])

    def test_each_look_is_on_record_before_it_and_how_it_ended(self):
        before = len(self.audited())
        self.look()
        self.look("public.people", 409)
        self.look('public.odd "name"', 400)
        proof = [("command", "GIVE THE PASSWORD FOR JOBS OVER TABLES", None), ("command_end", None, None)]
        said = [(it["event"], it.get("sql"), it.get("sqlstate")) for it in self.audited()[before:]]
        self.assertEqual([said[at:at + 2] for at in range(0, len(said), 4)], [proof] * 3)
        self.assertEqual(
            [it for at in range(2, len(said), 4) for it in said[at : at + 2]],
            [
                ("command", "LOOK AT TABLE demo:public.kinds", None),
                ("command_end", None, None),
                ("command", "LOOK AT TABLE demo:public.people", None),
                ("command_end", None, "42501"),
                ("command", 'LOOK AT TABLE demo:public."odd ""name"""', None),
                ("command_end", None, "22023"),
            ],
        )
        self.assertEqual({it["role"] for it in self.audited()[before:]}, {"operator"})
        for text in (json.dumps(self.audited()), self.pgveil.log()):
            self.assertNotIn("value 7", text)

    def test_what_can_t_be_put_on_record_is_not_read(self):
        size = os.path.getsize(self.pgveil.directory / "audit.log")
        since = self.postgres.log_position()
        resource.prlimit(self.pgveil.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        answer = self.look(expected=500)
        resource.prlimit(
            self.pgveil.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        )
        self.assertIn("audit log", answer["message"])
        self.assertEqual(self.read_by_admin(since), [])
        self.assertEqual(self.look()["rows"], 600)


PARTED = """
CREATE TABLE public.parted (name text, age integer, town text, illness text) PARTITION BY RANGE (age);
CREATE SCHEMA parts;
CREATE TABLE parts.young PARTITION OF public.parted FOR VALUES FROM (0) TO (35);
CREATE TABLE public.old PARTITION OF public.parted FOR VALUES FROM (35) TO (200) PARTITION BY LIST (town);
CREATE TABLE public.old_aber PARTITION OF public.old FOR VALUES IN ('Aber');
CREATE TABLE public.old_rest PARTITION OF public.old DEFAULT;
INSERT INTO public.parted SELECT 'person ' || g, 20 + g % 30, CASE WHEN g % 9 > 0 THEN (ARRAY['Aber', 'Bree', 'Cork'])[1 + g % 3] END,
  (ARRAY['flu', 'gout'])[1 + g % 2] FROM generate_series(1, 240) g;
CREATE TABLE public.folk (LIKE public.parted);
INSERT INTO public.folk SELECT * FROM public.parted;
CREATE TABLE public.kin (LIKE public.parted); CREATE TABLE public.cousin () INHERITS (public.kin);
CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER far FOREIGN DATA WRAPPER nothing;
CREATE TABLE public.mixed (a integer, town text) PARTITION BY RANGE (a);
CREATE TABLE public.near PARTITION OF public.mixed FOR VALUES FROM (0) TO (5);
CREATE FOREIGN TABLE public.abroad PARTITION OF public.mixed FOR VALUES FROM (5) TO (9) SERVER far;
CREATE TABLE public.guarded (name text, age integer, town text, illness text) PARTITION BY RANGE (age);
CREATE TABLE public.slice PARTITION OF public.guarded DEFAULT;
CREATE TABLE public.half (name text, age integer, town text, illness text) PARTITION BY RANGE (age);
CREATE TABLE public.half_guarded PARTITION OF public.half DEFAULT;
GRANT SELECT ON public.parted, public.folk, public.kin, public.cousin, public.mixed, public.guarded, public.half, public.half_guarded TO pgveil_admin;
"""


class Partitions(TableCase):
    extra_sql = PARTED
    policies = (
        *TableCase.policies,
        naive.Policy("guarded_k2", "public.guarded", 2, {"town": "quasi_identifier"}),
        naive.Policy("half_k2", "public.half_guarded", 2, {"town": "quasi_identifier"}),
    )

    def before_in_sql(self, table):
        """The classes of the quasi-identifiers: NULL looks like the text that jobs read it as."""
        rows = self.postgres.rows(
            f"SELECT count(*) FROM {table} GROUP BY age, coalesce(town, 'NULL')", "demo"
        )
        return Counter(int(row[0]) for row in rows)

    def assert_before(self, run, table):
        sizes, before = self.before_in_sql(table), run["measures"]["before"]
        self.assertEqual(dict(map(tuple, before["histogram"])), sizes)
        self.assertEqual((before["rows"], before["classes"], before["smallest"], before["largest"]),
                         (240, sum(sizes.values()), min(sizes), max(sizes)))
        self.assertEqual(before["unique_rows"], sizes[1])
        self.assertAlmostEqual(before["highest_risk"], 1 / min(sizes))
        self.assertAlmostEqual(before["mean_risk"], sum(sizes.values()) / 240)

    def test_a_partitioned_table_is_read_with_all_its_partitions(self):
        text = FOLK.replace("public.folk", "public.parted")
        self.assertIsNone(self.check(text))
        run = self.run_job(text, {})
        self.assertEqual(run["state"], "done", run)
        self.assert_before(run, "public.parted")
        _, result = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        rows = list(csv.DictReader(io.StringIO(result)))
        self.assertEqual(run["measures"]["after"]["rows"], len(rows))
        self.assertGreater(len(rows), 200)
        said = [event.get("sql") for event in self.audited()]
        self.assertIn("RUN A JOB OF THE PAGE FROM TABLE demo:public.parted", said)
        plain = self.run_job(FOLK, {})
        self.assert_before(plain, "public.folk")
        self.assertEqual(plain["report"]["published_rows"], run["report"]["published_rows"])

    def test_the_risk_before_is_of_the_rows_that_were_read(self):
        run = self.run_job(FOLK, {})
        first = run["measures"]["before"]
        self.postgres.run("DELETE FROM public.folk WHERE age = 20", "demo")
        try:
            self.assertEqual(self.ask("GET", f"runs/{run['id']}")["measures"]["before"], first)
        finally:
            self.postgres.run("INSERT INTO public.folk SELECT * FROM public.parted WHERE age = 20", "demo")

    def test_mondrian_has_the_risk_before_too(self):
        text = (
            FOLK.replace("hierarchy: {intervals: {widths: [5, 10, 20]}}", "numeric: true")
            .replace("suppression: 5%\n", "algorithm: mondrian\n")
            .replace(", l_diversity: {distinct: 2}", "")
        )
        run = self.run_job(text, {})
        self.assertEqual(run["state"], "done", run)
        self.assert_before(run, "public.folk")

    def test_partitions_are_looked_at_as_one_table(self):
        answer = self.look("public.parted")
        self.assertEqual(answer["rows"], 240)
        columns = {it["name"]: it for it in answer["columns"]}
        self.assertEqual(
            (columns["town"]["values"], columns["age"]["distinct"]), (["Aber", "Bree", "Cork"], 30)
        )
        nulls = self.postgres.rows("SELECT count(*) FROM public.parted WHERE town IS NULL", "demo")
        self.assertEqual(columns["town"]["empty"], int(nulls[0][0]))

    def test_what_can_t_be_judged_is_refused_with_the_reason(self):
        for table, words in (
            ("parts.young", "is a partition"),
            ("public.old", "is a partition"),
            ("public.old_aber", "is a partition"),
            ("public.kin", "by inheritance"),
            ("public.cousin", "by inheritance"),
            ("public.mixed", "public.abroad"),
            ("public.abroad", "no table that pgveil knows"),
            ("public.near", "is a partition"),
        ):
            error = self.check(FOLK.replace("public.folk", table))
            self.assertIn(words, error["message"], table)
            self.assertTrue(error["hint"], table)
            self.assertIn(words, self.look(table, 400)["message"])
            answer = self.ask("POST", "runs", {"yaml": FOLK.replace("public.folk", table), "files": {}}, 400)
            self.assertIn(words, answer["message"], table)
        self.assertIn("foreign", self.check(FOLK.replace("public.folk", "public.mixed"))["message"])

    def test_a_policy_over_the_table_or_over_a_partition_keeps_jobs_away(self):
        error = self.check(FOLK.replace("public.folk", "public.half"))
        self.assertEqual(
            error["message"], "public.half_guarded, a partition of the input, is the table of policy half_k2"
        )
        self.assertIn("half_k2", self.look("public.half", 400)["message"])
        self.assertIn("released under policy guarded_k2", self.look("public.guarded", 409)["message"])
        run = self.run_job(FOLK.replace("public.folk", "public.guarded"), {})
        self.assertEqual(run["state"], "failed", run)
        self.assertIn("released under policy guarded_k2", run["message"])


class Reloads(TableCase):
    http = "{port: 0, raw_rows: [operator]}"
    extra_sql = KINDS

    def setUp(self):
        self.write(self.http)
        self.start_again()
        type(self).operator = self.browser("operator")

    def write(self, http, **more):
        text = self.pgveil.config_path.read_text()
        start = text.index("http: ") + len("http: ")
        text = text[:start] + http + text[text.index("}", start) + 1:]
        for old, new in more.values():
            text = text.replace(old, new)
        self.pgveil.config_path.write_text(text)


    def raw(self):
        return self.operator.api(
            "POST", "raw-rows", {"policy": "people_k2", "password": PASSWORDS["operator"]}
        )[0]

    def lists(self):
        _, session = self.operator.api("GET", "session", None)
        return session["raw_rows"], session["table_jobs"]

    def test_a_role_is_added_and_taken_off(self):
        self.assertEqual((self.lists(), self.prove(self.operator), self.raw()), ((True, False), 403, 200))
        self.write("{port: 0, table_jobs: [operator]}")
        self.assertNotIn("admin.http", self.reload())
        self.assertEqual((self.lists(), self.prove(self.operator), self.raw()), ((False, True), 200, 403))
        self.assertEqual(self.look()["rows"], 600)
        kinds = (
            FOLK.replace("public.folk", "public.kinds")
            .replace("name: {class", "zip: {class")
            .replace("  age: {class", "  id: {class")
            .replace("illness: {class: sensitive, l_diversity: {distinct: 2}}", "blank: {class: insensitive}")
            .replace("town: {class", "mixed: {class")
        )
        run = self.run_job(kinds, {})
        self.assertEqual(run["state"], "done", run)
        self.assertEqual(self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")[0].status, 200)
        self.write("{port: 0}")
        self.reload()
        self.assertEqual((self.lists(), self.prove(self.operator), self.raw()), ((False, False), 403, 403))
        self.assertEqual(self.look(expected=403)["sqlstate"], "42501")
        self.assertIn("no tables", self.check(kinds)["message"])
        self.ask("POST", "runs", {"yaml": kinds, "files": {}}, 400)
        self.assertEqual(self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")[0].status, 403)
        self.ask("GET", f"runs/{run['id']}", expected=403)
        (listed,) = [it for it in self.ask("GET", "runs") if it["id"] == run["id"]]
        self.assertEqual((listed["state"], listed["report"], listed["losses"]), ("done", None, []))

    def test_a_list_that_does_not_fit_changes_nothing(self):
        for http in ("{port: 0, table_jobs: [watcher]}", "{port: 0, table_jobs: [nobody]}"):
            self.write(http)
            steps = self.reload()
            self.assertEqual(
                [(item, step[0]) for item, step in steps.items()], [("configuration", "error")], steps
            )
            self.assertEqual(self.lists(), (True, False))

    def test_where_the_page_is_stays_until_the_next_start(self):
        self.write("{port: 1, table_jobs: [operator]}")
        self.assertIn("next start", self.reload()["admin.http"][1])
        self.assertEqual(self.lists(), (False, True))

    def test_show_config_tells_what_is_in_force(self):
        self.write("{port: 0, table_jobs: [operator]}")
        self.reload()
        _, shown = self.operator.api("GET", "show/config", None)
        rows = {row[0]: row[1:] for row in shown["rows"]}
        self.assertIn("operator", rows["admin.http.table_jobs"][0])
        self.assertEqual(
            [rows[f"admin.http.{key}"][2] for key in ("table_jobs", "raw_rows", "port")], ["yes", "yes", "no"]
        )


class WithoutRecord(TableCase):
    """The file may name an audit log that is not in force before the next start."""
    http = "{port: 0}"
    extra_sql = KINDS

    def setUp(self):
        text = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(text.replace("audit: {file: audit.log}\n", ""))
        self.start_again()
        type(self).operator = self.browser("operator")

    def test_nobody_is_listed_while_nothing_is_on_record(self):
        text = self.pgveil.config_path.read_text()
        self.pgveil.config_path.write_text(
            text.replace("http: {port: 0}", "http: " + LISTED) + "audit: {file: audit.log}\n"
        )
        steps = self.reload()
        self.assertIn("next start", steps["audit"][1])
        self.assertIn("the list is empty", steps["admin.http"][1])
        self.assertEqual(self.operator.api("GET", "session", None)[1]["table_jobs"], False)
        self.assertEqual(self.prove(self.operator), 403)
        self.look(expected=403)
        _, shown = self.operator.api("GET", "show/config", None)
        self.assertEqual({row[0]: row[1] for row in shown["rows"]}["admin.http.table_jobs"], "[]")


if __name__ == "__main__":
    main()

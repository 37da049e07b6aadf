"""Jobs that are set up on the page: uploads, the job's text, its run, its result. The page itself is tested
in tests/web."""
import csv
import io
import json
import os
import stat
import time
from collections import Counter

from harness.page import PASSWORDS, Browser, PageCase
from harness.runner import main

PEOPLE = "name,age,town,illness\n" + "".join(
    f"person {i},{20 + i % 30},{('Aber', 'Bree', 'Cork')[i % 3]},{('flu', 'gout')[i % 2]}\n"
    for i in range(120)
)
TOWNS = "Aber;north;*\nBree;north;*\nCork;south;*\n"
JOB = """version: 1
name: people
input: {file: people.csv}
attributes:
  name: {class: identifier}
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20]}}}
  town: {class: quasi_identifier, hierarchy: {file: town.csv}}
  illness: {class: sensitive, l_diversity: {distinct: 2}}
k: 5
suppression: 5%
seed: 1
output: {file: result.csv}
"""


class PageJobsCase(PageCase):
    def setUp(self):
        for run in self.ask("GET", "runs"):
            self.wait(run["id"])
            self.ask("DELETE", f"runs/{run['id']}")
        for upload in self.ask("GET", "uploads"):
            self.ask("DELETE", f"uploads/{upload['id']}")

    def ask(self, method, path, body=None, expected=200, browser=None):
        status, answer = (browser or self.operator).api(
            method, "desk/" + path, {} if method == "POST" and body is None else body
        )
        self.assertEqual(status, expected, (path, answer))
        return answer

    def upload(self, name, text, browser=None):
        data = text.encode()
        upload = self.ask("POST", "uploads", {"name": name, "bytes": len(data)}, browser=browser)["id"]
        half = len(text) // 2
        for offset, part in ((0, text[:half]), (len(text[:half].encode()), text[half:])):
            if part:
                self.ask("POST", f"uploads/{upload}/parts", {"offset": offset, "text": part}, browser=browser)
        return upload

    def files(self):
        return {"people.csv": self.upload("people.csv", PEOPLE), "town.csv": self.upload("town.csv", TOWNS)}

    def wait(self, run):
        deadline = time.monotonic() + 60
        while (answer := self.ask("GET", f"runs/{run}"))["state"] == "running":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return answer

    def run_job(self, text=JOB, files=None):
        return self.wait(
            self.ask("POST", "runs", {"yaml": text, "files": self.files() if files is None else files})["id"]
        )

    def folder(self):
        return next((self.pgveil.directory / "state" / ".page").iterdir())


class Runs(PageJobsCase):
    def test_a_job_from_upload_to_download(self):
        run = self.run_job()
        self.assertEqual(run["state"], "done", run)
        self.assertEqual(run["report"]["quasi_identifiers"], ["age", "town"])
        self.assertGreaterEqual(run["report"]["smallest_class"], 5)
        self.assertEqual(len(run["losses"]), 2)
        response, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        self.assertEqual(
            (response.status, response.getheader("Content-Disposition")),
            (200, 'attachment; filename="people_anonymized.csv"'),
        )
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(set(rows[0]), {"age", "town", "illness"})
        classes = Counter((row["age"], row["town"]) for row in rows)
        self.assertGreaterEqual(min(classes.values()), 5)
        after = run["measures"]["after"]
        self.assertEqual(
            (after["rows"], after["smallest"], after["classes"]),
            (len(rows), min(classes.values()), len(classes)),
        )
        self.assertEqual(dict(map(tuple, after["histogram"])), Counter(classes.values()))
        self.assertEqual(run["measures"]["before"]["rows"], 120)
        self.assertGreater(run["measures"]["before"]["highest_risk"], after["highest_risk"])

    def test_suppressed_records_are_counted_where_they_are_shown_and_left_out_on_demand(self):
        for words, share in (("keep", 1), ("drop", 0)):
            job = JOB.replace("suppression: 5%\n", f"suppression: 90%\ngs: 0\nsuppressed_records: {words}\n")
            run = self.run_job(job)
            self.assertEqual(run["state"], "done", run)
            report, measures = run["report"], run["measures"]
            self.assertGreater(report["suppressed_rows"], 0)
            self.assertEqual(measures["starred_rows"], share * report["suppressed_rows"])
            self.assertEqual(measures["after"]["rows"], 120 - report["dropped_rows"])
            _, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual(sum(row["age"] == row["town"] == "*" for row in rows), measures["starred_rows"])

    def test_the_list_of_runs_has_no_list_of_transformations(self):
        run = self.run_job(JOB.replace("k: 5\n", "k: 5\nalgorithm: brute_force\n"))
        self.assertEqual(len(run["report"]["search"]["checked"]), 15)
        listed = next(it for it in self.ask("GET", "runs") if it["id"] == run["id"])
        self.assertNotIn("checked", listed["report"]["search"])
        self.assertEqual(listed["report"]["search"]["checks"], 15)

    def test_the_lattice_is_told_where_it_is_small(self):
        checked = self.run_job(JOB.replace("k: 5\n", "k: 5\nalgorithm: brute_force\n"))["report"]["search"][
            "checked"
        ]
        self.assertEqual(len(checked), 15)
        self.assertTrue(
            any(it["is_anonymous"] for it in checked) and not all(it["is_anonymous"] for it in checked)
        )

    def test_the_result_is_that_of_the_command_line(self):
        run = self.run_job()
        _, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        folder = self.pgveil.directory / "same"
        folder.mkdir()
        for name, content in (("people.csv", PEOPLE), ("town.csv", TOWNS), ("job.yaml", JOB)):
            (folder / name).write_text(content)
        done = self.pgveil.command("anonymize", str(folder / "job.yaml"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((folder / "result.csv").read_bytes().decode(), text)

    def test_runs_are_listed_and_compared_the_latest_first_and_can_be_dropped(self):
        files = self.files()
        first, second = (self.run_job(JOB.replace("k: 5", f"k: {k}"), files) for k in (5, 10))
        runs = self.ask("GET", "runs")
        self.assertEqual(
            [(it["id"], it["report"]["k"]) for it in runs], [(second["id"], 10), (first["id"], 5)]
        )
        self.assertEqual(first["yaml"], JOB)
        self.ask("DELETE", f"runs/{first['id']}")
        self.ask("GET", f"runs/{first['id']}", expected=404)
        self.ask("GET", f"runs/{first['id']}/result", expected=404)
        self.assertEqual(len(self.ask("GET", "runs")), 1)

    def test_a_job_that_fails_says_why_in_its_author_s_words(self):
        run = self.run_job(
            files={
                "people.csv": self.upload("people.csv", PEOPLE),
                "town.csv": self.upload("t", "Aber;*\nBree;*\n"),
            }
        )
        self.assertEqual((run["state"], run["report"], run["measures"]), ("failed", None, None))
        self.assertIn("town", run["message"])
        self.assertNotIn("Cork", run["message"])
        self.ask("GET", f"runs/{run['id']}/result", expected=400)
        run = self.run_job(
            files={
                "people.csv": self.upload("people.csv", "name,age\n1,2,3\n"),
                "town.csv": self.upload("t", TOWNS),
            }
        )
        self.assertIn("people.csv: record 2 has 3 fields", run["message"])
        self.assertNotIn("/", run["message"])

    def test_a_cluster_can_t_be_asked_for(self):
        """As earlier releases of the page did: a page that was not loaded anew still may."""
        spark = {"workers": 1, "sample": 1, "partition_by": "quantiles"}
        for path in ("check", "runs"):
            self.ask("POST", path, {"yaml": JOB, "files": self.files(), "spark": spark}, expected=400)
        self.assertNotIn("spark", self.operator.api("GET", "session")[1])
        self.assertEqual(self.run_job().keys() & {"spark", "cluster_report"}, set())

    def test_a_job_is_cancelled(self):
        columns = [f"c{i}" for i in range(9)]
        rows = "".join(",".join(str((g * (i + 3)) % 97) for i in range(9)) + "\n" for g in range(3000))
        attributes = "".join(
            f"  {it}: {{class: quasi_identifier, hierarchy: {{intervals: {{widths: [2, 4, 8, 16, 32]}}}}}}\n"
            for it in columns
        )
        text = ("version: 1\nname: long\ninput: {file: long.csv}\nattributes:\n" + attributes +
                "k: 5\nalgorithm: brute_force\noutput: {file: out.csv}\n")
        run = self.ask(
            "POST",
            "runs",
            {"yaml": text, "files": {"long.csv": self.upload("long.csv", ",".join(columns) + "\n" + rows)}},
        )["id"]
        busy = self.ask("POST", "runs", {"yaml": JOB, "files": self.files()}, expected=409)
        self.assertIn(run, busy["message"])
        self.ask("DELETE", f"runs/{run}", expected=400)
        self.ask("POST", f"runs/{run}/cancel")
        ended = self.wait(run)
        self.assertEqual(ended["state"], "cancelled", ended)
        self.ask("POST", f"runs/{run}/cancel", expected=400)


    def test_the_console_tells_no_place_of_the_page_s_files(self):
        self.run_job()
        self.run_job(JOB.replace("k: ", "k: 100"))
        status, shown = Browser(self.port()).sign_in("watcher").api("GET", "show/jobs", None)
        self.assertEqual(status, 200)
        lines = [row for row in shown["rows"] if row[0].startswith("page-")]
        self.assertEqual(len(lines), 2)
        self.assertEqual({line[1] for line in lines}, {"done", "failed"})
        for line in lines:
            self.assertNotIn("/", line[-1], line)


class Files(PageJobsCase):
    def test_columns_come_with_hints(self):
        answer = self.ask("POST", f"uploads/{self.upload('people.csv', PEOPLE)}/columns", {"separator": ","})
        self.assertEqual(answer["rows"], 120)
        columns = {it["name"]: it for it in answer["columns"]}
        self.assertEqual(
            {name: it["distinct"] for name, it in columns.items()},
            {"name": 120, "age": 30, "town": 3, "illness": 2},
        )
        self.assertEqual(
            (columns["age"]["kind"], columns["age"]["least"], columns["age"]["greatest"]), ("number", 20, 49)
        )
        self.assertEqual(columns["town"]["values"], ["Aber", "Bree", "Cork"])
        self.assertTrue(columns["name"]["hints"])

    def test_what_is_read_as_no_number_has_no_range(self):
        answer = self.ask(
            "POST",
            f"uploads/{self.upload('x', 'a,b,c' + chr(10) + 'nan,inf,1' + chr(10) + '1,1,2' + chr(10))}/columns",
            {"separator": ","},
        )
        self.assertEqual([it["kind"] for it in answer["columns"]], ["text", "text", "number"])

    def test_what_is_no_table_is_refused_with_its_record(self):
        self.assertIn(
            "record 3",
            self.ask(
                "POST",
                f"uploads/{self.upload('x', 'a,b' + chr(10) + '1,2' + chr(10) + '3')}/columns",
                {"separator": ","},
                400,
            )["message"],
        )
        self.ask("POST", f"uploads/{self.upload('x', 'a')}/columns", {"separator": "ab"}, 400)
        self.ask(
            "POST",
            f"uploads/{self.upload('x', ','.join(f'c{i}' for i in range(501)))}/columns",
            {"separator": ","},
            422,
        )
        upload = self.ask("POST", "uploads", {"name": "x", "bytes": 2})["id"]
        self.ask("POST", f"uploads/{upload}/columns", {"separator": ","}, 400)
        self.ask("POST", f"uploads/{upload}/parts", {"offset": 0, "text": "a\u0000"}, 400)

    def test_limits(self):
        self.ask("POST", "uploads", {"name": "x", "bytes": (64 << 20) + 1}, 422)
        self.ask("POST", "uploads", {"name": "x", "bytes": 0}, 400)
        upload = self.ask("POST", "uploads", {"name": "x", "bytes": 3})["id"]
        self.ask("POST", f"uploads/{upload}/parts", {"offset": 0, "text": "abcd"}, 400)

    def test_names_are_no_paths_and_files_are_private(self):
        upload = self.upload("../../../etc/passwd", "a\n1\n")
        path = self.folder() / f"{upload}.csv"
        self.assertEqual(path.read_text(), "a\n1\n")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.folder().stat().st_mode), 0o700)
        self.ask("DELETE", f"uploads/{upload}")
        self.assertFalse(path.exists())

    def test_a_job_names_uploads_of_its_author_and_nothing_else(self):
        config = str(self.pgveil.config_path)
        for name in (
            config,
            "../pgveil.yaml",
            "/etc/passwd",
            "nothing.csv",
            os.path.relpath(config, "/uploads"),
        ):
            text = JOB.replace("file: people.csv", f"file: {json.dumps(name)}")
            files = self.files() | {name: "u1", os.path.basename(name): "nothing"}
            answer = self.ask("POST", "check", {"yaml": text, "files": files})
            self.assertIsNotNone(answer["error"], name)
            self.ask("POST", "runs", {"yaml": text, "files": files}, 404 if name == "nothing.csv" else 400)
        table = JOB.replace("{file: people.csv}", "{table: public.people, database: demo}")
        self.assertIn(
            "no tables", self.ask("POST", "check", {"yaml": table, "files": self.files()})["error"]["message"]
        )
        to_table = JOB.replace("{file: result.csv}", "{table: public.published, database: demo}")
        self.assertIn(
            "downloaded",
            self.ask("POST", "check", {"yaml": to_table, "files": self.files()})["error"]["message"],
        )

    def test_where_the_result_goes_is_not_the_job_s_choice(self):
        target = self.pgveil.directory / "stolen.csv"
        run = self.run_job(JOB.replace("file: result.csv", f"file: {target}, replace: true"))
        self.assertEqual(run["state"], "done", run)
        self.assertFalse(target.exists())
        self.assertEqual(
            self.run_job(JOB.replace("file: result.csv", f"file: {self.pgveil.config_path}, replace: true"))[
                "state"
            ],
            "done",
        )
        self.assertIn("backend", self.pgveil.config_path.read_text())

    def test_mistakes_have_line_and_column(self):
        error = self.ask("POST", "check", {"yaml": JOB.replace("sensitive", "sensible"), "files": {}})[
            "error"
        ]
        self.assertEqual((error["line"], error["column"]), (8, 20))
        self.assertNotIn("/uploads", error["message"])
        self.assertIsNone(self.ask("POST", "check", {"yaml": JOB, "files": self.files()})["error"])

    def test_what_nobody_needs_is_removed(self):
        files = self.files()
        self.run_job(files=files)
        for upload in files.values():
            self.ask("DELETE", f"uploads/{upload}")
        self.assertEqual([it.name for it in self.folder().glob("u*")], [])
        self.assertEqual(len(list(self.folder().glob("page-*"))), 1)

    def test_files_go_with_their_uploads_although_nobody_has_looked_at_the_run(self):
        files = self.files()
        run = self.ask("POST", "runs", {"yaml": JOB, "files": files})["id"]
        for upload in files.values():
            self.ask("DELETE", f"uploads/{upload}")
        deadline = time.monotonic() + 60
        while self.ask("GET", "runs")[0]["state"] == "running":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(self.ask("GET", "uploads"), [])
        self.assertEqual([it.name for it in self.folder().glob("u*")], [])
        self.assertEqual(self.ask("GET", f"runs/{run}")["measures"]["before"]["rows"], 120)


FOLK = JOB.replace("{file: people.csv}", "{table: public.folk, database: demo}").replace(
    "hierarchy: {file: town.csv}", "hierarchy: {masking: {}}")


class Tables(PageJobsCase):
    """For admins whom admin.http.table_jobs lists."""
    http = "{port: 0, table_jobs: [operator]}"
    extra_sql = """CREATE TABLE public.folk (name text, age integer, town text, illness text);
        INSERT INTO public.folk SELECT 'person ' || g, 20 + g % 30, (ARRAY['Aber', 'Bree', 'Cork'])[1 + g % 3], (ARRAY['flu', 'gout'])[1 + g % 2]
          FROM generate_series(1, 120) g;
        CREATE TABLE public.parted (age integer, town text) PARTITION BY RANGE (age);
        CREATE TABLE public.part PARTITION OF public.parted FOR VALUES FROM (0) TO (100);
        GRANT SELECT ON public.folk, public.parted, public.part TO pgveil_query, pgveil_admin;"""

    def setUp(self):
        self.start_again()
        type(self).operator = self.browser("operator")
        self.assertEqual(self.prove(self.operator), 200)

    def ask(self, method, path, body=None, expected=200, browser=None):
        """Each run takes a proof of its own."""
        if browser is None and (method, path) == ("POST", "runs"):
            self.prove(self.operator)
        return super().ask(method, path, body, expected, browser)

    def prove(self, browser, password=PASSWORDS["operator"], **more):
        return browser.api("POST", "prove", {"password": password}, **more)[0]

    def check(self, text):
        return self.ask("POST", "check", {"yaml": text, "files": {}})["error"]

    def test_a_job_reads_a_table_and_its_result_is_downloaded(self):
        run = self.run_job(FOLK, {})
        self.assertEqual(run["state"], "done", run)
        self.assertEqual(run["measures"]["before"]["rows"], 120)
        self.assertGreaterEqual(run["measures"]["after"]["smallest"], 5)
        _, text = self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        self.assertNotIn("person", text)
        self.assertEqual(set(csv.DictReader(io.StringIO(text)).fieldnames), {"age", "town", "illness"})

    def test_a_job_publishes_to_a_table_that_only_its_owner_reads(self):
        to_table = FOLK.replace("{file: result.csv}", "{table: public.folk_out, database: demo}")
        run = self.run_job(to_table, {})
        self.assertEqual(run["state"], "done", run)
        rows = self.postgres.rows("SELECT age, town FROM public.folk_out", "demo")
        self.assertEqual(len(rows), run["report"]["published_rows"])
        self.assertGreaterEqual(min(Counter(map(tuple, rows)).values()), 5)
        owner = self.postgres.rows(
            "SELECT relowner::regrole::text, relacl IS NULL FROM pg_class WHERE relname = 'folk_out'", "demo"
        )
        self.assertEqual([str(owner[0][0]), str(owner[0][1]).lower()[0]], ["pgveil_admin", "t"])
        again = self.run_job(to_table, {})
        self.assertEqual(again["state"], "failed", again)
        self.assertIn("folk_out", again["message"])
        said = [event.get("sql") for event in self.audited()]
        self.assertIn("RUN A JOB OF THE PAGE FROM TABLE demo:public.folk TO TABLE demo:public.folk_out", said)
        self.assertNotIn("person 7", json.dumps(self.audited()))

    def test_an_upload_is_published_to_a_table(self):
        run = self.run_job(
            JOB.replace("{file: result.csv}", "{file: result.csv, table: public.brought, database: demo}")
        )
        self.assertEqual(run["state"], "done", run)
        self.assertEqual(run["measures"]["before"]["rows"], 120)
        self.assertEqual(
            int(self.postgres.rows("SELECT count(*) FROM public.brought", "demo")[0][0]),
            run["report"]["published_rows"],
        )

    def test_tables_of_policies_are_neither_read_nor_written(self):
        people = (
            FOLK.replace("public.folk", "public.people")
            .replace("name: {class", "id: {class")
            .replace("  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 20]}}}\n", "")
            .replace("town: {class", "city: {class")
            .replace("illness: {class: sensitive, l_diversity: {distinct: 2}}", "state: {class: insensitive}")
        )
        run = self.run_job(people, {})
        self.assertEqual(run["state"], "failed", run)
        self.assertIn("released under policy people_k2", run["message"])
        for target, words in (("public.staff", "table of policy"), ("public.towns", "open_tables")):
            run = self.run_job(FOLK.replace("{file: result.csv}", f"{{table: {target}, database: demo}}"), {})
            self.assertEqual(run["state"], "failed", run)
            self.assertIn(words, run["message"])

    def test_what_is_no_plain_table_of_users_is_refused(self):
        for table in (
            "pg_catalog.pg_authid",
            "pgveil.version",
            "public.v_people",
            "public.part",
            "public.nothing",
            "information_schema.sql_parts",
        ):
            self.assertIsNotNone(self.check(FOLK.replace("public.folk", table)), table)
        for output in (
            "{table: pg_catalog.out, database: demo}",
            "{table: pgveil.out, database: demo}",
            "{table: public.out, database: postgres}",
            "{table: public.out, database: demo, replace: true}",
            "{table: public.out, database: demo, types: {age: text}}",
        ):
            self.assertIsNotNone(self.check(FOLK.replace("{file: result.csv}", output)), output)
        self.assertIsNone(self.check(FOLK))

    def test_a_stolen_session_and_another_site_run_no_job_over_tables(self):
        stolen = self.browser("operator")
        for text in (FOLK, JOB.replace("{file: result.csv}", "{table: public.stolen, database: demo}")):
            body = {"yaml": text, "files": self.files()}
            self.assertIn("password", self.ask("POST", "runs", body, 403, stolen)["message"])
            self.assertEqual(self.prove(stolen, "wrong"), 403)
            self.ask("POST", "runs", body, 403, stolen)
        self.assertEqual(self.ask("GET", "runs"), [])
        self.assertEqual(self.prove(stolen, leave_out=("X-CSRF-Token",)), 403)
        self.assertEqual(self.prove(stolen, Sec_Fetch_Site="cross-site"), 403)
        for browser in (stolen, self.operator):
            status, _ = browser.api(
                "POST", "desk/runs", {"yaml": FOLK, "files": {}}, leave_out=("X-CSRF-Token",)
            )
            self.assertEqual(status, 403)
        self.assertEqual(self.ask("GET", "runs"), [])
        self.assertEqual(self.prove(self.browser("watcher"), PASSWORDS["watcher"]), 403)
        said = [(it.get("sql"), it.get("sqlstate")) for it in self.audited()]
        self.assertIn(("GIVE THE PASSWORD FOR JOBS OVER TABLES", None), said)

    def test_a_job_that_hides_nothing_is_counted_again_like_every_other(self):
        run = self.run_job(FOLK.replace("suppression: 5%", "suppression: 0%").replace("k: 5", "k: 121"), {})
        self.assertEqual(run["state"], "failed", run)
        self.assertNotIn("person", json.dumps(run))


class Others(PageJobsCase):
    def test_stats_roles_have_no_desk(self):
        watcher = Browser(self.port()).sign_in("watcher")
        for method, path in (
            ("GET", "uploads"),
            ("POST", "uploads"),
            ("GET", "runs"),
            ("POST", "runs"),
            ("POST", "check"),
            ("GET", "runs/page-1/result"),
        ):
            self.ask(method, path, expected=403, browser=watcher)

    def test_unknown_addresses(self):
        for method, path in (
            ("GET", "nothing"),
            ("GET", "runs/page-99"),
            ("POST", "uploads/u99/columns"),
            ("GET", "runs/PAGE/result"),
            ("DELETE", "runs"),
            ("GET", "runs/../uploads"),
            ("POST", "runs/page-1/nothing"),
        ):
            status, _ = self.operator.api(
                method, "desk/" + path, {"separator": ","} if method == "POST" else None
            )
            self.assertEqual(status, 404, path)

    def test_what_is_done_is_on_record_without_names_and_values(self):
        run = self.run_job()
        self.operator.ask("GET", f"/api/v1/desk/runs/{run['id']}/result")
        said = [event.get("sql") for event in self.audited() if event["event"] == "command"]
        for words in ("UPLOAD A FILE", "RUN A JOB OF THE PAGE", f"DOWNLOAD RESULT OF JOB {run['id']}"):
            self.assertIn(words, said)
        for text in (json.dumps(self.audited()), self.pgveil.log()):
            self.assertNotIn("person 7", text)
            self.assertNotIn("town.csv", text)

    def test_the_folder_goes_with_the_process(self):
        self.files()
        self.assertTrue(any(self.folder().iterdir()))
        old = self.folder()
        self.pgveil.halt()
        self.assertFalse(old.exists())
        before = len(self.ports())
        self.pgveil.start()
        while len(self.ports()) == before:
            time.sleep(0.05)
        type(self).operator = Browser(self.port()).sign_in("operator")
        self.assertEqual(self.ask("GET", "uploads"), [])


if __name__ == "__main__":
    main()

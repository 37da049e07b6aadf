#!/usr/bin/python3
"""pgveil init: on TPC-H, TPC-DS, a clinic, a web shop and the demo it proposes what an expert would, writes no
value of a row, and what it writes works without an edit."""
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from harness.certificates import Authority
from harness.page import PLACE, Browser
from harness.pgveil import binary, serving_environment
from harness.ports import free_port
from harness.psql import psql
from harness.runner import REPOSITORY, main
from harness.server import ServerCase

SCHEMAS = pathlib.Path(__file__).resolve().parent / "schemas"
HIDDEN, SHARED, STUDIED, PLAIN = "identifier", "quasi_identifier", "sensitive", "insensitive"

# What an expert chooses for each column of each table that needs a policy. The unit stands behind the name.
TPCH = {
    "tpch.customer": {
        "c_custkey": HIDDEN, "c_name": HIDDEN, "c_address": HIDDEN, "c_nationkey": SHARED, "c_phone": HIDDEN,
        "c_acctbal": STUDIED, "c_mktsegment": SHARED, "c_comment": HIDDEN},
    "tpch.orders unit o_custkey": {
        "o_orderkey": HIDDEN, "o_custkey": HIDDEN, "o_orderstatus": SHARED, "o_totalprice": STUDIED,
        "o_orderdate": SHARED + " {period: month}", "o_orderpriority": SHARED, "o_clerk": HIDDEN,
        "o_shippriority": SHARED, "o_comment": HIDDEN},
}
TPCH_OPEN = {"tpch.region", "tpch.nation", "tpch.part", "tpch.supplier", "tpch.partsupp"}
TPCH_CLOSED = {"tpch.lineitem"}

TPCDS = {
    "tpcds.customer": {
        "c_customer_sk": HIDDEN, "c_customer_id": HIDDEN, "c_current_cdemo_sk": HIDDEN, "c_current_hdemo_sk": HIDDEN,
        "c_current_addr_sk": HIDDEN, "c_first_shipto_date_sk": HIDDEN, "c_first_sales_date_sk": HIDDEN,
        "c_salutation": SHARED, "c_first_name": HIDDEN, "c_last_name": HIDDEN, "c_preferred_cust_flag": SHARED,
        "c_birth_day": HIDDEN, "c_birth_month": HIDDEN, "c_birth_year": SHARED, "c_birth_country": SHARED,
        "c_login": HIDDEN, "c_email_address": HIDDEN, "c_last_review_date": HIDDEN},
    "tpcds.customer_address": {
        "ca_address_sk": HIDDEN, "ca_address_id": HIDDEN, "ca_street_number": HIDDEN, "ca_street_name": HIDDEN,
        "ca_street_type": HIDDEN, "ca_suite_number": HIDDEN, "ca_city": SHARED, "ca_county": SHARED,
        "ca_state": SHARED, "ca_zip": HIDDEN, "ca_country": SHARED, "ca_gmt_offset": SHARED,
        "ca_location_type": SHARED},
    "tpcds.store_sales unit ss_customer_sk": {
        "ss_sold_date_sk": SHARED, "ss_item_sk": SHARED, "ss_customer_sk": HIDDEN, "ss_cdemo_sk": HIDDEN,
        "ss_hdemo_sk": SHARED, "ss_addr_sk": HIDDEN, "ss_store_sk": SHARED, "ss_promo_sk": SHARED,
        "ss_ticket_number": HIDDEN, "ss_quantity": PLAIN, "ss_sales_price": STUDIED, "ss_net_paid": STUDIED},
}
TPCDS_OPEN = {"tpcds.income_band", "tpcds.customer_demographics", "tpcds.household_demographics", "tpcds.date_dim",
              "tpcds.item", "tpcds.promotion"}
TPCDS_CLOSED = {"tpcds.store"}

CLINIC = {
    "clinic.patients": {
        "patient_id": HIDDEN, "mrn": HIDDEN, "first_name": HIDDEN, "last_name": HIDDEN,
        "birth_date": SHARED + " {period: decade}", "sex": SHARED, "street": HIDDEN, "zip": SHARED + " {prefix: 3}",
        "city": SHARED, "phone": HIDDEN, "email": HIDDEN, "insurer_id": SHARED, "marital_status": SHARED,
        "occupation": SHARED, "nationality": SHARED, "smoker": STUDIED, "height_cm": HIDDEN, "allergies": HIDDEN,
        "notes": HIDDEN, "created_at": HIDDEN},
    "clinic.visits unit patient_id": {
        "visit_id": HIDDEN, "patient_id": HIDDEN, "doctor_id": HIDDEN, "department_id": SHARED, "kind": SHARED,
        "visit_date": SHARED + " {period: month}", "admitted_at": HIDDEN, "reason": HIDDEN, "length_of_stay": PLAIN,
        "cost": STUDIED},
    "clinic.diagnoses unit patient_id": {
        "diagnosis_id": HIDDEN, "visit_id": HIDDEN, "patient_id": HIDDEN, "icd_code": STUDIED,
        "diagnosed_on": SHARED + " {period: month}", "comment": HIDDEN},
    "clinic.staff": {
        "staff_id": HIDDEN, "first_name": HIDDEN, "last_name": HIDDEN, "email": HIDDEN, "sex": SHARED, "role": SHARED,
        "department_id": SHARED, "hired_on": SHARED + " {period: year}", "salary": STUDIED, "manager_id": HIDDEN},
}
CLINIC_OPEN = {"clinic.departments", "clinic.insurers", "clinic.icd_codes", "clinic.rooms"}
CLINIC_CLOSED = {"clinic.prescriptions", "clinic.access_log"}

SHOP = {
    "Shop.Customers": {
        "CustomerId": HIDDEN, "FirstName": HIDDEN, "LastName": HIDDEN, "EMail": HIDDEN, "PhoneNumber": HIDDEN,
        "DateOfBirth": SHARED + " {period: year}", "Gender": SHARED, "City": SHARED, "PostalCode": SHARED,
        "CountryCode": SHARED, "PasswordHash": HIDDEN, "Newsletter": SHARED, "CreatedAt": HIDDEN},
    "Shop.Orders unit CustomerId": {
        "OrderId": HIDDEN, "CustomerId": HIDDEN, "OrderDate": HIDDEN, "Status": SHARED, "PaymentMethod": SHARED,
        "ShippingCity": SHARED, "TotalAmount": STUDIED, "IPAddress": HIDDEN},
    "Shop.Reviews unit CustomerId": {
        "ReviewId": HIDDEN, "CustomerId": HIDDEN, "ProductId": SHARED, "Stars": PLAIN, "Text": HIDDEN},
    "Shop.Kunden": {
        "KdNr": HIDDEN, "Vorname": HIDDEN, "Nachname": HIDDEN, "Geburtsdatum": SHARED + " {period: decade}",
        "Geschlecht": SHARED, "PLZ": SHARED + " {prefix: 2}", "Wohnort": SHARED, "Straße": HIDDEN, "Telefon": HIDDEN,
        "Beruf": SHARED, "Familienstand": SHARED, "Kontostand": STUDIED, "Bemerkung": HIDDEN},
}
SHOP_OPEN = {"Shop.Categories", "Shop.Products"}
SHOP_CLOSED = {"Shop.OrderItems", "Shop.Newsletter Subscribers"}

ENTRY = re.compile(r'^      ("(?:[^"\\]|\\.)*"|\w+): \{class: (\w+)(?:, generalize: (\{[^}]*\}))?\}', re.M)
TABLE = re.compile(r"^    table: (.*)$", re.M)
VERIFIER = re.compile(r"SCRAM-SHA-256\$[^']*")
UNIT = re.compile(r"^    unit: (.*)$", re.M)


def unquoted(name):
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name


def named_table(text):
    words = [unquoted(word) for word in re.findall(r'"(?:[^"\\]|\\.)*"|[\w.]+', text)]
    return ".".join(words)


def proposals(folder):
    """{table and unit: {column: class and level}} of all policies in the folder."""
    found = {}
    for path in sorted((folder / "policies").glob("*.yaml")):
        text = path.read_text()
        name = named_table(TABLE.search(text)[1])
        unit = UNIT.search(text)
        name += f" unit {unquoted(unit[1])}" if unit else ""
        found[name] = {unquoted(column): kind + (f" {level}" if level else "")
                       for column, kind, level in ENTRY.findall(text)}
    return found


def listed(folder, prefix):
    text = (folder / "pgveil.yaml").read_text()
    return {unquoted(name) for name in re.findall(rf'^{prefix}- ("(?:[^"\\]|\\.)*"|\S+)  #', text, re.M)}


class Served:
    """pgveil serve of a folder that init wrote."""

    def __init__(self, config):
        self._log = open(config.parent / "log", "w+")
        self._process = subprocess.Popen([binary(), "serve", "-c", config], stdin=subprocess.DEVNULL, stdout=self._log,
                                         stderr=self._log, env=serving_environment(), start_new_session=True)

    def __enter__(self):
        deadline = time.monotonic() + 60
        while "listening on " not in self.log():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("pgveil did not start:\n" + self.log())
            time.sleep(0.05)
        return self

    def log(self):
        self._log.flush()
        return pathlib.Path(self._log.name).read_text()

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=60)
        self._log.close()


class InitCase(ServerCase):
    databases = ("tpch", "tpcds", "clinic", "webshop")

    @classmethod
    def start(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-init-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.postgres.run("CREATE ROLE owner LOGIN; CREATE ROLE stranger LOGIN")
        for name in cls.databases:
            cls.make_database(name, (SCHEMAS / f"{name}.sql").read_text())
        cls.make_database("demo", (REPOSITORY / "demo" / "example_table.sql").read_text())
        cls.postgres.run("CREATE DATABASE nothing OWNER owner")

    @classmethod
    def make_database(cls, name, script):
        cls.postgres.run(f"CREATE DATABASE {name} OWNER owner")
        cls.postgres.run(script, name, user="owner")

    def place(self, database, user="owner"):
        return f"postgres://{user}@127.0.0.1:{self.postgres.port}/{database}"

    def init(self, *arguments, status=0, **environment):
        begun = time.monotonic()
        done = subprocess.run([binary(), "init", *map(str, arguments)], capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL, cwd=self.folder,
                              env={**os.environ, **environment})
        self.seconds = time.monotonic() - begun
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done.stdout if status == 0 else done.stderr

    def new_folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "made"

    def proposed(self, database):
        folder = self.new_folder()
        said = self.init(self.place(database), "--folder", folder)
        return folder, said


class Init(InitCase):
    def check_proposals(self, database, tables, opened, closed):
        folder, _ = self.proposed(database)
        self.assertEqual(proposals(folder), tables)
        self.assertEqual(listed(folder, "  "), opened)
        self.assertEqual(listed(folder, "#   "), closed)
        return folder

    # -- what it proposes

    def test_tpch(self):
        self.check_proposals("tpch", TPCH, TPCH_OPEN, TPCH_CLOSED)

    def test_tpcds(self):
        self.check_proposals("tpcds", TPCDS, TPCDS_OPEN, TPCDS_CLOSED)

    def test_a_clinic(self):
        folder = self.check_proposals("clinic", CLINIC, CLINIC_OPEN, CLINIC_CLOSED)
        text = (folder / "policies" / "patients.yaml").read_text()
        self.assertIn("    k: 11\n", text)
        self.assertIn("health data", text)
        self.assertRegex(text, r"single out \d+ % of a sample of \d+ rows")
        self.assertRegex(text, r"\n    priority: \[.*city.*\]\n")
        self.assertIn("    k: 5\n", (folder / "policies" / "staff.yaml").read_text())

    def test_a_web_shop_in_mixed_case_that_was_never_analyzed(self):
        self.check_proposals("webshop", SHOP, SHOP_OPEN, SHOP_CLOSED)

    def test_each_column_has_its_reason_and_no_value_is_written(self):
        for database, values in (
            ("clinic", ("MRN100001", "First1", "Insurer 1", "cook", "widowed", "emergency", "I17", "City 3")),
            ("webshop", ("Bäcker", "verheiratet", "invoice", "City 7", "10.0.", "c1@", "Ort 3")),
            ("tpch", ("SEGMENT", "Clerk#", "PRIORITY", "Nation 3")),
        ):
            folder, said = self.proposed(database)
            for path in [folder / "pgveil.yaml", folder / "setup.sql", *(folder / "policies").glob("*.yaml")]:
                text = VERIFIER.sub("", path.read_text())  # of random letters, which could be a value
                for value in values:
                    self.assertNotIn(value, text, path)
                    self.assertNotIn(value, said)
                for line in text.splitlines():
                    if re.match(r"      [^ #].*: \{class", line):
                        self.assertRegex(line, r"\}  +# \w", path)

    def test_the_same_database_gives_the_same_files(self):
        first, _ = self.proposed("clinic")
        second, _ = self.proposed("clinic")
        for path in sorted(first.rglob("*.yaml")):
            self.assertEqual(path.read_text(), (second / path.relative_to(first)).read_text())

    # -- files that are there

    def test_nothing_is_overwritten_without_force(self):
        folder = self.new_folder()
        self.init(self.place("clinic"), "--folder", folder)
        before = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
        said = self.init(self.place("clinic"), "--folder", folder, status=1)
        self.assertIn("pgveil.yaml exists", said)
        self.assertIn("--force", said)
        (folder / "policies" / "staff.yaml").write_text("mine")
        (folder / "pgveil.yaml").unlink()
        (folder / "setup.sql").unlink()
        self.assertRegex(self.init(self.place("clinic"), "--folder", folder, status=1), r"policies/\w+\.yaml exists")
        self.init(self.place("clinic"), "--folder", folder, "--force")
        after = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(set(before), set(after))
        for path, text in before.items():
            if path.name != "setup.sql":  # which has new salts
                self.assertEqual(after[path], text, path)

    def test_a_password_of_ones_own(self):
        folder = self.new_folder()
        secret = self.folder / "own.pw"
        secret.write_text("chosen by me\n")
        secret.chmod(0o600)
        self.init(self.place("clinic"), "--folder", folder, "--reader", "bi", "--password-file", secret)
        self.assertFalse((folder / "reader_password").exists())
        self.assertTrue((folder / "users.txt").read_text().startswith('"bi" "SCRAM-SHA-256$4096:'))
        self.assertIn("readers: [bi]", (folder / "policies" / "staff.yaml").read_text())

    # -- what can't be done

    def test_what_can_not_be_done(self):
        folder = self.new_folder()
        for arguments, part in (
            ([self.place("nothing")], 'database "nothing" has no tables'),
            ([self.place("clinic", "stranger")], "you may read none of the 10 tables"),
            ([self.place("none")], 'database "none" does not exist'),
            ([f"postgres://owner@127.0.0.1:{free_port()}/clinic"], "Connection refused"),
            (["postgres://owner@127.0.0.1:x/clinic"], "invalid"),
            ([self.place("clinic"), "--reader", ""], "the user name is empty"),
        ):
            with self.subTest(arguments):
                said = self.init(*arguments, "--folder", folder, status=1)
                self.assertIn(part, said)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertFalse(folder.exists())
        self.init(self.place("clinic"), "--folder", folder, "--seconds", "no", status=2)

    def test_a_folder_that_can_not_be_written(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        self.assertIn("can't make folder", self.init(self.place("clinic"), "--folder", closed / "new", status=1))
        self.assertIn("can't make folder", self.init(self.place("clinic"), "--folder", closed, status=1))

    def test_missing_rights_are_named_and_the_other_tables_are_drafted(self):
        self.make_database("partly", (SCHEMAS / "clinic.sql").read_text())
        self.postgres.run("GRANT USAGE ON SCHEMA clinic TO stranger; GRANT SELECT ON clinic.staff, clinic.rooms TO stranger",
                          "partly")
        folder = self.new_folder()
        said = self.init(self.place("partly", "stranger"), "--folder", folder)
        self.assertIn("you may not read 8 of the closed tables", said)
        self.assertEqual(list(proposals(folder)), ["clinic.staff"])
        self.assertEqual(listed(folder, "  "), {"clinic.rooms"})
        self.assertRegex((folder / "pgveil.yaml").read_text(),
                         r"clinic\.patients  # you may not read it: .*GRANT SELECT ON clinic\.patients")

    def test_the_environment_names_the_server(self):
        folder = self.new_folder()
        self.init("--folder", folder, PGHOST="127.0.0.1", PGPORT=str(self.postgres.port), PGUSER="owner",
                  PGDATABASE="clinic")
        self.assertIn(f"port: {self.postgres.port}", (folder / "pgveil.yaml").read_text())
        folder = self.new_folder()
        self.init("clinic", "--folder", folder, PGHOST=str(self.postgres.directory), PGPORT=str(self.postgres.port),
                  PGUSER="owner")
        self.assertIn(f'host: "{self.postgres.directory}"', (folder / "pgveil.yaml").read_text())

    def test_a_folder_whose_policies_were_lost_opens_nothing(self):
        """Patterns of open_tables would then stand for the tables of the policies."""
        folder = self.new_folder()
        self.init(self.place("clinic"), "--folder", folder, "--listen-port", free_port(), "--page-port", free_port())
        config = folder / "pgveil.yaml"
        config.write_text(re.sub(r"(?m)^open_tables:\n(  - .*\n)+", "open_tables: [clinic.*]\n", config.read_text()))
        check = lambda: subprocess.run([binary(), "serve", "-c", config], capture_output=True, text=True, timeout=60)
        for file in (folder / "policies").iterdir():
            file.unlink()
        done = check()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("could open the tables of policies that were lost", done.stderr)

    # -- odd databases

    def test_tables_that_no_policy_can_be_for(self):
        self.make_database("odd", """
            CREATE TABLE parents (id int PRIMARY KEY, first_name text, last_name text, sex text);
            CREATE TABLE adopted () INHERITS (parents);
            CREATE TABLE secured (id int PRIMARY KEY, first_name text, last_name text, sex text);
            ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
            CREATE TABLE "colours*" (id int PRIMARY KEY, title text);
            CREATE TABLE "a:b" (id int PRIMARY KEY, first_name text, last_name text, sex text);
            CREATE TABLE empty_people (id int PRIMARY KEY, first_name text, sex text);
            CREATE TABLE visits (id int, patient_id int, on_day date, ward text) PARTITION BY RANGE (id);
            CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM (0) TO (100000);
            INSERT INTO visits SELECT i, i % 400, date '2024-01-01' + i % 300, 'ward ' || i % 4 FROM generate_series(1, 5000) i;
            CREATE MATERIALIZED VIEW seen AS SELECT ward FROM visits;""")
        folder, _ = self.proposed("odd")
        self.assertEqual(proposals(folder), {"public.visits unit patient_id": {
            "id": HIDDEN, "patient_id": HIDDEN, "on_day": SHARED + " {period: month}", "ward": SHARED}})
        self.assertEqual(listed(folder, "#   "), {"public.parents", "public.adopted", "public.secured", "public.a:b", "public.colours*",
                                                  "public.empty_people"})

    def test_a_thousand_tables_in_mixed_case(self):
        self.make_database("many", """
            DO $$ BEGIN FOR i IN 1..250 LOOP
              EXECUTE format('CREATE TABLE %I (%I int PRIMARY KEY, "FirstName" text, "LastName" text, "City" text, '
                             '"BirthDate" date)', 'Customers' || i, 'CustomerId');
              EXECUTE format('CREATE TABLE %I ("OrderId" int PRIMARY KEY, "CustomerId" int REFERENCES %I, "Status" text, '
                             '"OrderDate" date)', 'Orders' || i, 'Customers' || i);
              EXECUTE format('CREATE TABLE %I ("Id" int PRIMARY KEY, "Title" text)', 'Colours' || i);
              EXECUTE format('CREATE TABLE %I ("Id" int PRIMARY KEY, "Payload" jsonb)', 'Documents' || i);
              EXECUTE format('INSERT INTO %I SELECT n, ''f'' || n, ''l'' || n, ''c'' || n %% 5, date ''1960-01-01'' + n * 31 '
                             'FROM generate_series(1, 300) n', 'Customers' || i);
              EXECUTE format('INSERT INTO %I SELECT n, 1 + n %% 300, ''s'' || n %% 3, date ''2024-01-01'' + n %% 90 '
                             'FROM generate_series(1, 600) n', 'Orders' || i);
              EXECUTE format('INSERT INTO %I SELECT n, ''t'' || n FROM generate_series(1, 20) n', 'Colours' || i);
            END LOOP; END $$""")
        folder = self.new_folder()
        # Longer than usual, so that a slow machine has time for a sample of each table.
        said = self.init(self.place("many"), "--folder", folder, "--seconds", "120")
        print(f"\n1,000 tables: {self.seconds:.1f} s; {said.splitlines()[0]}")
        self.assertLess(self.seconds, 180)
        self.assertEqual(len(proposals(folder)), 500)
        self.assertEqual(len(listed(folder, "  ")), 250)
        self.assertEqual(len(listed(folder, "#   ")), 250)
        self.assertLess(said.count("\n"), 35)
        folder = self.new_folder()
        said = self.init(self.place("many"), "--folder", folder, "--seconds", "0")
        self.assertIn("1000 of them without a sample of rows", said)


class FirstDayCase(InitCase):
    def run_next(self, folder, database):
        """The commands that init prints, and check."""
        config = folder / "pgveil.yaml"
        self.postgres.run((folder / "setup.sql").read_text(), database)
        for verb in (["check"], ["policy", "build", "--all"]):
            done = subprocess.run([binary(), *verb, "-c", config], capture_output=True, text=True, timeout=170)
            self.assertEqual(done.returncode, 0, (verb, done.stdout, done.stderr))
        return Served(config)

    def ask(self, port, database, *queries, password, user="analyst"):
        return psql(port, database, user, *queries, options=("-t",), password=password)


class FirstDay(FirstDayCase):
    """What init writes works."""
    databases = ("clinic",)

    def test_everything_works_without_an_edit(self):
        """Two databases of one server. The second one's roles exist by then, so their passwords are copied."""
        clinic, demo = self.new_folder(), self.new_folder()
        port, other_port = free_port(), free_port()
        said = self.init(self.place("clinic"), "--folder", clinic, "--listen-port", port,
                         "--page-port", free_port())
        commands = re.findall(r"^  (psql|pgveil) (.*)$", said, re.M)
        self.assertEqual([name for name, _ in commands], ["psql", "pgveil", "pgveil"])
        for name in ("pgveil.yaml", "setup.sql", "users.txt", "query_password", "admin_password", "reader_password"):
            self.assertEqual(stat.S_IMODE((clinic / name).stat().st_mode), 0o600, name)
        password = (clinic / "reader_password").read_text().strip()
        with self.run_next(clinic, "clinic"):
            done = self.ask(port, "clinic", "SELECT count(*), count(last_name), count(birth_date) > 0 "
                            "FROM clinic.patients", "SELECT count(*) FROM departments", password=password)
            self.assertEqual((done.stdout, done.returncode), ("6000|0|t\n12\n", 0), done.stderr)
            groups = ", ".join(column for column, kind in CLINIC["clinic.patients"].items() if SHARED in kind)
            done = self.ask(port, "clinic", f"SELECT min(count) FROM (SELECT count(*) FROM patients GROUP BY {groups}) g",
                            password=password)
            self.assertGreaterEqual(int(done.stdout), 11, done.stderr)
            done = self.ask(port, "clinic", "SELECT * FROM access_log", password=password)
            self.assertIn("is not listed", done.stderr)
            self.assertNotEqual(self.ask(port, "clinic", "SELECT 1", password=password + "x").returncode, 0)

        said = self.init(self.place("demo"), "--folder", demo, status=1)
        self.assertIn("role pgveil_query exists, and its password is not known", said)
        demo.mkdir(mode=0o700)
        for name in ("query_password", "admin_password"):
            (demo / name).write_text((clinic / name).read_text())
            (demo / name).chmod(0o600)
        self.init(self.place("demo"), "--folder", demo, "--listen-port", other_port, "--page-port", free_port())
        self.assertNotIn("ALTER ROLE \"pgveil_query\" PASSWORD", (demo / "setup.sql").read_text())
        self.assertEqual(listed(demo, "  "), set())
        self.assertEqual(listed(demo, "#   "), {"public.salaries"})
        password = (demo / "reader_password").read_text().strip()
        with self.run_next(demo, "demo"):
            done = self.ask(other_port, "demo", "SELECT count(*), count(id), count(state) > 0 FROM people",
                            password=password)
            self.assertEqual(done.stdout, "11|0|t\n", done.stderr)


class Encrypted(FirstDayCase):
    """The configuration checks the server's certificate as the owner's login did."""
    databases = ()

    @classmethod
    def start(cls):
        super().start()
        authority = Authority(cls.folder)
        cls.stranger = Authority(cls.folder, "stranger")
        server, revoked = authority.issue("server"), authority.issue("revoked")
        cls.revoked = authority.revoke(revoked)
        with open(cls.postgres.directory / "data" / "postgresql.conf", "a") as conf:
            conf.write(f"ssl = on\nssl_cert_file = '{server.certificate}'\nssl_key_file = '{server.key}'\n")
        cls.postgres.kill(signal.SIGINT)
        cls.postgres.start()

    def init_over_tls(self, words, status=0, **more):
        """The folder, and what is said; files of certificates are named relative to the working folder."""
        folder = self.new_folder()
        said = self.init(f"{self.place('demo')}?{words}", "--folder", folder,
                         *(word for name, value in more.items() for word in ("--" + name.replace("_", "-"), value)),
                         status=status)
        return folder, said

    def test_the_mode_and_the_files_are_carried_over(self):
        ca, advice = f'ca_file: "{self.folder}/authority.crt"', "  # verify-full with a ca_file checks the server's name too"
        for words, expected in (
            ("sslmode=disable", []),
            ("sslmode=require", [f"tls: {{backend: {{mode: require}}}}{advice}"]),
            ("sslmode=require&sslrootcert=authority.crt", [f"tls: {{backend: {{mode: verify-ca, {ca}}}}}{advice}"]),
            ("sslmode=verify-ca&sslrootcert=authority.crt", [f"tls: {{backend: {{mode: verify-ca, {ca}}}}}{advice}"]),
            ("sslmode=verify-full&sslrootcert=./authority.crt", [f"tls: {{backend: {{mode: verify-full, {ca}}}}}"]),
            (f"sslmode=verify-full&sslrootcert=authority.crt&sslcrl={self.revoked.name}",
             [f'tls: {{backend: {{mode: verify-full, {ca}, crl_file: "{self.revoked}"}}}}']),
        ):
            with self.subTest(words):
                folder, _ = self.init_over_tls(words)
                text = (folder / "pgveil.yaml").read_text()
                self.assertEqual(re.findall(r"(?m)^tls: .*$", text), expected)
        self.assert_works_without_an_edit()  # afterwards init needs the passwords of the roles

    def test_another_authority_is_no_login(self):
        folder, said = self.init_over_tls("sslmode=verify-full&sslrootcert=stranger.crt", status=1)
        self.assertIn("certificate verify failed", said)
        self.assertFalse(folder.exists())

    def assert_works_without_an_edit(self):
        port = free_port()
        folder, _ = self.init_over_tls("sslmode=verify-full&sslrootcert=authority.crt", listen_port=port,
                                       page_port=free_port())
        with self.run_next(folder, "demo"):
            done = self.ask(port, "demo", "SELECT count(*) FROM people",
                            password=(folder / "reader_password").read_text().strip())
            self.assertEqual(done.stdout, "11\n", done.stderr)
            used = self.postgres.rows("SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                      "WHERE usename LIKE 'pgveil%'")
            self.assertIn(used, ([["t"]], []))


class FirstPolicy(FirstDayCase):
    """A database in which nothing looks personal."""
    databases = ()

    def test_a_database_without_personal_tables_gets_its_first_policy_on_the_page(self):
        self.make_database("plain", """
            CREATE TABLE wards (id int PRIMARY KEY, title text);
            INSERT INTO wards SELECT i, 'ward ' || i FROM generate_series(1, 8) i;
            CREATE TABLE readings (device text, reading int, payload jsonb);
            INSERT INTO readings SELECT 'device ' || i % 3, i % 2, '{}' FROM generate_series(1, 60) i; ANALYZE""")
        folder, port = self.new_folder(), free_port()
        said = self.init(self.place("plain"), "--folder", folder, "--listen-port", port, "--page-port", free_port())
        self.assertIn("0 tables have a policy", said)
        self.assertEqual(list((folder / "policies").iterdir()), [])
        secret = folder / "operator_password"
        secret.write_text("operator secret\n")
        secret.chmod(0o600)
        subprocess.run([binary(), "user", "add", "operator", "--file", folder / "users.txt", "--password-file", secret],
                       check=True, capture_output=True, timeout=60)
        with self.run_next(folder, "plain") as served:
            page = Browser(int(PLACE.search(served.log())[1])).sign_in("operator")
            found = page.api("POST", "protect/tables", {"database": "plain"})[1]
            self.assertEqual(found["policy_folder"], "policies")
            text = ("version: 1\npolicies:\n  - name: readings\n    database: plain\n    table: public.readings\n"
                    "    k: 5\n    readers: [analyst]\n    columns:\n      device: {class: quasi_identifier}\n"
                    "      reading: {class: insensitive}\n      payload: {class: identifier}\n")
            status, applied = page.api("POST", "protect/apply", {
                "file": "policies/readings.yaml", "yaml": text, "seen": None, "password": "operator secret"})
            self.assertEqual(status, 200, applied)
            for missing in applied["missing"]:
                self.postgres.run(missing["sql"], "plain")
            state = applied["policies"][0]["state"]
            status, answer = page.api("POST", "build", {"policy": "readings", "tag": state["tag"]})
            self.assertEqual(status, 200, answer)
            password = (folder / "reader_password").read_text().strip()
            ask = lambda: self.ask(port, "plain", "SELECT count(*), count(payload), count(device) > 0 FROM readings", password=password)
            self.assertEqual(ask().stdout, "60|0|t\n", ask().stderr)
            self.postgres.run("REVOKE SELECT ON readings FROM pgveil_query", "plain")
            status, undone = page.api("POST", "protect/undo", {"id": applied["undo"], "password": "operator secret"})
            self.assertEqual(status, 200, undone)
            self.assertEqual(list((folder / "policies").iterdir()), [])
            self.assertIn("is not listed", ask().stderr)


if __name__ == "__main__":
    main()

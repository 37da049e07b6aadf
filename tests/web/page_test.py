"""The page in a real browser (Debian's chromium), before a real stack. tests/web/browser.mjs says what is
done there."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from harness import world  # noqa: E402
from harness.page import PASSWORDS, PageCase  # noqa: E402
from harness.runner import REPOSITORY, main  # noqa: E402

MODULES = REPOSITORY / "web" / "page"
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
SCRIPT = pathlib.Path(__file__).with_name("browser.mjs")
MARKUP = world.naive.Policy(
    "markup_k2",
    "public.markup",
    2,
    {"id": "identifier", "word": "quasi_identifier"},
    readers=("analyst",),
    strategy="greedy",
)
JOB = """version: 1
name: {name}
input: {{{input}}}
attributes:
  state: {{class: quasi_identifier, hierarchy: {{masking: {{masked: [2]}}}}}}
k: 2
suppression: 50%
output: {{file: {folder}/{name}.csv}}
"""


def missing():
    """What of the tools is not there; None: nothing."""
    if not shutil.which("node"):
        return "there is no node"
    if not shutil.which("chromium"):
        return "there is no chromium; ./run deps test installs it"
    if not (MODULES / "node_modules" / "playwright-core").is_dir():
        return "the page's tools are not installed; there was no npm"
    return None


class Browsed(PageCase):
    """The world that the page shows in a browser."""

    # On a busy machine a page can take ten times as long as on one that is idle.
    browser_seconds = 1500
    test_seconds = max(PageCase.test_seconds, 1600)
    http = "{port: 0, raw_rows: [operator], table_jobs: [operator], policy_authors: [operator]}"
    policies = (*PageCase.policies, MARKUP)
    built = (*PageCase.built, "markup_k2")
    extra_sql = """
        CREATE TABLE public.markup (id integer, word text);
        INSERT INTO public.markup SELECT g, '<img src=x onerror="document.title=1">' FROM generate_series(1, 4) g;
        INSERT INTO public.markup SELECT g, '</script><script>document.title=1</script>' FROM generate_series(5, 7) g;
        CREATE TABLE public.folk (id integer PRIMARY KEY, age integer, town text, illness text);
        INSERT INTO public.folk SELECT g, 20 + g % 40, (ARRAY['Aber', 'Bree', 'Cork'])[1 + g % 3], (ARRAY['flu', 'gout'])[1 + g % 2]
          FROM generate_series(1, 300) g;
        CREATE TABLE public.guests (name text, age integer, town text, illness text);
        INSERT INTO public.guests SELECT 'person ' || g, 20 + g % 40,
            CASE WHEN g % 10 > 0 THEN (ARRAY['Aber', 'Bree', 'Cork'])[1 + g % 3] END, (ARRAY['flu', 'gout'])[1 + g % 2]
          FROM generate_series(1, 300) g;
        CREATE TABLE public.odd (word text);
        INSERT INTO public.odd SELECT '<img src=x onerror="document.title=1">' FROM generate_series(1, 30);
        CREATE TABLE public.patients (id integer PRIMARY KEY, name text, email text, birth_year integer, sex text, city text,
            insurer_id integer, diagnosis text);
        INSERT INTO public.patients SELECT g, 'Person ' || g, 'p' || g || '@example.org', 1940 + (g * 7) % 65,
            (ARRAY['f', 'm'])[1 + g % 2], (ARRAY['Aber', 'Bree', 'Cork', 'Dale', 'Esk'])[1 + (g * g) % 5], g % 10,
            (ARRAY['flu', 'gout', 'asthma', 'none'])[1 + (g * 13) % 4] FROM generate_series(1, 2000) g;
        INSERT INTO public.patients VALUES (2001, 'Rare Person', 'rare@example.org', 1901, 'f', 'Ystrad', 3, 'flu');
        CREATE TABLE public.visits AS TABLE public.patients;
        CREATE TABLE public.members AS TABLE public.patients;
        CREATE TABLE public.donors AS TABLE public.patients;
        GRANT SELECT ON public.markup, public.folk, public.guests, public.odd, public.patients, public.members,
          public.donors TO pgveil_query, pgveil_admin;
        ANALYZE;"""

    @classmethod
    def arrange(cls):
        folder = cls.pgveil.directory
        (folder / "jobs").mkdir()
        (folder / "towns.csv").write_text("state\n" + "OH\n" * 3 + "DC\n" * 2)
        for name, source in (
            ("towns", f"file: {folder}/towns.csv"),
            ("clash", "table: public.people, database: demo"),
        ):
            (folder / "jobs" / f"{name}.yaml").write_text(
                JOB.format(name=name, input=source, folder=folder / "exports")
            )
        written = (cls.pgveil.config_path, cls.pgveil.policy_path)
        cls.texts = {path: path.read_text() for path in written}

    def setUp(self):
        self.restore()
        self.start_again()

    def restore(self):
        """A scenario that failed or took too long may have left its files."""
        for path, text in self.texts.items():
            path.write_text(text)
        for path in self.pgveil.policy_path.parent.glob("*.yaml"):
            if path not in self.texts:
                path.unlink()

    def more_settings(self):
        return {}

    def more_environment(self):
        return {}

    def browse(self, scenario):
        settings = {
            "url": f"http://127.0.0.1:{self.port()}/",
            "modules": str(MODULES),
            "passwords": PASSWORDS,
            "timeout_ms": 150000,
            "policies": str(self.pgveil.policy_path),
            "config": str(self.pgveil.config_path),
            "postgres_port": self.postgres.port,
            "chromium": shutil.which("chromium"),
            "screenshots": os.environ.get("PGVEIL_SCREENSHOTS"),
            **self.more_settings(),
        }
        done = subprocess.run(
            ["node", SCRIPT, scenario],
            env=os.environ | self.more_environment() | {"PAGE": json.dumps(settings)},
            capture_output=True,
            text=True,
            timeout=self.browser_seconds,
        )
        print(done.stdout, end="")
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

class Page(Browsed):
    def test_protect_a_table(self):
        """From a table without a policy to its masked answer, read through the proxy's port."""
        self.browse("protect_a_table")
        with self.pgveil.client("analyst", password=PASSWORDS["analyst"]) as client:
            rows = client.query("SELECT email, name, city, count(*) FROM patients GROUP BY 1, 2, 3").texts()
            whole = client.query("SELECT count(*) FROM patients").texts()
        self.assertGreater(len(rows), 2)
        self.assertTrue(all(email is None and name is None for email, name, _, _ in rows), rows)
        self.assertNotIn("Ystrad", [city for _, _, city, _ in rows])
        self.assertTrue(all(int(count) >= 5 for _, _, _, count in rows), rows)
        self.assertEqual([tuple(row) for row in whole], [("2001",)])


class Pictures(Browsed):
    """Pictures of the pages. No other test has been here, so that they show the same each time, and letters are
    those of one font."""

    differences = REPOSITORY / "build" / "test" / "pictures"

    @classmethod
    def setUpClass(cls):
        if not FONTS.is_dir():
            raise unittest.SkipTest(f"there is no {FONTS}: install fonts-dejavu-core")
        super().setUpClass()

    @classmethod
    def arrange(cls):
        super().arrange()
        cls.fonts = cls.pgveil.directory / "fonts.conf"
        names = {"sans-serif": "Sans", "system-ui": "Sans", "serif": "Serif", "monospace": "Sans Mono"}
        aliases = "".join(
            f"<alias binding='same'><family>{name}</family><prefer><family>DejaVu {font}</family></prefer></alias>"
            for name, font in names.items()
        )
        cls.fonts.write_text(
            f"<fontconfig><dir>{FONTS}</dir><cachedir>{cls.pgveil.directory}/fonts</cachedir>{aliases}</fontconfig>"
        )

    def more_settings(self):
        folder = self.differences
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            pass
        if not os.access(folder, os.W_OK):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="pgveil-pictures-"))
        return {"differences": str(folder), "update": os.environ.get("UPDATE_GOLDEN") == "1"}

    def more_environment(self):
        return {"FONTCONFIG_FILE": str(self.fonts)}


def scenario_test(name):
    return lambda self: self.browse(name)


def add_scenarios():
    listed = subprocess.run(
        ["node", SCRIPT, "--list"],
        env=os.environ | {"PAGE": json.dumps({"modules": str(MODULES)})},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in listed:
        case = Pictures if name.startswith("pictures_") else Page
        if not hasattr(case, f"test_{name}"):
            setattr(case, f"test_{name}", scenario_test(name))


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"skipped: the page in a browser: {reason}")
        print("0 passed, 0 failed")
        sys.exit(0)
    add_scenarios()
    main()

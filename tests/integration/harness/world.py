"""The database that most integration tests use: the paper's worked example, a table of many types, and
everything around them that must stay closed. `demo` is the raw database, `masked` the same with naively
masked tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import naive  # noqa: E402
from .wire import scram_verifier  # noqa: E402

QUERY_PASSWORD = "query-role secret"
ADMIN_PASSWORD = "admin-role secret"

# One iteration, because each connection of pgveil computes them anew. With 4096, masked_copies_test took
# 148 s in place of 91.
ROLES = f"""
CREATE ROLE pgveil_query LOGIN PASSWORD '{scram_verifier(QUERY_PASSWORD, 1)}';
CREATE ROLE pgveil_admin LOGIN PASSWORD '{scram_verifier(ADMIN_PASSWORD, 1)}';
COMMENT ON ROLE pgveil_query IS 'pgveil: for pgveil alone';
COMMENT ON ROLE pgveil_admin IS 'pgveil: for pgveil alone';
"""

SCHEMA = """
CREATE TYPE public.mood AS ENUM ('calm', 'glad', 'grim');
CREATE TABLE public.people (id integer PRIMARY KEY, occupation text, city text, state text);
CREATE TABLE public.staff (
  id integer PRIMARY KEY,
  name varchar(30),
  job varchar(20),
  town text COLLATE "C",
  born date,
  grade numeric(6,2),
  mood public.mood,
  is_active boolean,
  pay numeric(10,2),
  seen timestamptz,
  badge char(4),
  note text
);
CREATE TABLE public.towns (town text COLLATE "C" PRIMARY KEY, size integer);
CREATE TABLE public.numbers (n integer PRIMARY KEY);
CREATE TABLE public.diary (id integer, secret text);
CREATE TABLE public.unbuilt (id integer, city text);
CREATE VIEW public.v_people AS SELECT * FROM public.people;
CREATE FUNCTION public.peek() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT occupation FROM public.people';
CREATE INDEX people_juggler ON public.people (id) WHERE city = 'Withamsville';
"""

ROWS = """
INSERT INTO public.people VALUES
  (1, 'Lawyer', 'Washington', 'DC'), (2, 'Lawyer', 'Washington', 'DC'), (3, 'Lawyer', 'Hamlet', 'OH'),
  (4, 'Accountant', 'Hamlet', 'OH'), (5, 'Farmer', 'Hamlet', 'OH'), (6, 'Farmer', 'Hamlet', 'OH'),
  (7, 'Lawyer', 'Columbus', 'OH'), (8, 'Accountant', 'Withamsville', 'OH'), (9, 'Accountant', 'Whately', 'MA'),
  (10, 'Accountant', 'College Park', 'MD'), (11, 'Accountant', 'Bellevue', 'KY');
INSERT INTO public.staff
  SELECT g, 'name-' || g,
         (ARRAY['Nurse', 'Nurse', 'Baker', 'Pilot', NULL, 'Nurse', 'Baker', 'only-' || g])[1 + g * 7 % 8],
         (ARRAY['Aber', 'Aber', 'Bree', 'Cork', NULL, 'place-' || g])[1 + g * 5 % 6],
         CASE g % 4 WHEN 3 THEN NULL ELSE date '1970-01-01' + (g * 3 % 5) * 365 END,
         (ARRAY[1.50, 2.00, 2.00, NULL, 3.25])[1 + g % 5],
         (ARRAY['calm', 'glad', 'glad', NULL]::public.mood[])[1 + g % 4],
         (ARRAY[true, true, false, NULL])[1 + g * 3 % 4],
         1000 + g * 1.25, timestamptz '2024-02-29 12:00:00+00' + g * interval '1 day', 'b' || g % 10, 'hidden-' || g
  FROM generate_series(1, 60) g;
INSERT INTO public.towns VALUES ('Aber', 100), ('Bree', 20), ('Cork', 3000), ('Dale', 4);
INSERT INTO public.numbers SELECT generate_series(1, 20);
INSERT INTO public.diary VALUES (1, 'diary-secret');
INSERT INTO public.unbuilt VALUES (1, 'unbuilt-secret'), (2, 'unbuilt-secret');
GRANT USAGE ON SCHEMA public TO pgveil_query, pgveil_admin;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;
GRANT CREATE ON SCHEMA public TO pgveil_admin;
ANALYZE;
"""

PEOPLE = naive.Policy(
    "people_k2",
    "public.people",
    2,
    {
        "id": "identifier",
        "occupation": "quasi_identifier",
        "city": "quasi_identifier",
        "state": "quasi_identifier",
    },
    readers=("analyst", "bi"),
    exempt=("dpo",),
    strategy="greedy",
)
STAFF = naive.Policy(
    "staff_k3", "public.staff", 3,
    {"id": "insensitive", "name": "identifier", "job": "quasi_identifier", "town": "quasi_identifier",
     "born": "quasi_identifier", "grade": "quasi_identifier", "mood": "quasi_identifier",
     "is_active": "quasi_identifier", "pay": "insensitive", "seen": "insensitive", "badge": "insensitive"},
    readers=("analyst", "bi"))
UNBUILT = naive.Policy("unbuilt_k2", "public.unbuilt", 2, {"city": "quasi_identifier"})
OPEN_TABLES = ("public.towns", "public.numbers")

# Texts that only hidden cells have; "Washington" is one of them, see the paper's last cohort.
HIDDEN = (
    "Lawyer",
    "Washington",
    "Columbus",
    "Withamsville",
    "Whately",
    "College Park",
    "Bellevue",
    "name-",
    "only-",
    "place-",
    "hidden-",
    "diary-secret",
    "unbuilt-secret",
)

MASKED_PEOPLE = [
    [None, None, None, None],
    [None, None, None, None],
    [None, None, "Hamlet", "OH"],
    [None, None, "Hamlet", "OH"],
    [None, "Farmer", "Hamlet", "OH"],
    [None, "Farmer", "Hamlet", "OH"],
    [None, None, None, "OH"],
    [None, None, None, "OH"],
    [None, "Accountant", None, None],
    [None, "Accountant", None, None],
    [None, "Accountant", None, None],
]


def create(postgres):
    """Makes the roles and the database demo."""
    postgres.run(ROLES)
    postgres.create_database("demo")
    postgres.run(SCHEMA + ROWS, "demo")


def create_masked(postgres):
    """Makes the database masked: demo with the two protected tables masked. Type OIDs are the same in
    both."""
    postgres.create_database("masked", template="demo")
    for policy in (PEOPLE, STAFF):
        naive.make_masked_copy(postgres, "demo", "masked", policy)

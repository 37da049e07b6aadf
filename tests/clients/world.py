"""The database of the client suite: a table of persons under a policy, open tables around it, and what tools
meet in real databases: an enum, arrays, jsonb, an expression index, a key, a view, comments, a sequence."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "integration"), str(HERE.parent / "oracle")]

import naive  # noqa: E402
from harness import world  # noqa: E402

TABLES = """
CREATE TYPE public.mood AS ENUM ('calm', 'glad', 'grim');
CREATE TABLE public.people (
  id integer PRIMARY KEY,
  name varchar(40) NOT NULL,
  email text,
  city text,
  born date,
  mood public.mood,
  is_member boolean,
  height numeric(5,2),
  seen timestamptz,
  tags text[],
  details jsonb
);
CREATE INDEX people_lower ON public.people (lower(email));
CREATE TABLE public.towns (town text PRIMARY KEY, size integer NOT NULL, area numeric(8,2), founded date);
CREATE INDEX towns_size ON public.towns (size DESC);
CREATE TABLE public.visits (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  town text NOT NULL REFERENCES public.towns (town),
  person integer,
  at timestamptz NOT NULL,
  cost numeric(10,2),
  how public.mood
);
CREATE TABLE public.diary (id integer PRIMARY KEY, secret text);
CREATE VIEW public.town_sizes AS SELECT town, size / 100 AS hundreds FROM public.towns WHERE size > 10;
CREATE VIEW public.members AS SELECT city, is_member, height FROM public.people WHERE is_member;
COMMENT ON TABLE public.towns IS 'where people live';
COMMENT ON COLUMN public.towns.size IS 'inhabitants';
"""

ROWS = """
INSERT INTO public.people
  SELECT g, 'name-' || g, 'user' || g || '@hidden.example',
         (ARRAY['Aber', 'Aber', 'Bree', 'Cork', NULL, 'Dale', 'place-' || g])[1 + g * 5 % 7],
         date '1970-01-01' + (g * 3 % 6) * 365,
         (ARRAY['calm', 'glad', 'glad', NULL]::public.mood[])[1 + g % 4],
         (ARRAY[true, true, false, NULL])[1 + g * 3 % 4],
         150 + g % 40 + 0.25, timestamptz '2024-02-29 12:00:00+00' + g * interval '1 day',
         ARRAY['t' || g % 3, 'u'], jsonb_build_object('rank', g % 5, 'gone', NULL)
  FROM generate_series(1, 200) g;
INSERT INTO public.towns VALUES ('Aber', 100, 1.50, '1200-01-01'), ('Bree', 20, 0.75, NULL),
  ('Cork', 3000, 12.00, '1500-06-30'), ('Dale', 4, NULL, '1900-01-01');
INSERT INTO public.visits (town, person, at, cost, how)
  SELECT (ARRAY['Aber', 'Bree', 'Cork'])[1 + g % 3], g % 200, timestamptz '2024-01-01 00:00:00+00' + g * interval '7 hours',
         g * 1.25, (ARRAY['calm', 'grim', NULL]::public.mood[])[1 + g % 3]
  FROM generate_series(1, 500) g;
INSERT INTO public.diary VALUES (1, 'diary-secret');
GRANT USAGE ON SCHEMA public TO pgveil_query, pgveil_admin;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO pgveil_query, pgveil_admin;
GRANT CREATE ON SCHEMA public TO pgveil_admin;
ANALYZE;
"""

PEOPLE = naive.Policy(
    "people_k3",
    "public.people",
    3,
    {
        "id": "identifier",
        "name": "identifier",
        "email": "identifier",
        "city": "quasi_identifier",
        "born": "quasi_identifier",
        "mood": "quasi_identifier",
        "is_member": "quasi_identifier",
        "height": "insensitive",
        "seen": "insensitive",
        "tags": "insensitive",
        "details": "insensitive",
    },
    readers=("analyst",),
)
OPEN_TABLES = ("public.towns", "public.visits", "public.town_sizes", "public.members")

# Texts that only hidden cells have.
HIDDEN = ("name-", "@hidden.example", "place-", "diary-secret")


def create(postgres):
    postgres.run(world.ROLES)
    postgres.create_database("demo")
    postgres.run(TABLES + ROWS, "demo")


def create_masked(postgres):
    """`demo`, but people is masked by the second implementation, and analyst may read what pgveil lets it."""
    create(postgres)
    postgres.create_database("masked", template="demo")
    naive.make_masked_copy(postgres, "demo", "masked", PEOPLE)
    postgres.run("DROP DATABASE demo; ALTER DATABASE masked RENAME TO demo; CREATE ROLE analyst LOGIN;")
    postgres.run("GRANT SELECT ON people, towns, visits, town_sizes, members TO analyst;", "demo")

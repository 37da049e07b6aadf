-- The sample data of the tutorials: a made-up hospital with 2,000 patients, their visits, and a list of
-- wards. Nothing is random: each value is drawn from a hash of the row's number. So you get the rows of the
-- tutorial.
CREATE FUNCTION pg_temp.draw(i bigint, seed bigint) RETURNS double precision LANGUAGE sql IMMUTABLE
  RETURN (hashint8extended(i, seed) & 4503599627370495)::double precision / 4503599627370496;

-- The first values of the list are the most frequent ones.
CREATE FUNCTION pg_temp.pick(list text[], i bigint, seed bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN list[1 + floor(power(pg_temp.draw(i, seed), 2) * cardinality(list))::integer];

CREATE TABLE public.wards (ward text PRIMARY KEY, beds integer NOT NULL);
INSERT INTO public.wards VALUES ('Cardiology', 40), ('Surgery', 60), ('Neurology', 30), ('Maternity', 25);

CREATE TABLE public.patients (
  id integer PRIMARY KEY,
  name text NOT NULL,
  email text,
  sex text NOT NULL,
  city text NOT NULL,
  birth_date date NOT NULL,
  occupation text,
  diagnosis text NOT NULL,
  cost numeric(8,2) NOT NULL
);
INSERT INTO public.patients
SELECT i, 'Patient ' || i, 'patient' || i || '@mail.example',
       CASE WHEN pg_temp.draw(i, 1) < 0.52 THEN 'f' ELSE 'm' END,
       pg_temp.pick(ARRAY['Springfield', 'Riverton', 'Oakdale', 'Milton', 'Ashbrook', 'Clayville', 'Fairview',
                          'Lakeside', 'Greenfield', 'Westhill'], i, 2),
       date '1930-01-01' + floor(pg_temp.draw(i, 3) * 27000)::integer,
       pg_temp.pick(ARRAY['Clerk', 'Nurse', 'Teacher', 'Driver', 'Cook', 'Carpenter', 'Farmer', 'Lawyer',
                          'Judge', 'Astronomer'], i, 4),
       pg_temp.pick(ARRAY['Hypertension', 'Fracture', 'Asthma', 'Diabetes', 'Migraine', 'Epilepsy'], i, 5),
       round((100 + 4000 * power(pg_temp.draw(i, 6), 3))::numeric, 2)
FROM generate_series(1, 2000) AS i;

CREATE TABLE public.visits (
  id integer PRIMARY KEY,
  patient_id integer NOT NULL REFERENCES public.patients,
  ward text NOT NULL REFERENCES public.wards,
  day date NOT NULL
);
INSERT INTO public.visits
SELECT 10 * i + j, i, pg_temp.pick(ARRAY['Surgery', 'Cardiology', 'Neurology', 'Maternity'], 10 * i + j, 7),
       date '2025-01-01' + floor(pg_temp.draw(10 * i + j, 8) * 365)::integer
FROM generate_series(1, 2000) AS i, generate_series(1, 3) AS j
WHERE j <= 1 + floor(pg_temp.draw(i, 9) * 3);
ANALYZE public.wards, public.patients, public.visits;

-- public.residents is a made-up register of :rows people, which is the same on every machine. Nothing is
-- random: each value is drawn by a hash of the person's number, with one seed per column. States have about
-- their real share of the population. Cities within a state and occupations follow Zipf's law. Most old
-- people are retired, and most young people study. Run this as the owner of the database, with
-- -v rows=1000000.

-- A number in [0, 1) for person n and one column's seed.
CREATE FUNCTION pg_temp.draw(n bigint, seed bigint) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (hashint8extended(n, seed) & 4503599627370495)::double precision / 4503599627370496;

-- Upper bounds in [0, 1] of the shares of `count` things. The i-th thing is 1/i^skew as frequent as the
-- first.
CREATE FUNCTION pg_temp.zipf_bounds(count integer, skew double precision) RETURNS double precision[]
  LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg(upto ORDER BY i)
          FROM (SELECT i, sum(i ^ -skew) OVER (ORDER BY i) / sum(i ^ -skew) OVER () AS upto
                FROM generate_series(1, count) AS i) AS share);

-- The i-th thing is drawn when its bound is the first above the draw.
CREATE FUNCTION pg_temp.pick(things text[], bounds double precision[], draw double precision) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN things[least(width_bucket(draw, bounds) + 1, cardinality(things))];

CREATE TEMP TABLE states AS
  SELECT state, cities, row_number() OVER w AS rank, sum(weight) OVER w / sum(weight) OVER () AS upto
  FROM (VALUES ('CA', 39.0, 12), ('TX', 30, 10), ('FL', 22, 8), ('NY', 19, 8), ('PA', 13, 6), ('IL', 12, 6),
               ('OH', 12, 6), ('GA', 11, 5), ('NC', 11, 5), ('MI', 10, 5), ('NJ', 9, 4), ('VA', 9, 4),
               ('WA', 8, 4), ('AZ', 7, 3), ('MA', 7, 3), ('TN', 7, 3), ('MD', 6, 3), ('OR', 4, 2), ('KY', 4, 2),
               ('DC', 1, 1), ('VT', 1, 2), ('WY', 1, 2)) AS share (state, weight, cities)
  WINDOW w AS (ORDER BY weight DESC, state);

-- City names repeat between states, as they do in the world.
CREATE TEMP TABLE city_lists AS
  SELECT rank, state, pg_temp.zipf_bounds(cities, 1.5) AS bounds,
         (SELECT array_agg((ARRAY['Spring', 'Green', 'Fair', 'Ash', 'Mill', 'River', 'Oak', 'Clay', 'Lake'])
                             [1 + (3 * rank + 5 * i) % 9]
                           || (ARRAY['field', 'ville', 'ton', 'view', 'brook'])[1 + (rank + i) % 5] ORDER BY i)
          FROM generate_series(1, cities) AS i) AS cities
  FROM states;

CREATE TEMP TABLE occupation_list AS
  SELECT names, pg_temp.zipf_bounds(cardinality(names), 1.5) AS bounds
  FROM (SELECT ARRAY['Clerk', 'Salesperson', 'Cook', 'Nurse', 'Driver', 'Teacher', 'Carpenter', 'Accountant', 'Mechanic',
                     'Cleaner', 'Programmer', 'Farmer', 'Electrician', 'Lawyer', 'Physician', 'Baker', 'Librarian',
                     'Dentist', 'Pilot', 'Judge', 'Astronomer', 'Blacksmith', 'Beekeeper', 'Bishop'] AS names) AS list;

CREATE TABLE public.residents (
  resident_no bigint PRIMARY KEY,
  occupation text NOT NULL,
  city text NOT NULL,
  state text NOT NULL,
  birth_year integer NOT NULL,
  sex text NOT NULL,
  visits integer NOT NULL,
  diagnosis text NOT NULL
);

INSERT INTO public.residents
SELECT n,
       CASE WHEN birth_year <= 1957 AND pg_temp.draw(n, 3) < 0.9 THEN 'Retired'
            WHEN birth_year >= 2001 AND pg_temp.draw(n, 3) < 0.8 THEN 'Student'
            ELSE pg_temp.pick(o.names, o.bounds, pg_temp.draw(n, 4)) END,
       pg_temp.pick(c.cities, c.bounds, pg_temp.draw(n, 5)),
       c.state,
       birth_year,
       CASE WHEN pg_temp.draw(n, 6) < 0.507 THEN 'F' ELSE 'M' END,
       floor(-4 * ln(1 - pg_temp.draw(n, 7))),
       pg_temp.pick('{flu,asthma,migraine,diabetes,hypertension,anaemia,gout,epilepsy,HIV}', pg_temp.zipf_bounds(9, 1),
                    pg_temp.draw(n, 8))
FROM (SELECT n, 2006 - floor(70 * (1 - sqrt(1 - pg_temp.draw(n, 2))))::integer AS birth_year,
             1 + width_bucket(pg_temp.draw(n, 1), (SELECT array_agg(upto ORDER BY rank) FROM states)) AS state_rank
      FROM generate_series(1, :rows) AS n) AS person
JOIN city_lists AS c ON c.rank = state_rank
CROSS JOIN occupation_list AS o
ORDER BY n;
ANALYZE public.residents;

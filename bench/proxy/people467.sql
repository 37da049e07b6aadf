-- A table whose disclosure tree has about 467 cohorts at k = 20: five quasi-identifiers with Zipf-like skew,
-- drawn from md5 and so the same on every machine and version of PostgreSQL. 21,700 is what gives 467.
-- Variables: rows.
CREATE FUNCTION pg_temp.draw(id int, attribute int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT ((('x' || substr(md5(id || ':' || attribute), 1, 8))::bit(32)::bigint) % 1000000)::int $$;

-- The upper bounds, in millionths, of all but the last of `count` values whose weights are 1/rank^skew.
CREATE FUNCTION pg_temp.bounds(count int, skew float8) RETURNS int[] LANGUAGE sql IMMUTABLE AS
  $$ SELECT array_agg(floor(upto / total * 1000000)::int ORDER BY rank)
     FROM (SELECT rank, sum(1 / rank ^ skew) OVER (ORDER BY rank) AS upto, sum(1 / rank ^ skew) OVER () AS total
           FROM generate_series(1, count) AS rank) AS weights
     WHERE rank < count $$;

CREATE TABLE people467 (
  id integer PRIMARY KEY,
  occupation text NOT NULL,
  education text NOT NULL,
  state text NOT NULL,
  birth_decade integer NOT NULL,
  sex text NOT NULL
);

INSERT INTO people467
SELECT id,
       'occupation ' || width_bucket(pg_temp.draw(id, 0), occupations),
       'education ' || width_bucket(pg_temp.draw(id, 1), educations),
       'state ' || width_bucket(pg_temp.draw(id, 2), states),
       1930 + 10 * width_bucket(pg_temp.draw(id, 3), decades),
       (ARRAY['female', 'male'])[1 + width_bucket(pg_temp.draw(id, 4), sexes)]
FROM generate_series(1, :rows) AS id,
     (SELECT pg_temp.bounds(14, 1) AS occupations, pg_temp.bounds(8, 1) AS educations, pg_temp.bounds(20, 1) AS states,
             pg_temp.bounds(8, 0.7) AS decades, pg_temp.bounds(2, 0.3) AS sexes OFFSET 0) AS bounds;

VACUUM (ANALYZE) people467;

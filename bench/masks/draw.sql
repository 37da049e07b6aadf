-- People for whom there is no ADULT: as many, with as many values per column and a skew like its own, drawn
-- from md5 and so the same on every machine. The columns are independent, which ADULT's are not.
CREATE FUNCTION pg_temp.draw(id int, attribute int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT ((('x' || substr(md5(id || ':' || attribute), 1, 8))::bit(32)::bigint) % 1000000)::int $$;

-- The upper bounds, in millionths, of all but the last of `count` values whose weights are 1/rank^skew.
CREATE FUNCTION pg_temp.bounds(count int, skew float8) RETURNS int[] LANGUAGE sql IMMUTABLE AS
  $$ SELECT array_agg(floor(upto / total * 1000000)::int ORDER BY rank)
     FROM (SELECT rank, sum(1 / rank ^ skew) OVER (ORDER BY rank) AS upto, sum(1 / rank ^ skew) OVER () AS total
           FROM generate_series(1, count) AS rank) AS weights
     WHERE rank < count $$;

INSERT INTO people
SELECT 'sex ' || width_bucket(pg_temp.draw(id, 0), sexes),
       17 + width_bucket(pg_temp.draw(id, 1), ages),
       'race ' || width_bucket(pg_temp.draw(id, 2), races),
       'marital status ' || width_bucket(pg_temp.draw(id, 3), statuses),
       'education ' || width_bucket(pg_temp.draw(id, 4), educations),
       'country ' || width_bucket(pg_temp.draw(id, 5), countries),
       'workclass ' || width_bucket(pg_temp.draw(id, 6), workclasses),
       'occupation ' || width_bucket(pg_temp.draw(id, 7), occupations),
       'salary ' || width_bucket(pg_temp.draw(id, 8), salaries)
FROM generate_series(1, 30162) AS id,
     (SELECT pg_temp.bounds(2, 1) AS sexes, pg_temp.bounds(72, 0.6) AS ages, pg_temp.bounds(5, 2.5) AS races,
             pg_temp.bounds(7, 1.2) AS statuses, pg_temp.bounds(16, 1.3) AS educations, pg_temp.bounds(41, 3) AS countries,
             pg_temp.bounds(7, 2) AS workclasses, pg_temp.bounds(14, 0.6) AS occupations,
             pg_temp.bounds(2, 1.5) AS salaries OFFSET 0) AS bounds;

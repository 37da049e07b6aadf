-- People with five quasi-identifiers, drawn from hashes and so the same at every run: as many values as
-- ADULT's five columns have, the first of each more frequent than the last.
CREATE FUNCTION pg_temp.pick(id int, attribute int, count int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT floor(count * power((hashint8extended(id, attribute) & 16777215) / 16777216.0::float8, 2.5))::int $$;

CREATE TABLE people AS
SELECT id,
       'sex ' || pg_temp.pick(id, 1, 2) AS sex,
       17 + pg_temp.pick(id, 2, 72) AS age,
       'race ' || pg_temp.pick(id, 3, 5) AS race,
       'marital status ' || pg_temp.pick(id, 4, 7) AS marital_status,
       'education ' || pg_temp.pick(id, 5, 16) AS education
FROM generate_series(1, :rows) AS id;
VACUUM (FREEZE, ANALYZE) people;

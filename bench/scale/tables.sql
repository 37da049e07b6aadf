-- people1 …: each with five quasi-identifiers, drawn from hashes and so the same at every run, and different
-- from table to table. Variables: policies, rows.
REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC;
CREATE FUNCTION pick(id int, attribute int, count int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT floor(count * power(share, 2.5))::int
     FROM (SELECT (hashint8extended(id, attribute) & 16777215) / 16777216.0::float8 AS share) AS drawn $$;
SELECT format($$CREATE TABLE people%1$s AS
  SELECT id,
         'sex ' || pick(id, 5 * %1$s, 2) AS sex,
         17 + pick(id, 5 * %1$s + 1, 72) AS age,
         'race ' || pick(id, 5 * %1$s + 2, 5) AS race,
         'marital status ' || pick(id, 5 * %1$s + 3, 7) AS marital_status,
         'education ' || pick(id, 5 * %1$s + 4, 16) AS education
  FROM generate_series(1, %2$s) AS id$$, i, :rows)
FROM generate_series(1, :policies) AS i \gexec
VACUUM (FREEZE, ANALYZE);

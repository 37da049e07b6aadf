-- large1 … : people; small: 20 rows; many1 … : 2,000 rows, in whose column a each value has 100. Variables:
-- large, policies.
REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC;
CREATE TABLE small AS SELECT i AS id, 'a' || i % 4 AS a, 'b' || i % 2 AS b FROM generate_series(0, 19) AS i;
SELECT format('CREATE TABLE large%s AS SELECT (row_number() OVER ())::int AS id, people.* FROM people', i)
FROM generate_series(1, :large) AS i \gexec
SELECT format('CREATE TABLE many%s AS SELECT i AS id, ''a'' || i %% 20 AS a, ''b'' || i %% 997 AS b FROM generate_series(1, 2000) AS i', i)
FROM generate_series(1, :policies) AS i \gexec
VACUUM (ANALYZE);

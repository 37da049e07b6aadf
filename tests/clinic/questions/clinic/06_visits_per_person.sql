-- How many persons have how many visits?
-- database: clinic, keys: 1
SELECT n, count(*) AS persons FROM (
  SELECT p.id, count(v.person_id) AS n FROM persons p LEFT JOIN visits v ON v.person_id = p.id GROUP BY p.id) AS each
 GROUP BY n ORDER BY n

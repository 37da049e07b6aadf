-- Which share of the visitors of a quarter came again in the next one?
-- database: clinic, keys: 1
WITH seen AS (SELECT DISTINCT person_id, quarter FROM visits WHERE person_id IS NOT NULL AND quarter IS NOT NULL),
numbered AS (SELECT *, left(quarter, 4)::integer * 4 + right(quarter, 1)::integer AS n FROM seen)
SELECT a.quarter, count(*) AS persons, count(b.person_id) AS came_again
  FROM numbered a LEFT JOIN numbered b ON b.person_id = a.person_id AND b.n = a.n + 1
 GROUP BY a.quarter ORDER BY 1

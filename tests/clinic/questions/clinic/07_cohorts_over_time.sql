-- Of the persons whose first visit was in a quarter, how many came in each later quarter?
-- database: clinic, keys: 2
WITH first AS (
  SELECT person_id, min(quarter) AS cohort FROM visits WHERE person_id IS NOT NULL GROUP BY person_id)
SELECT f.cohort, v.quarter, count(DISTINCT v.person_id) AS persons
  FROM first f JOIN visits v ON v.person_id = f.person_id
 GROUP BY f.cohort, v.quarter ORDER BY 1, 2

-- How many different persons came in each quarter, and how often?
-- database: clinic, keys: 1
SELECT quarter, count(DISTINCT person_id) AS persons, count(*) AS visits
  FROM visits GROUP BY quarter ORDER BY quarter

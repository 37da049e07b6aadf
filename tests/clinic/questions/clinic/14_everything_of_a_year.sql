-- How many persons had visits, stays and prescriptions in the same year?
-- database: clinic, keys: 1
SELECT v.year, count(DISTINCT v.person_id) AS persons
  FROM (SELECT DISTINCT person_id, year FROM visits) v
  JOIN (SELECT DISTINCT person_id, year FROM stays) s USING (person_id, year)
  JOIN (SELECT DISTINCT person_id, year FROM prescriptions) r USING (person_id, year)
 GROUP BY v.year ORDER BY 1

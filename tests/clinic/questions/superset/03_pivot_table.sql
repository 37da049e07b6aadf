-- A pivot table of regions and sexes.
-- database: flat, keys: 2
SELECT region AS region, sex AS sex, COUNT(*) AS count, AVG(fee) AS "AVG(fee)" 
FROM pgveil.visit_facts GROUP BY region, sex ORDER BY count DESC 
 LIMIT 50000

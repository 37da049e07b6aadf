-- Lines of fees per month for the five cities with most visits.
-- database: flat, keys: 2
SELECT DATE_TRUNC('month', day) AS __timestamp, city AS city, sum(fee) AS "SUM(fee)" 
FROM pgveil.visit_facts JOIN (SELECT city AS city__, count(*) AS mme_inner__ 
FROM pgveil.visit_facts GROUP BY city ORDER BY mme_inner__ DESC 
 LIMIT 5) AS anon_1 ON city = city__ GROUP BY DATE_TRUNC('month', day), city ORDER BY "SUM(fee)" DESC 
 LIMIT 50000

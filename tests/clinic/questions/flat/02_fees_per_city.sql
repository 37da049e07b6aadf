-- Which cities pay most?
-- database: flat, keys: 1
SELECT city, sum(fee) AS fees, count(*) AS visits FROM pgveil.visit_facts GROUP BY city ORDER BY fees DESC NULLS LAST, city

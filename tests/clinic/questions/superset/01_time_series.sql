-- A line of visits per month.
-- database: flat, keys: 1
SELECT DATE_TRUNC('month', day) AS day, COUNT(*) AS count 
FROM pgveil.visit_facts 
WHERE day >= TO_DATE('2023-01-01', 'YYYY-MM-DD') AND day < TO_DATE('2025-01-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('month', day) ORDER BY count DESC 
 LIMIT 10000

-- A big number.
-- database: clinic, keys: 0
SELECT COUNT(DISTINCT person_id) AS "COUNT_DISTINCT(person_id)" 
FROM public.visits 
WHERE year IN ('2024') 
 LIMIT 50000

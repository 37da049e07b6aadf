-- A chart over a query that somebody saved as a dataset.
-- database: clinic, keys: 2
SELECT city AS city, birth_decade AS birth_decade, COUNT(DISTINCT id) AS "COUNT_DISTINCT(id)" 
FROM (SELECT p.id, p.city, p.birth_decade, v.fee FROM persons p
JOIN visits v ON v.person_id = p.id
) AS virtual_table GROUP BY city, birth_decade ORDER BY "COUNT_DISTINCT(id)" DESC 
 LIMIT 1000

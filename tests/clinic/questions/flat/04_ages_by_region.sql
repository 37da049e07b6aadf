-- How old are visitors of each region, by decade of birth?
-- database: flat, keys: 2
SELECT region, birth_decade, count(*) AS visits FROM visit_facts GROUP BY region, birth_decade ORDER BY 1, 2

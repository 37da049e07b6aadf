-- How many persons live in each city?
-- database: clinic, keys: 1
SELECT city, count(*) AS persons, round(avg(birth_year), 1) AS mean_birth_year
  FROM persons GROUP BY city ORDER BY persons DESC, city

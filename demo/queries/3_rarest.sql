SELECT occupation, city, state, birth_year AS born, sex, count(*) AS people FROM residents
GROUP BY 1, 2, 3, 4, 5 ORDER BY people, 1, 2, 3, 4, 5 LIMIT 8

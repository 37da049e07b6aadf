SELECT occupation, state, count(*) AS group_count FROM people
GROUP BY occupation, state ORDER BY 3 DESC, 1, 2

-- Which drugs do persons get who had a stay?
-- database: clinic, keys: 1
SELECT drug, count(*) AS prescriptions, sum(amount) AS amount FROM prescriptions
 WHERE person_id IN (SELECT person_id FROM stays WHERE person_id IS NOT NULL)
 GROUP BY drug ORDER BY prescriptions DESC, drug LIMIT 20

-- Which kinds of places do persons of each city go to?
-- database: clinic, keys: 2
SELECT p.city, pl.kind, count(*) AS visits, count(DISTINCT p.id) AS persons
  FROM persons p JOIN visits v ON v.person_id = p.id JOIN places pl ON pl.id = v.place_id
 GROUP BY p.city, pl.kind ORDER BY visits DESC, 1, 2

-- How long do women and men stay in each ward?
-- database: clinic, keys: 2
SELECT s.ward, p.sex, count(*) AS stays, sum(s.nights) AS nights
  FROM stays s LEFT JOIN persons p ON p.id = s.person_id
 GROUP BY s.ward, p.sex ORDER BY 1, 2

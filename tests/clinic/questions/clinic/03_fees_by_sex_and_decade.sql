-- What did women and men of each decade of birth pay?
-- database: clinic, keys: 2
SELECT p.sex, p.birth_decade, sum(v.fee) AS fees, count(v.fee) AS paid
  FROM persons p JOIN visits v ON v.person_id = p.id
 GROUP BY p.sex, p.birth_decade ORDER BY 1, 2

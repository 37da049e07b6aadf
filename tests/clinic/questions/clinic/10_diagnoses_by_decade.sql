-- How many persons of each decade of birth have a diagnosis of each chapter?
-- database: clinic, keys: 2
SELECT p.birth_decade, left(d.icd, 1) AS chapter, count(DISTINCT p.id) AS persons
  FROM persons p JOIN visit_diagnoses d ON d.person_id = p.id
 GROUP BY 1, 2 ORDER BY 1, 2

-- What are the three most frequent diagnoses of each chapter?
-- database: clinic, keys: 2
SELECT chapter, icd, cases FROM (
  SELECT left(icd, 1) AS chapter, icd, count(*) AS cases,
         row_number() OVER (PARTITION BY left(icd, 1) ORDER BY count(*) DESC, icd) AS place
    FROM visit_diagnoses WHERE icd IS NOT NULL GROUP BY icd) AS ranked
 WHERE place <= 3 ORDER BY chapter, place

-- Queries in the style of the Join Order Benchmark: many joins, filters on texts, MIN of a few columns.

-- JOB style
SELECT min(t.title) AS title, min(t.year) AS year FROM films.title t JOIN films.title_company tc ON tc.title_id = t.id
JOIN films.company c ON c.id = tc.company_id JOIN films.kind k ON k.id = t.kind_id
WHERE c.country_code = '[de]' AND k.kind = 'film' AND tc.kind = 'distributor';

SELECT min(p.country), min(t.title) FROM films.person p, films.part x, films.title t, films.role r
WHERE x.person_id = p.id AND x.title_id = t.id AND r.id = x.role_id AND r.role = 'actress' AND p.gender = 'f'
  AND x.note = '(voice)' AND t.year BETWEEN 2005 AND 2009;

SELECT min(p.born) AS born, count(*) AS n FROM films.person p JOIN films.part x ON x.person_id = p.id
JOIN films.title t ON t.id = x.title_id JOIN films.fact f ON f.title_id = t.id JOIN films.fact_kind i ON i.id = f.fact_kind_id
WHERE i.fact = 'genre' AND f.value IN ('Horror', 'Action') AND p.country = 'US' AND t.year > 2000;

SELECT r.role, count(DISTINCT p.id) AS persons, count(DISTINCT t.id) AS titles
FROM films.part x JOIN films.person p ON p.id = x.person_id JOIN films.title t ON t.id = x.title_id
JOIN films.role r ON r.id = x.role_id WHERE p.gender = 'm' AND p.born < 1960 GROUP BY r.role ORDER BY r.role;

SELECT min(a.country) AS one, min(b.country) AS other, count(*) FROM films.part x JOIN films.part y ON y.title_id = x.title_id
JOIN films.person a ON a.id = x.person_id JOIN films.person b ON b.id = y.person_id
WHERE x.role_id = 1 AND y.role_id = 3 AND a.gender = 'm' AND b.gender = 'f' AND a.country <> b.country;

SELECT t.year / 10 * 10 AS decade, p.gender, count(*) FROM films.title t JOIN films.part x ON x.title_id = t.id
LEFT JOIN films.person p ON p.id = x.person_id GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST;

SELECT min(f.value) AS rating, min(p.born) FROM films.fact f JOIN films.title t ON t.id = f.title_id
JOIN films.part x ON x.title_id = t.id JOIN films.person p ON p.id = x.person_id JOIN films.role r ON r.id = x.role_id
WHERE f.fact_kind_id = 2 AND f.value > '8.0' AND r.role IN ('director', 'writer') AND p.country LIKE 'G%';

SELECT p.country, count(*) AS n FROM films.person p WHERE EXISTS (SELECT 1 FROM films.part x JOIN films.title t
  ON t.id = x.title_id WHERE x.person_id = p.id AND t.year < 1960) GROUP BY p.country ORDER BY n DESC, p.country;

SELECT count(*) FROM films.person p WHERE p.gender IS NULL AND NOT EXISTS (SELECT 1 FROM films.part x
  WHERE x.person_id = p.id AND x.role_id = 3);

SELECT min(c.name), min(t.title), max(p.born) FROM films.company c, films.title_company tc, films.title t, films.part x,
  films.person p, films.fact f, films.fact_kind i
WHERE c.id = tc.company_id AND tc.title_id = t.id AND x.title_id = t.id AND p.id = x.person_id AND f.title_id = t.id
  AND i.id = f.fact_kind_id AND c.country_code <> '[us]' AND i.fact = 'language' AND f.value = 'German'
  AND x.note IN ('(voice)', '(uncredited)') AND p.gender = 'f' AND p.country IN ('DE', 'FR');

SELECT p.born, min(t.year) FROM films.person p JOIN films.part x ON p.id = x.person_id JOIN films.title t ON x.title_id = t.id
WHERE p.country IN ('US', 'GB') AND p.name LIKE '%9%' GROUP BY p.born HAVING count(*) > 2 ORDER BY 1;

SELECT k.kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY p.born) AS median FROM films.person p
JOIN films.part x ON x.person_id = p.id JOIN films.title t ON t.id = x.title_id JOIN films.kind k ON k.id = t.kind_id
GROUP BY k.kind ORDER BY k.kind;

SELECT country, gender, n, rank() OVER (PARTITION BY gender ORDER BY n DESC) FROM (
  SELECT p.country, p.gender, count(*) AS n FROM films.person p JOIN films.part x ON x.person_id = p.id
  WHERE x.role_id = 2 GROUP BY 1, 2) s ORDER BY gender, 4, country;

WITH busy AS (SELECT person_id, count(*) AS n FROM films.part GROUP BY 1 HAVING count(*) >= 5)
SELECT p.gender, sum(b.n), avg(p.born)::numeric(8, 3) FROM busy b JOIN films.person p ON p.id = b.person_id GROUP BY 1 ORDER BY 1;

SELECT min(t.title) FROM films.title t JOIN films.title_company tc ON tc.title_id = t.id JOIN films.company c
ON c.id = tc.company_id JOIN films.part x ON x.title_id = t.id JOIN films.person p ON p.id = x.person_id
WHERE (c.name LIKE '%1%' OR c.name LIKE '%7%') AND t.title ~ '9$' AND p.born IN (1950, 1961, 1972) AND p.gender IS NOT NULL;

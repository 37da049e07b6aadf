-- Films in the shape of the Join Order Benchmark's tables: persons, who took part in what, companies, facts.
-- Every value is computed from its row's number.
CREATE SCHEMA films;
CREATE TABLE films.kind (id integer PRIMARY KEY, kind text NOT NULL);
INSERT INTO films.kind VALUES (1, 'film'), (2, 'series'), (3, 'episode'), (4, 'short');
CREATE TABLE films.role (id integer PRIMARY KEY, role text NOT NULL);
INSERT INTO films.role VALUES (1, 'actor'), (2, 'actress'), (3, 'director'), (4, 'writer'), (5, 'producer');
CREATE TABLE films.fact_kind (id integer PRIMARY KEY, fact text NOT NULL);
INSERT INTO films.fact_kind VALUES (1, 'genre'), (2, 'rating'), (3, 'votes'), (4, 'language');
CREATE TABLE films.title AS
  SELECT g AS id, 'Title ' || (g * 7919 % 5003) AS title, 1 + g * 31 % 4 AS kind_id, 1950 + g * 17 % 74 AS year
  FROM generate_series(1, :rows / 10) g;
CREATE TABLE films.person AS
  SELECT g AS id, 'Person ' || g AS name, (ARRAY['f', 'm', 'm', NULL])[1 + g * 13 % 4] AS gender,
         1920 + (g * g) % 83 AS born, (ARRAY['US', 'US', 'GB', 'FR', 'DE', 'IN', 'JP', 'xx' || g % 900])[1 + g * 11 % 8] AS country
  FROM generate_series(1, :rows / 5) g;
CREATE TABLE films.part AS
  SELECT g AS id, 1 + (g::bigint * 7907 % (:rows / 5))::integer AS person_id, 1 + (g::bigint * 104729 % (:rows / 10))::integer AS title_id,
         1 + g % 5 AS role_id, CASE g % 11 WHEN 0 THEN '(uncredited)' WHEN 1 THEN '(voice)' END AS note
  FROM generate_series(1, :rows) g;
CREATE TABLE films.company AS
  SELECT g AS id, 'Company ' || g AS name, (ARRAY['[us]', '[gb]', '[de]', '[jp]'])[1 + g % 4] AS country_code
  FROM generate_series(1, 200) g;
CREATE TABLE films.title_company AS
  SELECT g AS title_id, 1 + g * 37 % 200 AS company_id, (ARRAY['distributor', 'producer'])[1 + g % 2] AS kind
  FROM generate_series(1, :rows / 10) g;
CREATE TABLE films.fact AS
  SELECT t.id AS title_id, k.id AS fact_kind_id,
         CASE k.id WHEN 1 THEN (ARRAY['Drama', 'Horror', 'Comedy', 'Action'])[1 + t.id % 4]
                   WHEN 2 THEN (t.id * 13 % 90 / 10.0 + 1)::numeric(3, 1)::text
                   WHEN 3 THEN (t.id * 97 % 10000)::text ELSE (ARRAY['English', 'German', 'Hindi'])[1 + t.id % 3] END AS value
  FROM films.title t CROSS JOIN films.fact_kind k;
CREATE INDEX ON films.part (person_id);
CREATE INDEX ON films.part (title_id);
CREATE INDEX ON films.person (id);
CREATE INDEX ON films.title (id);
CREATE INDEX ON films.fact (title_id);
ANALYZE films.title, films.person, films.part, films.company, films.title_company, films.fact;

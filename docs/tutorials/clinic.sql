-- A clinic as a star: 5,000 made-up patients, their visits, stays, diagnoses and prescriptions. They are the
-- same each time. docs/star-schemas.md uses them.
CREATE TABLE places (id integer PRIMARY KEY, city text, region text);
CREATE TABLE patients (id bigint PRIMARY KEY, mrn text, name text, sex text, birth_date date,
                       place_id integer REFERENCES places);
CREATE TABLE visits (id bigint PRIMARY KEY, patient_id bigint REFERENCES patients,
                     admitted date, ward text, cost numeric(10,2));
CREATE TABLE stays (visit_id bigint REFERENCES visits, patient_id bigint REFERENCES patients,
                    from_day date, days integer);
CREATE TABLE icd_codes (code text PRIMARY KEY, chapter text);
CREATE TABLE diagnoses (visit_id bigint REFERENCES visits, patient_id bigint REFERENCES patients,
                        code text REFERENCES icd_codes, is_main boolean);
CREATE TABLE prescriptions (id bigint PRIMARY KEY, patient_id bigint REFERENCES patients,
                            prescribed date, drug text);

-- A number from 0 to less than `below` for each record; another one for each salt.
CREATE FUNCTION pg_temp.draw(record bigint, salt integer, below integer) RETURNS integer LANGUAGE sql AS
  $$ SELECT mod(('x' || substr(md5(record || '.' || salt), 1, 8))::bit(32)::bigint, below)::integer $$;

INSERT INTO places SELECT i, 'City ' || i, 'Region ' || 1 + i % 3 FROM generate_series(1, 8) AS i;
INSERT INTO icd_codes SELECT chapter || lpad(i::text, 2, '0') || '.1', chapter
  FROM unnest(ARRAY['E', 'I', 'J', 'S']) AS chapter, generate_series(10, 14) AS i;
INSERT INTO patients
SELECT i, 'M' || 100000 + i, 'Patient ' || i, (ARRAY['f', 'm'])[1 + pg_temp.draw(i, 1, 2)],
       date '1930-01-01' + pg_temp.draw(i, 2, 28000), 1 + least(pg_temp.draw(i, 3, 8), pg_temp.draw(i, 4, 8))
  FROM generate_series(1, 5000) AS i;
INSERT INTO visits
SELECT i, 1 + pg_temp.draw(i, 5, 5000), date '2026-01-01' + pg_temp.draw(i, 6, 180),
       (ARRAY['surgery', 'cardiology', 'children', 'emergency'])[1 + pg_temp.draw(i, 7, 4)],
       50 + pg_temp.draw(i, 8, 2000)
  FROM generate_series(1, 6000) AS i;
INSERT INTO stays SELECT id, patient_id, admitted, 1 + pg_temp.draw(id, 9, 9) FROM visits WHERE id % 3 = 0;
INSERT INTO diagnoses
SELECT v.id, v.patient_id, c.code, true
  FROM visits v JOIN (SELECT code, row_number() OVER (ORDER BY code) AS number FROM icd_codes) AS c
    ON c.number = 1 + pg_temp.draw(v.id, 10, 20);
INSERT INTO prescriptions
SELECT i, 1 + pg_temp.draw(i, 11, 5000), date '2026-01-01' + pg_temp.draw(i, 12, 180),
       (ARRAY['aspirin', 'insulin', 'ibuprofen'])[1 + pg_temp.draw(i, 13, 3)]
  FROM generate_series(1, 3500) AS i;
ANALYZE places, patients, visits, stays, icd_codes, diagnoses, prescriptions;

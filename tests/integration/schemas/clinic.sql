-- A clinic's patients, their visits and diagnoses, its staff, and lists. Made up; nothing is random.
CREATE SCHEMA clinic;
SET search_path = clinic;
CREATE TYPE visit_kind AS ENUM ('outpatient', 'inpatient', 'emergency');
CREATE TABLE departments (department_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE insurers (insurer_id integer PRIMARY KEY, name text NOT NULL, phone text, street text, city text);
CREATE TABLE icd_codes (code text PRIMARY KEY, title text NOT NULL);
CREATE TABLE staff (staff_id integer PRIMARY KEY, first_name text, last_name text, email text, sex text, role text,
                    department_id integer REFERENCES departments, hired_on date, salary numeric(10,2), manager_id integer REFERENCES staff);
CREATE TABLE patients (patient_id integer PRIMARY KEY, mrn text UNIQUE NOT NULL, first_name text, last_name text, birth_date date,
                       sex text, street text, zip text, city text, phone text, email text,
                       insurer_id integer REFERENCES insurers, marital_status text, occupation text, nationality text,
                       smoker boolean, height_cm integer, allergies text[], notes text, created_at timestamptz);
CREATE TABLE visits (visit_id integer PRIMARY KEY, patient_id integer NOT NULL REFERENCES patients,
                     doctor_id integer REFERENCES staff, department_id integer REFERENCES departments, kind visit_kind,
                     visit_date date, admitted_at timestamptz, reason text, length_of_stay integer, cost numeric(10,2));
CREATE TABLE diagnoses (diagnosis_id integer PRIMARY KEY, visit_id integer NOT NULL REFERENCES visits,
                        patient_id integer NOT NULL REFERENCES patients, icd_code text REFERENCES icd_codes,
                        diagnosed_on date, comment text);
CREATE TABLE prescriptions (prescription_id integer PRIMARY KEY, visit_id integer NOT NULL REFERENCES visits, drug text, dose text);
CREATE TABLE rooms (room_id integer PRIMARY KEY, building text, floor integer, beds integer);
CREATE TABLE access_log (entry_id bigint PRIMARY KEY, at timestamptz, message text);
CREATE VIEW visit_report AS SELECT p.city, v.kind FROM patients p JOIN visits v USING (patient_id);

INSERT INTO departments SELECT i, 'Department ' || i FROM generate_series(1, 12) i;
INSERT INTO insurers SELECT i, 'Insurer ' || i, '+49 30 555010' || i, 'Street ' || i, 'City ' || i FROM generate_series(1, 9) i;
INSERT INTO icd_codes SELECT 'I' || i, 'Disease ' || i FROM generate_series(1, 40) i;
INSERT INTO staff SELECT i, 'First' || i, 'Last' || i, 's' || i || '@clinic.example', substr('fm', 1 + i % 2, 1),
                         (ARRAY['doctor','nurse','clerk'])[1 + i % 3], 1 + i % 12, date '2000-01-01' + i * 9, 3000 + i * 11,
                         CASE WHEN i > 1 THEN 1 END FROM generate_series(1, 300) i;
INSERT INTO patients
  SELECT i, 'MRN' || 100000 + i, 'First' || i % 700, 'Last' || i % 900, date '1930-01-01' + (i * 37 % 30000),
         substr('fm', 1 + i % 2, 1), 'Street ' || i, (20000 + i * 7 % 4000)::text, 'City ' || (i % 7) * (i % 11),
         '+49 40 ' || 1000000 + i, 'p' || i || '@example.org', 1 + i % 9,
         (ARRAY['single','married','widowed'])[1 + i % 3], (ARRAY['cook','clerk','nurse','driver','farmer','baker'])[1 + i % 6],
         (ARRAY['DE','DE','DE','PL','DK'])[1 + i % 5], i % 4 = 0, 150 + i % 50, NULL, 'a note about case ' || i,
         timestamptz '2020-01-01 00:00Z' + i * interval '1 minute'
    FROM generate_series(1, 6000) i;
INSERT INTO visits
  SELECT i, 1 + i * 7 % 6000, 1 + i % 300, 1 + i % 12, ('{outpatient,inpatient,emergency}'::visit_kind[])[1 + i % 3],
         date '2023-01-01' + i % 700, timestamptz '2023-01-01 00:00Z' + i * interval '7 minutes', 'reason no. ' || i, i % 9,
         50 + i * 0.61 FROM generate_series(1, 18000) i;
INSERT INTO diagnoses SELECT i, i, 1 + i * 7 % 6000, 'I' || 1 + i % 40, date '2023-01-01' + i % 700, 'words ' || i
  FROM generate_series(1, 18000) i;
INSERT INTO prescriptions SELECT i, i, 'drug ' || i % 30, i % 5 || ' mg' FROM generate_series(1, 3000) i;
INSERT INTO rooms SELECT i, 'House ' || i % 3, i % 5, 2 FROM generate_series(1, 50) i;
INSERT INTO access_log SELECT i, now(), 'user s' || i || ' looked at ' || i FROM generate_series(1, 2000) i;
ANALYZE;

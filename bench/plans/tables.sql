-- Three tables of persons with policies, and two open ones. Values are skewed, some columns are nearly
-- unique, and some depend on each other, as in real tables.
CREATE TABLE cities (city text PRIMARY KEY, state text NOT NULL, size integer NOT NULL);
CREATE TABLE days (day date PRIMARY KEY, month integer NOT NULL, is_weekend boolean NOT NULL);
CREATE TABLE people (id integer PRIMARY KEY, name text, sex text, born date, city text, state text, job text,
                     income integer);
CREATE TABLE visits (id integer PRIMARY KEY, person_id integer NOT NULL, day date, ward text, kind text,
                     cost integer);
CREATE TABLE orders (id integer PRIMARY KEY, person_id integer NOT NULL, day date, priority text, clerk text,
                     status text NOT NULL, price integer);
SELECT setseed(0.5);
INSERT INTO cities
  SELECT 'city ' || n, 'state ' || n % 20, (1000000 / (n + 1))::integer FROM generate_series(0, 399) n;
INSERT INTO days SELECT d, extract(month FROM d), extract(isodow FROM d) > 5
  FROM (SELECT '2022-01-01'::date + n AS d FROM generate_series(0, 729) n) AS each;
INSERT INTO people
  SELECT n, 'name ' || n, CASE WHEN random() < 0.51 THEN 'f' ELSE 'm' END,
         '1940-01-01'::date + (random() * 24000)::integer, 'city ' || c, 'state ' || c % 20,
         'job ' || (14 * random() ^ 2)::integer, (20000 + 90000 * random() ^ 3)::integer
  FROM (SELECT n, (399 * random() ^ 3)::integer AS c FROM generate_series(1, 20000) n) AS drawn;
INSERT INTO visits
  SELECT n, 1 + (19999 * random() ^ 1.5)::integer, '2022-01-01'::date + (729 * random() ^ 2)::integer,
         CASE WHEN random() < 0.9 THEN 'ward ' || (15 * random() ^ 2)::integer END,
         'kind ' || (3 * random() ^ 3)::integer, (1000 * random())::integer
  FROM generate_series(1, 60000) n;
INSERT INTO orders
  SELECT n, 1 + (19999 * random())::integer, '2022-01-01'::date + (729 * random())::integer,
         'priority ' || (5 * random())::integer, 'clerk ' || (600 * random())::integer,
         (ARRAY['open', 'paid', 'sent'])[1 + (2 * random())::integer], (5000 * random())::integer
  FROM generate_series(1, 30000) n;
CREATE INDEX ON visits (person_id);
CREATE INDEX ON orders (person_id);
VACUUM (ANALYZE);
REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench;

-- A small table with a policy, a small open one, and an open one in twelve partitions.
CREATE TABLE people (id integer PRIMARY KEY, job text, city text, state text, seen timestamp, note text);
INSERT INTO people SELECT n, 'job ' || n % 7, 'city ' || n % 3, 'state ' || n % 2, timestamp '2024-01-01' + n % 5 * interval '1 day', 'note ' || n
  FROM generate_series(1, 1000) n;
CREATE TABLE cities (id integer PRIMARY KEY, city text, size integer);
INSERT INTO cities SELECT n, 'city ' || n, n FROM generate_series(1, 1000) n;
CREATE TABLE log (day date, note text) PARTITION BY RANGE (day);
SELECT format('CREATE TABLE log_%s PARTITION OF log FOR VALUES FROM (%L) TO (%L)', n, date '2024-01-01' + n * 30, date '2024-01-31' + n * 30)
  FROM generate_series(0, 11) n \gexec
INSERT INTO log SELECT date '2024-01-01' + n % 360, 'note' FROM generate_series(1, 3600) n;
CREATE INDEX ON log (day);
GRANT SELECT ON people, cities, log TO bench;
ANALYZE;

-- One table for each policy, so that neither is a second release of the other. Variables: copies.
CREATE TABLE people5 AS
  SELECT (row_number() OVER ())::int AS id, people.* FROM generate_series(1, :copies) AS copy, people;
ALTER TABLE people5 ADD PRIMARY KEY (id);
CREATE INDEX ON people5 (age);
CREATE TABLE people9 AS SELECT * FROM people5;
ALTER TABLE people9 ADD PRIMARY KEY (id);
CREATE INDEX ON people9 (age);
VACUUM (ANALYZE) people5, people9;
GRANT SELECT ON people5, people9 TO bench;

-- Run this as superuser in the database postgres. Passwords are passed as psql variables.
-- pgveil_query runs the SQL of analysts. pgveil_admin counts, exports and stores versions, and never runs SQL
-- of analysts. The raw tables belong to a third role. `pgveil setup-sql` prints the grants for the first two.
CREATE ROLE demo_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE pgveil_query LOGIN PASSWORD :'query_password';
CREATE ROLE pgveil_admin LOGIN PASSWORD :'admin_password';
-- setup-sql changes no role that it did not make, unless a comment on the role says that it may.
COMMENT ON ROLE pgveil_query IS 'pgveil: for pgveil alone';
COMMENT ON ROLE pgveil_admin IS 'pgveil: for pgveil alone';
CREATE DATABASE demo OWNER demo_owner;
REVOKE ALL ON DATABASE demo FROM PUBLIC;

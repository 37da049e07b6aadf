-- Run as superuser in the database postgres. Passwords come in as psql variables.
-- pgveil_query carries what analysts ask. pgveil_admin counts, exports and keeps versions; no analyst's SQL
-- ever runs as it. The raw tables belong to a third role. What the two may do is granted by what
-- `pgveil setup-sql` prints.
CREATE ROLE demo_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE pgveil_query LOGIN PASSWORD :'query_password';
CREATE ROLE pgveil_admin LOGIN PASSWORD :'admin_password';
CREATE DATABASE demo OWNER demo_owner;
REVOKE ALL ON DATABASE demo FROM PUBLIC;

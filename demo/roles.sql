-- Run as superuser in the database postgres. Passwords come in as psql variables.
-- pgveil_query carries what analysts ask: SELECT and nothing else. pgveil_admin counts and exports; no analyst's SQL
-- ever runs as it. The raw tables belong to a third role.
CREATE ROLE demo_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE pgveil_query LOGIN PASSWORD :'query_password';
CREATE ROLE pgveil_admin LOGIN PASSWORD :'admin_password';
CREATE DATABASE demo OWNER demo_owner;
REVOKE ALL ON DATABASE demo FROM PUBLIC;
GRANT CONNECT ON DATABASE demo TO pgveil_query, pgveil_admin;

#!/bin/sh
# Run by the PostgreSQL image when its data folder is new: the demo's roles and tables.
set -eu
owner_password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
psql -X -q -v ON_ERROR_STOP=1 -U postgres -d postgres -v owner_password="$owner_password" \
  -v query_password="$PGVEIL_QUERY_PASSWORD" -v admin_password="$PGVEIL_ADMIN_PASSWORD" -f /demo/roles.sql
psql -X -q -v ON_ERROR_STOP=1 -U postgres -d demo -c 'SET ROLE demo_owner' -f /demo/example_table.sql
psql -X -q -v ON_ERROR_STOP=1 -U postgres -d demo -c 'SET ROLE demo_owner' -v rows=100000 \
  -f /demo/residents_table.sql

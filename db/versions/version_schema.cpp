#include "db/versions/version_schema.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

// Exactly as in pg_proc.prosrc. STABLE: the query in it sees the snapshot of the calling statement.
constexpr std::string_view kGuardBody = R"(
DECLARE
  current_number pg_catalog.int8;
BEGIN
  SELECT v.number INTO current_number FROM pgveil.version AS v
   WHERE v.policy OPERATOR(pg_catalog.=) $1 AND v.is_current;
  IF current_number OPERATOR(pg_catalog.=) $2 THEN
    RETURN true;
  END IF;
  IF current_number IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'PV002', MESSAGE = 'pgveil: the policy has no current version';
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'PV001', MESSAGE = 'pgveil: another version of the policy is current';
END
)";
// Called while a statement is planned. It is declared IMMUTABLE, so its result is folded into the plan, which
// PostgreSQL discards when the table's catalog entries change. The functions that it calls read the newest
// catalog, and the planner holds a lock on the table.
constexpr std::string_view kShapeBody = R"(
BEGIN
  IF ((pg_catalog.pg_identify_object_as_address(1259, $1, 0)).object_names OPERATOR(pg_catalog.=) $3[1:2]) IS NOT TRUE
     OR ($2 OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid
         AND (pg_catalog.pg_relation_filenode($1) OPERATOR(pg_catalog.=) $2) IS NOT TRUE) THEN
    RETURN false;
  END IF;
  FOR i IN 1 .. pg_catalog.cardinality($4) LOOP
    IF ((pg_catalog.pg_identify_object_as_address(1259, $1, $4[i])).object_names
        OPERATOR(pg_catalog.=) ($3[1:2] OPERATOR(pg_catalog.||) $3[i OPERATOR(pg_catalog.+) 2])) IS NOT TRUE THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
END
)";
// $1 is NULL of the column's type: (NULL::public.people).city. Called while a statement is planned, like
// shape.
constexpr std::string_view kTypeBody = R"(
BEGIN
  IF (pg_catalog.pg_typeof($1)::pg_catalog.oid OPERATOR(pg_catalog.=) $2) IS NOT TRUE THEN
    RETURN false;
  END IF;
  IF $3 OPERATOR(pg_catalog.=) '0'::pg_catalog.oid THEN
    RETURN true;
  END IF;
  RETURN (pg_catalog.to_regcollation(pg_catalog.pg_collation_for($1))::pg_catalog.oid OPERATOR(pg_catalog.=) $3) IS TRUE;
END
)";
// For an open table. Called while a statement is planned, like shape. $3: the hash of the table and all
// partitions below it; 0: it has none.
constexpr std::string_view kOpenBody = R"(
BEGIN
  IF ((pg_catalog.pg_identify_object_as_address(1259, $1, 0)).object_names OPERATOR(pg_catalog.=) $2) IS NOT TRUE
     OR ((pg_catalog.pg_identify_object_as_address(1259, $1, 0)).type OPERATOR(pg_catalog.=) 'table'::pg_catalog.text) IS NOT TRUE
     OR pg_catalog.row_security_active($1)
     OR pg_catalog.pg_partition_root($1)::pg_catalog.oid OPERATOR(pg_catalog.<>) $1 THEN
    RETURN false;
  END IF;
  IF $3 OPERATOR(pg_catalog.=) '0'::pg_catalog.int8 THEN
    RETURN true;
  END IF;
  RETURN (pg_catalog.hash_array_extended(ARRAY(SELECT p.relid::pg_catalog.oid FROM pg_catalog.pg_partition_tree($1) AS p
                                                ORDER BY p.relid::pg_catalog.oid), 0) OPERATOR(pg_catalog.=) $3) IS TRUE;
END
)";
// Whether the view pgveil.$1 is still the one that was noted. Its query is in one row of pg_rewrite, which
// another query replaces. Called while a statement that reads the view runs, and thus under a lock on the
// view. The row is read in the snapshot of that statement. This snapshot may be older than the lock
// (REPEATABLE READ, EXECUTE, DECLARE) and then shows the replaced row; but replacing a row sets its xmax in
// place, which all snapshots see. The name is looked up in the newest catalog, as in the statement.
constexpr std::string_view kMaskBody = R"(
BEGIN
  RETURN EXISTS (
    SELECT FROM pgveil.mask_view AS m JOIN pg_catalog.pg_rewrite AS w ON w.xmin OPERATOR(pg_catalog.=) m.rule_xmin
     WHERE m.name OPERATOR(pg_catalog.=) $1
       AND w.ev_class OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('pgveil.%I', $1))::pg_catalog.oid
       AND w.ev_type OPERATOR(pg_catalog.=) '1'::pg_catalog."char"
       AND w.xmax OPERATOR(pg_catalog.=) '0'::pg_catalog.xid);
END
)";
// How the server prints the view. Since 16, columns are printed without the table when there is only one.
constexpr std::string_view kCurrentViewOf15 =
    " SELECT v.policy,\n    v.number\n   FROM pgveil.version v\n  WHERE v.is_current;";
constexpr std::string_view kCurrentViewSince16 =
    " SELECT policy,\n    number\n   FROM pgveil.version v\n  WHERE is_current;";
static_assert(kGuardBody.find(kOtherVersionState) != std::string_view::npos);
static_assert(kGuardBody.find(kNoVersionState) != std::string_view::npos);

constexpr std::string_view kVersionSchema = R"(CREATE SCHEMA IF NOT EXISTS pgveil;
REVOKE ALL ON SCHEMA pgveil FROM PUBLIC;
CREATE TABLE IF NOT EXISTS pgveil.version (
  policy text PRIMARY KEY,
  number bigint NOT NULL,        -- the last one given; never falls
  is_current boolean NOT NULL,   -- false: withdrawn, or never built
  closed_because text,
  document text,                 -- the version itself, as JSON: it quotes values of the table
  changed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
REVOKE ALL ON pgveil.version FROM PUBLIC;
CREATE TABLE IF NOT EXISTS pgveil.built_table (  -- which tables versions were ever built of
  table_oid oid NOT NULL,
  schema_name text NOT NULL,
  table_name text NOT NULL,
  policy text NOT NULL,
  PRIMARY KEY (table_oid, schema_name, table_name)
);
INSERT INTO pgveil.built_table (table_oid, schema_name, table_name, policy)
  SELECT (v.document::json -> 'table' ->> 'oid')::oid, v.document::json -> 'table' ->> 'schema', v.document::json -> 'table' ->> 'name', v.policy
    FROM pgveil.version AS v WHERE v.document IS NOT NULL ON CONFLICT DO NOTHING;
REVOKE ALL ON pgveil.built_table FROM PUBLIC, {query};
CREATE OR REPLACE FUNCTION pgveil.guard(policy text, number bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $guard${body}$guard$;
REVOKE ALL ON FUNCTION pgveil.guard(text, bigint) FROM PUBLIC;
CREATE OR REPLACE FUNCTION pgveil.shape(relation oid, filenode oid, names text[], numbers smallint[]) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  AS $shape${shape}$shape$;
REVOKE ALL ON FUNCTION pgveil.shape(oid, oid, text[], smallint[]) FROM PUBLIC;
CREATE OR REPLACE FUNCTION pgveil.has_type(value anyelement, type oid, collating oid) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  AS $type${type}$type$;
REVOKE ALL ON FUNCTION pgveil.has_type(anyelement, oid, oid) FROM PUBLIC;
CREATE OR REPLACE FUNCTION pgveil.is_open(relation oid, names text[], partitions bigint) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  AS $open${open}$open$;
REVOKE ALL ON FUNCTION pgveil.is_open(oid, text[], bigint) FROM PUBLIC;
CREATE OR REPLACE FUNCTION pgveil.is_mask(view text) RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $mask${mask}$mask$;
REVOKE ALL ON FUNCTION pgveil.is_mask(text) FROM PUBLIC;
CREATE OR REPLACE VIEW pgveil.current_version AS SELECT v.policy, v.number FROM pgveil.version AS v WHERE v.is_current;
REVOKE ALL ON pgveil.current_version FROM PUBLIC;
REVOKE ALL ON pgveil.version FROM {query};
REVOKE CREATE ON SCHEMA pgveil FROM {query};
GRANT USAGE ON SCHEMA pgveil TO {query}, {admin};
GRANT CREATE ON SCHEMA pgveil TO {admin};
GRANT EXECUTE ON FUNCTION pgveil.guard(text, bigint), pgveil.shape(oid, oid, text[], smallint[]),
  pgveil.has_type(anyelement, oid, oid), pgveil.is_open(oid, text[], bigint), pgveil.is_mask(text) TO {query}, {admin};
REVOKE ALL ON pgveil.current_version FROM {query};
GRANT SELECT ON pgveil.current_version TO {query}, {admin};
GRANT SELECT, INSERT, UPDATE ON pgveil.version TO {admin};
GRANT SELECT, INSERT ON pgveil.built_table TO {admin};
)";

// The first problem; '' if there is none. current_user is query_role.
constexpr const char* kProblem = R"(
WITH s AS (SELECT oid, nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'pgveil'),
     f AS (SELECT p.* FROM pg_catalog.pg_proc p JOIN s ON p.pronamespace = s.oid WHERE p.proname = 'guard'),
     h AS (SELECT p.* FROM pg_catalog.pg_proc p JOIN s ON p.pronamespace = s.oid
            WHERE p.proname IN ('shape', 'has_type', 'is_open', 'is_mask')),
     g(name, body, arguments, is_definers) AS (VALUES
       ('shape', $2, '26 26 1009 1005', false), ('has_type', $4, '2283 26 26', false),
       ('is_open', $5, '26 1009 20', false), ('is_mask', $6, '25', true)),
     t AS (SELECT c.* FROM pg_catalog.pg_class c JOIN s ON c.relnamespace = s.oid WHERE c.relname = 'version'),
     b AS (SELECT c.* FROM pg_catalog.pg_class c JOIN s ON c.relnamespace = s.oid WHERE c.relname = 'built_table'),
     v AS (SELECT c.* FROM pg_catalog.pg_class c JOIN s ON c.relnamespace = s.oid WHERE c.relname = 'current_version')
SELECT CASE
  WHEN (SELECT pg_catalog.count(*) FROM f) <> 1 THEN 'it has no function guard, or more than one'
  WHEN NOT EXISTS (SELECT FROM f WHERE prosrc = $1 AND proargtypes = '25 20' AND prorettype = 16 AND prokind = 'f'
         AND NOT proretset AND provolatile = 's' AND prosecdef AND proparallel = 's' AND probin IS NULL
         AND prosqlbody IS NULL AND proconfig = ARRAY['search_path=pg_catalog, pg_temp']
         AND prolang = (SELECT oid FROM pg_catalog.pg_language WHERE lanname = 'plpgsql'))
    THEN 'its function guard is not the one that this pgveil ships'
  WHEN EXISTS (SELECT FROM g WHERE NOT EXISTS (SELECT FROM h WHERE h.proname = g.name))
    THEN 'it is of an older pgveil: it has no function '
         || (SELECT pg_catalog.string_agg(g.name, ', ' ORDER BY g.name) FROM g WHERE NOT EXISTS (SELECT FROM h WHERE h.proname = g.name))
  WHEN NOT EXISTS (SELECT FROM b WHERE relkind = 'r' AND relpersistence = 'p' AND NOT relrowsecurity AND NOT relhasrules)
    THEN 'it is of an older pgveil: it has no table built_table'
  WHEN EXISTS (SELECT FROM g WHERE (SELECT pg_catalog.count(*) FROM h WHERE h.proname = g.name) <> 1
       OR NOT EXISTS (SELECT FROM h WHERE h.proname = g.name AND prosrc = g.body AND proargtypes::pg_catalog.text = g.arguments
         AND prorettype = 16 AND prokind = 'f'
         AND NOT proretset AND proparallel = 's' AND probin IS NULL AND prosqlbody IS NULL AND NOT proisstrict
         AND prosecdef = g.is_definers AND provolatile = CASE WHEN g.is_definers THEN 's' ELSE 'i' END
         AND proconfig IS NOT DISTINCT FROM CASE WHEN g.is_definers THEN ARRAY['search_path=pg_catalog, pg_temp'] END
         AND prolang = (SELECT oid FROM pg_catalog.pg_language WHERE lanname = 'plpgsql')))
    THEN 'its function shape, has_type, is_open or is_mask is not the one that this pgveil ships'
  WHEN NOT EXISTS (SELECT FROM v WHERE relkind = 'v' AND reloptions IS NULL AND NOT relhastriggers
         AND pg_catalog.pg_get_viewdef(oid) = $3
         AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_rewrite r WHERE r.ev_class = v.oid) = 1)
    THEN 'its view current_version is not the one that this pgveil ships'
  WHEN NOT EXISTS (SELECT FROM t WHERE relkind = 'r' AND relpersistence = 'p' AND NOT relrowsecurity
         AND NOT relhasrules AND NOT relhassubclass AND NOT relispartition)
    OR NOT EXISTS (SELECT FROM t WHERE ARRAY(SELECT pg_catalog.format('%s %s', attname, atttypid::pg_catalog.regtype)
         FROM pg_catalog.pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum)
         = ARRAY['policy text', 'number bigint', 'is_current boolean', 'closed_because text', 'document text',
                 'changed_at timestamp with time zone'])
    THEN 'its table version is not the one that this pgveil ships'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN t ON g.tgrelid = t.oid)
    THEN 'its table version has a trigger'
  WHEN EXISTS (SELECT FROM s WHERE pg_catalog.pg_has_role(current_user, nspowner, 'MEMBER'))
    OR EXISTS (SELECT FROM f WHERE pg_catalog.pg_has_role(current_user, proowner, 'MEMBER'))
    OR EXISTS (SELECT FROM h WHERE pg_catalog.pg_has_role(current_user, proowner, 'MEMBER'))
    OR EXISTS (SELECT FROM t WHERE pg_catalog.pg_has_role(current_user, relowner, 'MEMBER'))
    OR EXISTS (SELECT FROM v WHERE pg_catalog.pg_has_role(current_user, relowner, 'MEMBER'))
    THEN 'query_role owns something in it, or is a member of a role that does'
  WHEN EXISTS (SELECT FROM s WHERE pg_catalog.has_schema_privilege(current_user, oid, 'CREATE'))
    THEN 'query_role may create objects in it'
  WHEN EXISTS (SELECT FROM t WHERE pg_catalog.has_table_privilege(current_user, oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
         OR pg_catalog.has_any_column_privilege(current_user, oid, 'INSERT, UPDATE'))
    THEN 'query_role may change its table version'
  WHEN EXISTS (SELECT FROM b WHERE pg_catalog.has_table_privilege(current_user, oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
         OR pg_catalog.has_any_column_privilege(current_user, oid, 'INSERT, UPDATE')
         OR pg_catalog.pg_has_role(current_user, relowner, 'MEMBER'))
    THEN 'query_role may change its table built_table'
  WHEN EXISTS (SELECT FROM v WHERE pg_catalog.has_table_privilege(current_user, oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
         OR pg_catalog.has_any_column_privilege(current_user, oid, 'INSERT, UPDATE'))
    THEN 'query_role may change its view current_version'
  WHEN EXISTS (SELECT FROM v WHERE NOT pg_catalog.has_table_privilege(current_user, oid, 'SELECT'))
    THEN 'query_role may not read its view current_version'
  WHEN EXISTS (SELECT FROM s WHERE NOT pg_catalog.has_schema_privilege(current_user, oid, 'USAGE'))
    OR EXISTS (SELECT FROM h WHERE NOT pg_catalog.has_function_privilege(current_user, oid, 'EXECUTE'))
    OR EXISTS (SELECT FROM f WHERE NOT pg_catalog.has_function_privilege(current_user, oid, 'EXECUTE'))
    THEN 'query_role may not call its functions guard, shape, has_type, is_open and is_mask'
  ELSE '' END)";

constexpr const char* kExists =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'pgveil')";

constexpr const char* kMayCreateSchema =
    "SELECT pg_catalog.has_database_privilege(current_user, pg_catalog.current_database(), 'CREATE')";

}  // namespace

std::string version_schema_sql(const std::string& query_role, const std::string& admin_role) {
  return fmt::format(kVersionSchema, fmt::arg("body", kGuardBody), fmt::arg("shape", kShapeBody),
                     fmt::arg("type", kTypeBody), fmt::arg("open", kOpenBody), fmt::arg("mask", kMaskBody),
                     fmt::arg("query", quoted_name(query_role)), fmt::arg("admin", quoted_name(admin_role)));
}

Result<rewriter::VersionGuard> inspect_version_schema(const Endpoint& query, const std::string& database) {
  auto connection = Connection::open(query, database, Access::read_only);
  if (!connection) return connection.error();
  const std::string what = fmt::format("looking at schema pgveil of database {}", quoted_name(database));
  return guarded<rewriter::VersionGuard>(what, [&]() -> Result<rewriter::VersionGuard> {
    Connection& server = **connection;
    if (!server.run(kExists)[0][0].as<bool>()) return rewriter::VersionGuard::absent;
    const auto view = server.server_version() < 160000 ? kCurrentViewOf15 : kCurrentViewSince16;
    const auto problem =
        server
            .run(kProblem, std::string(kGuardBody), std::string(kShapeBody), std::string(view),
                 std::string(kTypeBody), std::string(kOpenBody), std::string(kMaskBody))[0][0]
            .as<std::string>();
    if (problem.empty()) return rewriter::VersionGuard::present;
    return Error{
        ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
        fmt::format("schema pgveil of database {} can't be trusted: {}", quoted_name(database), problem),
        "run what pgveil setup-sql prints as the owner of the database"};
  });
}

Result<bool> create_version_schema_if_allowed(const Endpoint& admin, const std::string& database,
                                              const std::string& query_role) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const std::string what = fmt::format("creating schema pgveil in database {}", quoted_name(database));
  return guarded<bool>(what, [&]() -> Result<bool> {
    Connection& server = **connection;
    if (server.run(kExists)[0][0].as<bool>() || !server.run(kMayCreateSchema)[0][0].as<bool>()) return false;
    server.run("BEGIN;" + version_schema_sql(query_role, admin.user) + "COMMIT");
    return true;
  });
}

}  // namespace pgveil::db

#include "db/rights/setup_sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "common/sql_quoting.hpp"
#include "db/catalog/public_functions.hpp"
#include "db/rights/extension_relations.hpp"
#include "db/rights/managed_setup.hpp"
#include "db/server/connection.hpp"
#include "db/versions/mask_views.hpp"
#include "db/versions/version_schema.hpp"

namespace pgveil::db {
namespace {

// A name for a comment, without anything that could end the line.
std::string in_comment(std::string_view name) {
  std::string out = quoted_name(name);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return out;
}

// A query whose rows are statements that psql runs.
std::string each(std::string query) {
  return std::move(query) + "\n\\gexec\n";
}

std::string who_runs_it(const SetupInput& in) {
  if (!in.managed) {
    return "a superuser (or as the owner of the database, when\n"
           "-- the roles are there and have no more rights than they should):";
  }
  return fmt::format(
      "the role that owns the database and the\n"
      "-- tables and may create roles. It is for {}, where nobody is a superuser:",
      name_of(*in.managed));
}

std::string header(const SetupInput& in) {
  return fmt::format(
      R"(-- pgveil setup-sql for database {0}. Look it through, then run it as {2}
--   psql -X -v ON_ERROR_STOP=1 -d {0} -f this-file
-- Running it again changes nothing. Passwords are yours to set: \password {1}
-- It changes no role but those that it made itself, which it marks by a comment on the role.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET search_path = pg_catalog, pg_temp;
BEGIN;
)",
      in_comment(in.database), in_comment(in.query_role), who_runs_it(in));
}

// The start of the comment on a role that the script may change. A role without it belongs to somebody else.
constexpr std::string_view kMark = "pgveil:";

std::string role_there(const std::string& role, std::string_view login = "LOGIN") {
  return each(fmt::format(R"(SELECT pg_catalog.format('CREATE ROLE %I {1}', r.name),
       pg_catalog.format('COMMENT ON ROLE %I IS %L', r.name, '{2} setup-sql made this role and sets its rights')
  FROM (VALUES ({0})) AS r (name) WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = r.name))",
                          quoted_literal(role), login, kMark));
}

// Ends the script, before it has changed anything, if it would change a role that it did not make: \gexec
// runs the DO that the query returns for such a role.
std::string only_own_roles(const SetupInput& in) {
  std::string named = fmt::format("('backend.query_role', {}, 1)", quoted_literal(in.query_role));
  const auto add = [&](std::string_view key, const std::optional<std::string>& role, int place) {
    if (role) named += fmt::format(", ('{}', {}, {})", key, quoted_literal(*role), place);
  };
  add("backend.admin_role", in.admin_role, 2);
  add("backend.mask_owner", in.mask_owner, 3);
  add("auth_query.user", in.auth_query_role, 4);
  // Roles that consoles make are members of the service's administrators, and nobody can change that here.
  const std::string in_service =
      in.managed ? fmt::format(
                       R"((SELECT pg_catalog.min(g.rolname::pg_catalog.text) FROM pg_catalog.pg_auth_members x
           JOIN pg_catalog.pg_roles g ON g.oid = x.roleid WHERE x.member = r.oid AND g.rolname IN ({})))",
                       service_roles_sql())
                 : "NULL::pg_catalog.text";
  return "\n-- 0. Nothing happens if one of the roles is there already and is not pgveil's: others may rely "
         "on its rights.\n" +
         each(fmt::format(R"(SELECT pg_catalog.format('DO %L', pg_catalog.format(
         'BEGIN RAISE EXCEPTION USING ERRCODE = ''42501'', MESSAGE = %L, HINT = %L; END',
         pg_catalog.format('%s names role %I, which setup-sql did not make%s: nothing was changed', v.key, r.rolname, w.why),
         pg_catalog.format('Name a role of its own as %s: this script then makes it.', v.key)
         || CASE WHEN w.why = '' THEN pg_catalog.format(
                 ' If %1$I is for pgveil alone, run COMMENT ON ROLE %1$I IS ''{1} for pgveil alone'', and then this script again.',
                 r.rolname) ELSE '' END))
  FROM (VALUES {0}) AS v (key, name, place) JOIN pg_catalog.pg_roles r ON r.rolname = v.name
 CROSS JOIN LATERAL (SELECT CASE
         WHEN r.oid = 10 OR r.rolsuper THEN ' and which is a superuser'
         WHEN pg_catalog.starts_with(r.rolname, 'pg_') THEN ' and which is PostgreSQL''s own'
         WHEN EXISTS (SELECT FROM pg_catalog.pg_shdepend d WHERE d.refobjid = r.oid AND d.deptype = 'o'
                         AND d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass)
         THEN ' and which owns objects'
         WHEN {2} IS NOT NULL THEN ' and which is a member of ' || {2}
              || ' (make the role by SQL, not in the console)' ELSE '' END AS why) AS w
 WHERE {2} IS NOT NULL OR r.oid = 10 OR pg_catalog.starts_with(r.rolname, 'pg_')
    OR NOT pg_catalog.starts_with(COALESCE(pg_catalog.shobj_description(r.oid, 'pg_authid'), ''), '{1}')
 ORDER BY v.place)",
                          named, kMark, in_service));
}

// Only a superuser may write NOSUPERUSER and the like, so each is written only where it changes something.
std::string no_attributes(const SetupInput& in, const std::string& role) {
  if (in.managed) return "";  // the role that the script made has none, and pgveil refuses any other
  return each(fmt::format(R"(SELECT pg_catalog.format('ALTER ROLE %I %s', rolname, a.change)
  FROM pg_catalog.pg_roles
 CROSS JOIN LATERAL (VALUES (rolsuper, 'NOSUPERUSER'), (rolcreatedb, 'NOCREATEDB'), (rolcreaterole, 'NOCREATEROLE'),
                            (rolreplication, 'NOREPLICATION'), (rolbypassrls, 'NOBYPASSRLS')) AS a (has, change)
 WHERE rolname = {} AND a.has)",
                          quoted_literal(role)));
}

// Who is no superuser may take back, since PostgreSQL 16, only what it has granted itself.
std::string may_revoke(const SetupInput& in) {
  if (!in.managed) return "";
  return R"(
   AND (pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 160000
        OR x.grantor = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)))";
}

// Who may log in with tokens is a member of a role without rights (rds_iam), and stays one.
std::string no_memberships(const SetupInput& in, const std::string& role) {
  return each(fmt::format(R"(SELECT pg_catalog.format('REVOKE %I FROM %I', r.rolname, m.rolname)
  FROM pg_catalog.pg_auth_members x JOIN pg_catalog.pg_roles r ON r.oid = x.roleid
  JOIN pg_catalog.pg_roles m ON m.oid = x.member WHERE m.rolname = {} AND NOT {}{})",
                          quoted_literal(role), is_mere_login_role_sql(), may_revoke(in)));
}

// Nobody logs in as this role, and only the admin role acts as it, to make the views.
std::string mask_owner(const SetupInput& in) {
  if (!in.mask_owner || !in.admin_role) return "";
  const std::string role = quoted_literal(*in.mask_owner);
  return "-- The owner of the masks' views: reads the tables of policies, never logs in.\n" +
         role_there(*in.mask_owner, "NOLOGIN") + no_attributes(in, *in.mask_owner) +
         no_memberships(in, *in.mask_owner) +
         each(fmt::format("SELECT pg_catalog.format('ALTER ROLE %I NOLOGIN', rolname) FROM "
                          "pg_catalog.pg_roles WHERE rolname = {} AND rolcanlogin",
                          role)) +
         each(fmt::format(R"(SELECT pg_catalog.format('REVOKE %I FROM %I', g.rolname, m.rolname)
  FROM pg_catalog.pg_auth_members x JOIN pg_catalog.pg_roles g ON g.oid = x.roleid
  JOIN pg_catalog.pg_roles m ON m.oid = x.member WHERE g.rolname = {} AND m.rolname <> {}{})",
                          role, quoted_literal(*in.admin_role), may_revoke(in))) +
         each(fmt::format(R"(SELECT pg_catalog.format('GRANT %I TO %I', g.rolname, a.rolname)
  FROM pg_catalog.pg_roles g JOIN pg_catalog.pg_roles a ON a.rolname = {1}
 WHERE g.rolname = {0} AND NOT EXISTS (SELECT FROM pg_catalog.pg_auth_members x
                                        WHERE x.roleid = g.oid AND x.member = a.oid))",
                          role, quoted_literal(*in.admin_role)));
}

std::string roles(const SetupInput& in) {
  std::string out = "\n-- 1. Roles. The query role carries what clients ask: SELECT and nothing else.\n";
  out += role_there(in.query_role) + no_attributes(in, in.query_role) + no_memberships(in, in.query_role);
  out +=
      each(fmt::format("SELECT pg_catalog.format('ALTER ROLE %I CONNECTION LIMIT {0}', rolname) FROM "
                       "pg_catalog.pg_roles WHERE rolname = "
                       "{1} AND rolconnlimit = -1",
                       in.connection_limit, quoted_literal(in.query_role)));
  if (in.admin_role) {
    out += "-- The admin role counts and keeps versions; no client's SQL ever runs as it.\n";
    out += role_there(*in.admin_role) + no_attributes(in, *in.admin_role);
  }
  if (in.admin_role && in.evaluates_sources) {
    out +=
        "-- BUILD evaluates sources of policies as the query role, which can only read: so no function that "
        "a "
        "source or\n-- a view calls can do more than that. For this the admin role has to be a member of "
        "it.\n";
    out += fmt::format("GRANT {} TO {};\n", quoted_name(in.query_role), quoted_name(*in.admin_role));
  }
  return out + mask_owner(in);
}

// Limits on the cost of a statement, as defaults; values that are set already are kept. Only a superuser can
// set temp_file_limit.
std::string settings(const SetupInput& in) {
  return "\n-- 2. What a session of the query role starts with. Values that are set already are kept.\n" +
         each(fmt::format(
             R"(SELECT pg_catalog.format('ALTER ROLE %I IN DATABASE %I SET %s = %L', {0}, {1}, v.name, v.value)
  FROM (VALUES ('default_transaction_read_only', 'on'), ('statement_timeout', '5min'),
               ('idle_in_transaction_session_timeout', '10min'), ('work_mem', '64MB'),
               ('temp_file_limit', '10GB')) AS v (name, value)
 WHERE (v.name <> 'temp_file_limit' OR pg_catalog.current_setting('is_superuser') = 'on')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
                    CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) AS c (line)
                    WHERE r.rolname = {0} AND pg_catalog.starts_with(c.line, v.name || '=')
                      AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database
                                                 WHERE datname = pg_catalog.current_database()))))",
             quoted_literal(in.query_role), quoted_literal(in.database)));
}

std::set<std::string> schemas_of(const SetupInput& in, const std::vector<SetupInput::Table>& tables) {
  std::set<std::string> out(in.schemas.begin(), in.schemas.end());
  for (const auto& table : tables) out.insert(table.first);
  return out;
}

std::string database_rights(const SetupInput& in) {
  const std::string query = quoted_name(in.query_role);
  const std::string database = quoted_name(in.database);
  std::string out =
      "\n-- 3. The database. Others may have relied on what PUBLIC loses here: grant it to them by name.\n";
  out += fmt::format("REVOKE TEMPORARY, CREATE ON DATABASE {} FROM PUBLIC, {};\n", database, query);
  out += fmt::format("GRANT CONNECT ON DATABASE {} TO {}{};\n", database, query,
                     in.admin_role ? ", " + quoted_name(*in.admin_role) : "");
  if (in.admin_role && in.stages_rows) {
    out +=
        "-- BUILD keeps the rows of sources, and of tables with keys, in temporary tables of its own session "
        "while it counts.\n";
    out += fmt::format("GRANT TEMPORARY ON DATABASE {} TO {};\n", database, quoted_name(*in.admin_role));
  }
  out += "-- Nobody but the owners creates in the schemas that are searched.\n";
  for (const auto& schema : searched_schemas(in)) {
    out += each(fmt::format(
        "SELECT pg_catalog.format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', nspname, {}) FROM "
        "pg_catalog.pg_namespace WHERE nspname = {}",
        quoted_literal(in.query_role), quoted_literal(schema)));
  }
  return out;
}

// Revokes everything that the role was granted on relations of others.
// On a rented server only from relations that are ours to grant: pgveil refuses what is left.
std::string no_grants(const SetupInput& in, const std::string& role, const std::string& but_views_of) {
  const std::string ours =
      in.managed ? "\n   AND pg_catalog.pg_has_role(current_user, c.relowner, 'USAGE')" : "";
  return each(fmt::format(
      R"(SELECT DISTINCT pg_catalog.format('REVOKE ALL ON %I.%I FROM %I', n.nspname, c.relname, r.rolname)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles r ON r.rolname = {}
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relowner <> r.oid{}
   AND (EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) a WHERE a.grantee = r.oid)
        OR EXISTS (SELECT FROM pg_catalog.pg_attribute t CROSS JOIN LATERAL pg_catalog.aclexplode(t.attacl) a
                    WHERE t.attrelid = c.oid AND a.grantee = r.oid)))",
      quoted_literal(role), but_views_of + ours));
}

std::string mask_owner_rights(const SetupInput& in) {
  if (!in.mask_owner) return "";
  const std::string owner = quoted_name(*in.mask_owner);
  std::string out = no_grants(in, *in.mask_owner, "");
  for (const auto& schema : schemas_of(in, in.policy_tables))
    out += fmt::format("GRANT USAGE ON SCHEMA {} TO {};\n", quoted_name(schema), owner);
  for (const auto& [schema, name] : in.policy_tables)
    out += fmt::format("GRANT SELECT ON {} TO {};\n", qualified_name(schema, name), owner);
  return out;
}

std::string starts_with_sql(std::string_view column, const std::string& pattern) {
  return rewriter::is_pattern(pattern) ? fmt::format("pg_catalog.starts_with({}, {})", column,
                                                     quoted_literal(pattern.substr(0, pattern.size() - 1)))
                                       : fmt::format("{} = {}", column, quoted_literal(pattern));
}

// SELECT on the tables that a pattern of open_tables stands for when the script runs. Views need no right:
// pgveil puts their queries in their place. What may never be open is left out; pgveil decides on the rest.
std::string pattern_rights(const SetupInput& in) {
  std::string protect = "('', '')";
  for (const auto& [schema, name] : in.policy_tables)
    protect += fmt::format(", ({}, {})", quoted_literal(schema), quoted_literal(name));
  std::string out;
  for (const auto& pattern : in.open_patterns) {
    const auto dot = pattern.text.find('.');
    const std::string schema = pattern.text.substr(0, dot);
    std::string except;
    for (const auto& name : pattern.except)
      except += fmt::format("\n   AND NOT {}", starts_with_sql("c.relname", name));
    out += fmt::format("GRANT USAGE ON SCHEMA {} TO {};\n", quoted_name(schema), quoted_name(in.query_role));
    out += each(fmt::format(
        R"(SELECT pg_catalog.format('GRANT SELECT ON %I.%I TO %I', n.nspname, c.relname, {0})
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = {1} AND {2} AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND NOT c.relrowsecurity
   AND (n.nspname, c.relname) NOT IN ({3}) AND {4} IS NULL
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i
                    WHERE i.inhrelid = c.oid OR i.inhparent = c.oid AND c.relkind = 'r'){5})",
        quoted_literal(in.query_role), quoted_literal(schema),
        starts_with_sql("c.relname", pattern.text.substr(dot + 1)), protect, extension_of_sql(), except));
  }
  return out;
}

// The schemas and names of a relation as a query: what PostgreSQL takes the name for.
std::string named_relation(const SetupInput& in, const SetupInput::Table& named) {
  std::string schemas;
  for (const auto& schema : in.schemas) schemas += (schemas.empty() ? "" : ", ") + quoted_literal(schema);
  if (!named.first.empty()) schemas = quoted_literal(named.first);
  return fmt::format(
      "(SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace\n"
      "          WHERE c.relname = {0} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = ANY "
      "(ARRAY[{1}]::pg_catalog.text[])\n"
      "          ORDER BY pg_catalog.array_position(ARRAY[{1}]::pg_catalog.text[], "
      "n.nspname::pg_catalog.text) "
      "LIMIT 1)",
      quoted_literal(named.second), schemas);
}

// SELECT on the tables that sources read. A view is none of them: its query takes its place, so it is the
// tables that it reads.
std::string source_rights(const SetupInput& in) {
  if (in.source_relations.empty()) return "";
  std::string named;
  for (const auto& relation : in.source_relations)
    named += (named.empty() ? "" : ",\n         ") + named_relation(in, relation);
  return "-- What sources of policies read, directly or through views.\n" +
         each(fmt::format(
             R"(WITH RECURSIVE reads (oid) AS (
    SELECT x.oid FROM pg_catalog.unnest(ARRAY[
         {1}]::pg_catalog.oid[]) AS x (oid) WHERE x.oid IS NOT NULL
  UNION
    SELECT d.refobjid FROM reads JOIN pg_catalog.pg_class v ON v.oid = reads.oid AND v.relkind = 'v'
      JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
      JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
                                 AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)
SELECT pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, {0}),
       pg_catalog.format('GRANT SELECT ON %I.%I TO %I', n.nspname, c.relname, {0})
  FROM reads JOIN pg_catalog.pg_class c ON c.oid = reads.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'm', 'f') AND c.oid >= 16384 AND n.nspname <> 'pgveil')",
             quoted_literal(in.query_role), named));
}

std::string table_rights(const SetupInput& in) {
  const std::string query = quoted_name(in.query_role);
  const auto readable = readable_tables(in);
  std::string out = "\n-- 4. Tables: SELECT on what policies and open_tables name, and on nothing else.\n";
  out += no_grants(in, in.query_role,
                   in.mask_owner ? fmt::format(R"(
   AND NOT (n.nspname = 'pgveil' AND c.relkind = 'v' AND c.relowner = (SELECT oid FROM pg_catalog.pg_roles
                                                                        WHERE rolname = {})))",
                                               quoted_literal(*in.mask_owner))
                                 : "");
  std::vector<SetupInput::Table> named = readable;
  named.insert(named.end(), in.policy_tables.begin(), in.policy_tables.end());
  for (const auto& schema : schemas_of(in, named)) {
    out += fmt::format("GRANT USAGE ON SCHEMA {} TO {};\n", quoted_name(schema), query);
  }
  for (const auto& [schema, name] : in.policy_tables) {
    out += fmt::format("REVOKE ALL ON {} FROM PUBLIC;\n", qualified_name(schema, name));
  }
  for (const auto& [schema, name] : readable) {
    out += fmt::format("GRANT SELECT ON {} TO {};\n", qualified_name(schema, name), query);
  }
  out += pattern_rights(in) + source_rights(in);
  if (in.mask_owner) {
    out +=
        "-- Reads nothing: information_schema lists, to clients, the tables on which query_role has some "
        "right.\n";
    for (const auto& [schema, name] : in.policy_tables)
      out += fmt::format("GRANT REFERENCES ON {} TO {};\n", qualified_name(schema, name), query);
  }
  if (!in.admin_role) return out;
  out += mask_owner_rights(in);
  for (const auto& schema : schemas_of(in, in.policy_tables)) {
    out += fmt::format("GRANT USAGE ON SCHEMA {} TO {};\n", quoted_name(schema), quoted_name(*in.admin_role));
  }
  for (const auto& [schema, name] : in.policy_tables) {
    out +=
        fmt::format("GRANT SELECT ON {} TO {};\n", qualified_name(schema, name), quoted_name(*in.admin_role));
  }
  return out;
}

// What extensions bring and everybody may read would otherwise be rights of query_role too many.
std::string extension_rights(const SetupInput& in) {
  std::string open = "('', '')";
  for (const auto& [schema, name] : readable_tables(in))
    open += fmt::format(", ({}, {})", quoted_literal(schema), quoted_literal(name));
  return each(fmt::format(
      R"(-- Views and tables of extensions (pg_stat_statements). The second column keeps statistics for roles that watch the server.
SELECT pg_catalog.format('REVOKE ALL ON %I.%I FROM PUBLIC', n.nspname, c.relname),
       CASE WHEN pg_catalog.starts_with(c.relname, 'pg_stat_')
            THEN pg_catalog.format('GRANT SELECT ON %I.%I TO pg_read_all_stats', n.nspname, c.relname) END
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND {0} IS NOT NULL AND {1} <> 'harmless' AND (n.nspname, c.relname) NOT IN ({2}){3}
   AND (EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) a WHERE a.grantee = 0)
        OR EXISTS (SELECT FROM pg_catalog.pg_attribute t CROSS JOIN LATERAL pg_catalog.aclexplode(t.attacl) a
                    WHERE t.attrelid = c.oid AND a.grantee = 0)))",
      extension_of_sql(), extension_relation_sql(), open,
      in.managed ? "\n   AND pg_catalog.pg_has_role(current_user, c.relowner, 'USAGE')" : ""));
}

std::string catalog_rights(const SetupInput& in) {
  if (in.managed) return managed_catalog_rights(in) + extension_rights(in);
  // pgveil check uses it to tell whether rows are stored in the order of a hidden column.
  const std::string statistics =
      in.admin_role ? fmt::format("GRANT SELECT ON pg_catalog.pg_stats TO {};\n", quoted_name(*in.admin_role))
                    : "";
  return R"(
-- 5. System functions and views that run SQL given as text, quote data or reach other sessions. Needs a superuser: for
-- others PostgreSQL warns that nothing was revoked. Grant them by name to roles that need them.
REVOKE SELECT ON pg_catalog.pg_stats, pg_catalog.pg_stats_ext, pg_catalog.pg_stats_ext_exprs FROM PUBLIC;
REVOKE UPDATE ON pg_catalog.pg_settings FROM PUBLIC;
)" +
         fmt::format("GRANT EXECUTE ON FUNCTION pg_catalog.pg_advisory_unlock_all() TO {};\n",
                     quoted_name(in.query_role)) +
         statistics + each(public_functions_revokes_sql()) + extension_rights(in);
}

std::string version_schema(const SetupInput& in) {
  if (!in.admin_role) {
    return "\n-- 6. Schema pgveil: left out, because there is no admin_role to keep versions in it. They are "
           "kept in files "
           "of state_dir;\n-- see docs/least-privilege.md for what that means.\n";
  }
  return "\n-- 6. Schema pgveil: which version of each policy is current, for all proxies and all "
         "snapshots.\n" +
         version_schema_sql(in.query_role, *in.admin_role) +
         (in.mask_owner
              ? mask_view_schema_sql({.owner = *in.mask_owner, .query_role = in.query_role}, *in.admin_role)
              : "") +
         (in.managed ? managed_schema_rights(in) : "");
}

// Only a superuser may make this function: it reads pg_authid with its owner's rights, and its owner decides
// who may log in.
std::string accounts(const SetupInput& in) {
  if (!in.auth_query_role) return "";
  if (in.managed) {
    return "\n-- 7. auth_query: left out. Verifiers of passwords are in pg_authid, which only a superuser "
           "reads:\n"
           "-- name accounts in auth.users_file (pgveil user add) instead.\n";
  }
  const std::string role = quoted_name(*in.auth_query_role);
  return R"(
-- 7. auth_query: the function that gives one role's password verifier, and the role that may call it. A superuser's to make.
SELECT pg_catalog.current_setting('is_superuser') AS may_make_accounts \gset
\if :may_make_accounts
DO $check$ BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
              WHERE n.nspname = 'pgveil_auth' AND NOT r.rolsuper)
     OR EXISTS (SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
                  JOIN pg_catalog.pg_roles r ON r.oid = p.proowner
                 WHERE n.nspname = 'pgveil_auth' AND NOT r.rolsuper) THEN
    RAISE EXCEPTION 'schema pgveil_auth, or a function in it, is not a superuser''s: look at it, and drop it';
  END IF;
END $check$;
)" + role_there(*in.auth_query_role) +
         no_attributes(in, *in.auth_query_role) + no_memberships(in, *in.auth_query_role) +
         fmt::format(R"(CREATE SCHEMA IF NOT EXISTS pgveil_auth;
REVOKE ALL ON SCHEMA pgveil_auth FROM PUBLIC;
GRANT USAGE ON SCHEMA pgveil_auth TO {0};
GRANT CONNECT ON DATABASE {1} TO {0};
CREATE OR REPLACE FUNCTION pgveil_auth.verifier_of(role text, OUT name text, OUT verifier text) RETURNS SETOF record
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    SELECT rolname, rolpassword FROM pg_catalog.pg_authid
     WHERE rolname = role AND rolcanlogin AND NOT rolsuper AND (rolvaliduntil IS NULL OR rolvaliduntil > now()) $body$;
REVOKE ALL ON FUNCTION pgveil_auth.verifier_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgveil_auth.verifier_of TO {0};
\else
\warn 'auth_query: run this script as a superuser to make pgveil_auth.verifier_of'
\endif
)",
                     role, quoted_name(in.database));
}

std::string side_door(const SetupInput& in) {
  if (in.managed) return managed_side_door(in);
  std::string ours = in_comment(in.query_role);
  if (in.admin_role) ours += "," + in_comment(*in.admin_role);
  if (in.auth_query_role) ours += "," + in_comment(*in.auth_query_role);
  const std::string database = in_comment(in.database);
  std::string out = fmt::format(R"(
-- 8. The side door: lines for pg_hba.conf, above all others (the first that matches holds), then SELECT pg_reload_conf().
-- Put the address that pgveil connects from in place of PGVEIL-ADDRESS. Clients must not reach the tables past pgveil.
--   host   {0}  {1}  PGVEIL-ADDRESS/32  scram-sha-256
--   host   all  {1}  all  reject
--   local  all  {1}  reject
)",
                                database, ours);
  std::string clients;
  for (const auto& role : in.client_roles) clients += (clients.empty() ? "" : ",") + in_comment(role);
  if (clients.empty()) return out;
  return out +
         fmt::format("--   host   {0}  {1}  all  reject\n--   local  {0}  {1}  reject\n", database, clients);
}

}  // namespace

std::vector<SetupInput::Table> readable_tables(const SetupInput& in) {
  std::vector<SetupInput::Table> all;
  if (!in.mask_owner) all = in.policy_tables;
  all.insert(all.end(), in.open_tables.begin(), in.open_tables.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::set<std::string> searched_schemas(const SetupInput& in) {
  auto schemas = schemas_of(in, readable_tables(in));
  schemas.insert("public");
  for (const auto& pattern : in.open_patterns) schemas.insert(pattern.text.substr(0, pattern.text.find('.')));
  return schemas;
}

std::string setup_sql(const SetupInput& input) {
  return header(input) + only_own_roles(input) + roles(input) + settings(input) + database_rights(input) +
         table_rights(input) + catalog_rights(input) + version_schema(input) + accounts(input) + "COMMIT;\n" +
         side_door(input);
}

}  // namespace pgveil::db

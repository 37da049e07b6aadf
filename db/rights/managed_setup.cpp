#include "db/rights/managed_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"

namespace pgveil::db {
namespace {

std::string as_comment(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    out += "-- " + std::string(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

// The roles of pgveil's own, as a list of literals.
std::string own_roles(const SetupInput& in) {
  std::string out = quoted_literal(in.query_role);
  for (const auto& role : {in.admin_role, in.mask_owner}) {
    if (role) out += ", " + quoted_literal(*role);
  }
  return out;
}

std::string_view login_note(ManagedService service) {
  switch (service) {
    case ManagedService::rds:
      return "To log in with tokens (password_command): GRANT rds_iam TO the two roles. It has no rights.\n";
    case ManagedService::cloudsql:
      return "To log in with tokens (password_command), the service has to make the roles: hand them over "
             "by\n"
             "COMMENT ON ROLE … IS 'pgveil: for pgveil alone' before this script runs.\n";
    case ManagedService::azure:
      return "To log in with tokens (password_command): pgaadauth_create_principal makes a role; hand it "
             "over by\n"
             "COMMENT ON ROLE … IS 'pgveil: for pgveil alone' before this script runs.\n";
    case ManagedService::neon:
      return "Name the host without -pooler as backend.host: pgveil does not work through a pooler.\n";
    case ManagedService::supabase:
      return "Name the direct connection as backend.host, not Supavisor (pooler.supabase.com): pgveil does "
             "not\n"
             "work through a pooler. anon, authenticated and service_role read public through the HTTP "
             "API.\n";
    case ManagedService::generic: return "";
  }
  PGVEIL_ASSERT(false);
}

// Default privileges may be for a schema or for all. Copies and mask views belong to roles of pgveil's own.
constexpr std::string_view kStrangersInSchema =
    R"(SELECT DISTINCT pg_catalog.format('REVOKE ALL ON %s FROM %I', o.name, r.rolname)
  FROM (SELECT pg_catalog.format('pgveil.%I', c.relname), c.relacl, c.relowner FROM pg_catalog.pg_class c
         WHERE c.relnamespace = 'pgveil'::pg_catalog.regnamespace AND c.relkind IN ('r', 'v')
        UNION ALL
        SELECT 'FUNCTION ' || p.oid::pg_catalog.regprocedure, p.proacl, p.proowner FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'pgveil'::pg_catalog.regnamespace
        UNION ALL
        SELECT 'SCHEMA pgveil', n.nspacl, n.nspowner FROM pg_catalog.pg_namespace n
         WHERE n.nspname = 'pgveil') AS o (name, acl, owner)
 CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS a JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
 WHERE r.oid <> o.owner AND pg_catalog.pg_has_role(current_user, o.owner, 'USAGE') AND r.rolname NOT IN ({}))";

constexpr std::string_view kOtherReaders =
    R"(SELECT pg_catalog.format('past pgveil: %s may read %I.%I. If it should not: REVOKE ALL ON %2$I.%3$I FROM %1$s',
                         CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(r.rolname) END,
                         n.nspname, c.relname)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
 WHERE (n.nspname, c.relname) IN ({}) AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
   AND (a.grantee = 0 OR r.rolname NOT IN ({}))
UNION
SELECT pg_catalog.format('past pgveil: default privileges of %I give %s rights on new tables{}',
                         o.rolname, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(r.rolname) END)
  FROM pg_catalog.pg_default_acl d JOIN pg_catalog.pg_roles o ON o.oid = d.defaclrole
 CROSS JOIN LATERAL pg_catalog.aclexplode(d.defaclacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
 WHERE d.defaclobjtype = 'r' AND a.grantee <> d.defaclrole AND a.privilege_type = 'SELECT'
 ORDER BY 1;
)";

}  // namespace

std::string missing_defense(const SetupInput& in) {
  std::string out =
      "One line of defense is missing: only a superuser can take system functions and views from PUBLIC, "
      "and\n"
      "here nobody but the service is one. query_role keeps the functions that run SQL given as text\n"
      "(query_to_xml), sleep, lock and notify, and it may read pg_stats of tables that it may read.\n"
      "Only the proxy refuses these. If the proxy had a gap, they could not show more than query_role may "
      "read.\n";
  if (in.mask_owner)
    return out + "backend.mask_views is on, so query_role may read no table of a policy: keep it on.\n";
  return out +
         "Set backend.mask_views: true, and run setup-sql again: then query_role may read no table of a "
         "policy,\n"
         "and such a gap ends in PostgreSQL's own \"permission denied\" (docs/least-privilege.md).\n";
}

std::string managed_catalog_rights(const SetupInput& in) {
  return "\n-- 5. Left out: rights on system functions and views.\n" + as_comment(missing_defense(in));
}

std::string managed_schema_rights(const SetupInput& in) {
  return "-- Default privileges may have given others rights on what was just made.\n" +
         fmt::format(fmt::runtime(kStrangersInSchema), own_roles(in)) + "\n\\gexec\n";
}

std::string managed_side_door(const SetupInput& in) {
  std::string tables;
  for (const auto& [schema, name] : in.policy_tables)
    tables +=
        fmt::format("{}({}, {})", tables.empty() ? "" : ", ", quoted_literal(schema), quoted_literal(name));
  if (tables.empty()) tables = "('', '')";
  const auto service = *in.managed;
  std::string out = fmt::format(
      "\n-- 8. The side door. You have no pg_hba.conf on {}: let only pgveil's address in by the\n"
      "-- firewall there, and give readers no role that can log in. Make roles by SQL, not in the console.\n",
      name_of(service));
  out += as_comment(login_note(service));
  const std::string note = interface_roles_sql(service).empty() ? "" : " (Supabase''s HTTP API)";
  return out + "-- Who else reads the tables of policies; this query changes nothing.\n" +
         fmt::format(fmt::runtime(kOtherReaders), tables, own_roles(in), note);
}

}  // namespace pgveil::db

#include "db/role_check.hpp"

#include <fmt/format.h>

#include "db/connection.hpp"
#include "db/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kAttributes = R"(
SELECT rolsuper, rolreplication, rolbypassrls, rolcreaterole, rolcreatedb
  FROM pg_catalog.pg_roles WHERE rolname = current_user)";

constexpr const char* kMemberships = R"(
SELECT r.rolname FROM pg_catalog.pg_roles r
 WHERE r.rolname ~ '^pg_' AND r.rolname <> 'pg_database_owner'
   AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') ORDER BY 1)";

// Relations of the schema that the role owns: an owner may do anything to them.
constexpr const char* kOwned = R"(
SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c
 WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
   AND pg_catalog.pg_has_role(current_user, c.relowner, 'MEMBER'))";

void check_attributes(Connection& connection, const std::string& role, RoleFindings& findings) {
  const auto row = connection.run(kAttributes)[0];
  const auto refuse = [&](std::size_t column, std::string_view what, std::string_view option) {
    if (row[static_cast<int>(column)].as<bool>()) {
      findings.errors.push_back(fmt::format("query_role {} {}; ALTER ROLE {} {}", role, what, role, option));
    }
  };
  refuse(0, "is a superuser", "NOSUPERUSER");
  refuse(1, "may replicate", "NOREPLICATION");
  refuse(2, "bypasses row-level security", "NOBYPASSRLS");
  if (row[3].as<bool>() || row[4].as<bool>()) {
    findings.warnings.push_back(fmt::format(
        "query_role {} may create roles or databases; ALTER ROLE {} NOCREATEROLE NOCREATEDB", role, role));
  }
}

void check_memberships(Connection& connection, const std::string& role, RoleFindings& findings) {
  for (const auto& row : connection.run(kMemberships)) {
    findings.warnings.push_back(fmt::format("query_role {} is a member of {}; REVOKE {} FROM {}", role,
                                            row[0].c_str(), row[0].c_str(), role));
  }
}

void check_schema(Connection& connection, const std::string& role, const std::string& schema,
                  RoleFindings& findings) {
  if (connection.run("SELECT pg_catalog.has_schema_privilege(current_user, $1, 'CREATE')", schema)[0][0]
          .as<bool>()) {
    findings.warnings.push_back(
        fmt::format("query_role {} may create objects in schema {}; REVOKE CREATE ON SCHEMA {} "
                    "FROM {}, PUBLIC",
                    role, quoted_name(schema), quoted_name(schema), role));
  }
  if (connection.run(kOwned, schema)[0][0].as<std::int64_t>() > 0) {
    findings.warnings.push_back(fmt::format(
        "query_role {} owns relations in schema {}; give them to another role", role, quoted_name(schema)));
  }
}

void check_temporary(Connection& connection, const std::string& role, RoleFindings& findings) {
  const std::string database = connection.database();
  if (!connection.run("SELECT pg_catalog.has_database_privilege(current_user, $1, 'TEMP')", database)[0][0]
           .as<bool>()) {
    return;
  }
  findings.warnings.push_back(
      fmt::format("query_role {} may create temporary tables in database {}; REVOKE TEMPORARY ON DATABASE {} "
                  "FROM {}, PUBLIC",
                  role, quoted_name(database), quoted_name(database), role));
}

}  // namespace

Result<RoleFindings> check_query_role(const Endpoint& endpoint, const std::string& database,
                                      const std::vector<std::string>& schemas) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<RoleFindings>("checking query_role", [&]() -> Result<RoleFindings> {
    RoleFindings findings;
    const std::string role = quoted_name(endpoint.user);
    check_attributes(**connection, role, findings);
    if (!findings.errors.empty()) return findings;
    check_memberships(**connection, role, findings);
    check_temporary(**connection, role, findings);
    for (const auto& schema : schemas) check_schema(**connection, role, schema, findings);
    return findings;
  });
}

}  // namespace pgveil::db

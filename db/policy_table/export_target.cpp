#include "db/policy_table/export_target.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kSchemaExists =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)";

constexpr const char* kNameTaken = R"(
SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname = $2
                AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1))
    OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typname = $2
                AND typnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)))";

// The roles other than ourselves to which a new table of ours would be granted at once; 0 is PUBLIC.
constexpr const char* kGrantees = R"(
SELECT COALESCE(pg_catalog.string_agg(DISTINCT CASE g.grantee WHEN 0 THEN 'PUBLIC'
                ELSE pg_catalog.pg_get_userbyid(g.grantee) END, ', '), '')
  FROM pg_catalog.pg_default_acl d CROSS JOIN LATERAL pg_catalog.aclexplode(d.defaclacl) g
 WHERE d.defaclobjtype = 'r' AND d.defaclrole = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)
   AND d.defaclnamespace IN (0, (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1))
   AND g.grantee <> d.defaclrole)";

constexpr const char* kMadeAsMeant = R"(
SELECT relkind = 'r' AND relacl IS NULL AND relpersistence = 'p' FROM pg_catalog.pg_class
 WHERE relname = $2 AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1))";

Error export_refused(std::string what, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("export refused: {}", what), std::move(hint)};
}

}  // namespace

Result<void> check_export_target(Connection& connection, const std::string& schema,
                                 const std::string& table) {
  if (!connection.run(kSchemaExists, schema)[0][0].as<bool>()) {
    return export_refused(fmt::format("schema {} does not exist", quoted_name(schema)),
                          "name another or create it");
  }
  if (connection.run(kNameTaken, schema, table)[0][0].as<bool>()) {
    return export_refused(fmt::format("{} exists already", qualified_name(schema, table)),
                          "name another or drop it first");
  }
  const auto grantees = connection.run(kGrantees, schema)[0][0].as<std::string>();
  if (grantees.empty()) return {};
  return export_refused(
      fmt::format("default privileges would grant {} to {}", qualified_name(schema, table), grantees),
      "choose a schema without default privileges, or revoke them");
}

Result<void> check_exported_table(Connection& connection, const std::string& schema,
                                  const std::string& table) {
  const auto found = connection.run(kMadeAsMeant, schema, table);
  if (found.size() == 1 && found[0][0].as<bool>()) return {};
  return export_refused(fmt::format("{} was not made as meant, or was granted to somebody at once",
                                    qualified_name(schema, table)),
                        "look for event triggers and default privileges");
}

void commit_exported_table(Connection& connection, const std::string& schema, const std::string& table) {
  try {
    connection.run("COMMIT");
  } catch (const LostConnection& failure) {
    const auto name = qualified_name(schema, table);
    throw Abandon{
        {ErrorKind::connection, std::string(sqlstate::kConnectionFailure),
         fmt::format("the connection was lost during the commit, so it is not known whether {} was published",
                     name),
         fmt::format("look at {} before you publish again", name), failure.what(), 0}};
  }
}

}  // namespace pgveil::db

// pgveil setup-sql: prints the SQL that prepares a database for pgveil with the least rights.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/verbs.hpp"
#include "common/sqlstate.hpp"
#include "daemon/state/role_needs.hpp"
#include "db/rights/setup_sql.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kOwnConnections = 10;  // for catalogs and checks, in addition to one per client

Result<std::string> database_to_set_up(const Config& config, const std::optional<std::string>& named) {
  const auto& databases = config.backend.databases;
  if (!named && databases.size() == 1) return databases.front();
  if (named && std::ranges::find(databases, *named) != databases.end()) return *named;
  return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
               named ? fmt::format("database \"{}\" is not in backend.databases", *named)
                     : std::string("several databases are configured"),
               "name one of them with --database"};
}

db::SetupInput input_of(const Config& config, const Specs& specs, const std::string& database) {
  db::SetupInput input;
  input.database = database;
  input.query_role = config.backend.query_role.user;
  if (config.backend.admin_role) input.admin_role = config.backend.admin_role->user;
  if (config.backend.mask_views) input.mask_owner = config.backend.mask_owner;
  if (config.auth_query && config.auth_query->query == kShippedVerifierQuery &&
      auth_query_database(config) == database) {
    input.auth_query_role = config.auth_query->role.user;
  }
  input.connection_limit = config.limits.max_clients + kOwnConnections;
  input.schemas = config.backend.schemas;
  std::set<std::string> readers;
  for (const auto& spec : specs) {
    if (spec->database != database) continue;
    input.policy_tables.emplace_back(spec->schema, spec->table);
    readers.insert(spec->readers.begin(), spec->readers.end());
  }
  for (const auto& table : open_tables_of(config, database)) {
    const auto dot = table.find('.');
    input.open_tables.emplace_back(table.substr(0, dot), table.substr(dot + 1));
  }
  input.client_roles.assign(readers.begin(), readers.end());
  return input;
}

// named: none: the only configured database.
int run_setup_sql(const std::optional<std::string>& named, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return report(config.error());
  const auto specs = read_policy_files(*config);
  if (!specs) return report(specs.error());
  const auto database = database_to_set_up(*config, named);
  if (!database) return report(database.error());
  std::fputs(db::setup_sql(input_of(*config, *specs, *database)).c_str(), stdout);
  return kSuccess;
}

}  // namespace

Verb add_setup_sql(CLI::App& parent, std::string& config) {
  const auto database = std::make_shared<std::optional<std::string>>();
  auto* verb = add_configured(parent, "setup-sql",
                              "print the SQL that gives pgveil's roles in PostgreSQL the least rights",
                              "  pgveil setup-sql --database demo > setup.sql\n"
                              "  psql -X -v ON_ERROR_STOP=1 -d demo -f setup.sql",
                              config);
  verb->add_option("--database", *database, "the database; needed when several are configured");
  return {verb, [=, &config] { return run_setup_sql(*database, config); }};
}

}  // namespace pgveil::app

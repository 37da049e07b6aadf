// pgveil setup-sql: prints the SQL that prepares a database for pgveil with the least rights.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/setup_sql.hpp"
#include "cli/verbs.hpp"
#include "common/sqlstate.hpp"
#include "common/yaml.hpp"
#include "daemon/state/role_needs.hpp"
#include "daemon/statements/deep_stack.hpp"
#include "db/rights/managed_service.hpp"
#include "db/rights/public_losses.hpp"
#include "db/rights/setup_sql.hpp"
#include "rewriter/compile/source_query.hpp"
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

// The script refuses roles that it did not make. Of these no server need be asked.
Result<void> refuse_server_roles(const Config& config) {
  const auto& backend = config.backend;
  std::vector<std::pair<std::string_view, std::string>> roles{
      {"backend.query_role", backend.query_role.user}};
  if (backend.admin_role) roles.emplace_back("backend.admin_role", backend.admin_role->user);
  if (backend.mask_views) roles.emplace_back("backend.mask_owner", backend.mask_owner);
  if (config.auth_query) roles.emplace_back("auth_query.user", config.auth_query->role.user);
  for (const auto& [key, role] : roles) {
    if (role != "postgres" && !role.starts_with("pg_")) continue;
    return Error{ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("{} is {}, a role of PostgreSQL's own, and setup-sql would take rights from it",
                             key, yaml::in_quotes(role)),
                 fmt::format("name a role for pgveil alone as {}: the script makes it", key)};
  }
  return {};
}

void add_source(const policy::PolicySpec& spec, db::SetupInput& input) {
  input.evaluates_sources = true;
  const auto names = rewriter::relations_named(spec);
  input.source_relations.insert(input.source_relations.end(), names.begin(), names.end());
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
    if (spec->source)
      add_source(*spec, input);
    else
      input.policy_tables.emplace_back(spec->schema, spec->table);
    input.stages_rows |= stages_rows(*spec);
    readers.insert(spec->readers.begin(), spec->readers.end());
  }
  for (const auto& table : open_tables_of(config, database)) {
    const auto dot = table.find('.');
    input.open_tables.emplace_back(table.substr(0, dot), table.substr(dot + 1));
  }
  input.open_patterns = open_patterns_of(config, database);
  input.client_roles.assign(readers.begin(), readers.end());
  return input;
}

struct SetupSqlArguments {
  std::optional<std::string> database;
  bool asks_who_loses = false;
  std::optional<std::string> managed;
};

Result<std::optional<db::ManagedService>> service_named(const std::optional<std::string>& word) {
  if (!word) return std::optional<db::ManagedService>();
  const auto service = db::managed_service_of(*word);
  if (service) return service;
  return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
               fmt::format("--managed {}: unknown service", yaml::in_quotes(*word)),
               fmt::format("use {}", db::kManagedServices)};
}

int run_setup_sql(const SetupSqlArguments& arguments, const std::string& config_path) {
  const auto service = service_named(arguments.managed);
  if (!service) return report(service.error());
  const auto text =
      setup_sql_text(config_path, arguments.database,
                     arguments.asks_who_loses ? SetupScript::who_loses : SetupScript::setup, *service);
  if (!text) return report(text.error());
  std::fputs(text->c_str(), stdout);
  return kSuccess;
}

}  // namespace

Result<std::string> setup_sql_text(const std::string& config_path, const std::optional<std::string>& named,
                                   SetupScript script, std::optional<db::ManagedService> managed) {
  const auto config = read_config(config_path, Passwords::left_out);
  if (!config) return config.error();
  const auto specs = read_policy_files(*config);
  if (!specs) return specs.error();
  const auto database = database_to_set_up(*config, named);
  if (!database) return database.error();
  if (const auto own = refuse_server_roles(*config); !own) return own.error();
  db::SetupInput input;
  if (auto done = on_deep_stack([&] { input = input_of(*config, *specs, *database); }); !done)
    return done.error();
  input.managed = managed;
  switch (script) {
    case SetupScript::setup: return db::setup_sql(input);
    case SetupScript::who_loses: return db::public_losses_sql(input);
  }
  return db::setup_sql(input);
}

Verb add_setup_sql(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<SetupSqlArguments>();
  auto* verb = add_configured(parent, "setup-sql",
                              "print the SQL that gives pgveil's roles in PostgreSQL the least rights",
                              "  pgveil setup-sql --database demo > setup.sql\n"
                              "  psql -X -v ON_ERROR_STOP=1 -d demo -f setup.sql\n"
                              "  pgveil setup-sql --who-loses | psql -X -q -d demo\n"
                              "  pgveil setup-sql --managed rds > setup.sql",
                              config);
  verb->add_option("--database", arguments->database, "the database. Required if several are configured");
  verb->add_flag("--who-loses", arguments->asks_who_loses,
                 "print a script that only reads, and reports which roles lose a right that "
                 "PUBLIC has now");
  verb->add_option("--managed", arguments->managed,
                   "the server is rented, and you have no superuser: " + std::string(db::kManagedServices));
  return {verb, [=, &config] { return run_setup_sql(*arguments, config); }};
}

}  // namespace pgveil::app

// pgveil rewrite: prints the SQL that would be sent for a role's SQL.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#include "cli/verbs.hpp"
#include "daemon/state/present.hpp"
#include "daemon/statements/deep_stack.hpp"
#include "daemon/statements/explain.hpp"
#include "rewriter/pipeline/examine.hpp"

namespace pgveil::app {
namespace {

struct RewriteArguments {
  std::string role;
  std::optional<std::string> database;  // none: the only configured one
  std::optional<std::string> sql;       // none: standard input
  bool is_full = false;                 // show masks in their places
};

std::string all_of_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Explanation examine_on_deep_stack(const std::string& sql, const std::string& role,
                                  const rewriter::Snapshot& snapshot, const LimitsConfig& limits) {
  std::optional<Explanation> found;
  const auto done = on_deep_stack([&] {
    found = rewriter::examine(sql, {role}, snapshot,
                              {limits.statement_bytes, limits.output_bytes, limits.nesting});
  });
  if (!done) return done.error();
  return std::move(*found);
}

Result<std::string> database_of(const Config& config, const std::optional<std::string>& named) {
  const auto& databases = config.backend.databases;
  if (!named && databases.size() == 1) return databases.front();
  for (const auto& database : databases) {
    if (named == database) return database;
  }
  return Error{ErrorKind::usage, "3D000",
               named ? "database \"" + *named + "\" is not configured" : "which database?",
               "--database with one of backend.databases"};
}

int run_rewrite(const RewriteArguments& arguments, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return report(config.error());
  const auto database = database_of(*config, arguments.database);
  if (!database) return report(database.error());
  const auto specs = read_policy_files(*config);
  if (!specs) return report(specs.error());
  Generations generations;
  const auto view = read_database(*config, *specs, *database, generations, MaskViews::leave);
  if (!view) return report(view.error());
  const std::string sql = arguments.sql ? *arguments.sql : all_of_standard_input();
  const auto explanation = examine_on_deep_stack(sql, arguments.role, *view->snapshot, config->limits);
  const auto explained = explain_text(explanation, sql, arguments.is_full ? Masks::in_place : Masks::named);
  std::fputs(explained.text.c_str(), explained.is_answered ? stdout : stderr);
  return explained.is_answered ? kSuccess : kMistake;
}

}  // namespace

Verb add_rewrite(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<RewriteArguments>();
  auto* verb =
      add_configured(parent, "rewrite", "print the SQL that would be sent for a role, or why it is refused",
                     "  pgveil rewrite --role analyst 'SELECT city FROM people'\n"
                     "  pgveil rewrite --role analyst --full < query.sql",
                     config);
  verb->add_option("--role", arguments->role, "the client's role")->required();
  verb->add_option("--database", arguments->database, "the database. Required if several are configured");
  verb->add_flag("--full", arguments->is_full,
                 "write each mask into the statement, instead of once below it");
  verb->add_option("sql", arguments->sql, "the statements. The default is standard input");
  return {verb, [=, &config] { return run_rewrite(*arguments, config); },
          [=] { return "role " + arguments->role; }};
}

}  // namespace pgveil::app

// pgveil policy stored-sql: prints the SQL that adds the column for the policy's current version to the
// table. The owner runs it.
#include <cstdio>

#include "cli/verbs.hpp"
#include "daemon/policies/stored_column.hpp"
#include "daemon/policies/stored_policy.hpp"

namespace pgveil::app {

namespace {

int run_policy_stored_sql(const std::string& policy, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return report(config.error());
  const auto stored = read_stored_policy(config_path, policy);
  if (!stored) return report(stored.error());
  if (!stored->note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored->note.c_str());
  const auto sql = stored_sql(*config, *stored->spec, *stored->version);
  if (!sql) return report(sql.error());
  std::fputs(sql->c_str(), stdout);
  return kSuccess;
}

}  // namespace

Verb add_policy_stored_sql(CLI::App& parent, std::string& config) {
  const auto policy = std::make_shared<std::string>();
  auto* verb = add_configured(parent, "stored-sql",
                              "print the SQL that adds the column for enforcement: stored to a table",
                              "  pgveil policy stored-sql people_k2 > column.sql\n"
                              "  psql -d demo -f column.sql    # as the table's owner\n"
                              "  pgveil policy build people_k2",
                              config);
  verb->add_option("name", *policy, "the policy")->required();
  return {verb, [=, &config] { return run_policy_stored_sql(*policy, config); }, [=] { return *policy; }};
}

}  // namespace pgveil::app

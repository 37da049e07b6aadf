// pgveil policy stored-sql: prints the SQL that adds the column for the policy's current version to the
// table. The owner runs it.
#include <cstdio>

#include "cli/subcommands.hpp"
#include "daemon/policies/stored_column.hpp"
#include "daemon/policies/stored_policy.hpp"

namespace pgveil::app {

int run_policy_stored_sql(const PolicyStoredSqlArguments& arguments) {
  const auto config = read_config(arguments.config);
  if (!config) return report(config.error());
  const auto stored = read_stored_policy(arguments.config, arguments.policy);
  if (!stored) return report(stored.error());
  if (!stored->note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored->note.c_str());
  const auto sql = stored_sql(*config, *stored->spec, *stored->version);
  if (!sql) return report(sql.error());
  std::fputs(sql->c_str(), stdout);
  return kSuccess;
}

}  // namespace pgveil::app

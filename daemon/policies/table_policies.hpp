#pragma once
// What jobs must know of the policies over their tables (jobs/run/targets.hpp).
#include <string>

#include "jobs/run/anonymize.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Of the policies in force and of those that the configuration's files hold, which may not be in force yet.
// Asks the server only if some policy of the database has a source. Errors: those of read_policy_files() and
// examine(), and of a source whose tables can't be told, unless its policy accepts joint releases.
[[nodiscard]] Result<TablePolicies> table_policies(const Config& config, const Specs& in_force,
                                                   const std::string& database);

}  // namespace pgveil::app

#pragma once
// Everything that is found in one database: its catalog, and the findings about the server and about what
// surrounds the policies. The owner's decisions (`acknowledged`) are already applied to the findings. serve,
// the watch and check all use this.
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

struct Examination {
  rewriter::Catalog catalog;
  std::vector<Finding> server;        // an error: such a server answers nothing
  std::vector<Finding> surroundings;  // an error: something open shows protected rows
  std::vector<Finding> joins;      // an error: protected tables join; BUILD refuses, what is open stays open
  std::vector<Finding> decisions;  // `acknowledged` entries that settle nothing
};

// Errors: ErrorKind::connection, ::server; ::configuration for a schema that does not exist.
[[nodiscard]] Result<Examination> examine(const Config& config, const Specs& specs,
                                          const std::string& database);

// May the policy be built, as far as other protected tables can be joined to its table? Errors:
// ErrorKind::policy, with the first join that the owner has not decided on; those of examine().
[[nodiscard]] Result<void> check_joins(const Config& config, const Specs& specs,
                                       const policy::PolicySpec& spec);

// Fails with the first error among the findings, for callers that cannot continue with one.
[[nodiscard]] Result<void> refuse_errors(const std::vector<Finding>& findings);

// Writes errors and warnings to the log. Notes are not written.
void log_findings(const std::string& database, const std::vector<Finding>& findings);
// Writes the errors to the log, and how many warnings there are.
void count_findings(const std::string& database, const std::vector<Finding>& findings);

}  // namespace pgveil::app

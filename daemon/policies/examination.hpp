#pragma once
// Everything that is found in one database: its catalog, and the findings about the server and about the
// objects around the policies. The owner's decisions (`acknowledged`) are already applied to the findings.
// serve, the watch and `pgveil check` use this.
#include <map>
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/surroundings.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

struct Examination {
  rewriter::Catalog catalog;
  std::vector<Finding> server;            // an error: nothing is answered from such a server
  std::vector<Finding> surroundings;      // an error: something open shows protected rows
  std::vector<Finding> joins;             // an error: protected tables can be joined; BUILD refuses
  std::vector<Finding> decisions;         // entries of `acknowledged` that match no finding
  std::vector<rewriter::ReadEdge> reads;  // what views and materialized views read
  std::vector<std::string> by_pattern;  // what patterns of open_tables open, in addition to the named tables
  std::map<std::string, rewriter::Access> pattern_access;  // of those that not every role may read
};

// Errors: ErrorKind::connection, ::server; ::configuration for a schema that does not exist.
[[nodiscard]] Result<Examination> examine(const Config& config, const Specs& specs,
                                          const std::string& database);

// Fails if the policy may not be built: because no statement is answered from such a server, because it does
// not fit its table, or because other protected tables can be joined to that. Errors: those of check_policy;
// ErrorKind::policy, with the first join that the owner has not decided on; those of examine().
[[nodiscard]] Result<void> check_joins(const Config& config, const Specs& specs,
                                       const policy::PolicySpec& spec);

// Fails with the first error among the findings, for callers that cannot continue with one.
[[nodiscard]] Result<void> refuse_errors(const std::vector<Finding>& findings);

// Writes errors and warnings to the log. Notes are not written.
void log_findings(const std::string& database, const std::vector<Finding>& findings);
// Writes the errors to the log, and the number of warnings.
void count_findings(const std::string& database, const std::vector<Finding>& findings);

}  // namespace pgveil::app

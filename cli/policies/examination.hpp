#pragma once
// One database looked at as a whole: its catalog, what was found about the server behind it and about
// what surrounds the policies, with the owner's decisions applied. serve, the watch and check look the same way.
#include <string>
#include <vector>

#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"
#include "common/finding.hpp"
#include "rewriter/catalog.hpp"

namespace pgveil::cli {

struct Examination {
  rewriter::Catalog catalog;
  std::vector<Finding> server;        // an error: such a server answers nothing
  std::vector<Finding> surroundings;  // an error: something open shows protected rows
  std::vector<Finding> decisions;     // `acknowledged` entries that settle nothing
};

// Errors: ErrorKind::connection, ::server; ::configuration for a schema that does not exist.
[[nodiscard]] Result<Examination> examine(const Config& config, const Specs& specs,
                                          const std::string& database);

// The first error among the findings, for who can't go on with one. Empty: there is none.
[[nodiscard]] Result<void> refuse_errors(const std::vector<Finding>& findings);

// Errors and warnings go to the log, notes do not.
void log_findings(const std::string& database, const std::vector<Finding>& findings);
// Errors go to the log, and how many warnings there are.
void count_findings(const std::string& database, const std::vector<Finding>& findings);

}  // namespace pgveil::cli

#pragma once
// Findings about a policy's own table, made by counting live rows: identifiers that repeat, columns that tell
// more than their class promises, row orders that follow hidden columns, and hidden cells that readers can
// compute.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/finding.hpp"
#include "daemon/policies/lineage.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct ReleaseReport {
  std::vector<Finding> findings;
  std::vector<std::string> lines;  // one per visible column: how unique it is, what it determines
};

// version: the current one; null: findings that need a tree are left out. Counting::none reads only
// statistics, no rows. Errors: the table could not be read.
[[nodiscard]] Result<ReleaseReport> examine_release(const Config& config, const policy::PolicySpec& spec,
                                                    const policy::PolicyVersion* version, Counting counting);

}  // namespace pgveil::app

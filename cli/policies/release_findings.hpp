#pragma once
// What a policy's own table says against it, by counting live rows: identifiers that repeat, columns that tell more
// than their class promises, an order that follows hidden columns.
#include <string>
#include <vector>

#include "cli/config/config.hpp"
#include "cli/policies/lineage.hpp"
#include "common/error.hpp"
#include "common/finding.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

struct ReleaseReport {
  std::vector<Finding> findings;
  std::vector<std::string> lines;  // one per visible column: how unique it is, what it determines
};

// version: the current one; null: what needs a tree is left out. Counting::none reads no row, only statistics.
// Errors: the table could not be read.
[[nodiscard]] Result<ReleaseReport> examine_release(const Config& config, const policy::PolicySpec& spec,
                                                    const policy::PolicyVersion* version, Counting counting);

}  // namespace pgveil::cli

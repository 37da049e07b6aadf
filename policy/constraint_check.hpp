#pragma once
// Every cohort of a tree held against the constraints on sensitive columns, both modes, by its own count of what readers see:
// nothing of what built the tree is used but the way from a row to its cohort.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/counts.hpp"
#include "policy/spec.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

// A column with constraints, and the table counted by the quasi-identifiers and this column: counts.sensitive has it alone.
struct ConstrainedColumn {
  ColumnRule rule;
  Counts counts;
};

struct Breach {
  std::string label;  // of the cohort; empty: the whole table
  std::string required;
  std::string found;  // a number, never a value
};

// In the order of the cohorts, the table first. A cohort without a value of the column breaks every constraint.
// REQUIRES: column.counts has the tree's attributes.
[[nodiscard]] std::vector<Breach> find_breaches(const DisclosureTree& tree, const ConstrainedColumn& column);

// Errors: ErrorKind::policy. The message names the columns; cohorts and numbers are in the hint, for administrators.
[[nodiscard]] Result<void> check_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                             std::span<const ConstrainedColumn> columns);

// The rules for build_tree and repair. REQUIRES: counts.sensitive has the columns with mode refine.
[[nodiscard]] SideRules side_rules(const PolicySpec& spec, const Counts& counts);

// For the message of a build that failed: the first of 2k, 4k, … up to the units there are, with which the policy's tree over
// these counts keeps all constraints.
[[nodiscard]] std::optional<std::uint64_t> k_that_would_do(const PolicySpec& spec, const Counts& counts,
                                                           std::span<const ConstrainedColumn> columns);

}  // namespace pgveil::policy

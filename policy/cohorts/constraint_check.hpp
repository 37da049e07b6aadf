#pragma once
// Every cohort of a tree held against the constraints on sensitive columns, both modes, by its own count of
// what readers see: nothing of what built the tree is used but the way from a row to its cohort.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// A column with constraints, and the table counted by the quasi-identifiers and this column: counts.sensitive
// has it alone.
struct ConstrainedColumn {
  ColumnRule rule;
  Counts counts;
};

struct Breach {
  std::string label;  // of the cohort; empty: the whole table
  std::string required;
  std::string found;  // a number, never a value
};

// In the order of the cohorts, the table first. A cohort without a value of the column breaks every
// constraint. REQUIRES: column.counts has the tree's attributes.
[[nodiscard]] std::vector<Breach> find_breaches(const DisclosureTree& tree, const ConstrainedColumn& column);

// The same of any division of the entries: entry i of the counts is in group_of[i], and `groups` are looked
// at, each once, ascending. Labels stay empty. At most one breach of each group is named.
struct GroupBreach {
  std::uint32_t group = 0;
  Breach breach;
};
[[nodiscard]] std::vector<GroupBreach> find_group_breaches(std::span<const std::uint32_t> group_of,
                                                           std::span<const std::uint32_t> groups,
                                                           const ColumnRule& rule, const Counts& counts);

// Errors: ErrorKind::policy. The message names the columns; cohorts and numbers are in the hint, for
// administrators.
[[nodiscard]] Result<void> check_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                             std::span<const ConstrainedColumn> columns);

// The tree repaired on these counts, whose cohorts keep the constraints: by Undo::value, or, where rows that
// fell back would break one, by Undo::rest. Errors: as repair and check_constraints.
[[nodiscard]] Result<Repaired> repair_within_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                                         const Counts& counts,
                                                         std::span<const ConstrainedColumn> columns);

// The rules for build_tree and repair. REQUIRES: counts.sensitive has the columns with mode refine.
[[nodiscard]] SideRules side_rules(const PolicySpec& spec, const Counts& counts);

// For the message of a build that failed: the first of 2k, 4k, … up to the units there are, with which the
// policy's tree over these counts keeps all constraints.
[[nodiscard]] std::optional<std::uint64_t> k_that_would_do(const PolicySpec& spec, const Counts& counts,
                                                           std::span<const ConstrainedColumn> columns);

}  // namespace pgveil::policy

#pragma once
// Checks every cohort of a tree against the constraints on sensitive columns, in both modes. The check counts
// by itself what readers see. Of the code that built the tree it uses nothing but the way from a row to its
// cohort.
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

// A column with constraints, and the table counted by the quasi-identifiers and this column, which is the
// only one in counts.sensitive.
struct ConstrainedColumn {
  ColumnRule rule;
  Counts counts;
};

struct Breach {
  std::string label;  // of the cohort; empty: the whole table
  std::string required;
  std::string found;  // a number, never a value
};

// The breaches in the order of the cohorts; the table comes first. A cohort without any value of the column
// breaks every constraint. REQUIRES: column.counts has the tree's attributes.
[[nodiscard]] std::vector<Breach> find_breaches(const DisclosureTree& tree, const ConstrainedColumn& column);

// The same check for any division of the entries into groups. Entry i of the counts is in group group_of[i].
// Only the groups in `groups` are checked (each listed once, ascending). Labels stay empty, and at most one
// breach per group is reported.
struct GroupBreach {
  std::uint32_t group = 0;
  Breach breach;
};
[[nodiscard]] std::vector<GroupBreach> find_group_breaches(std::span<const std::uint32_t> group_of,
                                                           std::span<const std::uint32_t> groups,
                                                           const ColumnRule& rule, const Counts& counts);

// Errors: ErrorKind::policy. The message names the columns; the hint, which is for administrators, names
// cohorts and numbers.
[[nodiscard]] Result<void> check_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                             std::span<const ConstrainedColumn> columns);

// The rules for build_tree and repair. REQUIRES: counts.sensitive has the columns with mode refine.
[[nodiscard]] SideRules side_rules(const PolicySpec& spec, const Counts& counts);

// Finds a k for the message of a failed build: the first of 2k, 4k, … (at most the number of units) with
// which the policy's tree over these counts keeps all constraints.
[[nodiscard]] std::optional<std::uint64_t> k_that_would_do(const PolicySpec& spec, const Counts& counts,
                                                           std::span<const ConstrainedColumn> columns);

}  // namespace pgveil::policy

#pragma once
// Finds the leaf that each entry of an aggregate arrives at, and the leaf of its cohort. A chain is not
// walked node by node; it is looked up by (attribute, value).
#include <cstdint>
#include <vector>

#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The attributes that a tree over these counts has.
[[nodiscard]] std::vector<TreeAttribute> tree_attributes(const CountsView& counts);

// Per entry (Counts order): the leaf that its path ends in. Entries without rows get leaf 0. Attributes are
// matched by position.
[[nodiscard]] std::vector<NodeIndex> path_ends_of(const DisclosureTree& tree, const Chains& chains,
                                                  const CountsView& counts);

// Per entry: the leaf of its cohort, as in leaf_of.
[[nodiscard]] std::vector<NodeIndex> leaves_of(const DisclosureTree& tree, const Chains& chains,
                                               const CountsView& counts);

// Per node: what recount_cohorts() says. leaves: as leaves_of() returns them for these counts.
[[nodiscard]] std::vector<NodeCount> count_cohorts(const DisclosureTree& tree, const CountsView& counts,
                                                   const std::vector<NodeIndex>& leaves);

}  // namespace pgveil::policy

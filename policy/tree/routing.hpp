#pragma once
// Which leaf each entry of an aggregate comes to, and whose cohort it is in. A chain is not walked node by
// node but looked up by (attribute, value).
#include <cstdint>
#include <vector>

#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"

namespace pgveil::policy {

// Per entry (Counts order) the leaf its path ends in; entries without rows get leaf 0. Attributes are matched
// by position.
[[nodiscard]] std::vector<NodeIndex> path_ends_of(const DisclosureTree& tree, const Chains& chains,
                                                  const CountsView& counts);

// The same, but the leaf of its cohort, as leaf_of.
[[nodiscard]] std::vector<NodeIndex> leaves_of(const DisclosureTree& tree, const Chains& chains,
                                               const CountsView& counts);

}  // namespace pgveil::policy

#pragma once
// Which leaf each entry of an aggregate falls in. Same answer as leaf_of, for all entries at once: a chain is
// not walked node by node but looked up by (attribute, value).
#include <cstdint>
#include <vector>

#include "policy/chains.hpp"
#include "policy/counts_view.hpp"

namespace pgveil::policy {

// Per entry (Counts order); entries without rows get leaf 0. Attributes are matched by position.
[[nodiscard]] std::vector<NodeIndex> leaves_of(const DisclosureTree& tree, const Chains& chains,
                                               const CountsView& counts);

}  // namespace pgveil::policy

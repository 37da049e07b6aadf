#pragma once
// Adapts counts that hold more columns than a tree has to that tree. For policy/ only.
#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The counts of the tree's attributes only (leveled_counts.hpp).
// REQUIRES: counts has the exact values of every attribute of the tree.
[[nodiscard]] Counts projected(const Counts& counts, const DisclosureTree& tree);

// Per entry of `counts`: the leaf of its cohort. Entries without rows get leaf 0.
[[nodiscard]] std::vector<NodeIndex> leaves_in(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy

#pragma once
// Counts that hold more columns than a tree has, as the tree sees them. For policy/ only.
#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The tree's attributes only (leveled_counts.hpp).
// REQUIRES: counts has the exact values of every attribute of the tree.
[[nodiscard]] Counts projected(const Counts& counts, const DisclosureTree& tree);

// The leaf of each entry of `counts`. Entries without rows get leaf 0.
[[nodiscard]] std::vector<NodeIndex> leaves_in(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy

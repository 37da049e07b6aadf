#pragma once
// Undoes splits of a tree so that its versions can be compared (docs/disclosure-tree.md, "Rebuilding"): each
// cohort of the result is a union of cohorts of the tree. Repairs use this, and so do releases that must give
// way to other policies over the same table.
#include <cstddef>
#include <set>
#include <vector>

#include "policy/tree/chains.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// How chains are shortened.
struct ChainCuts {
  std::vector<std::size_t> kept;  // per chain: how many of its splits stay; the rest is one closed leaf
  // Per node: not 0 for a split that stays only to keep its rows away from the splits after it. Its `yes`
  // side is a closed leaf that falls back.
  std::vector<char> given_up;
};

// The tree with its chains shortened. The nodes keep the counts that they have in `tree`.
[[nodiscard]] DisclosureTree with_cuts(const DisclosureTree& tree, const Chains& chains,
                                       const ChainCuts& cuts);

// The tree without these splits and without everything below them. Each of them becomes a closed leaf.
// REQUIRES: each index is that of a split.
[[nodiscard]] DisclosureTree collapsed(const DisclosureTree& tree, const std::set<NodeIndex>& undone);

// Per node: the split above it; 0 for the root.
[[nodiscard]] std::vector<NodeIndex> parents_of(const DisclosureTree& tree);

}  // namespace pgveil::policy

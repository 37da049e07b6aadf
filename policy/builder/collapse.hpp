#pragma once
// Undoing splits of a tree so that versions can be compared (docs/disclosure-tree.md, "Rebuilding"): each
// cohort of the result is a union of cohorts of the tree. For repairs, and for releases that must give way to
// others over the same table.
#include <cstddef>
#include <set>
#include <vector>

#include "policy/tree/chains.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// How chains are shortened.
struct ChainCuts {
  std::vector<std::size_t> kept;  // per chain: how many of its splits stay; the rest is one closed leaf
  // Per node: not 0 for a split that stays only to keep its rows from the splits after it. Its `yes` side is
  // a closed leaf that falls back.
  std::vector<char> given_up;
};

// The counts of the nodes are taken over from the tree.
[[nodiscard]] DisclosureTree with_cuts(const DisclosureTree& tree, const Chains& chains,
                                       const ChainCuts& cuts);

// The tree without these splits and without all that is below them. Their places are closed.
// REQUIRES: each index is a split's.
[[nodiscard]] DisclosureTree collapsed(const DisclosureTree& tree, const std::set<NodeIndex>& undone);

// Per node the split above it; 0 for the root.
[[nodiscard]] std::vector<NodeIndex> parents_of(const DisclosureTree& tree);

}  // namespace pgveil::policy

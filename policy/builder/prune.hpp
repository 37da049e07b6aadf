#pragma once
// A smaller tree out of a large one: masks are as long as the tree has cohorts.
#include <cstdint>

#include "common/error.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// cohorts × max_cohorts; the tables of the search have at most so many 32-bit numbers.
inline constexpr std::uint64_t kMaxPruningCells = std::uint64_t{1} << 27;

// Of all trees that are `tree` with chains cut short and have at most max_cohorts cohorts, one that discloses
// most cells. Where a chain is cut, all rows that are left are one cohort. Exact for trees without leaves
// that fall back; a row that falls back is counted as if every outer chain stayed whole. Among equals it is
// the one that cuts the root's chain earliest, and so on inwards. The result discloses a part of what `tree`
// does, except rows that fell back from a chain that is cut: they show what their new cohort does. A chain
// that is cut has lost its closing end; with_cut_chains_closed (leaf_growth.hpp) gives it another.
//
// REQUIRES: max_cohorts ≥ 1. Errors: ErrorKind::limit above kMaxPruningCells.
[[nodiscard]] Result<DisclosureTree> prune(const DisclosureTree& tree, std::uint64_t max_cohorts);

}  // namespace pgveil::policy

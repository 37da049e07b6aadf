#pragma once
// Makes a smaller tree out of a large one. This matters because a mask grows with the number of cohorts.
#include <cstdint>

#include "common/error.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The largest cohorts × max_cohorts. The tables of the search hold at most this many 32-bit numbers.
inline constexpr std::uint64_t kMaxPruningCells = std::uint64_t{1} << 27;

// Cuts chains of `tree` short so that at most max_cohorts cohorts are left. Of all such trees the result is
// one that discloses the most cells, each counted by its worth (importance.hpp). Where a chain is cut, all
// remaining rows form one cohort. The optimum is exact for trees without leaves that fall back; a row that
// falls back is counted as if every outer chain stayed whole. Among equally good trees the one that cuts the
// root's chain earliest wins, and so on inwards.
//
// The result discloses a part of what `tree` does. The exception are rows that fell back from a chain that is
// cut: they show what their new cohort shows. A chain that is cut loses its closing end;
// with_cut_chains_closed (leaf_growth.hpp) gives it a new one.
//
// REQUIRES: max_cohorts ≥ 1; growth.max_cohorts is not read. Errors: ErrorKind::limit above
// kMaxPruningCells.
[[nodiscard]] Result<DisclosureTree> prune(const DisclosureTree& tree, std::uint64_t max_cohorts,
                                           const Growth& growth = {});

}  // namespace pgveil::policy

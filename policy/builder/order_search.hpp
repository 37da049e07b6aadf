#pragma once
// What comes first in a tree that is to answer a workload: a search over orders, each of which is tried by
// building its tree and measuring the answers (docs/disclosure-tree.md, "A tree for the questions"). A tree
// of any order keeps k, so the search is free to choose. It depends on the counts of quasi-identifiers and on
// the owner's words, and on nothing else: no time, no chance.
#include <cstdint>
#include <functional>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/spec/growth.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// Entries × attributes × trees that are tried; some ten seconds. At least kLeastTries trees are tried however
// large the table is, and at most kMostTries.
inline constexpr std::uint64_t kMaxSearchWork = std::uint64_t{1} << 26;
inline constexpr std::uint64_t kLeastTries = 16;
inline constexpr std::uint64_t kMostTries = 400;

// An order is better than another one from a thousandth on: less is not worth further tries.
inline constexpr std::uint64_t kLeastGain = 1000;

// A point of the declared error outweighs so many points of all cells.
inline constexpr std::uint64_t kCellsPerError = 16;

// One turn per attribute. Looked for is the least weighted mean error of the growth's workload, in parts per
// million, times kCellsPerError, plus the share of cells that are hidden; of equals what was tried first.
// Without rules on sensitive values, so that no order depends on these. `progress` gets the share of the
// tries. REQUIRES: growth.workload is not empty and names attributes of the counts; of the others what
// build_tree says. Errors: as build_tree.
[[nodiscard]] Result<std::vector<Turn>> find_turns(const CountsView& counts, std::uint64_t k,
                                                   const Growth& growth,
                                                   const std::function<void(double)>& progress);

}  // namespace pgveil::policy

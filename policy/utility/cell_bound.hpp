#pragma once
// What no suppression could exceed: so an owner knows how much is left to gain beside what a tree shows.
#include <cstdint>
#include <optional>

#include "policy/counts/counts.hpp"

namespace pgveil::policy {

// The sets of attributes that are looked at × the entries: some seconds.
inline constexpr std::uint64_t kMaxBoundWork = std::uint64_t{1} << 31;

// The most cells (rows × attributes, without NULL) that any k-anonymous suppression can show: of each row the
// largest set of its values that at least k units have all of. Where a value is shown, the coarser levels of
// its column are shown too (levels are functions of it). Mostly no suppression shows as many: what is best
// for one row is not for the others. The sets are gone through as in "Bottom-Up Computation of Sparse and
// Iceberg CUBEs" (Beyer and Ramakrishnan 1999): what fewer than k units share is not divided further.
// nullopt: there are more sets × entries than kMaxBoundWork. Of n columns without levels there are 2^n sets,
// and each level is one more choice for its column. REQUIRES: k ≥ 1.
[[nodiscard]] std::optional<std::uint64_t> cell_bound(const Counts& counts, std::uint64_t k);

}  // namespace pgveil::policy

#pragma once
// Turns groups into what is published, and measures their information loss.
#include <span>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/mondrian/dimension.hpp"
#include "engine/mondrian/mondrian.hpp"

namespace pgveil::engine {

// What a group shows in each dimension. tight: the range from its smallest to its largest value, which tells
// that somebody in it has each end. region: the region that the cuts left to it, which tells the cuts. sets:
// the values that occur in it, for dimensions with sets (dimension.hpp), which tells that somebody has each;
// tight for the others. region_sets: the values of the region, for dimensions with sets, and the region for
// the others.
enum class Ranges { tight, region, sets, region_sets };

struct GroupQuality {
  std::uint64_t groups = 0, smallest = 0, largest = 0;
  double discernibility = 0;                // DP = Σ n² over groups
  double certainty_penalty = 0;             // NCP = Σ n · Σ penalty per dimension (dimension.hpp)
  std::vector<double> certainty_penalties;  // per dimension: Σ n · its penalty
  // GCP = NCP ÷ (records × dimensions), from 0 to 1.
  double global_certainty_penalty = 0;
};

// columns: those that the groups were made from, as are those of generalized().
[[nodiscard]] GroupQuality quality_of(const Groups& groups, std::span<const Dimension> dimensions,
                                      std::span<const CodeColumn* const> columns, Ranges ranges);

// The generalized column of dimension `d`, in the order of the table's records.
[[nodiscard]] Column generalized(const Groups& groups, std::span<const Dimension> dimensions,
                                 std::span<const CodeColumn* const> columns, std::size_t d, Ranges ranges);

}  // namespace pgveil::engine

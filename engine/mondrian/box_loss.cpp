#include "engine/mondrian/box_loss.hpp"

#include <cmath>

namespace pgveil::engine {
namespace {

constexpr Rank kMostRanksOfTable = 256;  // 256 KB, which a cache keeps

std::uint32_t rounded(double penalty) {
  return static_cast<std::uint32_t>(std::lround(penalty * kLossUnit));
}

bool is_computed_fast(const Dimension& dimension) {
  return dimension.is_numeric();
}

}  // namespace

BoxLoss::BoxLoss(std::span<const Dimension> dimensions, Ranges ranges) {
  for (const Dimension& dimension : dimensions) {
    Axis axis;
    axis.dimension = &dimension;
    axis.is_set = ranges == Ranges::sets && has_sets(dimension);
    if (axis.is_set) {
      for (Rank size = 2; size <= dimension.ranks(); ++size)
        axis.of_size[size] = rounded(certainty_penalty_of_set(dimension, UINT64_MAX >> (64U - size)));
    } else if (is_computed_fast(dimension)) {
      const double whole = span(dimension, all_numbers(dimension));
      axis.scale = whole > 0 ? kLossUnit / whole : 0;
    } else if (dimension.ranks() <= kMostRanksOfTable) {
      axis.of_range.resize(std::size_t{dimension.ranks()} * dimension.ranks());
      for (Rank low = 0; low < dimension.ranks(); ++low) {
        for (Rank high = low; high < dimension.ranks(); ++high)
          axis.of_range[std::size_t{low} * dimension.ranks() + high] =
              rounded(certainty_penalty(dimension, {low, high}));
      }
    }
    axes_.push_back(std::move(axis));
  }
}

Loss BoxLoss::Axis::computed(Cell low, Cell high) const {
  const RankRange range{static_cast<Rank>(low), static_cast<Rank>(high)};
  if (!is_computed_fast(*dimension)) return rounded(certainty_penalty(*dimension, range));
  if (dimension->null_rank == range.low) return static_cast<Loss>(kLossUnit);
  const double distance = dimension->numbers[range.high] - dimension->numbers[range.low];
  return static_cast<Loss>(distance * scale);
}

Loss BoxLoss::of_nearest(const Cell* low, const Cell* high, const Cell* record, Loss most) const {
  Loss sum = 0;
  for (std::size_t d = 0; d < axes_.size() && sum < most; ++d) {
    const Axis& axis = axes_[d];
    if (axis.is_set) {
      sum += (low[d] & record[d]) != 0 ? 0 : axis.of_size[2];
    } else if (record[d] < low[d]) {
      sum += axis.loss(record[d], low[d]);
    } else if (record[d] > high[d]) {
      sum += axis.loss(high[d], record[d]);
    }
  }
  return sum;
}

}  // namespace pgveil::engine

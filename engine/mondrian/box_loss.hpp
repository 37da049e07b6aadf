#pragma once
// What a group of records loses, in whole numbers, so that every machine finds the same groups. For
// least_loss.hpp, whose loops call it most of the time; reports use the exact penalties of dimension.hpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/mondrian/dimension.hpp"
#include "engine/mondrian/generalized.hpp"

namespace pgveil::engine {

// A certainty penalty in units of 2^-24, or a sum of them over dimensions and records.
using Loss = std::uint64_t;
inline constexpr double kLossUnit = 1U << 24U;

// A record's place in a dimension, or one end of what a group shows there: a rank, or a set of ranks as bits.
using Cell = std::uint64_t;

// What a group shows: from `low` to `high` in each dimension. Where sets are shown, both are the set.
struct Box {
  std::vector<Cell> low, high;
};

// The losses of boxes over some dimensions. Immutable; any number of threads may use it.
class BoxLoss {
 public:
  // dimensions must outlive this object. ranges: tight or sets.
  BoxLoss(std::span<const Dimension> dimensions, Ranges ranges);

  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  [[nodiscard]] bool is_set(std::size_t dimension) const { return axes_[dimension].is_set; }
  [[nodiscard]] Cell cell(std::size_t dimension, Rank rank) const {
    return axes_[dimension].is_set ? Cell{1} << rank : rank;
  }

  // The loss of one record in the box. low, high: one cell for each dimension.
  [[nodiscard]] Loss of(const Cell* low, const Cell* high) const {
    Loss sum = 0;
    for (std::size_t d = 0; d < axes_.size(); ++d) sum += axes_[d].loss(low[d], high[d]);
    return sum;
  }
  // The same for the smallest box that holds another one, too. It stops with some sum of at least `most` as
  // soon as it reaches it.
  [[nodiscard]] Loss of_both(const Cell* low, const Cell* high, const Cell* other_low, const Cell* other_high,
                             Loss most = UINT64_MAX) const {
    Loss sum = 0;
    for (std::size_t d = 0; d < axes_.size() && sum < most; ++d) {
      const Axis& axis = axes_[d];
      sum += axis.is_set ? axis.of_size[size_of(low[d] | other_low[d])]
                         : axis.loss(std::min(low[d], other_low[d]), std::max(high[d], other_high[d]));
    }
    return sum;
  }
  [[nodiscard]] Loss with(const Cell* low, const Cell* high, const Cell* record,
                          Loss most = UINT64_MAX) const {
    return of_both(low, high, record, record, most);
  }
  // Grows the box until it holds the record.
  void add(Cell* low, Cell* high, const Cell* record) const {
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      low[d] = axes_[d].is_set ? low[d] | record[d] : std::min(low[d], record[d]);
      high[d] = axes_[d].is_set ? low[d] : std::max(high[d], record[d]);
    }
  }
  // A box of no records, to which records are added.
  void clear(Cell* low, Cell* high) const {
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      low[d] = axes_[d].is_set ? 0 : UINT64_MAX;
      high[d] = 0;
    }
  }
  // No record in the box is closer to this one: the least loss of a box of the record and another one of the
  // given box.
  [[nodiscard]] Loss of_nearest(const Cell* low, const Cell* high, const Cell* record, Loss most) const;

 private:
  struct Axis {
    const Dimension* dimension = nullptr;
    bool is_set = false;
    std::array<std::uint32_t, kMostOfSet + 1> of_size{};  // by the number of values in the set
    std::vector<std::uint32_t> of_range;                  // [low · ranks + high]; empty: computed each time
    double scale = 0;                                     // of numbers: kLossUnit ÷ the range of all

    [[nodiscard]] Loss loss(Cell low, Cell high) const {
      if (is_set) return of_size[size_of(low)];
      if (low == high) return 0;
      return of_range.empty() ? computed(low, high) : of_range[low * dimension->ranks() + high];
    }
    [[nodiscard]] Loss computed(Cell low, Cell high) const;
  };

  // The number of bits. Processors without an instruction for it are the baseline of packages.
  static std::size_t size_of(Cell set) {
    set -= (set >> 1U) & 0x5555555555555555U;
    set = (set & 0x3333333333333333U) + ((set >> 2U) & 0x3333333333333333U);
    set = (set + (set >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
    return (set * 0x0101010101010101U) >> 56U;
  }

  std::vector<Axis> axes_;
};

}  // namespace pgveil::engine

#pragma once
// How wrong the answers to a GROUP BY are that a reader of a masked table gets: group counts, and sums of the
// sensitive number per group.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bench/utility/masked.hpp"
#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

// How a cell that stands for several values is read.
enum class Reading {
  strict,  // it is in no group, as with SQL on the masked table
  // It is in each of its values' groups with an equal share. All that is assumed known is which values occur
  // in the column, which no published table says.
  spread
};

// One question and its true answer. A group is a combination of values without NULL that some row has.
struct Question {
  std::vector<std::uint32_t> columns;  // of Set::dimensions, one to three
  std::vector<double> rows, amounts;   // by group
  std::unordered_map<std::uint64_t, std::uint32_t> group_of;
};
[[nodiscard]] Question ask(const Set& set, std::vector<std::uint32_t> columns);

// rows, amounts: of counts and of sums, the mean over the groups of |answer − truth| ÷ truth, where every
// group weighs the same. Groups whose true sum is 0 are not in it, and without sums it is 0. by_size: of
// counts the mean in which a group weighs as much as it has rows.
struct MeanError {
  double rows = 0, amounts = 0, by_size = 0;
};
// The least mean error of counts that a reader of exact cells can have: groups below k are never shown.
[[nodiscard]] double least_error(const Question& question, std::uint64_t k);
[[nodiscard]] MeanError error_of(const Question& question, const Masked& masked,
                                 const std::vector<MaskedClass>& classes, Reading reading);

}  // namespace pgveil::bench::utility

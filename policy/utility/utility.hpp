#pragma once
// What a version is worth to who asks it: the error of the answers to the questions that are asked most,
// measured on the counts that the version was built of. It is kept with the version, and measured again on
// the live counts by CHECK POLICY and drift checks. docs/utility.md explains each figure.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/spec/growth.hpp"
#include "policy/tree/tree.hpp"
#include "policy/utility/answer_error.hpp"
#include "policy/utility/implied_columns.hpp"

namespace pgveil::policy {

struct Utility {
  // That any suppression could show (cell_bound.hpp). none: finding it takes too long.
  std::optional<std::uint64_t> most_cells;
  std::vector<AnswerError> columns;   // one for each attribute of the tree, in its order
  std::vector<AnswerError> pairs;     // ascending by attributes
  std::vector<AnswerError> declared;  // the policy's workload, or its priority, in its order
  std::vector<ImpliedColumn> implied;
  bool operator==(const Utility&) const = default;
};

// The pairs that are measured: all of twelve columns. If there are more, those of columns that the policy
// declares come first, then those of exact columns, then those of levels. A column and its own level are not
// a pair.
inline constexpr std::size_t kMostPairs = 66;
// Pairs × combinations of the counts, so that measuring takes a second or two: beyond 500,000 combinations
// fewer pairs are measured.
inline constexpr std::uint64_t kMostPairWork = std::uint64_t{1} << 25;

// A policy's declared questions are those of its workload, or each column of its priority by itself.
// REQUIRES: the tree's attributes are those of the counts. What the growth names are some of them, and each
// question names at least one and none twice.
[[nodiscard]] Utility measure_utility(const DisclosureTree& tree, const Counts& counts, const Growth& growth);

// The mean of the single columns' mean errors, in parts per million; nullopt: none of them has a value.
[[nodiscard]] std::optional<std::uint64_t> mean_column_error_ppm(const Utility& utility);

// A column or declared question of whose rows a clearly larger share is missing now: by ten points or more.
// Weighed by rows, so that one row never makes the difference.
struct Worsened {
  std::vector<std::uint32_t> attributes;
  std::uint64_t missing_before_ppm = 0;
  std::uint64_t missing_now_ppm = 0;
  bool operator==(const Worsened&) const = default;
};
inline constexpr std::uint64_t kClearlyWorsePpm = 100'000;

// In the order of the columns, then of the declared questions of more columns. Both are of one tree, or one
// is of a repaired form of it.
[[nodiscard]] std::vector<Worsened> worsened(const Utility& before, const Utility& now);

// The single column of whose rows the smallest share is shown (ties: the first); null: none has a value.
[[nodiscard]] const AnswerError* least_shown(const Utility& utility);

}  // namespace pgveil::policy

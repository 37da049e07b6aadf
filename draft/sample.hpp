#pragma once
// Numbers that a sample gives of a column. The values themselves stay here.
#include <cstddef>
#include <optional>
#include <vector>

#include "draft/facts.hpp"

namespace pgveil::draft {

inline constexpr std::size_t kLeastRowsToJudge = 50;  // a smaller sample proves nothing about uniqueness

struct ColumnSample {
  std::size_t rows = 0;           // that are not NULL
  std::size_t distinct = 0;       // without NULL
  std::size_t unique = 0;         // values that one row has
  double estimated = 0;           // distinct values in the whole table
  bool is_nearly_unique = false;  // 95 % of its rows differ, and there are enough of them
};
// nullopt: there is no sample.
[[nodiscard]] std::optional<ColumnSample> sample_of(const TableFacts& table, std::size_t column);

// Distinct values in the whole table: of the statistics, else estimated from the sample.
[[nodiscard]] std::optional<double> distinct_of(const TableFacts& table, std::size_t column);
// Whether hardly two rows share a value: by a key, the statistics or the sample.
[[nodiscard]] bool is_nearly_unique(const TableFacts& table, std::size_t column);

// How many different beginnings of this many characters (bytes of ASCII) the sample's values have.
[[nodiscard]] std::optional<std::size_t> beginnings(const TableFacts& table, std::size_t column,
                                                    std::size_t characters);
// The share of the sample's rows whose combination of these columns no other row of it has. nullopt: the
// sample is too small.
[[nodiscard]] std::optional<double> unique_share(const TableFacts& table,
                                                 const std::vector<std::size_t>& columns);

}  // namespace pgveil::draft

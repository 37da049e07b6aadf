#pragma once
// Which columns find a record: how well each set of columns tells the records of a table apart, and the
// smallest sets that tell all of them apart.
#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

// Motwani and Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007: distinction, the
// share of different combinations among the records; separation, of the pairs of records those that differ.
struct Identifying {
  std::vector<std::string> columns;
  double distinction = 0;
  double separation = 0;
  double unique_share = 0;      // of the records: those whose combination no other has
  bool is_minimal_key = false;  // all records differ, and without any one of the columns they do not
};

inline constexpr std::size_t kMostSets = 10'000;

// The positions of all sets of up to `most` of so many columns, as a walk that goes deep first meets them.
// Errors: more than kMostSets.
[[nodiscard]] Result<std::vector<std::vector<std::size_t>>> column_sets(std::size_t columns,
                                                                        std::size_t most);

// REQUIRES: a histogram of the classes that these columns make, not empty.
[[nodiscard]] Identifying identifying_of(std::vector<std::string> columns, const SizeHistogram& sizes);

// In the order of identifying_sets, with its minimal keys; given in that of column_sets.
[[nodiscard]] std::vector<Identifying> ranked(std::vector<Identifying> sets);

// All sets of up to `most` of the columns, the most separating first; equal ones smaller sets first, then by
// the order of the columns. Errors of kind configuration: no column, a column that the table has not, no row,
// more than kMostSets sets.
[[nodiscard]] Result<std::vector<Identifying>> identifying_sets(const Table& table,
                                                                const std::vector<std::string>& columns,
                                                                std::size_t most);

}  // namespace pgveil::engine

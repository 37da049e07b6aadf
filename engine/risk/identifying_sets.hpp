#pragma once
// Finds the columns that identify records: how well each set of columns tells the records of a table apart,
// and the smallest sets that tell all of them apart.
#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

// The measures of Motwani and Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.
// distinction: the number of distinct combinations ÷ the number of records; separation: the share of the
// pairs of records that differ.
struct Identifying {
  std::vector<std::string> columns;
  double distinction = 0;
  double separation = 0;
  double unique_share = 0;      // share of the records whose combination no other has
  bool is_minimal_key = false;  // all records differ, but not without any one of the columns
};

inline constexpr std::size_t kMostSets = 10'000;

// All sets of up to `most` out of this many columns, as positions, in the order of a depth-first walk.
// Errors: more than kMostSets.
[[nodiscard]] Result<std::vector<std::vector<std::size_t>>> column_sets(std::size_t columns,
                                                                        std::size_t most);

// REQUIRES: sizes is the histogram of the classes that these columns make; not empty.
[[nodiscard]] Identifying identifying_of(std::vector<std::string> columns, const SizeHistogram& sizes);

// Sorts the sets, given in the order of column_sets, as identifying_sets does, and marks minimal keys.
[[nodiscard]] std::vector<Identifying> ranked(std::vector<Identifying> sets);

// All sets of up to `most` of the columns, the most separating first; ties: smaller sets first, then by the
// order of the columns. Errors of kind configuration: no column; a column that the table does not have; no
// row; more than kMostSets sets.
[[nodiscard]] Result<std::vector<Identifying>> identifying_sets(const Table& table,
                                                                const std::vector<std::string>& columns,
                                                                std::size_t most);

}  // namespace pgveil::engine

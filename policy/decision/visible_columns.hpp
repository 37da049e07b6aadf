#pragma once
// Measures what a column that readers see unchanged tells about rows and hidden cells. k bounds neither.
#include <cstdint>

#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct VisibleColumn {
  std::uint64_t rows = 0;
  // Rows whose value no other unit of their cohort has. A reader who knows the value knows the row.
  std::uint64_t unique_rows = 0;
  std::uint64_t hidden_cells = 0;  // of quasi-identifiers, not NULL
  // Hidden cells whose value follows: all rows with the same visible value (of at least two units) agree on
  // it.
  std::uint64_t determined_cells = 0;
};

// number: that of the column. counts has it as an attribute in addition to the tree's.
[[nodiscard]] VisibleColumn measure_visible(const DisclosureTree& tree, const Counts& counts, int number);

// The number of rows whose value of this attribute no other unit of the whole table has.
[[nodiscard]] std::uint64_t rows_alone_in(const Counts& counts, int number);

}  // namespace pgveil::policy

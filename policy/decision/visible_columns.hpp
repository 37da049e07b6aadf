#pragma once
// What a column that readers see as it is tells of the rows and of hidden cells. k says nothing about either.
#include <cstdint>

#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct VisibleColumn {
  std::uint64_t rows = 0;
  // Rows whose value no other unit of their cohort has: who knows the value knows the row.
  std::uint64_t unique_rows = 0;
  std::uint64_t hidden_cells = 0;  // of quasi-identifiers, not NULL
  // Those whose value follows: all rows with the same visible value, two units at least, agree on it.
  std::uint64_t determined_cells = 0;
};

// number: the column's; counts has it as an attribute beside the tree's.
[[nodiscard]] VisibleColumn measure_visible(const DisclosureTree& tree, const Counts& counts, int number);

// Rows whose value of this attribute no other unit of the whole table has.
[[nodiscard]] std::uint64_t rows_alone_in(const Counts& counts, int number);

}  // namespace pgveil::policy

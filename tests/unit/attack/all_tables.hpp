#pragma once
// Every table of a few rows over a few small columns.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "policy/spec/growth.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {

struct Shape {
  std::vector<std::size_t> widths;  // values per column
  std::size_t rows = 0;
  std::uint64_t k = 2;
  bool has_nulls = false;   // NULL is one more value of the last column
  bool has_levels = false;  // the first column's values are 0, 1, 2 …, with pairs of them beside it
  policy::Growth growth = {};
};

// All multisets of rows in which every column has each of its values, and NULL if it may.
void for_all_tables(const Shape& shape, const std::function<void(const policy::testing::Table&)>& visit);

}  // namespace pgveil::attack::testing

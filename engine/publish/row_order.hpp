#pragma once
// The order in which an output's rows are written. It must tell nothing about the order of the input:
// somebody who knows how the input was sorted, or where in it a person is, would find the row again. So rows
// are first sorted by everything that is written, then shuffled with a seed. The order depends on the
// output's rows and the seed alone, and somebody who knows the seed learns nothing by undoing the shuffle.
// Therefore the seed is no secret.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/code_column.hpp"

namespace pgveil::engine {

// A column of an output: one code per row. A code is an index into `values`, which has only values that rows
// use, or kNullCode.
struct PublishedColumn {
  std::string name;
  bool is_quasi_identifier = false;
  std::vector<std::string> values;
  NullableCodes codes;
};

// Sorts by the bytes of all columns' values, first column first; NULL comes before all. REQUIRES: the values
// of a column are distinct.
[[nodiscard]] std::vector<std::uint32_t> sorted_rows(std::span<const PublishedColumn> columns);

// Fisher–Yates; the result is the same on every machine.
void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed);

}  // namespace pgveil::engine

#pragma once
// The order in which an output's rows are written. It must say nothing of the order of the input: whoever
// knows that the input was sorted, or where in it somebody stands, would find the row again. So rows are
// first sorted by everything that is written, then shuffled by a seed: the order is a function of the
// output's rows and the seed alone, and whoever knows the seed learns nothing by undoing the shuffle. That is
// why a seed is no secret.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/code_column.hpp"

namespace pgveil::engine {

inline constexpr Code kNullCode = UINT32_MAX;

// A column of an output: one code per row. A code is an index into values, which has only what rows use, or
// kNullCode.
struct PublishedColumn {
  std::string name;
  bool is_quasi_identifier = false;
  std::vector<std::string> values;
  std::vector<Code> codes;
};

// Sorts by the bytes of all columns' values, first column first, NULL before all. Values of a column must
// differ.
[[nodiscard]] std::vector<std::uint32_t> sorted_rows(std::span<const PublishedColumn> columns);

// Fisher and Yates; the same on every machine.
void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed);

}  // namespace pgveil::engine

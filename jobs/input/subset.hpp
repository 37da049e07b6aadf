#pragma once
// Finds which of the input's records a job publishes if it publishes a subset.
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::app {

// 1 for each row whose cell has the value. Errors: no row has it.
[[nodiscard]] Result<std::vector<std::uint8_t>> rows_with(const engine::Column& column,
                                                          std::string_view value);

// 1 for each row that belongs to the subset. For each record of the subset, the first row in the input's
// order with the same cells belongs to it; equal records take as many rows as there are records. Errors: a
// column that the table does not have; records that are not in the table (the number, and the lines in
// private_detail).
[[nodiscard]] Result<std::vector<std::uint8_t>> rows_of_subset(const engine::Table& table,
                                                               const engine::Table& subset);

}  // namespace pgveil::app

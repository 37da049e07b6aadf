#pragma once
// Which of the input's records a job publishes, when it publishes a subset.
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::app {

// 1 for each row whose cell has the value. Errors: no row has it.
[[nodiscard]] Result<std::vector<std::uint8_t>> rows_with(const engine::Column& column,
                                                          std::string_view value);

// 1 for each row that a record of the subset is: the first rows, in the input's order, with the cells of its
// records, as many as those are. Errors: a column that the table has not; records that are not in the table
// (how many, and which lines in private_detail).
[[nodiscard]] Result<std::vector<std::uint8_t>> rows_of_subset(const engine::Table& table,
                                                               const engine::Table& subset);

}  // namespace pgveil::app

#pragma once
// Values of sensitive columns that count as one, because readers of the output take them for one: NULL and
// the empty text in a file, and numbers that are equal. They are joined before anything is counted, so a
// class is not diverse because of them.
#include <optional>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// In the sensitive columns with models: the empty text becomes NULL if the job writes a file and the column
// has both, and equal numbers get one text. That does not depend on what else is in the column: the records
// with other texts may be left out, and then the rest is written as numbers. Returns the columns that were
// changed, as they were before.
[[nodiscard]] std::vector<engine::Column> join_alike_values(const Job& job, engine::Table& table);

// The column with one text for each number, the shortest of those without an exponent. Decimals of any length
// are compared exactly. null_text is no number, and neither is any other text. nullopt: no two texts are one
// number.
[[nodiscard]] std::optional<engine::Column> with_joined_numbers(const engine::Column& column,
                                                                const std::optional<std::string>& null_text);

}  // namespace pgveil::app

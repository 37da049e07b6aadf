#pragma once
// Finds the named columns in a table. For engine/risk.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::engine {

// An error of kind configuration.
[[nodiscard]] Error not_measurable(std::string message, std::string hint);

// Errors: no column is named; one is named twice or is not in the table; a table without rows. what: the
// table's name in messages.
[[nodiscard]] Result<std::vector<const Column*>> columns_of(const Table& table,
                                                            std::span<const std::string> names,
                                                            std::string_view what);

}  // namespace pgveil::engine

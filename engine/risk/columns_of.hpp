#pragma once
// The columns that somebody named, found in a table. For engine/risk.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::engine {

// Of kind configuration.
[[nodiscard]] Error not_measurable(std::string message, std::string hint);

// Errors: none is named, one twice or one that it has not; a table without rows. `what` is its name in
// messages.
[[nodiscard]] Result<std::vector<const Column*>> columns_of(const Table& table,
                                                            std::span<const std::string> names,
                                                            std::string_view what);

}  // namespace pgveil::engine

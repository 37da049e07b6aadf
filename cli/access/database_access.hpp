#pragma once
// Tables and views whose readers PostgreSQL's own grants say (access: from_database).
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/config.hpp"
#include "cli/policies/files.hpp"

namespace pgveil::cli {

// "schema.table", in order, each once.
[[nodiscard]] std::vector<std::string> granted_tables(const Config& config, const Specs& specs,
                                                      std::string_view database);

}  // namespace pgveil::cli

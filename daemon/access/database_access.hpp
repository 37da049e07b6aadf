#pragma once
// Tables and views whose readers are determined by PostgreSQL's own grants (access: from_database).
#include <string>
#include <string_view>
#include <vector>

#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// The tables and views as "schema.table", in order, each once.
[[nodiscard]] std::vector<std::string> granted_tables(const Config& config, const Specs& specs,
                                                      std::string_view database);

}  // namespace pgveil::app

#pragma once
// What query_role needs in one database by the configuration, and whether it may do more.
#include "cli/policies/files.hpp"
#include "db/role_check.hpp"

namespace pgveil::cli {

[[nodiscard]] db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database);

// Whether query_role may do more than that there. All that it may is logged, the first is the error.
[[nodiscard]] Result<void> check_role(const Config& config, const Specs& specs, const std::string& database);

}  // namespace pgveil::cli

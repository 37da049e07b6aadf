#pragma once
// Which rights query_role needs in one database, as the configuration tells, and whether it has more.
#include "db/rights/role_check.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

[[nodiscard]] db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database);

// Fails if query_role may do more there than it needs. Every right too many is logged; the first of them is
// the error.
[[nodiscard]] Result<void> check_role(const Config& config, const Specs& specs, const std::string& database);

}  // namespace pgveil::app

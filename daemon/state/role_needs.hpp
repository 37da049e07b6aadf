#pragma once
// The rights that query_role needs in one database according to the configuration, and a check that it has no
// others, and these.
#include "db/rights/role_check.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

[[nodiscard]] db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database);

// Fails if query_role has more rights there than it needs. Every excess right is logged; the first one is the
// error. Missing rights are warnings in the log: PostgreSQL refuses the statements that need them.
[[nodiscard]] Result<void> check_role(const Config& config, const Specs& specs, const std::string& database);

}  // namespace pgveil::app

#pragma once
// What query_role needs in one database by the configuration, for the role check.
#include "cli/policy_files.hpp"
#include "db/role_check.hpp"

namespace pgveil::cli {

[[nodiscard]] db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database);

}  // namespace pgveil::cli

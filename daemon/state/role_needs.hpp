#pragma once
// The rights that query_role needs in one database according to the configuration, and a check that it has no
// others, and these.
#include "daemon/policies/source_tables.hpp"
#include "db/rights/role_check.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

// Whether BUILD first puts the policy's rows into a temporary table: it has a source or a key.
[[nodiscard]] bool stages_rows(const policy::PolicySpec& spec);

[[nodiscard]] db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database,
                                       const SourceTables& sources);

// Fails if query_role has more rights there than it needs. Every excess right is logged; the first one is the
// error. Missing rights are warnings in the log: PostgreSQL refuses the statements that need them.
[[nodiscard]] Result<void> check_role(const Config& config, const Specs& specs, const std::string& database);

}  // namespace pgveil::app

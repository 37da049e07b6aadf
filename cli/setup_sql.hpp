#pragma once
// The script of `pgveil setup-sql`, for `pgveil init` too.
#include <optional>
#include <string>

#include "common/error.hpp"
#include "db/rights/managed_service.hpp"

namespace pgveil::app {

enum class SetupScript {
  setup,     // makes the roles and their rights
  who_loses  // only reads: who loses which right that PUBLIC has now
};

// database: none: the only configured one. managed: the server is rented. Errors: those of the configuration
// and the policies; the database is not configured, or one of several must be named; a role of pgveil's is
// one of PostgreSQL's own.
[[nodiscard]] Result<std::string> setup_sql_text(const std::string& config_path,
                                                 const std::optional<std::string>& database,
                                                 SetupScript script,
                                                 std::optional<db::ManagedService> managed = std::nullopt);

}  // namespace pgveil::app

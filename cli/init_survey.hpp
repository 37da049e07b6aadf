#pragma once
// Reads what `pgveil init` needs of a live database: the catalog, the statistics, and samples as long as
// there is time. Blocks on PostgreSQL.
#include <chrono>
#include <string>

#include "common/error.hpp"
#include "db/server/owner_login.hpp"
#include "draft/facts.hpp"

namespace pgveil::app {

struct Survey {
  draft::Database database;
  std::size_t unsampled = 0;  // tables that there was no time for, or that could not be read
  std::size_t others = 0;     // views, materialized views and foreign tables, for which there are no policies
};

// budget: for samples. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<Survey> survey(const db::OwnerLogin& login, std::chrono::milliseconds budget);

}  // namespace pgveil::app

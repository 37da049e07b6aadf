#pragma once
// Loads the review::ServerFacts of one live database, which review/server_check.hpp judges.
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "review/server_check.hpp"

namespace pgveil::db {

// Errors: ErrorKind::connection, ::server (also for another major version). Blocks.
[[nodiscard]] Result<review::ServerFacts> load_server_facts(const Endpoint& endpoint,
                                                            const std::string& database);

}  // namespace pgveil::db

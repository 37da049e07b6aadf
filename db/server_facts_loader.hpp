#pragma once
// One live database → rewriter::ServerFacts: what rewriter/server_check.hpp judges.
#include <string>

#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "rewriter/server_check.hpp"

namespace pgveil::db {

// Errors: ErrorKind::connection, ::server (another major version too). Blocks.
[[nodiscard]] Result<rewriter::ServerFacts> load_server_facts(const Endpoint& endpoint,
                                                              const std::string& database);

}  // namespace pgveil::db

#pragma once
// Loads the rewriter::Surroundings of one live database, as query_role sees it, including what that role may
// execute.
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::db {

// Errors: ErrorKind::connection, ::server. Blocks.
[[nodiscard]] Result<rewriter::Surroundings> load_surroundings(const Endpoint& endpoint,
                                                               const std::string& database);

}  // namespace pgveil::db

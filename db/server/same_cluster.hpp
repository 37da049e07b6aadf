#pragma once
// Whether several servers are a primary and its standbys.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

// Asks each server of the endpoint that can be reached for the identifier of its cluster, which a standby
// shares with its primary, also after it was promoted. Returns the servers that could not be asked.
// Errors: ErrorKind::configuration: two of them are of different clusters; ErrorKind::server as from
// Connection::open. One server is not asked. Blocks.
[[nodiscard]] Result<std::vector<std::string>> check_same_cluster(const Endpoint& endpoint,
                                                                  const std::string& database);

}  // namespace pgveil::db

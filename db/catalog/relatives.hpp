#pragma once
// Tables that share rows with another one by inheritance or partitioning: those below it, whose rows it
// shows, and those above it or above one of these, which show all or some of its rows.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct Relative {
  std::string schema, name;
};

// Ordered by name. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<Relative>> load_relatives(const Endpoint& endpoint,
                                                           const std::string& database,
                                                           const std::string& schema,
                                                           const std::string& table);

}  // namespace pgveil::db

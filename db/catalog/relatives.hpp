#pragma once
// Tables that have rows in common with one by inheritance or partitioning: those below it, whose rows it
// shows, and those above it or above one of these, which show its own or some of them.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct Relative {
  std::string schema, name;
};

// In the order of their names. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<Relative>> load_relatives(const Endpoint& endpoint,
                                                           const std::string& database,
                                                           const std::string& schema,
                                                           const std::string& table);

}  // namespace pgveil::db

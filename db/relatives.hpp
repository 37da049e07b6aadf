#pragma once
// Tables that have rows in common by inheritance or partitioning: those below a table, whose rows it shows, and those above it, which show
// its own.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/endpoint.hpp"

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

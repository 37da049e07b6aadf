#pragma once
// The partitions of a partitioned table, and those of its partitions: whose rows are read when it is.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct Partition {
  std::string schema, name;
  bool is_table = false;  // plain or partitioned; else foreign
};

// In the order of their names; none of a table that has none. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<Partition>> load_partitions(const Endpoint& endpoint,
                                                             const std::string& database,
                                                             const std::string& schema,
                                                             const std::string& table);

}  // namespace pgveil::db

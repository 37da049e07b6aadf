#pragma once
// The partitions of a partitioned table on all levels. Their rows are read when the table is.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct Partition {
  std::string schema, name;
  bool is_table = false;  // plain or partitioned; else foreign
};

// Ordered by name; empty if the table has none. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<Partition>> load_partitions(const Endpoint& endpoint,
                                                             const std::string& database,
                                                             const std::string& schema,
                                                             const std::string& table);

}  // namespace pgveil::db

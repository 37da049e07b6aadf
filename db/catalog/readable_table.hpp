#pragma once
// Reads a table as it is, for jobs and for the verbs that look at tables, in one REPEATABLE READ state that
// is locked against DDL. For db/ only; throws (guarded()).
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/connection.hpp"

namespace pgveil::db {

struct ReadableColumn {
  std::string name;
  std::string type;  // as SQL spells it
};

// Begins the transaction and returns all columns in the table's order. Errors: ErrorKind::policy: there is no
// such table, it is neither plain nor partitioned, or it has no columns.
[[nodiscard]] Result<std::vector<ReadableColumn>> begin_reading(Connection& connection,
                                                                const std::string& schema,
                                                                const std::string& table);

// Errors: ErrorKind::policy, with all names that are not among the columns.
[[nodiscard]] Result<void> require_columns(std::span<const ReadableColumn> columns,
                                           std::span<const std::string> names, const std::string& schema,
                                           const std::string& table);

}  // namespace pgveil::db

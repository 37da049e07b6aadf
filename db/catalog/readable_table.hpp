#pragma once
// A table that is read as it is, for jobs and for the verbs that look at tables: one REPEATABLE READ state,
// locked against DDL. For db/ only; throws (guarded()).
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

// Begins the transaction; all columns, in the table's order. Errors: ErrorKind::policy: no such table, not a
// plain or partitioned one, one without columns.
[[nodiscard]] Result<std::vector<ReadableColumn>> begin_reading(Connection& connection,
                                                                const std::string& schema,
                                                                const std::string& table);

// Errors: ErrorKind::policy: names that are not among the columns, all of them.
[[nodiscard]] Result<void> require_columns(std::span<const ReadableColumn> columns,
                                           std::span<const std::string> names, const std::string& schema,
                                           const std::string& table);

}  // namespace pgveil::db

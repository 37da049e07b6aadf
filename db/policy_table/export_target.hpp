#pragma once
// May a table be made at this name, so that nobody but its owner can read it? For db/ only; throws
// (guarded()).
#include <string>

#include "common/error.hpp"
#include "db/server/connection.hpp"

namespace pgveil::db {

// Errors, ErrorKind::policy: the schema does not exist; a relation or type of that name does; default
// privileges would grant it to somebody.
[[nodiscard]] Result<void> check_export_target(Connection& connection, const std::string& schema,
                                               const std::string& table);

// After CREATE TABLE, in the same transaction: owner only, plain table. A server-side trigger may have
// granted it.
[[nodiscard]] Result<void> check_exported_table(Connection& connection, const std::string& schema,
                                                const std::string& table);

}  // namespace pgveil::db

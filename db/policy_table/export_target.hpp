#pragma once
// Checks that a table can be made with this name and that only its owner can read it. For db/ only; throws
// (guarded()).
#include <string>

#include "common/error.hpp"
#include "db/server/connection.hpp"

namespace pgveil::db {

// Errors: ErrorKind::policy: the schema does not exist; a relation or type with that name exists; default
// privileges would grant it to somebody.
[[nodiscard]] Result<void> check_export_target(Connection& connection, const std::string& schema,
                                               const std::string& table);

// Runs after CREATE TABLE in the same transaction. Checks that it is a plain table that only its owner may
// read, because a server-side trigger may have granted it to others.
[[nodiscard]] Result<void> check_exported_table(Connection& connection, const std::string& schema,
                                                const std::string& table);

// Commits the transaction that made the table. Throws Abandon with ErrorKind::connection if the connection is
// lost meanwhile: then it is not known whether the table is there, and the error says so.
void commit_exported_table(Connection& connection, const std::string& schema, const std::string& table);

}  // namespace pgveil::db

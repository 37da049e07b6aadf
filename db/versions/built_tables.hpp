#pragma once
// The table pgveil.built_table (db/versions/version_schema.hpp): the tables that versions were ever built
// from. admin_role reads and writes it. No row is ever removed.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/built_table.hpp"

namespace pgveil::db {

[[nodiscard]] Result<std::vector<rewriter::BuiltTable>> read_built_tables(const Endpoint& admin,
                                                                          const std::string& database);

// Call this before the version is stored. A surplus entry only keeps a table closed, but a missing one could
// open it.
[[nodiscard]] Result<void> note_built_table(const Endpoint& admin, const std::string& database,
                                            const rewriter::BuiltTable& table);

}  // namespace pgveil::db

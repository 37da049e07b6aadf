#pragma once
// pgveil.built_table (db/versions/version_schema.hpp): which tables versions were ever built of. Asked by
// admin_role. Nothing is ever taken out.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/built_table.hpp"

namespace pgveil::db {

[[nodiscard]] Result<std::vector<rewriter::BuiltTable>> read_built_tables(const Endpoint& admin,
                                                                          const std::string& database);

// Before the version is stored: a table too many is closed, one too few could be opened.
[[nodiscard]] Result<void> note_built_table(const Endpoint& admin, const std::string& database,
                                            const rewriter::BuiltTable& table);

}  // namespace pgveil::db

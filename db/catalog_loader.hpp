#pragma once
// One live database → rewriter::Catalog, by a few set-based queries in one read-only transaction.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/endpoint.hpp"
#include "rewriter/catalog.hpp"

namespace pgveil::db {

// schemas: the listed schemas of the search path, after pg_catalog. open_tables: "schema.table"; those that are views
// come with their definitions. Errors: ErrorKind::connection, ::server; a schema that does not exist is an error of kind
// configuration. Blocks.
[[nodiscard]] Result<rewriter::Catalog> load_catalog(const Endpoint& endpoint, const std::string& database,
                                                     const std::vector<std::string>& schemas,
                                                     const std::vector<std::string>& open_tables);

// A text that changes whenever what load_catalog would return for objects of users changes. Cheap enough to
// be asked every few seconds.
[[nodiscard]] Result<std::string> catalog_fingerprint(const Endpoint& endpoint, const std::string& database);

}  // namespace pgveil::db

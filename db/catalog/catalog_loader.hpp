#pragma once
// One live database → rewriter::Catalog, by a few set-based queries in one read-only transaction.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

struct CatalogWish {
  std::vector<std::string> schemas;      // the listed schemas of the search path, after pg_catalog
  std::vector<std::string> open_tables;  // "schema.table"; those that are views come with their definitions
  std::vector<std::string> granted;      // "schema.table"; of these it reads who may SELECT what
};

// Errors: ErrorKind::connection, ::server; a schema that does not exist is an error of kind configuration.
// Blocks.
[[nodiscard]] Result<rewriter::Catalog> load_catalog(const Endpoint& endpoint, const std::string& database,
                                                     const CatalogWish& wish);

// A text that changes whenever what load_catalog would return for objects of users changes; roles and grants
// are in it where any are asked for. Cheap enough to be asked every few seconds.
[[nodiscard]] Result<std::string> catalog_fingerprint(const Endpoint& endpoint, const std::string& database,
                                                      const std::vector<std::string>& granted);

}  // namespace pgveil::db

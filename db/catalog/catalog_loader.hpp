#pragma once
// Loads the rewriter::Catalog of one live database, by a few set-based queries in one read-only transaction.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/open_pattern.hpp"

namespace pgveil::db {

struct CatalogWish {
  std::vector<std::string> schemas;      // the listed schemas of the search path, after pg_catalog
  std::vector<std::string> open_tables;  // "schema.table"; views among them are loaded with their definitions
  std::vector<std::string> granted;      // "schema.table"; tables for which to read who may SELECT what
  std::vector<rewriter::OpenPattern> open_patterns = {};  // views that they stand for have definitions, too
  // SELECTs, or "schema.name" of a relation: views that they read, directly or through other views, have
  // definitions, too.
  std::vector<std::string> sources = {};
};

// Errors: ErrorKind::connection, ::server; ErrorKind::configuration for a schema that does not exist. Blocks.
[[nodiscard]] Result<rewriter::Catalog> load_catalog(const Endpoint& endpoint, const std::string& database,
                                                     const CatalogWish& wish);

// A text that changes whenever load_catalog would return something else for users' objects. It covers roles
// and grants if `granted` is not empty. Cheap enough to be read every few seconds.
[[nodiscard]] Result<std::string> catalog_fingerprint(const Endpoint& endpoint, const std::string& database,
                                                      const std::vector<std::string>& granted);

}  // namespace pgveil::db

#pragma once
// What names of functions, operators and types can find outside of PostgreSQL's own, read from the live
// database. Nothing is judged here: review/candidate_check.hpp says what of it is safe.
#include <string>
#include <vector>

#include "db/server/connection.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

// Fills the parts of the catalog that candidate.hpp describes. schemas: those of the search path, after
// pg_catalog. Must run in the transaction that reads the catalog.
void read_candidates(Connection& connection, const std::vector<std::string>& schemas,
                     rewriter::Catalog& catalog);

}  // namespace pgveil::db

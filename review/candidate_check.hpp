#pragma once
// Decides which functions, operators and types outside pg_catalog clients may use: those whose functions
// are PostgreSQL's own, are on the list of reviewed extensions with the definition that was reviewed, or are
// named by the owner. Pure.
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::review {

// Sets is_safe of all candidates and is_castable of the types of extensions, and returns what an owner should
// know. open_functions: "schema.function" and "extension:name" as the configuration lists them.
// REQUIRES: catalog.dropped_functions is set.
[[nodiscard]] std::vector<Finding> judge_candidates(rewriter::Catalog& catalog,
                                                    const std::vector<std::string>& open_functions);

}  // namespace pgveil::review

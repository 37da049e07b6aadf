#pragma once
// The shape guard of a masking sub-select (masks.hpp).
#include <set>

#include "rewriter/catalog.hpp"
#include "rewriter/pg/build.hpp"

namespace pgveil::rewriter {

// The WHERE condition: true while the relation has this name and file and these columns have their numbers; raises
// otherwise. columns: the numbers of the columns that the sub-select reads.
[[nodiscard]] pg::Node* shape_guard(const Relation& relation, const std::set<int>& columns,
                                    pg::Builder& build);

}  // namespace pgveil::rewriter

#pragma once
// The shape guard of a masking sub-select (masks.hpp).
#include <set>

#include "rewriter/catalog.hpp"
#include "rewriter/pg/build.hpp"
#include "rewriter/version_guard.hpp"

namespace pgveil::rewriter {

// The WHERE condition: true while the relation has this name and file and these columns have their numbers; raises
// otherwise. columns: the numbers of the columns that the sub-select reads.
//
// Where the database has the schema pgveil, its function shape() is asked while the statement is planned and folded into the
// plan, so an execution of a plan that is kept costs nothing. A plan is made under a lock on the table, of names that
// were resolved under it, and is thrown away whole, names included, by whatever changes the table's entries in the
// catalog: no execution can meet another table or column than those the function was asked for.
[[nodiscard]] pg::Node* shape_guard(const Relation& relation, const std::set<int>& columns,
                                    VersionGuard guard, pg::Builder& build);

}  // namespace pgveil::rewriter

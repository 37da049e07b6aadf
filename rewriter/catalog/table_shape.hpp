#pragma once
// Reads a table of the catalog into the form that a version keeps.
#include <span>

#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The shape of a table as the catalog shows it now.
[[nodiscard]] policy::TableShape shape_of(const Relation& relation);

// Whether the version was built from this table, which has not changed since except for columns that were
// added. A version is current only then. If the table keeps the version's decisions in a column (enforcement:
// stored), nothing may have changed, and no column of such a name may have been added.
[[nodiscard]] bool is_of(const policy::PolicyVersion& version, const Relation& relation);

// The columns that were added since. No policy of that time lists them, so they are hidden. REQUIRES:
// is_of().
[[nodiscard]] std::span<const Column> added_columns(const policy::PolicyVersion& version,
                                                    const Relation& relation);

}  // namespace pgveil::rewriter

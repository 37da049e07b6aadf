#pragma once
// A table of the catalog as a version keeps it.
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The shape of a table as the catalog shows it now; a version is current only while its own shape equals it.
[[nodiscard]] policy::TableShape shape_of(const Relation& relation);

// The version was built of this table as it is.
[[nodiscard]] bool is_of(const policy::PolicyVersion& version, const Relation& relation);

}  // namespace pgveil::rewriter

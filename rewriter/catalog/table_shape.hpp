#pragma once
// Reads a table of the catalog into the form that a version keeps.
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The shape of a table as the catalog shows it now. A version is current only while its own shape equals this
// one.
[[nodiscard]] policy::TableShape shape_of(const Relation& relation);

// Whether the version was built from this table as it is now.
[[nodiscard]] bool is_of(const policy::PolicyVersion& version, const Relation& relation);

}  // namespace pgveil::rewriter

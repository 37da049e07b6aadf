#pragma once
// Why a policy can't be served from this catalog in its way of enforcement. A closed policy answers every
// read of its table with this reason, until a build or a change of the database mends it.
#include <string>

#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Empty: it can be served.
[[nodiscard]] std::string reason_to_close(const PolicyState& state, const SnapshotInput& input);

// The masked copy that the version was built with, as the catalog has it. Null: it is not there, or is
// another table by now. The pointer is valid as long as the catalog.
[[nodiscard]] const Relation* copy_of(const policy::PolicyVersion& version, const Catalog& catalog);

}  // namespace pgveil::rewriter

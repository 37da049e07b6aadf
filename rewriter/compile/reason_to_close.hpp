#pragma once
// Decides whether a policy can be served from this catalog with its kind of enforcement. A closed policy
// answers every read of its table with this reason, until a build or a change of the database removes the
// reason.
#include <string>

#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Empty: the policy can be served.
[[nodiscard]] std::string reason_to_close(const PolicyState& state, const SnapshotInput& input);

// The masked copy that the version was built with, as it is in the catalog. Null: it does not exist, or the
// table with its name is now another one. The pointer is valid as long as the catalog.
[[nodiscard]] const Relation* copy_of(const policy::PolicyVersion& version, const Catalog& catalog);

}  // namespace pgveil::rewriter

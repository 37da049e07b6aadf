#pragma once
// How a snapshot is made of a catalog, policies and their versions.
#include <memory>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Checks each policy against the catalog (policy_check.hpp), closes those that do not fit (closed_because
// says why) and gives the others their masks: that of the snapshot before where it was made of the same
// (policy_mask.hpp), else a new one, which is held against its tree before it is used. Errors: an open_tables
// entry that does not exist, is neither a plain or partitioned table nor a view, also has a policy, or has
// inheritance relatives that are not open too.
[[nodiscard]] Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input);

}  // namespace pgveil::rewriter

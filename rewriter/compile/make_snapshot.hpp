#pragma once
// Makes a snapshot from a catalog, policies and their versions.
#include <memory>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Checks each policy against the catalog (policy_check.hpp) and closes those that do not fit (closed_because
// says why). Every other policy gets its mask. If the previous snapshot has a mask made from equal inputs
// (policy_mask.hpp), that one is taken over; otherwise a new mask is made, and checked against its tree
// before it is used. The same holds for the masks of the system's catalogs, which are checked against the
// rules of the program. Errors: an open_tables entry that does not exist, is neither a plain or partitioned
// table nor a view, also has a policy, or has inheritance relatives that are not open too.
[[nodiscard]] Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input);

}  // namespace pgveil::rewriter

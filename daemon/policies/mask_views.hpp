#pragma once
// The views behind a snapshot's masks (backend.mask_views): made before it answers, or only looked at. Blocks
// on PostgreSQL.
#include <memory>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// serve makes the views that are not there; commands that only look change nothing in the backend.
enum class MaskViews { make, leave };

// A snapshot whose masks' views are there; a policy whose view can't be made is closed, which the log
// explains, and is_complete becomes false. With masks as texts: just make_snapshot.
[[nodiscard]] Result<std::shared_ptr<const rewriter::Snapshot>> snapshot_with_views(
    const Config& config, const std::string& database, rewriter::SnapshotInput input, bool& is_complete);

// Policies whose view is not there as pgveil makes it. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<std::string>> policies_without_view(const Config& config,
                                                                     const std::string& database,
                                                                     const rewriter::Snapshot& snapshot);

}  // namespace pgveil::app

#pragma once
// Makes the views behind a snapshot's masks (backend.mask_views) before the snapshot answers, or only looks
// at them. Blocks on PostgreSQL.
#include <memory>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// serve makes the views that are missing; commands that only look change nothing in the backend.
enum class MaskViews { make, leave };

// A snapshot whose masks' views exist. A policy whose view cannot be made is closed, which the log explains,
// and is_complete becomes false. If masks are texts, this is just make_snapshot.
[[nodiscard]] Result<std::shared_ptr<const rewriter::Snapshot>> snapshot_with_views(
    const Config& config, const std::string& database, rewriter::SnapshotInput input, bool& is_complete);

// The policies whose view does not exist as pgveil makes it. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<std::vector<std::string>> policies_without_view(const Config& config,
                                                                     const std::string& database,
                                                                     const rewriter::Snapshot& snapshot);

}  // namespace pgveil::app

#pragma once
// Finds listed views that nobody can read, for `pgveil check`. pgveil judges what a view does only when a
// statement reads it, so this check finds such views earlier.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// "view public.v is refused to every reader: …", ordered by name. A view is left out if it waits for a BUILD,
// that a policy names can read, is not among them.
[[nodiscard]] Result<std::vector<std::string>> unreadable_views(const rewriter::Snapshot& snapshot,
                                                                const LimitsConfig& limits);

}  // namespace pgveil::app

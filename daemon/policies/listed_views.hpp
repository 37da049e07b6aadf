#pragma once
// Listed views that nobody can read, for pgveil check: what a view does is judged only when a statement reads
// it.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// "view public.v is refused to every reader: …", by name. A view that waits for a BUILD, or that some role
// that a policy names can read, is not among them.
[[nodiscard]] Result<std::vector<std::string>> unreadable_views(const rewriter::Snapshot& snapshot,
                                                                const LimitsConfig& limits);

}  // namespace pgveil::app

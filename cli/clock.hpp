#pragma once
// The only place that asks what time it is, for versions.
#include <string>

namespace pgveil::cli {

// "2026-01-31T12:00:00Z"
[[nodiscard]] std::string utc_now();

}  // namespace pgveil::cli

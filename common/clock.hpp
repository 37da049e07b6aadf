#pragma once
// The only place that reads the wall clock, for versions.
#include <cstdint>
#include <optional>
#include <string>

namespace pgveil {

// "2026-01-31T12:00:00Z"
[[nodiscard]] std::string utc_now();

// Seconds since 1970 of such a text; nullopt: it is no such text.
[[nodiscard]] std::optional<std::int64_t> utc_seconds(const std::string& text);

}  // namespace pgveil

#pragma once
// The only place that asks what time it is, for versions.
#include <cstdint>
#include <optional>
#include <string>

namespace pgveil {

// "2026-01-31T12:00:00Z"
[[nodiscard]] std::string utc_now();

// Seconds since 1970 of such a text; nullopt: it is none.
[[nodiscard]] std::optional<std::int64_t> utc_seconds(const std::string& text);

}  // namespace pgveil

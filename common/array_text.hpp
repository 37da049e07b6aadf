#pragma once
// PostgreSQL's text of an array: {"a","b"}.
#include <span>
#include <string>

namespace pgveil {

// One constant, which PostgreSQL reads at once. With ARRAY['a', 'b'] it would parse, coerce and fold each
// element by itself, for each statement.
[[nodiscard]] std::string array_text(std::span<const std::string> values);

}  // namespace pgveil

#pragma once
// Which kind of level would let more be shown of a column whose exact values are too rare.
#include <cstdint>

namespace pgveil::policy {

// Of dates and times periods, of numbers widths, of texts prefixes (and groups). Other types have no levels
// (rewriter/compile/level_check.cpp).
enum class LevelAdvice { period, width, prefix, none };

// type_oid: of pg_type; those of pg_catalog's types are the same on every server.
[[nodiscard]] LevelAdvice level_advice(std::uint32_t type_oid);

}  // namespace pgveil::policy

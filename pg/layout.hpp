#pragma once
// Lays SQL out on lines, for people. Tokens stay unchanged and in their order. Only white space between them
// changes, and only where there was some or beside a bracket, so the text keeps its meaning.
#include <cstddef>
#include <string>
#include <string_view>

namespace pgveil::pg {

// One statement, as print_statement writes it. Clauses get lines of their own, and what is longer than
// `width` characters is broken at commas, AND, OR, JOIN, WHEN and brackets. Text that PostgreSQL's scanner
// cannot read, or that has comments, is returned unchanged.
[[nodiscard]] std::string laid_out(std::string_view sql, std::size_t width = 100);

}  // namespace pgveil::pg

#pragma once
// SQL on lines, for people. Tokens stay what they are and where they are; only the white space between them
// changes, and only where there was some or beside a bracket. So the text keeps its meaning.
#include <cstddef>
#include <string>
#include <string_view>

namespace pgveil::pg {

// One statement, as print_statement writes it: clauses on lines of their own, what is longer than `width`
// characters broken at commas, AND, OR, JOIN, WHEN and brackets. Text that PostgreSQL's scanner can't read,
// or that has comments, comes back as it is.
[[nodiscard]] std::string laid_out(std::string_view sql, std::size_t width = 100);

}  // namespace pgveil::pg

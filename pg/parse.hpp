#pragma once
// Parses SQL text into a parse tree, behind limits that protect PostgreSQL's recursive parser and protobuf
// from hostile text.
#include <memory>
#include <string_view>

#include "common/error.hpp"
#include "pg/arena.hpp"
#include "pg/ast.hpp"

namespace pgveil::pg {

// A parsed text. `result` and everything it points to live in `arena`. Movable; pointers stay valid.
struct Tree {
  std::unique_ptr<Arena> arena;
  PgQuery__ParseResult* result = nullptr;
};

struct ParseLimits {
  std::size_t bytes = 256 * 1024;
  int nesting = 500;  // parentheses, brackets and CASE open at the same time (complexity.hpp)
  // Operators, casts and key words that can each make the tree one level deeper (1+1+1…, NOT NOT…, UNION
  // chains). The parser's protobuf output costs time quadratic in depth: 8,000 levels take about half a
  // second, 128,000 minutes.
  int deepening_words = 8'000;
};

// Errors: ErrorKind::syntax 42601 with position (1-based character); 22P06 for E'…\'…' that other readers
// take for other SQL; 22021 for text that is not UTF-8 or holds NUL; ErrorKind::limit 54000/54001 for crossed
// limits. Messages may quote the client's own text near the error, as PostgreSQL's do.
[[nodiscard]] Result<Tree> parse(std::string_view sql, const ParseLimits& limits);

// For pgveil's own text (output of print, masks): no nesting limit.
[[nodiscard]] Result<Tree> parse_own(std::string_view sql, std::size_t bytes_limit);

// 1-based character position of a byte offset in UTF-8 text; 0 when offset is negative.
[[nodiscard]] int character_position(std::string_view sql, int byte_offset);

[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace pgveil::pg

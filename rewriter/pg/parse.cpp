#include "rewriter/pg/parse.hpp"

#include <pg_query.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "common/sqlstate.hpp"

namespace pgveil::rewriter::pg {
namespace {

Error make_error(ErrorKind kind, std::string_view sqlstate, std::string message, int position = 0) {
  return Error{.kind = kind,
               .sqlstate = std::string(sqlstate),
               .public_message = std::move(message),
               .position = position};
}

// Counts brackets outside quotes only roughly: quotes and comments are not skipped, so text with hundreds of
// unbalanced brackets in a literal is counted too; the limit is far above what people write.
int deepest_nesting(std::string_view sql) {
  int depth = 0;
  int deepest = 0;
  for (const char c : sql) {
    if (c == '(' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_deepening_word(std::string_view word) {
  constexpr std::string_view kWords[] = {"not",     "union", "intersect", "except", "collate", "zone",
                                         "natural", "join",  "case",      "select", "when",    "like"};
  return std::ranges::any_of(kWords, [&](std::string_view known) {
    return std::ranges::equal(word, known, [](char a, char b) { return (a | 0x20) == b; });
  });
}

// An upper bound of the tree's depth, quotes and comments included for simplicity.
int count_deepening_words(std::string_view sql) {
  int count = 0;
  for (std::size_t i = 0; i < sql.size();) {
    std::size_t end = i;
    while (end < sql.size() && is_word_character(sql[end])) ++end;
    if (end > i) {
      if (is_deepening_word(sql.substr(i, end - i))) ++count;
      i = end;
    } else {
      if (std::string_view("+-*/<>=~!@#%^&|`?:[").find(sql[i]) != std::string_view::npos) ++count;
      ++i;
    }
  }
  return count;
}

Result<Tree> parse_checked(std::string_view sql) {
  const std::string terminated(sql);
  PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(terminated.c_str());
  struct Release {
    PgQueryProtobufParseResult& parsed;
    ~Release() { pg_query_free_protobuf_parse_result(parsed); }
  } release{parsed};
  if (parsed.error != nullptr) {
    return make_error(ErrorKind::syntax, sqlstate::kSyntaxError, parsed.error->message,
                      parsed.error->cursorpos);
  }
  Tree tree;
  tree.arena = std::make_unique<Arena>();
  tree.result = pg_query__parse_result__unpack(tree.arena->allocator(), parsed.parse_tree.len,
                                               reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
  if (tree.result == nullptr) {
    return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                      "the statement is too complex to be read");
  }
  return tree;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = p + text.size();
  const auto continues = [&](std::ptrdiff_t n, unsigned char low, unsigned char high) {
    if (end - p <= n || p[1] < low || p[1] > high) return false;
    for (std::ptrdiff_t i = 2; i <= n; ++i) {
      if ((p[i] & 0xc0U) != 0x80U) return false;
    }
    p += n + 1;
    return true;
  };
  while (p < end) {
    const unsigned char c = *p;
    if (c < 0x80) {
      ++p;
    } else if (c >= 0xc2 && c <= 0xdf) {
      if (!continues(1, 0x80, 0xbf)) return false;
    } else if (c >= 0xe0 && c <= 0xef) {
      if (!continues(2, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf)) return false;
    } else if (c >= 0xf0 && c <= 0xf4) {
      if (!continues(3, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf)) return false;
    } else {
      return false;
    }
  }
  return true;
}

int character_position(std::string_view sql, int byte_offset) {
  if (byte_offset < 0) return 0;
  const auto end = std::min(sql.size(), static_cast<std::size_t>(byte_offset));
  const auto starts = std::count_if(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
  return static_cast<int>(starts) + 1;
}

Result<Tree> parse(std::string_view sql, const ParseLimits& limits) {
  if (sql.size() > limits.bytes) {
    return make_error(ErrorKind::limit, sqlstate::kProgramLimitExceeded,
                      fmt::format("the statement is longer than {} bytes", limits.bytes));
  }
  if (sql.find('\0') != std::string_view::npos || !is_valid_utf8(sql)) {
    return make_error(ErrorKind::syntax, sqlstate::kCharacterNotInRepertoire,
                      "the statement is not valid UTF-8");
  }
  if (deepest_nesting(sql) > limits.nesting) {
    return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                      fmt::format("the statement nests deeper than {} brackets", limits.nesting));
  }
  if (count_deepening_words(sql) > limits.deepening_words) {
    return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                      fmt::format("the statement has more than {} operators", limits.deepening_words));
  }
  return parse_checked(sql);
}

Result<Tree> parse_own(std::string_view sql, std::size_t bytes_limit) {
  if (sql.size() > bytes_limit) {
    return make_error(ErrorKind::limit, sqlstate::kProgramLimitExceeded,
                      fmt::format("the rewritten statement is longer than {} bytes", bytes_limit));
  }
  return parse_checked(sql);
}

}  // namespace pgveil::rewriter::pg

#include "pg/parse.hpp"

#include <pg_query.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "pg/complexity.hpp"
#include "pg/plain_numbers.hpp"
#include "pg/tokens.hpp"

namespace pgveil::pg {
namespace {

Error make_error(ErrorKind kind, std::string_view sqlstate, std::string message, int position = 0) {
  return Error{.kind = kind,
               .sqlstate = std::string(sqlstate),
               .public_message = std::move(message),
               .position = position};
}

Result<Tree> parse_checked(std::string_view sql) {
  const std::string terminated(sql);
  PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(terminated.c_str());
  struct Release {
    PgQueryProtobufParseResult& parsed;
    ~Release() { pg_query_free_protobuf_parse_result(parsed); }
  } release{parsed};
  if (parsed.error != nullptr) {
    // The grammar's own stack overflowed: some thousand levels of something that the limits do not count.
    if (std::string_view(parsed.error->message).starts_with("memory exhausted")) {
      return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                        "the statement is too complex to be read", parsed.error->cursorpos);
    }
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
  if (may_have_odd_numbers(sql) && !make_numbers_plain(tree)) {
    return make_error(ErrorKind::limit, sqlstate::kProgramLimitExceeded,
                      fmt::format("a number like 0x1F has more than {} digits", kMaxDigitsOfOddNumber));
  }
  return tree;
}

// Whether it is E'…' with a quote written as \'.
bool has_backslash_quote(std::string_view literal) {
  if (literal.empty() || (literal[0] != 'e' && literal[0] != 'E')) return false;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') continue;
    if (literal[++i] == '\'') return true;
  }
  return false;
}

// Byte offsets of such literals.
std::vector<std::size_t> backslash_quotes(std::string_view sql) {
  std::vector<std::size_t> found;
  const auto tokens = tokens_of(sql);
  if (!tokens) return found;  // impossible, because the parser has read the text
  for (const Token& token : *tokens) {
    if (token.kind == Token::Kind::string && has_backslash_quote(token.text)) found.push_back(token.offset);
  }
  return found;
}

// The first place where the text has a second meaning: readers that end E'…\' at its \' see other SQL, and it
// is valid SQL for them. Injected text looks like this, while a plain E'it\'s' is no valid SQL for them.
std::optional<std::size_t> find_ambiguous_literal(std::string_view sql) {
  if (sql.find("\\'") == std::string_view::npos) return std::nullopt;
  std::string other(sql);
  const auto found = backslash_quotes(other);
  if (found.empty()) return std::nullopt;
  for (const std::size_t offset : found) other[offset] = ' ';
  return parse_checked(other) ? std::optional(found.front()) : std::nullopt;
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
  const Complexity complexity = complexity_of(sql);
  if (complexity.nesting > limits.nesting) {
    return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                      fmt::format("the statement nests deeper than {} brackets and CASE", limits.nesting));
  }
  if (complexity.deepening > limits.deepening_words) {
    return make_error(ErrorKind::limit, sqlstate::kStatementTooComplex,
                      fmt::format("the statement has more than {} operators", limits.deepening_words));
  }
  auto tree = parse_checked(sql);
  if (!tree) return tree;
  if (const auto found = find_ambiguous_literal(sql)) {
    Error error = make_error(ErrorKind::syntax, sqlstate::kNonstandardUseOfEscapeCharacter,
                             "unsafe use of \\' in a string literal",
                             character_position(sql, static_cast<int>(*found)));
    error.hint = "write '' for a quote in a string";
    return error;
  }
  return tree;
}

Result<Tree> parse_own(std::string_view sql, std::size_t bytes_limit) {
  if (sql.size() > bytes_limit) {
    return make_error(ErrorKind::limit, sqlstate::kProgramLimitExceeded,
                      fmt::format("the rewritten statement is longer than {} bytes", bytes_limit));
  }
  return parse_checked(sql);
}

}  // namespace pgveil::pg

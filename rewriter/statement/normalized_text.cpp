#include "rewriter/statement/normalized_text.hpp"

#include "pg/tokens.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Token;

constexpr std::string_view kHidden = "?";
constexpr std::string_view kHiddenName = "\"?\"";

// For some tokens the scanner reports no place, or only a part: U&'…' is one.
bool is_more_than_space(std::string_view gap) {
  return gap.find_first_not_of(" \t\n\r\f\v") != std::string_view::npos;
}

bool is_quoted(std::string_view name) {
  return name.find('"') != std::string_view::npos;  // "…" and U&"…"
}

// Operators and punctuation. No quote, digit or letter begins one, so a token that a new scanner classifies
// differently is hidden.
bool is_symbol(std::string_view text) {
  return text.find_first_not_of("+-*/<>=~!@#%^&|`?.,;:()[]{}") == std::string_view::npos;
}

std::string_view shown(const Token& token, QuotedNames quoted_names) {
  switch (token.kind) {
    case Token::Kind::keyword:
    case Token::Kind::parameter: return token.text;
    case Token::Kind::string:
    case Token::Kind::constant: return kHidden;
    case Token::Kind::comment: return {};
    case Token::Kind::name:
      return is_quoted(token.text) && quoted_names == QuotedNames::hidden ? kHiddenName : token.text;
    case Token::Kind::other: return is_symbol(token.text) ? token.text : kHidden;
  }
  return kHidden;
}

}  // namespace

std::optional<std::string> normalized_text(std::string_view sql, QuotedNames quoted_names,
                                           std::size_t limit_bytes) {
  if (sql.find('\0') != std::string_view::npos) return std::nullopt;
  const auto tokens = pg::tokens_of(sql);
  if (!tokens) return std::nullopt;
  std::string text;
  std::size_t end = 0;      // of what is already in text
  std::size_t covered = 0;  // by tokens so far
  for (const Token& token : *tokens) {
    if (is_more_than_space(sql.substr(covered, token.offset - covered))) text += kHidden;
    covered = token.offset + token.text.size();
    const std::string_view word = shown(token, quoted_names);
    if (word.empty()) continue;
    const bool is_apart = !text.empty() && token.offset > end;
    end = covered;
    if (text.size() + word.size() + 1 > limit_bytes) return text + "…";
    if (is_apart) text += ' ';
    text += word;
  }
  if (is_more_than_space(sql.substr(covered))) text += kHidden;
  return text;
}

}  // namespace pgveil::rewriter

#pragma once
// Splits a console command into words: bare and quoted names, strings, symbols. This is no SQL lexer: it
// knows only what docs/console.md promises.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::console {

enum class TokenKind {
  word,         // bare: letters, digits, _, $; text is folded to lower case
  quoted_name,  // "…", "" doubled
  string,       // '…', '' doubled; or $tag$…$tag$
  number,       // digits and dots
  symbol,       // one character
  end           // after the last token; text is empty
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  int position = 1;  // 1-based character in the command
};

inline constexpr std::size_t kMaxCommandBytes = std::size_t{1} << 20;  // EXPLAIN carries a whole statement

// Skips white space, "--" and /* nested */ comments. The result ends with an `end` token.
// Errors: 42601 for an unterminated string, name or comment, an empty "" and a command over kMaxCommandBytes.
[[nodiscard]] Result<std::vector<Token>> tokens_of(std::string_view text);

// 42601 with the hint that SHOW HELP lists the commands.
[[nodiscard]] Error command_error(std::string what, int position);

}  // namespace pgveil::console

#include "console/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::console {
namespace {

bool is_word_start(char c) {
  return is_letter(c) || c == '_' || is_above_ascii(c);
}
bool is_word(char c) {
  return is_word_start(c) || is_digit(c) || c == '$';
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (;;) {
      if (auto skipped = skip_blanks(); !skipped) return skipped.error();
      if (at_ == text_.size()) break;
      auto token = next();
      if (!token) return token.error();
      tokens.push_back(std::move(*token));
    }
    tokens.push_back({TokenKind::end, "", character_of(at_)});
    return tokens;
  }

 private:
  // Positions count characters, as PostgreSQL's do: UTF-8 continuation bytes do not count.
  [[nodiscard]] int character_of(std::size_t byte) const {
    int characters = 1;
    for (const char c : text_.substr(0, byte)) {
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++characters;
    }
    return characters;
  }

  Result<void> skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "--") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        if (!skip_block_comment()) return command_error("unterminated /* comment", character_of(at_));
      } else {
        break;
      }
    }
    return {};
  }

  bool skip_block_comment() {
    std::size_t at = at_ + 2;
    for (int depth = 1; depth > 0;) {
      const auto mark = text_.substr(at, 2);
      if (mark.size() < 2) return false;
      if (mark == "/*") ++depth;
      if (mark == "*/") --depth;
      at += mark == "/*" || mark == "*/" ? 2 : 1;
      if (depth == 0) at_ = at;
    }
    return true;
  }

  Result<Token> next() {
    const char c = text_[at_];
    if (c == '\'') return quoted('\'', TokenKind::string, "string");
    if (c == '"') return quoted('"', TokenKind::quoted_name, "quoted name");
    if (c == '$') return dollar_string();
    if (is_word_start(c)) return run_of(TokenKind::word, is_word);
    if (is_digit(c)) return run_of(TokenKind::number, [](char d) { return is_digit(d) || d == '.'; });
    Token token{TokenKind::symbol, std::string(1, c), character_of(at_)};
    ++at_;
    return token;
  }

  template <class Belongs>
  Token run_of(TokenKind kind, Belongs belongs) {
    const std::size_t start = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return {kind, lower(text_.substr(start, at_ - start)), character_of(start)};
  }

  Result<Token> quoted(char quote, TokenKind kind, std::string_view what) {
    const std::size_t start = at_;
    std::string value;
    for (std::size_t i = start + 1; i < text_.size(); ++i) {
      if (text_[i] != quote) {
        value += text_[i];
      } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
        value += text_[++i];
      } else {
        at_ = i + 1;
        if (kind == TokenKind::quoted_name && value.empty()) {
          return command_error("empty quoted name", character_of(start));
        }
        return Token{kind, std::move(value), character_of(start)};
      }
    }
    return command_error(fmt::format("unterminated {}", what), character_of(start));
  }

  Result<Token> dollar_string() {
    const std::size_t start = at_;
    std::size_t tag_end = start + 1;
    while (tag_end < text_.size() && is_word(text_[tag_end]) && text_[tag_end] != '$') ++tag_end;
    if (tag_end >= text_.size() || text_[tag_end] != '$')
      return command_error("stray $", character_of(start));
    const auto tag = text_.substr(start, tag_end + 1 - start);
    const std::size_t close = text_.find(tag, tag_end + 1);
    if (close == std::string_view::npos) {
      return command_error("unterminated dollar-quoted string", character_of(start));
    }
    at_ = close + tag.size();
    return Token{TokenKind::string, std::string(text_.substr(tag_end + 1, close - tag_end - 1)),
                 character_of(start)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Error command_error(std::string what, int position) {
  return {ErrorKind::syntax,
          std::string(sqlstate::kSyntaxError),
          std::move(what),
          "SHOW HELP lists the commands",
          "",
          position};
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  if (text.size() > kMaxCommandBytes) {
    return command_error(fmt::format("a console command may not exceed {} bytes", kMaxCommandBytes), 0);
  }
  return Scanner(text).run();
}

}  // namespace pgveil::console

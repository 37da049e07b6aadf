#include "pg/complexity.hpp"

#include <algorithm>
#include <string>

#include "common/ascii.hpp"

namespace pgveil::pg {
namespace {

// PostgreSQL's lexer treats all bytes above ASCII as letters.
bool is_word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || is_above_ascii(c);
}

bool is_word(std::string_view word, std::string_view known) {
  return std::ranges::equal(word, known, [](char a, char b) { return (a | 0x20) == b; });
}

bool is_deepening_word(std::string_view word) {
  constexpr std::string_view kWords[] = {"not",     "union", "intersect", "except", "collate", "zone",
                                         "natural", "join",  "case",      "select", "when",    "like"};
  return std::ranges::any_of(kWords, [&](std::string_view known) { return is_word(word, known); });
}

class Scanner {
 public:
  Scanner(std::string_view sql, bool skips_quotes) : sql_(sql), skips_quotes_(skips_quotes) {}

  Complexity run() {
    while (at_ < sql_.size() && !has_hard_quote_) step();
    return found_;
  }
  // Whether there was a quote that this scanner does not follow. Then the result must not be used.
  [[nodiscard]] bool has_hard_quote() const { return has_hard_quote_; }

 private:
  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = here();
    if (is_word_character(c)) return word();
    if (skips_quotes_) {
      if (c == '\'' || c == '"') return quoted(c);
      if (c == '-' && here(1) == '-') return line_comment();
      if (c == '/' && here(1) == '*') return block_comment();
    }
    ++at_;
    if (c == '(' || c == '[') open(brackets_);
    if (c == ')' || c == ']') close(brackets_);
    if (std::string_view("+-*/<>=~!@#%^&|`?:[").find(c) != std::string_view::npos) ++found_.deepening;
  }

  void open(int& depth) {
    ++depth;
    found_.nesting = std::max(found_.nesting, brackets_ + cases_);
  }
  static void close(int& depth) {
    if (depth > 0) --depth;
  }

  void word() {
    const std::size_t first = at_;
    while (at_ < sql_.size() && is_word_character(sql_[at_])) ++at_;
    const std::string_view word = sql_.substr(first, at_ - first);
    const bool is_parameter = word[0] == '$' && word.find('$', 1) == std::string_view::npos;
    const bool has_dollar_quote = !is_parameter && word.find('$') != std::string_view::npos;
    const bool has_escape_quote = here() == '\'' && (word.back() | 0x20) == 'e';  // also in 1e'…'
    if (skips_quotes_ && (has_dollar_quote || has_escape_quote)) has_hard_quote_ = true;
    if (is_deepening_word(word)) ++found_.deepening;
    if (is_word(word, "case")) open(cases_);
    if (is_word(word, "end")) close(cases_);  // or a name, as in x.end; it never closes a bracket
  }

  // A doubled quote inside counts as the end of one text and the start of the next.
  void quoted(char quote) {
    const std::size_t end = sql_.find(quote, at_ + 1);
    at_ = end == std::string_view::npos ? sql_.size() : end + 1;
  }

  void line_comment() {
    const std::size_t end = sql_.find_first_of("\r\n", at_);
    at_ = end == std::string_view::npos ? sql_.size() : end;
  }

  void block_comment() {  // they nest
    int depth = 0;
    do {
      if (here() == '/' && here(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (here() == '*' && here(1) == '/') {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0 && at_ < sql_.size());
  }

  std::string_view sql_;
  bool skips_quotes_;
  std::size_t at_ = 0;
  int brackets_ = 0;
  int cases_ = 0;
  bool has_hard_quote_ = false;
  Complexity found_;
};

}  // namespace

Complexity complexity_of(std::string_view sql) {
  Scanner scanner(sql, true);
  const Complexity found = scanner.run();
  return scanner.has_hard_quote() ? Scanner(sql, false).run() : found;
}

}  // namespace pgveil::pg

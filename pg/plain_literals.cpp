#include "pg/plain_literals.hpp"

#include <algorithm>
#include <array>

#include "common/ascii.hpp"

namespace pgveil::pg {
namespace {

constexpr std::size_t kMostLargeDigits = 18;
constexpr std::size_t kMostDecimalBytes = 30;
constexpr std::string_view kMostInteger = "2147483647";

enum class Start : unsigned char {
  unknown,
  space,
  letter,
  digit,
  quote,
  name,
  parameter,
  dash,
  slash,
  symbol
};

constexpr auto kStarts = [] {
  std::array<Start, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = static_cast<char>(i);
    if (is_letter(c) || c == '_' || is_above_ascii(c)) out[i] = Start::letter;
    if (is_digit(c)) out[i] = Start::digit;
  }
  const auto put = [&](std::string_view characters, Start start) {
    for (const char c : characters) out[static_cast<unsigned char>(c)] = start;
  };
  put(" \t\n\r\f", Start::space);
  put("~!@#^&|`?+*%<>=,()[].;:", Start::symbol);
  put("'", Start::quote);
  put("\"", Start::name);
  put("$", Start::parameter);
  put("-", Start::dash);
  put("/", Start::slash);
  return out;
}();

Start start_of(char c) {
  return kStarts[static_cast<unsigned char>(c)];
}

bool continues_word(char c) {
  const Start start = start_of(c);
  return start == Start::letter || start == Start::digit;
}

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::optional<std::vector<PlainLiteral>> run() {
    found_.reserve(8);
    while (at_ < sql_.size()) {
      if (!step() || found_.size() > kMostPlainLiterals) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  // NUL at the end, which is not part of any token.
  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }

  // False: not sure.
  bool step() {
    switch (start_of(here())) {
      case Start::space: ++at_; return true;
      case Start::letter: return word();
      case Start::digit: return number();
      case Start::quote: return text();
      case Start::name: return quoted_name();
      case Start::parameter: return parameter();
      case Start::dash: return here(1) == '-' ? line_comment() : symbol();
      case Start::slash: return here(1) == '*' ? block_comment() : symbol();
      case Start::symbol: return symbol();
      case Start::unknown: return false;
    }
    return false;
  }

  // A letter before a quote can make another kind of literal of it, and $ may begin one: E'…', a$b$.
  bool word() {
    do ++at_;
    while (at_ < sql_.size() && continues_word(sql_[at_]));
    return here() != '\'' && here() != '"' && here() != '$';
  }

  // U&'…' and .5 begin with a symbol.
  bool symbol() {
    const char c = here();
    ++at_;
    if (c == '&') return here() != '\'' && here() != '"';
    return c != '.' || !is_digit(here());
  }

  void digits() {
    while (is_digit(here())) ++at_;
  }

  bool number() {
    const std::size_t begin = at_;
    digits();
    const std::size_t whole = at_ - begin;
    const bool has_point = here() == '.';
    if (has_point) {
      ++at_;
      if (!is_digit(here())) return false;
      digits();
    }
    if (continues_word(here()) || here() == '.' || here() == '$' || here() == '\'' || here() == '"')
      return false;
    add_number(sql_.substr(begin, at_ - begin), whole, has_point);
    return true;
  }

  void add_number(std::string_view digits, std::size_t whole, bool has_point) {
    using Kind = PlainLiteral::Kind;
    const bool has_leading_zero = digits[0] == '0' && whole > 1;
    const bool is_zero = !has_point && digits[0] == '0';
    if (has_leading_zero || is_zero) return;
    const bool is_integer =
        whole < kMostInteger.size() || (whole == kMostInteger.size() && digits <= kMostInteger);
    if (has_point ? digits.size() > kMostDecimalBytes : whole > kMostLargeDigits) return;
    const Kind kind = has_point ? Kind::decimal : is_integer ? Kind::integer : Kind::large;
    found_.push_back({kind, at_ - digits.size(), digits.size()});
  }

  // A quote behind white space with a line end continues the literal.
  bool text() {
    const std::size_t begin = at_;
    if (!quoted('\'')) return false;
    found_.push_back({PlainLiteral::Kind::text, begin, at_ - begin});
    std::size_t next = at_;
    while (next < sql_.size() && start_of(sql_[next]) == Start::space) ++next;
    return next == sql_.size() || (sql_[next] != '\'' && sql_.substr(next, 2) != "--");
  }

  bool quoted_name() {
    const std::size_t begin = at_;
    return quoted('"') && at_ - begin > 2;
  }

  // Moves behind the closing quote; a doubled one is part of what is quoted.
  bool quoted(char quote) {
    while (true) {
      const std::size_t end = sql_.find(quote, at_ + 1);
      if (end == std::string_view::npos) return false;
      at_ = end + 1;
      if (here() != quote) return true;
    }
  }

  bool parameter() {
    ++at_;
    if (!is_digit(here())) return false;
    digits();
    return !continues_word(here()) && here() != '$' && here() != '\'' && here() != '"';
  }

  bool line_comment() {
    at_ = std::min(sql_.find_first_of("\r\n", at_), sql_.size());
    return true;
  }

  bool block_comment() {
    const std::size_t end = sql_.find("*/", at_ + 2);
    if (end == std::string_view::npos) return false;
    // A comment that begins with the asterisk of this end, as in /* /*/, is nested, too.
    const bool is_nested = sql_.substr(at_ + 2, end - at_ - 1).find("/*") != std::string_view::npos;
    at_ = end + 2;
    return !is_nested;
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::vector<PlainLiteral> found_;
};

}  // namespace

std::optional<std::vector<PlainLiteral>> plain_literals(std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos || sql.find('\\') != std::string_view::npos)
    return std::nullopt;
  return Scanner(sql).run();
}

}  // namespace pgveil::pg

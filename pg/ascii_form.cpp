#include "pg/ascii_form.hpp"

#include <fmt/format.h>

#include "common/ascii.hpp"
#include "common/client_encoding.hpp"

namespace pgveil::pg {
namespace {

bool is_name_part(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || is_above_ascii(c);
}

class AsciiForm {
 public:
  explicit AsciiForm(std::string_view sql) : sql_(sql) {}

  std::optional<std::string> run() {
    while (at_ < sql_.size()) {
      if (!step()) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  // Takes one token, or one character of one. False: it has no such form.
  bool step() {
    const char c = sql_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    if (sql_.substr(at_).starts_with("--")) return comment(sql_.find('\n', at_));
    if (sql_.substr(at_).starts_with("/*")) return comment(end_of_comment());
    if (is_above_ascii(c)) return false;
    out_ += c;
    ++at_;
    return true;
  }

  bool comment(std::size_t end) {
    std::string_view text = sql_.substr(at_, end == std::string_view::npos ? end : end - at_);
    at_ += text.size();
    while (!text.empty()) {
      const char32_t character = take_character(text);
      out_ += character < 0x80 ? static_cast<char>(character) : '?';
    }
    return true;
  }

  [[nodiscard]] std::size_t end_of_comment() const {
    int depth = 0;
    for (std::size_t i = at_; i + 1 < sql_.size(); ++i) {
      const std::string_view two = sql_.substr(i, 2);
      if (two != "/*" && two != "*/") continue;
      depth += two == "/*" ? 1 : -1;
      ++i;
      if (depth == 0) return i + 1;
    }
    return std::string_view::npos;
  }

  // The offset after the closing quote; npos: there is none.
  [[nodiscard]] std::size_t end_of_quoted(char quote, bool has_escapes) const {
    for (std::size_t i = at_ + 1; i < sql_.size(); ++i) {
      if (has_escapes && sql_[i] == '\\') {
        ++i;
      } else if (sql_[i] == quote) {
        if (i + 1 == sql_.size() || sql_[i + 1] != quote) return i + 1;
        ++i;
      }
    }
    return std::string_view::npos;
  }

  bool quoted(char quote) {
    const bool is_glued = at_ > 0 && is_name_part(sql_[at_ - 1]);
    const bool is_unicode = at_ > 1 && sql_[at_ - 1] == '&' && lower(sql_[at_ - 2]) == 'u';
    const bool has_escapes = quote == '\'' && is_glued && lower(sql_[at_ - 1]) == 'e' &&
                             (at_ == 1 || !is_name_part(sql_[at_ - 2]));
    const std::size_t end = end_of_quoted(quote, has_escapes);
    if (end == std::string_view::npos) return false;
    std::string_view text = sql_.substr(at_, end - at_);
    at_ = end;
    if (is_ascii(text)) {
      out_ += text;
      return true;
    }
    // B'…', X'…', N'…', U&'…' and what comes with it
    if ((is_glued || is_unicode) && !has_escapes) return false;
    if (!has_escapes) out_ += "U&";
    while (!text.empty()) {
      const auto character = static_cast<std::uint32_t>(take_character(text));
      if (character >= 0x80 && has_escapes) {
        out_ +=
            character > 0xffff ? fmt::format("\\U{:08x}", character) : fmt::format("\\u{:04x}", character);
      } else if (character >= 0x80) {
        out_ += character > 0xffff ? fmt::format("\\+{:06x}", character) : fmt::format("\\{:04x}", character);
      } else {
        if (character == '\\' && !has_escapes) out_ += '\\';
        out_ += static_cast<char>(character);
      }
    }
    return true;
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::optional<std::string> ascii_form(std::string_view sql) {
  return AsciiForm(sql).run();
}

}  // namespace pgveil::pg

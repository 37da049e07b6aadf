#pragma once
// Letters and digits of ASCII, whatever the locale: PostgreSQL folds names and settings this way. Other
// bytes, those of UTF-8 included, are left as they are and are neither letters nor digits.
#include <string>
#include <string_view>

namespace pgveil {

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

[[nodiscard]] constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

[[nodiscard]] constexpr bool is_letter(char c) {
  return is_lower(c) || is_upper(c);
}

// PostgreSQL's scanner takes the bytes of other characters for letters.
[[nodiscard]] constexpr bool is_above_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// At least one, and nothing else.
[[nodiscard]] constexpr bool are_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return !text.empty();
}

[[nodiscard]] constexpr char lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr char upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

[[nodiscard]] inline std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = upper(c);
  return out;
}

}  // namespace pgveil

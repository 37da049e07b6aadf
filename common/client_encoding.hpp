#pragma once
// The encodings besides UTF8 that a client may ask PostgreSQL for: those in which each byte is a character.
// In other encodings (SJIS, BIG5, GBK …) the second byte of a character can look like a quote or a backslash.
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil {

struct SingleByteEncoding {
  std::string_view name;            // PostgreSQL's
  std::array<char16_t, 128> upper;  // the characters of 0x80 to 0xff; 0: none
};

// By any of the names that PostgreSQL knows: case and anything but letters and digits are left aside. Null:
// another encoding, or none.
[[nodiscard]] const SingleByteEncoding* single_byte_encoding(std::string_view name);

// nullopt: a byte of it is no character.
[[nodiscard]] std::optional<std::string> to_utf8(std::string_view text, const SingleByteEncoding& encoding);
// For messages to people: a character that the encoding does not have becomes "?". Text that is not UTF-8
// stays as it is.
[[nodiscard]] std::string from_utf8(std::string_view text, const SingleByteEncoding& encoding);

// Appends the character in UTF-8. REQUIRES: at most U+10FFFF, no surrogate.
void append_utf8(std::string& text, char32_t character);
// Takes one character from the front of the text. REQUIRES: the text is UTF-8 and not empty.
[[nodiscard]] char32_t take_character(std::string_view& text);
[[nodiscard]] bool is_ascii(std::string_view text);

}  // namespace pgveil

#include "common/client_encoding.hpp"

#include <algorithm>
#include <utility>

#include "common/ascii.hpp"
#include "common/utf8.hpp"

namespace pgveil {
namespace {

constexpr auto kEncodings = std::to_array<SingleByteEncoding>({
#include "common/single_byte_encodings.inc"
});

// PostgreSQL's other names (src/common/encnames.c).
constexpr auto kOtherNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"iso88591", "LATIN1"},     {"iso88592", "LATIN2"},     {"iso88593", "LATIN3"},
    {"iso88594", "LATIN4"},     {"iso88599", "LATIN5"},     {"iso885910", "LATIN6"},
    {"iso885913", "LATIN7"},    {"iso885914", "LATIN8"},    {"iso885915", "LATIN9"},
    {"iso885916", "LATIN10"},   {"koi8", "KOI8R"},          {"win", "WIN1251"},
    {"alt", "WIN866"},          {"abc", "WIN1258"},         {"tcvn", "WIN1258"},
    {"tcvn5712", "WIN1258"},    {"vscii", "WIN1258"},       {"windows866", "WIN866"},
    {"windows874", "WIN874"},   {"windows1250", "WIN1250"}, {"windows1251", "WIN1251"},
    {"windows1252", "WIN1252"}, {"windows1253", "WIN1253"}, {"windows1254", "WIN1254"},
    {"windows1255", "WIN1255"}, {"windows1256", "WIN1256"}, {"windows1257", "WIN1257"},
    {"windows1258", "WIN1258"},
});

std::string letters_and_digits(std::string_view name) {
  std::string out;
  for (const char c : lower(name)) {
    if (is_lower(c) || is_digit(c)) out += c;
  }
  return out;
}

constexpr unsigned char kFirst = 0x80;

}  // namespace

const SingleByteEncoding* single_byte_encoding(std::string_view name) {
  const std::string asked = letters_and_digits(name);
  const auto* const other = std::ranges::find(kOtherNames, std::string_view(asked),
                                              &std::pair<std::string_view, std::string_view>::first);
  const std::string known = other == kOtherNames.end() ? asked : letters_and_digits(other->second);
  const auto* const found = std::ranges::find_if(
      kEncodings, [&](const SingleByteEncoding& each) { return letters_and_digits(each.name) == known; });
  return found == kEncodings.end() ? nullptr : found;
}

std::optional<std::string> to_utf8(std::string_view text, const SingleByteEncoding& encoding) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirst) {
      out += c;
      continue;
    }
    const char16_t character = encoding.upper[byte - kFirst];
    if (character == 0) return std::nullopt;
    append_utf8(out, character);
  }
  return out;
}

std::string from_utf8(std::string_view text, const SingleByteEncoding& encoding) {
  if (utf8_prefix(text) != text.size()) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const char32_t character = take_character(text);
    if (character < kFirst) {
      out += static_cast<char>(character);
      continue;
    }
    const auto* const found = std::ranges::find(encoding.upper, character);
    out += found == encoding.upper.end()
               ? '?'
               : static_cast<char>(kFirst + static_cast<unsigned char>(found - encoding.upper.begin()));
  }
  return out;
}

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&](char32_t bits) { text += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xc0 | (character >> 6));
  } else {
    if (character < 0x10000) {
      put(0xe0 | (character >> 12));
    } else {
      put(0xf0 | (character >> 18));
      put(0x80 | ((character >> 12) & 0x3f));
    }
    put(0x80 | ((character >> 6) & 0x3f));
  }
  put(0x80 | (character & 0x3f));
}

char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t character = bytes == 1 ? first : first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    character = (character << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(bytes);
  return character;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < kFirst; });
}

}  // namespace pgveil

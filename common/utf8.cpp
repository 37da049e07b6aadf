#include "common/utf8.hpp"

#include <cstdint>

namespace pgveil {

namespace {

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80;
}

// What the first byte of a character determines: the length, and the range of the second byte.
struct Lead {
  std::size_t length = 0;  // 0: not a first byte
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

}  // namespace

std::size_t utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
    if (lead.length == 0 || lead.length > text.size() - at) return at;
    for (std::size_t i = 1; i < lead.length; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      if (!is_continuation(byte)) return at;
      if (i == 1 && (byte < lead.second_min || byte > lead.second_max)) return at;
    }
    at += lead.length;
  }
  return at;
}

}  // namespace pgveil

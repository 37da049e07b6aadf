#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/utf8.hpp"

namespace pgveil {

TEST_CASE("the first byte that is not UTF-8 is found") {
  struct Case {
    std::string name;
    std::string text;
    std::size_t valid;
  };
  const std::vector<Case> cases = {{"empty", "", 0},
                                   {"ASCII", "abc", 3},
                                   {"two bytes", "\xC3\xA9", 2},
                                   {"three bytes", "\xE2\x82\xAC", 3},
                                   {"four bytes", "\xF0\x9F\x90\x98", 4},
                                   {"the last character", "\xF4\x8F\xBF\xBF", 4},
                                   {"above it", "a\xF4\x90\x80\x80", 1},
                                   {"far above it", "a\xF5\x80\x80\x80", 1},
                                   {"overlong slash", "a\xC0\xAF", 1},
                                   {"overlong, three bytes", "a\xE0\x80\xAF", 1},
                                   {"overlong, four bytes", "a\xF0\x80\x80\xAF", 1},
                                   {"a surrogate", "a\xED\xA0\x80", 1},
                                   {"just below the surrogates", "\xED\x9F\xBF", 3},
                                   {"a lone continuation", "a\x80", 1},
                                   {"cut after one", "ab\xE2", 2},
                                   {"cut after two", "ab\xE2\x82", 2},
                                   {"ASCII inside a character", "ab\xE2\x82x", 2},
                                   {"Latin-1", "caf\xE9 au lait", 3}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(utf8_prefix(c.text) == c.valid);
  }
}

TEST_CASE("every code point encodes to UTF-8, every surrogate does not") {
  for (unsigned point = 0x80; point < 0x10000; point += 7) {
    std::string text;
    if (point < 0x800) {
      text = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
    } else {
      text = {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3F)),
              static_cast<char>(0x80 | (point & 0x3F))};
    }
    const bool is_surrogate = point >= 0xD800 && point < 0xE000;
    REQUIRE(utf8_prefix(text) == (is_surrogate ? 0 : text.size()));
  }
}

}  // namespace pgveil

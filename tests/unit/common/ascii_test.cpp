#include "common/ascii.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace pgveil;

TEST_CASE("only letters and digits of ASCII are any") {
  int letters = 0;
  int digits = 0;
  for (int i = std::numeric_limits<char>::min(); i <= std::numeric_limits<char>::max(); ++i) {
    const char c = static_cast<char>(i);
    letters += is_letter(c) ? 1 : 0;
    digits += is_digit(c) ? 1 : 0;
  }
  CHECK(letters == 52);
  CHECK(digits == 10);
  for (const char c : {'a', 'z', 'A', 'Z'}) CHECK(is_letter(c));
  for (const char c : {'0', '9'}) CHECK(is_digit(c));
  for (const char c : {'@', '[', '`', '{', '/', ':', '\xC3'}) CHECK_FALSE((is_letter(c) || is_digit(c)));
}

TEST_CASE("a letter is a small or a capital one, and a byte above ASCII is none") {
  for (int i = std::numeric_limits<char>::min(); i <= std::numeric_limits<char>::max(); ++i) {
    const char c = static_cast<char>(i);
    CHECK(is_letter(c) == (is_lower(c) != is_upper(c)));
    CHECK(is_above_ascii(c) == ((i & 0x80) != 0));
    CHECK_FALSE((is_above_ascii(c) && (is_letter(c) || is_digit(c))));
  }
  CHECK((is_lower('q') && is_upper('Q')));
  CHECK_FALSE((is_lower('Q') || is_upper('q')));
}

TEST_CASE("digits are one at least, and nothing else") {
  CHECK(are_digits("0"));
  CHECK(are_digits("0123456789"));
  for (const char* text : {"", " 1", "1 ", "-1", "1.0", "0x1", "\xD9\xA3"}) CHECK_FALSE(are_digits(text));
}

TEST_CASE("letters are folded, and other bytes are left as they are") {
  CHECK(lower('Q') == 'q');
  CHECK(upper('q') == 'Q');
  CHECK(lower("SeLeCT \"Ärzte\" 1_@[`{") == "select \"Ärzte\" 1_@[`{");
  CHECK(upper("select é z") == "SELECT é Z");
  CHECK(lower("") == "");
}

TEST_CASE("folding there and back loses nothing but the case") {
  for (int i = std::numeric_limits<char>::min(); i <= std::numeric_limits<char>::max(); ++i) {
    const char c = static_cast<char>(i);
    CHECK(lower(upper(c)) == lower(c));
    CHECK((is_letter(c) || (lower(c) == c && upper(c) == c)));
  }
}

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

// Hints at columns that the Safe Harbor rule names.
#include "engine/risk/safe_harbor.hpp"

#include "engine/risk/value_patterns.hpp"
#include "tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

std::string letters(const Table& table, const std::optional<std::string>& null_text = {}) {
  std::string made;
  for (const auto& hint : safe_harbor_hints(table, null_text)) made += letter(hint.item);
  return made;
}

std::string letters(std::string_view text) {
  return letters(value_of(read_table(text, ';')));
}

}  // namespace

TEST_CASE("names of columns are read word by word") {
  for (const auto* column : {"last_name", "lastName", "Last Name", "LASTNAME", "surname"}) {
    CAPTURE(column);
    CHECK(letters(std::string(column) + "\nx\n") == "A");
  }
  CHECK(letters("zip code\nx\n") == "B");
  CHECK(letters("dateOfBirth\nx\n") == "C");
  CHECK(letters("visits\n1\n").empty());
  CHECK(letters("username\nx\n") == "R");  // no "name"
  CHECK(letters("diagnosis;wage\nx;1\n").empty());
}

TEST_CASE("values are looked at where the name says nothing") {
  CHECK(letters("a;b;c;d\nann@example.org;123-45-6789;10.0.0.1;https://example.org/x\n") == "FGON");
  CHECK(letters("a;b;c\n+49 30 1234567;4111 1111 1111 1111;00:1b:44:11:3a:b7\n") == "DJM");
  CHECK(letters("a;b\n12345;1999-12-31\n54321-9876;29.02.2000\n") == "BC");
}

TEST_CASE("half of a column's values have to look alike, and NULL is none") {
  const auto table = value_of(read_table("a\nann@example.org\nx\nNULL\n", ';'));
  CHECK(letters(table, "NULL") == "F");
  CHECK(letters(table).empty());
  const auto hints = safe_harbor_hints(table, "NULL");
  CHECK(hints[0].matching_values == doctest::Approx(0.5));
  CHECK_FALSE(hints[0].is_by_name);
}

TEST_CASE("an age is named when somebody is above 89") {
  CHECK(letters("age\n34\n89\n").empty());
  CHECK(letters("age\n34\n90\n") == "C");
}

TEST_CASE("a column that differs in every record is an identifier, from twenty records on") {
  std::string text = "a;b\n";
  for (int i = 0; i < 19; ++i) text += "v" + std::to_string(i) + ";x\n";
  CHECK(letters(text).empty());
  CHECK(letters(text + "v19;x\n") == "R");
}

TEST_CASE("what looks like something, and what only nearly does") {
  CHECK_FALSE(looks_like_email("a@b"));
  CHECK_FALSE(looks_like_email("@b.org"));
  CHECK_FALSE(looks_like_email("a@b@c.org"));
  CHECK_FALSE(looks_like_email("a b@c.org"));
  CHECK_FALSE(looks_like_ip_address("1.2.3"));
  CHECK_FALSE(looks_like_ip_address("1.2.3.256"));
  CHECK(looks_like_ip_address("2001:db8::1"));
  CHECK_FALSE(looks_like_telephone("1234567"));
  CHECK_FALSE(looks_like_telephone("2024-02-29"));
  CHECK(looks_like_telephone("(212) 555-0100"));
  CHECK_FALSE(looks_like_account("4111111111111112"));
  CHECK(looks_like_account("DE89370400440532013000"));
  CHECK_FALSE(looks_like_date("2024-13-01"));
  CHECK(looks_like_date("2024-02-29 10:00:00+00"));
  CHECK(looks_like_date("2/29/2024"));
  CHECK_FALSE(looks_like_postcode("1234"));
  CHECK_FALSE(looks_like_age_above_89("130"));
  for (const auto matches : {looks_like_email, looks_like_url, looks_like_ip_address, looks_like_mac_address,
                             looks_like_social_security, looks_like_telephone, looks_like_account,
                             looks_like_date, looks_like_postcode, looks_like_age_above_89})
    CHECK_FALSE(matches(""));
}

#include <doctest/doctest.h>

#include "common/sql_quoting.hpp"
#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "pg/print.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

TEST_CASE("identifiers are quoted when they need it") {
  CHECK(pg::quote_identifier("people") == "people");
  CHECK(pg::quote_identifier("People") == "\"People\"");
  CHECK(pg::quote_identifier("select") == "\"select\"");
  CHECK(pg::quote_identifier("a\"b") == "\"a\"\"b\"");
  CHECK(pg::quote_identifier("") == "\"\"");
  CHECK(pg::quote_identifier("1a") == "\"1a\"");
}

TEST_CASE("literals read the same whatever standard_conforming_strings says") {
  CHECK(quoted_literal("it's") == "'it''s'");
  CHECK(quoted_literal("a\\'b") == "E'a\\\\''b'");
}

TEST_CASE("UTF-8 is checked to the letter") {
  for (const char* good : {"", "a", "ä", "€", "𝄞", "\xef\xbf\xbf"}) CHECK(pg::is_valid_utf8(good));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                          "\xc3", "\xe2\x82", "\x81\x5c", "\x95\x5c"}) {
    CHECK_FALSE(pg::is_valid_utf8(bad));
  }
}

TEST_CASE("limits are crossed with an error, not a crash") {
  const pg::ParseLimits limits{.bytes = 1'000, .nesting = 10};
  CHECK(pg::parse("SELECT " + std::string(10, '(') + "1" + std::string(10, ')'), limits).has_value());
  CHECK(pg::parse("SELECT " + std::string(11, '(') + "1" + std::string(11, ')'), limits).error().sqlstate ==
        "54001");
  CHECK(pg::parse("SELECT 1" + std::string(1'000, ' '), limits).error().sqlstate == "54000");
  CHECK(pg::parse(std::string_view("SELECT 1\0", 9), limits).error().sqlstate == "22021");
  CHECK(pg::parse("SELECT '\x81'", limits).error().sqlstate == "22021");
}

TEST_CASE("positions count characters, not bytes") {
  CHECK(pg::character_position("äöü x", 7) == 5);
  CHECK(pg::character_position("abc", -1) == 0);
  CHECK(pg::parse("SELECT 'ä' WHERE fro x y", {}).error().position == 22);
}

TEST_CASE("equal ignores positions and nothing else") {
  const auto tree = [](std::string_view sql) { return pg::parse(sql, {}).value(); };
  const auto same = [&](std::string_view a, std::string_view b) {
    return pg::equal(tree(a).result->base, tree(b).result->base);
  };
  CHECK(same("SELECT  1", "SELECT 1"));
  CHECK(same("SELECT a FROM t", "select A  from T"));
  for (const char* other :
       {"SELECT b FROM t", "SELECT a FROM t2", "SELECT a FROM ONLY t", "SELECT a FROM t x",
        "SELECT a, a FROM t", "SELECT DISTINCT a FROM t", "SELECT 'a' FROM t"}) {
    CHECK_FALSE(same("SELECT a FROM t", other));
  }
}

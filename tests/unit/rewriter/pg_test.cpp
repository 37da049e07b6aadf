#include <doctest/doctest.h>

#include "common/sql_quoting.hpp"
#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "pg/plain_numbers.hpp"
#include "pg/print.hpp"

using namespace pgveil;

TEST_CASE("identifiers are quoted when they need it") {
  CHECK(pg::quote_identifier("people") == "people");
  CHECK(pg::quote_identifier("People") == "\"People\"");
  CHECK(pg::quote_identifier("select") == "\"select\"");
  CHECK(pg::quote_identifier("a\"b") == "\"a\"\"b\"");
  CHECK(pg::quote_identifier("") == "\"\"");
  CHECK(pg::quote_identifier("1a") == "\"1a\"");
}

TEST_CASE("a name that is a key word of any supported server is quoted, whatever the parser's major is") {
  CHECK(pg::quote_identifier("system_user") == "\"system_user\"");  // since 16; a function without brackets
  CHECK(pg::quote_identifier("json_table") == "\"json_table\"");    // since 17
  CHECK(pg::quote_identifier("virtual") == "virtual");              // since 18, and not reserved
}

TEST_CASE("a number is written in decimal digits, which all servers read alike") {
  const auto plain = [](std::string_view text) { return pg::plain_number(text).value(); };
  CHECK(plain("1.50e-3") == "1.50e-3");
  CHECK(plain("-12345678901") == "-12345678901");
  CHECK(plain("1_000_000_000_000") == "1000000000000");
  CHECK(plain("0x1F") == "31");
  CHECK(plain("-0XffFF_FFFF_FFFF_FFFF_FFFF") == "-1208925819614629174706175");
  CHECK(plain("0o777") == "511");
  CHECK(plain("0b1010") == "10");
  CHECK(plain("0x0") == "0");
  CHECK(plain("0x" + std::string(998, '0')) == "0");
  CHECK_FALSE(pg::plain_number("0x" + std::string(999, '0')).has_value());
}

TEST_CASE("numbers of PostgreSQL 16 are read where the parser knows them, and are a syntax error elsewhere") {
  const auto printed = [](std::string_view sql) -> std::string {
    const auto tree = pg::parse(sql, {});
    return tree ? pg::print_statement(*tree.value().result->stmts[0]->stmt) : tree.error().sqlstate;
  };
  const bool knows = pg::kParserMajor >= 16;
  CHECK(printed("SELECT 0x1F") == (knows ? "SELECT 31" : "42601"));
  CHECK(printed("SELECT 0x1FFFFFFFFF, 'a_0x1'") == (knows ? "SELECT 137438953471, 'a_0x1'" : "42601"));
  CHECK(printed("SELECT 1_000_000_000_000.5") == (knows ? "SELECT 1000000000000.5" : "42601"));
  CHECK(printed("SELECT 1 LIMIT 1_0") == (knows ? "SELECT 1 LIMIT 10" : "42601"));
  CHECK(printed("SELECT 0x" + std::string(1'000, 'F')) == (knows ? "54000" : "42601"));
}

TEST_CASE("XMLSERIALIZE keeps its INDENT where the parser knows it") {
  const auto tree = pg::parse("SELECT xmlserialize(CONTENT x AS pg_catalog.text INDENT)", {});
  CHECK(tree.has_value() == (pg::kParserMajor >= 16));
  if (tree) {
    CHECK(pg::print_statement(*tree.value().result->stmts[0]->stmt) ==
          "SELECT xmlserialize(CONTENT x AS pg_catalog.text INDENT)");
  }
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

TEST_CASE("of a node only its kind is visited, whichever it is") {
  const auto& kinds = pg_query__node__descriptor;
  for (unsigned i = 0; i < kinds.n_fields; ++i) {
    pg::Node node = PG_QUERY__NODE__INIT;
    node.node_case = static_cast<PgQuery__Node__NodeCase>(kinds.fields[i].id);
    const auto fields = pg::fields_to_visit(node.base);
    REQUIRE(fields.size() == 1);
    CHECK(&fields.front() == &kinds.fields[i]);
  }
  // An empty node, as in a list that has gaps, has no kind.
  pg::Node empty = PG_QUERY__NODE__INIT;
  CHECK(pg::fields_to_visit(empty.base).size() == kinds.n_fields);
  pg::for_each_child(empty.base, [](const auto&, const auto&) { FAIL("an empty node has no child"); });
  const pg::Tree tree = pg::parse("SELECT 1", {}).value();
  CHECK_FALSE(pg::equal(&empty, tree.result->stmts[0]->stmt));
  CHECK_FALSE(pg::equal(tree.result->stmts[0]->stmt, &empty));
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

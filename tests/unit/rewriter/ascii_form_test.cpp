// What is sent to clients of other encodings: text in ASCII that parses to the same tree.
#include "pg/ascii_form.hpp"

#include <doctest/doctest.h>

#include "common/client_encoding.hpp"
#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "tests/unit/rewriter/corpus.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::rewriter::ascii_form_test {

namespace {

constexpr std::size_t kBytes = 1 << 20;

void check_same(const std::string& sql, const std::string& ascii) {
  CAPTURE(sql);
  CAPTURE(ascii);
  const auto before = pg::parse_own(sql, kBytes);
  const auto after = pg::parse_own(ascii, kBytes);
  REQUIRE(before.has_value());
  REQUIRE(after.has_value());
  CHECK(is_ascii(ascii));
  CHECK(pg::equal(before->result->base, after->result->base));
}

}  // namespace

TEST_CASE("characters beyond ASCII become escapes with the same meaning") {
  constexpr std::pair<const char*, const char*> kTexts[] = {
      {"SELECT 'é'", R"(SELECT U&'\00e9')"},
      {"SELECT 'it''s é \\ x', 'plain \\'", R"(SELECT U&'it''s \00e9 \\ x', 'plain \')"},
      {"SELECT E'\\'é\\n', E'plain'", R"(SELECT E'\'\u00e9\n', E'plain')"},
      {"SELECT e'😀', '😀'", R"(SELECT e'\U0001f600', U&'\+01f600')"},
      {"SELECT a.\"é\"\"\\\" FROM \"Œuvre\" AS a", R"(SELECT a.U&"\00e9""\\" FROM U&"\0152uvre" AS a)"},
      {"SELECT 1 /* é /* ü */ ' */ + 2 -- '漢\n, '漢'", "SELECT 1 /* ? /* ? */ ' */ + 2 -- '?\n, U&'\\6f22'"},
      {"SELECT 'a' = 'é' AND x &'é'", R"(SELECT 'a' = U&'\00e9' AND x &U&'\00e9')"},
      {"SELECT pg_catalog.date 'é', interval 'é' hour",
       R"(SELECT pg_catalog.date U&'\00e9', interval U&'\00e9' hour)"},
      {"SELECT B'101', X'1f', 'plain'", "SELECT B'101', X'1f', 'plain'"},
  };
  for (const auto& [sql, expected] : kTexts) {
    const auto ascii = pg::ascii_form(sql);
    REQUIRE(ascii.has_value());
    CHECK(*ascii == expected);
    check_same(sql, *ascii);
  }
}

TEST_CASE("what has no such form is not written") {
  for (const std::string sql : {"SELECT é", "SELECT 'é", "SELECT \"é", "SELECT N'é'", "SELECT x'é'",
                                "SELECT ae'é'", "SELECT $é$a$é$", "SELECT U&'é'"}) {
    CAPTURE(sql);
    CHECK_FALSE(pg::ascii_form(sql).has_value());
  }
}

TEST_CASE("each answered statement means the same in ASCII") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const auto& row : rewriter::test::sql_support_rows()) {
    for (const std::string& sql : {row.example, row.example + " /* é */"}) {
      const auto plain = rewrite(sql, {.role = "analyst"}, *snapshot);
      const auto in_ascii = rewrite(sql, {.role = "analyst", .sends_ascii = true}, *snapshot);
      const auto* rewritten = std::get_if<Rewritten>(&plain);
      REQUIRE((rewritten != nullptr) == std::holds_alternative<Rewritten>(in_ascii));
      if (rewritten == nullptr) continue;
      for (std::size_t i = 0; i < rewritten->statements.size(); ++i)
        check_same(rewritten->statements[i].sql, std::get<Rewritten>(in_ascii).statements[i].sql);
    }
  }
}

TEST_CASE("a statement with other letters is sent in ASCII to a client that may have another encoding") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string sql =
      "SELECT city AS \"Stadt – é\", 'ü\\' FROM people WHERE city <> '漢' OR city = E'\\'ß'";
  const auto plain = rewrite(sql, {.role = "analyst"}, *snapshot);
  const auto in_ascii = rewrite(sql, {.role = "analyst", .sends_ascii = true}, *snapshot);
  REQUIRE(std::holds_alternative<Rewritten>(plain));
  REQUIRE(std::holds_alternative<Rewritten>(in_ascii));
  CHECK_FALSE(is_ascii(std::get<Rewritten>(plain).statements[0].sql));
  check_same(std::get<Rewritten>(plain).statements[0].sql, std::get<Rewritten>(in_ascii).statements[0].sql);
}

TEST_CASE("SET of another encoding is told to the session") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto sets = [&](const std::string& sql) {
    const auto verdict = rewrite(sql, {.role = "analyst"}, *snapshot);
    REQUIRE(std::holds_alternative<Rewritten>(verdict));
    return std::get<Rewritten>(verdict).statements[0].sets_encoding;
  };
  CHECK(sets("SET client_encoding = 'LATIN1'"));
  CHECK(sets("SET NAMES 'iso-8859-15'"));
  CHECK(sets("SET LOCAL client_encoding TO win1252"));
  CHECK(sets("SELECT set_config('Client_Encoding', 'latin1', true)"));
  CHECK_FALSE(sets("SET client_encoding = 'utf-8'"));
  CHECK_FALSE(sets("RESET client_encoding"));
  CHECK_FALSE(sets("SET application_name = 'LATIN1'"));
}

}  // namespace pgveil::rewriter::ascii_form_test

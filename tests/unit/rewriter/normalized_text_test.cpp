#include "rewriter/statement/normalized_text.hpp"

#include <doctest/doctest.h>

namespace pgveil::rewriter {
namespace {

std::string of(std::string_view sql, QuotedNames names = QuotedNames::shown) {
  return normalized_text(sql, names, 10'000).value_or("(unreadable)");
}

}  // namespace

TEST_CASE("no literal of any spelling is left in a normalized text") {
  struct Row {
    std::string_view sql, expected;
  };
  for (const auto& [sql, expected] : {
           Row{"SELECT city FROM people WHERE id = 4711", "SELECT city FROM people WHERE id = ?"},
           Row{"SELECT 'SECRET', E'SE\\'CRET', N'SECRET', U&'SECRET', B'0110', X'5EC4E7'",
               "SELECT ?, ?, N?,? , ?, ?"},
           Row{"SELECT $$SECRET$$, $tag$SECRET$tag$", "SELECT ?, ?"},
           Row{"SELECT -1.5e3, .5, 1e-7, 12345678901234567890", "SELECT -?, ?, ?, ?"},
           Row{"SELECT DATE '2020-01-01', INTERVAL '1 SECRET'", "SELECT DATE ?, INTERVAL ?"},
           Row{"SELECT 'SEC'\n'RET'", "SELECT ?"},
           Row{"/* SECRET */ SELECT 1 -- SECRET", "SELECT ?"},
           Row{"SELECT /* a /* SECRET */ b */ $1", "SELECT $1"},
           Row{"SELECT a->>'SECRET' FROM t", "SELECT a->>? FROM t"},
           Row{"SET work_mem = '64MB'; SET x TO 5", "SET work_mem = ?; SET x TO ?"},
           Row{"ALTER ROLE r PASSWORD 'SECRET'", "ALTER ROLE r PASSWORD ?"},
           Row{"DO $$ BEGIN PERFORM 'SECRET'; END $$", "DO ?"},
           Row{"", ""},
           Row{"  \n\t ", ""},
       }) {
    CAPTURE(sql);
    CHECK(of(sql) == expected);
    CHECK(of(sql).find("SECRET") == std::string::npos);
  }
}

TEST_CASE("white space is one space, and none appears") {
  CHECK(of("SELECT\n  a ,b\tFROM   t;") == "SELECT a ,b FROM t;");
}

TEST_CASE("a name in quotes is hidden in a text that was not let through") {
  constexpr std::string_view kSql = R"(SELECT "Town" FROM people WHERE name = "Smith" OR U&"Smith" = 1)";
  CHECK(of(kSql) == R"(SELECT "Town" FROM people WHERE name = "Smith" OR U? = ?)");
  const std::string hidden = of(kSql, QuotedNames::hidden);
  CHECK(hidden == R"(SELECT "?" FROM people WHERE name = "?" OR U? = ?)");
}

TEST_CASE("nothing is shown of a text that the scanner can't read") {
  for (const std::string_view sql : {"SELECT 'SECRET", "SELECT \"SECRET", "SELECT /* SECRET",
                                     "SELECT $$SECRET", "SELECT $a$SECRET$b$", "SELECT E'SECRET\\'"}) {
    CAPTURE(sql);
    CHECK_FALSE(normalized_text(sql, QuotedNames::shown, 10'000).has_value());
  }
  CHECK_FALSE(
      normalized_text(std::string_view("SELECT 1\0'SECRET'", 17), QuotedNames::shown, 10'000).has_value());
}

TEST_CASE("a long text is cut between two words") {
  CHECK(normalized_text("SELECT abc, def", QuotedNames::shown, 11).value() == "SELECT abc…");
  CHECK(normalized_text("SELECT abc, def", QuotedNames::shown, 0).value() == "…");
  CHECK(normalized_text("SELECT 'a', 'b'", QuotedNames::shown, 100).value() == "SELECT ?, ?");
}

}  // namespace pgveil::rewriter

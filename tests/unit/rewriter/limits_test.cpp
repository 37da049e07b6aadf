// Hostile texts: as long and as deep as they may be, and more. None may crash; what is too much is told so.
#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "pg/complexity.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/statement/query_depth.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

// rewrite() on a thread with the stack that the proxy's threads have.
Verdict rewrite_on_big_stack(const std::string& sql) {
  struct Job {
    const std::string& sql;
    Verdict verdict;
  } job{sql, Refusal{}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kParserStackBytes);
  pthread_t thread{};
  const int started = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        static const auto snapshot = rewriter::test::demo_snapshot();
        auto& running = *static_cast<Job*>(argument);
        running.verdict = rewrite(running.sql, {"analyst"}, *snapshot);
        return nullptr;
      },
      &job);
  REQUIRE(started == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.verdict;
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

// As often as fits.
std::string filling(const std::string& part, std::size_t bytes) {
  return repeated(part, bytes / part.size());
}

std::string nested(const std::string& open, const std::string& core, const std::string& close,
                   std::size_t depth) {
  return repeated(open, depth) + core + repeated(close, depth);
}

// "answered", "refused", or the SQLSTATE of an error.
std::string outcome(const std::string& sql) {
  const Verdict verdict = rewrite_on_big_stack(sql);
  if (std::holds_alternative<Rewritten>(verdict)) return "answered";
  const auto* error = std::get_if<Error>(&verdict);
  return error == nullptr ? "refused" : error->sqlstate;
}

constexpr std::size_t kOperators = 8'000;   // ParseLimits::deepening_words
constexpr std::size_t kBrackets = 500;      // Limits::nesting
constexpr std::size_t kBytes = 256 * 1024;  // Limits::statement_bytes
constexpr std::size_t kHalf = kBytes / 2;

struct Shape {
  std::string name;
  std::string sql;
  std::string expected;
};

std::string long_list(const std::string& part, std::size_t bytes) {
  std::string out = filling(part + ",", bytes);
  out.pop_back();
  return out;
}

std::vector<Shape> too_deep() {
  const std::string state = "54001";
  return {
      {"128 KB of 1+1", "SELECT " + filling("1+", kHalf) + "1", state},
      {"256 KB of 1+1", "SELECT " + filling("1+", kBytes - 20) + "1", state},
      {"NOT NOT", "SELECT " + filling("NOT ", kHalf) + "true", state},
      {"casts", "SELECT 1" + filling("::int", kHalf), state},
      {"minus", "SELECT " + filling("- ", kHalf) + "1", state},
      {"COLLATE", "SELECT ''" + filling(" COLLATE \"C\"", kHalf), state},
      {"AT TIME ZONE", "SELECT now()" + filling(" AT TIME ZONE 'UTC'", kBytes - 100), state},
      {"subscripts", "SELECT (x)" + filling("[1]", kHalf), state},
      {"UNION", filling("SELECT 1 UNION ALL ", kBytes - 20) + "SELECT 1", state},
      {"INTERSECT of tables", filling("TABLE a INTERSECT ", kBytes - 20) + "TABLE a", state},
      {"NATURAL JOIN", "SELECT 1 FROM a" + filling(" NATURAL JOIN a", kBytes - 20), state},
      {"JOIN ON", "SELECT 1 FROM a " + filling("JOIN b ON true ", kBytes - 20), state},
      {"brackets", "SELECT " + nested("(", "1", ")", kBrackets + 1), state},
      {"brackets by the ten thousand", "SELECT " + nested("(", "1", ")", 60'000), state},
      {"brackets that never close", filling("(", kBytes), state},
      {"arrays", "SELECT " + nested("ARRAY[", "1", "]", kBrackets + 1), state},
      {"functions", "SELECT " + nested("upper(", "'x'", ")", kBrackets + 1), state},
      {"CASE", "SELECT " + nested("CASE WHEN ", "true", " THEN 1 END", 10'000), state},
      {"CASE ELSE", "SELECT " + nested("CASE WHEN true THEN 1 ELSE ", "1", " END", 6'000), state},
      {"sub-queries", nested("SELECT (", "SELECT 1", ")", kBrackets + 1), state},
      {"FROM sub-queries", nested("SELECT * FROM (", "SELECT 1", ") a", kBrackets + 1), state},
      {"bracketed joins", "SELECT 1 FROM " + nested("(a JOIN ", "b", " ON true)", kBrackets + 1), state},
      {"WITH in WITH", nested("WITH a AS (", "SELECT 1", ") TABLE a", kBrackets + 1), state},
      {"WITH in WITH, one too many", nested("WITH a AS (", "SELECT 1", ") TABLE a", kMostChainedItems + 1),
       state},
  };
}

// Long and flat, or just deep enough.
std::vector<Shape> at_the_limit() {
  const std::string yes = "answered";
  return {
      {"operators", "SELECT " + repeated("1+", kOperators - 100) + "1", yes},
      {"NOT, whose brackets are too many", "SELECT " + repeated("NOT ", kOperators - 100) + "true", "54001"},
      {"casts", "SELECT 1" + repeated("::int", kOperators / 2 - 100), yes},
      {"UNION", repeated("SELECT 1 UNION ALL ", kOperators / 3) + "SELECT 1", yes},
      {"brackets", "SELECT " + nested("(", "1", ")", kBrackets), yes},
      {"functions", "SELECT " + nested("upper(", "'x'", ")", kBrackets), yes},
      {"CASE", "SELECT " + nested("CASE WHEN ", "true", " THEN true END", kBrackets), yes},
      {"sub-queries", nested("SELECT (", "SELECT 1", ")", kBrackets - 1), yes},
      {"FROM sub-queries", nested("SELECT * FROM (", "TABLE people", ") a", kBrackets - 1), yes},
      {"bracketed joins", "SELECT 1 FROM " + nested("(cities JOIN ", "people", " ON true)", kBrackets - 1),
       yes},
      {"WITH in WITH", nested("WITH a AS (", "SELECT 1", ") TABLE a", kMostChainedItems), yes},
      {"targets", "SELECT " + long_list("1", kHalf), yes},
      {"IN", "SELECT 1 IN (" + long_list("1", kBytes - 30) + ")", yes},
      {"VALUES", "VALUES " + long_list("(1)", kBytes - 20), yes},
      {"AND", "SELECT true" + filling(" AND true", kBytes - 20), yes},
      {"columns", "SELECT " + long_list("city", kHalf) + " FROM people", yes},
      {"FROM items and names",
       "SELECT " + long_list("x.city", kHalf) + " FROM " + long_list("cities", kHalf - 60) + ", cities x",
       yes},
      {"a long literal", "SELECT '" + std::string(kBytes - 20, 'x') + "'", yes},
      {"a long name", "SELECT 1 AS \"" + std::string(kBytes - 20, 'x') + "\"", yes},
      {"a long comment", "SELECT 1 /*" + std::string(kBytes - 20, '*') + "*/", yes},
      {"semicolons", std::string(kBytes, ';'), yes},
      {"statements", repeated("SELECT 1;", kOperators - 100), yes},
      {"too many statements", filling("SELECT 1;", kBytes), "54001"},
      {"operators that are data", "SELECT '-' IN (" + long_list("'2024-01-01'", kBytes - 30) + ")", yes},
      {"protected tables", "SELECT 1 FROM " + long_list("people", 20'000), yes},
      {"more masks than fit", "SELECT p.* FROM people p, " + long_list("people", kBytes - 60), "54000"},
  };
}

}  // namespace

TEST_CASE("texts that nest too deep are told so, and do not crash") {
  for (const Shape& shape : too_deep()) {
    CAPTURE(shape.name);
    REQUIRE(shape.sql.size() <= kBytes);
    CHECK(outcome(shape.sql) == shape.expected);
  }
}

TEST_CASE("the longest and deepest texts that may be asked are answered") {
  for (const Shape& shape : at_the_limit()) {
    CAPTURE(shape.name);
    REQUIRE(shape.sql.size() <= kBytes);
    CHECK(outcome(shape.sql) == shape.expected);
  }
}

TEST_CASE("operators and brackets in literals, names and comments do not count") {
  const auto of = [](std::string_view sql) {
    const auto found = pg::complexity_of(sql);
    return std::pair(found.nesting, found.deepening);
  };
  using Found = std::pair<int, int>;
  CHECK(of("") == Found(0, 0));
  CHECK(of("f(a[1]) + CASE WHEN x THEN (y) END - (z)") == Found(2, 5));
  CHECK(of("'((+' || 'it''s -- (+' || \"((+\"\"(\" || U&'(+' || x'(' || n'('") == Found(0, 11));
  CHECK(of("1 -- ((+\n + 1 /* ((+ /* (+ */ (+ */ + 1 --(+\r+ 1 -- (") == Found(0, 3));
  CHECK(of("-/**/- '/*' - \"--\" - '--'") == Found(0, 4));
  CHECK(of("x.end (y.end (z.end (") == Found(3, 0));  // names, whatever they look like
  // Quotes that are not followed: all counts.
  for (const char* hard : {"E'\\'' + '(-('", "e'a'\n'\\'' + '(-('", "$$'$$ + '(-('", "$a$'$a$ + '(-('",
                           "1e'\\'' + '(-('", "$\xc3\xa4$'$\xc3\xa4$ + '(-('", "a$b$'' + '(-('"}) {
    CAPTURE(hard);
    CHECK(of(hard) == Found(2, 2));
  }
  CHECK(of("$1 + 'e'(-$2") == Found(1, 2));
  CHECK(of("'open (+") == Found(0, 0));
  CHECK(of("/* open /* (+ */") == Found(0, 0));
}

TEST_CASE("a text that is too long, not UTF-8, or holds a NUL is told so") {
  CHECK(outcome("SELECT 1" + std::string(kBytes, ' ')) == "54000");
  CHECK(outcome(std::string("SELECT 1\0", 9)) == "22021");
  CHECK(outcome(std::string("\0", 1)) == "22021");
  for (const char* bytes :
       {"\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\x81\x5c"}) {
    CHECK(outcome(std::string("SELECT '") + bytes + "'") == "22021");
    CHECK(outcome(std::string("SELECT 1 AS \"") + bytes + "\"") == "22021");
  }
}

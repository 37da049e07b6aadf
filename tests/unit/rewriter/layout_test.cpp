#include "pg/layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "corpus.hpp"
#include "fixture.hpp"
#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

bool mean_the_same(const std::string& one, const std::string& other) {
  const auto a = pg::parse_own(one, std::size_t{1} << 22);
  const auto b = pg::parse_own(other, std::size_t{1} << 22);
  return a && b && a->result->n_stmts == 1 && b->result->n_stmts == 1 &&
         pg::equal(a->result->stmts[0]->stmt->base, b->result->stmts[0]->stmt->base);
}

}  // namespace

TEST_CASE("text on lines means what it meant, however narrow the lines are") {
  const auto snapshot = rewriter::test::demo_snapshot();
  std::size_t statements = 0;
  for (const std::string& sql : rewriter::test::statement_corpus()) {
    const Verdict verdict = rewrite(sql, {"analyst"}, *snapshot);
    const auto* rewritten = std::get_if<Rewritten>(&verdict);
    if (rewritten == nullptr) continue;
    for (const Statement& statement : rewritten->statements) {
      for (const std::size_t width : {1, 20, 100}) {
        CAPTURE(statement.sql);
        CHECK(mean_the_same(statement.sql, pg::laid_out(statement.sql, width)));
      }
      ++statements;
    }
  }
  CHECK(statements > 200);
}

TEST_CASE("what is short stays on its line") {
  CHECK(pg::laid_out("SELECT 1") == "SELECT 1");
  CHECK(pg::laid_out("SELECT a, (SELECT max(b) FROM t) FROM t WHERE a IS DISTINCT FROM b") ==
        "SELECT a, (SELECT max(b) FROM t)\nFROM t\nWHERE a IS DISTINCT FROM b");
  CHECK(pg::laid_out("SHOW \"TimeZone\"") == "SHOW \"TimeZone\"");
}

TEST_CASE("what is long is broken at commas, AND, JOIN, WHEN and brackets") {
  CHECK(pg::laid_out(
            "WITH a AS (SELECT city FROM people WHERE state = 'OH') SELECT a.city, count(*) FROM a LEFT JOIN "
            "cities AS c ON c.city = a.city WHERE a.city BETWEEN 'a' AND 'b' AND c.size > 3 GROUP BY a.city",
            40) ==
        "WITH a AS (\n"
        "  SELECT city\n"
        "  FROM people\n"
        "  WHERE state = 'OH'\n"
        ")\n"
        "SELECT a.city, count(*)\n"
        "FROM a\n"
        "  LEFT JOIN cities AS c ON c.city = a.city\n"
        "WHERE a.city BETWEEN 'a' AND 'b'\n"
        "  AND c.size > 3\n"
        "GROUP BY a.city");
  CHECK(pg::laid_out("SELECT CASE WHEN a = 1 THEN 'one' WHEN a = 2 THEN 'two' ELSE NULL END AS x, b FROM t",
                     30) ==
        "SELECT\n"
        "  CASE\n"
        "    WHEN a = 1 THEN 'one'\n"
        "    WHEN a = 2 THEN 'two'\n"
        "    ELSE NULL\n"
        "  END AS x,\n"
        "  b\n"
        "FROM t");
  CHECK(pg::laid_out("COPY (SELECT city, state FROM people) TO STDOUT", 24) ==
        "COPY (\n  SELECT city, state\n  FROM people\n) TO STDOUT");
}

TEST_CASE("literals keep their lines, and text that is not read comes back as it is") {
  CHECK(pg::laid_out("SELECT 'a\n  b', 'FROM x' FROM t", 10) == "SELECT\n  'a\n  b',\n  'FROM x'\nFROM t");
  CHECK(pg::laid_out("SELECT 'open") == "SELECT 'open");
  CHECK(pg::laid_out("SELECT 1 -- and FROM t\n FROM t") == "SELECT 1 -- and FROM t\n FROM t");
  CHECK(pg::laid_out("SELECT 1) FROM t") == "SELECT 1) FROM t");
  CHECK(pg::laid_out("").empty());
}

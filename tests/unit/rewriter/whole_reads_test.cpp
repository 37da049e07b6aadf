// Which statements get the mask with one decision for the row.
#include "rewriter/pipeline/whole_reads.hpp"

#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "rewriter/mask/mask_form.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

// The demo's mask, as if its table were large and its decisions long.
std::shared_ptr<const Snapshot> large_snapshot() {
  auto snapshot = rewriter::test::demo_snapshot();
  auto& mask = const_cast<Mask&>(*snapshot->protected_tables().front().mask);
  mask.costs = {.by_column = {0, 8, 8, 8, 0, 0}, .by_row = 10, .rows = 1e6, .written = {}};
  return snapshot;
}

std::size_t row_masks(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  const std::string& text = std::get<Rewritten>(verdict).statements.front().sql;
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find("AS \"pgveil shown\"", at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("statements that read a masked table to its end decide once per row") {
  const auto snapshot = large_snapshot();
  for (const char* sql :
       {"SELECT * FROM people", "COPY people TO STDOUT",
        "SELECT city, visits, state FROM people WHERE state = 'OH'",
        "SELECT count(city), count(state) FROM people", "PREPARE x AS SELECT city, state FROM people",
        "SELECT city, state, count(*) FROM people GROUP BY city, state ORDER BY 3 DESC LIMIT 10",
        "SELECT city, state, count(*) FROM people GROUP BY 1, 2 LIMIT 10",
        "SELECT visits, max(city), min(state) FROM people GROUP BY visits ORDER BY visits",
        "SELECT DISTINCT city, state FROM people",
        "SELECT city, state FROM people WHERE visits > 3 GROUP BY 1, 2",
        "SELECT 1 FROM cities JOIN (SELECT city, state FROM people GROUP BY city, state) g USING (city)"}) {
    CAPTURE(sql);
    CHECK(row_masks(sql, *snapshot) == 1);
  }
}

TEST_CASE("statements that an index could shorten, and views of one masked column, decide in each column") {
  const auto snapshot = large_snapshot();
  for (const char* sql :
       {"SELECT city, state FROM people ORDER BY visits", "SELECT city, state FROM people LIMIT 10",
        "SELECT city, state FROM people OFFSET 10", "SELECT city, state FROM people WHERE visits = 3",
        "SELECT max(visits), count(city), count(state) FROM people",
        "SELECT city, state, visits FROM people GROUP BY city, state, visits LIMIT 10",
        "SELECT city, state FROM people JOIN cities USING (city)", "SELECT city FROM people",
        "SELECT city, state FROM people WHERE EXISTS (SELECT 1 FROM cities c WHERE c.population = visits)",
        "SELECT (SELECT city || state FROM people WHERE visits = population) FROM cities",
        "SELECT x.city FROM cities c, (SELECT city, state, visits FROM people) x WHERE x.visits = "
        "c.population",
        "WITH w AS (SELECT city, state FROM people GROUP BY city, state) SELECT * FROM w",
        "SELECT city, state FROM people UNION ALL SELECT city, state FROM people"}) {
    CAPTURE(sql);
    CHECK(row_masks(sql, *snapshot) == 0);
  }
}

// PostgreSQL puts the mask of a column into each place that reads it.
TEST_CASE("a column that is computed in several places pays for a decision of the row") {
  const auto snapshot = large_snapshot();
  const auto forms = [&](const char* sql) { return row_masks(sql, *snapshot); };
  CHECK(forms("SELECT city, count(*) FROM people GROUP BY city ORDER BY city") == 0);
  CHECK(forms("SELECT upper(city), count(*) FROM people GROUP BY upper(city)") == 0);
  CHECK(forms("SELECT count(city) FROM people") == 0);
  CHECK(forms("SELECT count(city), count(lower(city)) FROM people") == 1);
  CHECK(forms("SELECT count(*) FILTER (WHERE city = 'a'), count(city) FROM people") == 1);
}

TEST_CASE("small tables and short decisions stay with a decision in each column") {
  const auto snapshot = rewriter::test::demo_snapshot();
  CHECK(row_masks("SELECT * FROM people", *snapshot) == 0);
  const MaskCosts costs{.by_column = {0, 8, 4, 6}, .by_row = 9, .rows = 1e6, .written = {}};
  const std::size_t all[] = {1, 1, 1, 1}, first[] = {1, 1, 0, 0}, first_twice[] = {1, 2, 0, 0};
  CHECK(cheaper_form(costs, all) == MaskForm::by_row);
  CHECK(cheaper_form(costs, first) == MaskForm::by_column);
  CHECK(cheaper_form(costs, first_twice) == MaskForm::by_row);
  MaskCosts small = costs;
  small.rows = 100;
  CHECK(cheaper_form(small, all) == MaskForm::by_column);
}

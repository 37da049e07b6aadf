// Chains of WITH items, and items that are read again and again, are counted before PostgreSQL sees them.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "fixture.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/statement/query_depth.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

std::string item(int number) {
  return "c" + std::to_string(number);
}

// WITH c0 AS (first), c1 AS (later(1)), … SELECT * FROM the last
std::string chain(int items, const std::string& first, const std::function<std::string(int)>& later,
                  const std::string& with = "WITH ", const std::string& how = " AS ") {
  std::string out = with;
  for (int i = 0; i < items; ++i)
    out += (i == 0 ? "" : ", ") + item(i) + how + "(" + (i == 0 ? first : later(i)) + ")";
  return out + " SELECT * FROM " + item(items - 1);
}

std::string read_before(int i) {
  return "SELECT * FROM " + item(i - 1);
}
std::string read_before_twice(int i) {
  return "SELECT a.* FROM " + item(i - 1) + " a, " + item(i - 1) + " b";
}

// Empty: it is answered.
std::string state_of(const std::string& sql) {
  static const auto snapshot = rewriter::test::demo_snapshot();
  const auto verdict = rewrite(sql, {"analyst"}, *snapshot);
  if (const auto* error = std::get_if<Error>(&verdict)) return error->sqlstate;
  CHECK(!std::holds_alternative<Refusal>(verdict));
  return {};
}

const std::string kPeople = "SELECT city FROM people";

}  // namespace

TEST_CASE("a hundred WITH items may read each other in a chain, and no more") {
  constexpr int kMost = static_cast<int>(kMostChainedItems);
  CHECK(state_of(chain(kMost, kPeople, read_before)).empty());
  CHECK(state_of(chain(kMost + 1, kPeople, read_before)) == "54001");
  CHECK(state_of(chain(2'000, kPeople, read_before)) == "54001");
  CHECK(state_of(chain(2'000, "SELECT 1", read_before)) == "54001");
  CHECK(state_of("EXPLAIN " + chain(2'000, "SELECT 1", read_before)) == "54001");
  CHECK(state_of("PREPARE p AS " + chain(2'000, kPeople, read_before)) == "54001");
  CHECK(state_of("COPY (" + chain(2'000, kPeople, read_before) + ") TO STDOUT") == "54001");
}

TEST_CASE("many WITH items that do not read each other are no chain") {
  CHECK(state_of(chain(2'000, kPeople, [](int) { return "SELECT 1"; })).empty());
  const auto all = [](int i) { return "SELECT * FROM c0 WHERE city = '" + std::to_string(i) + "'"; };
  CHECK(state_of(chain(300, kPeople, all)).empty());
}

TEST_CASE("recursive items are a chain in any order, and one that reads itself is none") {
  const auto read_next = [](int i) { return "SELECT * FROM " + item(i + 1 < 300 ? i + 1 : 0); };
  std::string backwards = "WITH RECURSIVE ";
  for (int i = 0; i < 300; ++i) backwards += item(i) + " AS (" + read_next(i) + "), ";
  CHECK(state_of(backwards + "last AS (SELECT 1) SELECT * FROM c0") == "54001");
  CHECK(
      state_of("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t")
          .empty());
}

TEST_CASE("chains go on inside sub-queries and through inner WITH clauses") {
  const auto nested = [](int i) {
    return "WITH x AS (SELECT * FROM " + item(i - 1) + ") SELECT * FROM (SELECT * FROM x) s";
  };
  CHECK(state_of(chain(50, kPeople, nested)).empty());
  CHECK(state_of(chain(60, kPeople, nested)) == "54001");
  const auto in_condition = [](int i) {
    return "SELECT 1 AS city WHERE EXISTS (SELECT 1 FROM " + item(i - 1) + ")";
  };
  CHECK(state_of(chain(101, kPeople, in_condition)) == "54001");
  CHECK(state_of(chain(99, "SELECT * FROM ohio", read_before)).empty());
}

TEST_CASE("items that are put in place twice double what is read, those that are kept do not") {
  const auto doubled = [](int items, const std::string& how) {
    return chain(items, kPeople, read_before_twice, "WITH ", how);
  };
  CHECK(state_of(doubled(9, " AS NOT MATERIALIZED ")).empty());
  CHECK(state_of(doubled(12, " AS NOT MATERIALIZED ")) == "54001");
  CHECK(state_of(doubled(60, " AS NOT MATERIALIZED ")) == "54001");
  CHECK(state_of(doubled(60, " AS ")).empty());
  CHECK(state_of(doubled(60, " AS MATERIALIZED ")).empty());
  // Read once, so it is put into an item that is read twice.
  const auto between = [](int i) {
    const std::string once = "o" + std::to_string(i);
    return "WITH " + once + " AS (" + read_before_twice(i) + ") SELECT * FROM " + once;
  };
  CHECK(state_of(chain(12, kPeople, between, "WITH ", " AS NOT MATERIALIZED ")) == "54001");
}

TEST_CASE("what is written out is not counted again") {
  std::string wide = "SELECT 1 FROM cities c0";
  for (int i = 1; i < 1'200; ++i) wide += ", cities " + item(i);
  CHECK(state_of(wide).empty());
}

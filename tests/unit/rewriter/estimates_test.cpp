// How conditions on masked columns are written so that PostgreSQL expects the rows that they keep.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "policy/tree/tree.hpp"
#include "rewrite_invariants.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/mask/shown_shares.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

using SnapshotPointer = std::shared_ptr<const Snapshot>;

// The demo's mask, as if its table were large: occupation is mostly hidden, city by half, state never.
SnapshotPointer with_shares(SnapshotPointer snapshot, double rows = 1e6) {
  auto& mask = const_cast<Mask&>(*snapshot->protected_tables().front().mask);
  const ShownShare occupation{.shown = 0.04, .typical = 0.004, .frequent = {{"nurse", 0.01}}};
  const ShownShare city{.shown = 0.5, .typical = 0.1, .frequent = {{"Hamlet", 0.25}, {"Rome", 0.1}}};
  const ShownShare state{.shown = 1, .typical = 0.5, .frequent = {{"OH", 0.6}, {"MA", 0.4}}};
  mask.shares = {.columns = {std::nullopt, occupation, city, state, std::nullopt, std::nullopt},
                 .rows = rows};
  return snapshot;
}

std::string sent_of(const std::string& sql, const Snapshot& snapshot) {
  CHECK(rewriter::test::broken_invariant(sql, "analyst", snapshot) == "");
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql;
}

// What is sent of a statement's own condition, which is the last one of it.
std::string condition_of(const std::string& condition, const Snapshot& snapshot) {
  const std::string text = sent_of("SELECT p.id FROM people p WHERE " + condition, snapshot);
  constexpr std::string_view kWhere = " WHERE ";
  return text.substr(text.rfind(kWhere) + kWhere.size());
}

std::string kept_by_all(const std::string& condition) {
  return "(" + condition + ")::pg_catalog.int4 OPERATOR(pg_catalog.<>) 0";
}

std::string kept_by_two_thirds(const std::string& condition) {
  return "NOT pg_catalog.booleq(" + condition + ", false)";
}

std::string kept_by(const std::string& condition, int of_200) {
  std::string ones = "1";
  for (int i = 1; i < of_200; ++i) ones += ",1";
  return "(" + condition + ")::pg_catalog.int4 OPERATOR(pg_catalog.=) ANY ('{" + ones +
         "}'::pg_catalog.int4[])";
}

bool is_written(const std::string& sql, const Snapshot& snapshot) {
  const std::string text = sent_of(sql, snapshot);
  return text.find("pg_catalog.booleq(") != std::string::npos ||
         text.find("::pg_catalog.int4 OPERATOR") != std::string::npos;
}

}  // namespace

TEST_CASE("a condition on a masked column is written by the share of the rows that it keeps") {
  const auto snapshot = with_shares(rewriter::test::demo_snapshot());
  for (const auto& [condition, written] : std::vector<std::pair<std::string, std::string>>{
           {"p.occupation IS NULL", kept_by_all("p.occupation IS NULL")},
           {"p.city IS NULL", kept_by_two_thirds("p.city IS NULL")},
           {"p.state = 'OH'", kept_by_two_thirds("p.state = 'OH'")},
           {"'OH' = p.state", kept_by_two_thirds("'OH' = p.state")},
           {"p.state = 'MA'", "pg_catalog.booleq(p.state = 'MA', true)"},
           {"p.state = $1", kept_by_two_thirds("p.state = $1")},
           {"p.city = 'Rome'", kept_by("p.city = 'Rome'", 20)},
           {"p.city IN ('Rome', 'Nowhere')", kept_by("p.city IN ('Rome', 'Nowhere')", 21)},
           {"p.state IN ('OH', 'MA')", kept_by_all("p.state IN ('OH', 'MA')")},
           {"p.city BETWEEN 'a' AND 'b'", kept_by("p.city BETWEEN 'a' AND 'b'", 25)},
           {"p.city LIKE 'R%'", kept_by("p.city LIKE 'R%'", 10)},
           {"p.city = 'Nowhere' OR p.city IS NULL",
            kept_by_two_thirds("(p.city = 'Nowhere') OR (p.city IS NULL)")},
           {"state = 'OH' AND id IS NULL",
            "(" + kept_by_two_thirds("state = 'OH'") + ") AND (id IS NULL)"}}) {
    CAPTURE(condition);
    CHECK(condition_of(condition, *snapshot) == written);
  }
}

TEST_CASE("a condition stays where PostgreSQL expects enough rows, or where nothing is known") {
  const auto snapshot = with_shares(rewriter::test::demo_snapshot());
  for (const char* condition :
       {"p.state IS NULL", "p.city IS NOT NULL", "p.occupation IS NOT NULL", "p.city = 'Nowhere'",
        "p.occupation = 'nurse'", "p.state <> 'OH'", "NOT (p.state = 'OH')", "p.city > 'a'",
        "p.city IS DISTINCT FROM 'Rome'", "p.state = p.city", "upper(p.state) = 'OH'", "p.visits = 3",
        "p.city = upper(p.state)", "p.state = 'OH' OR p.visits = 3", "(p.state = 'OH') IS NOT FALSE",
        "p.state NOT LIKE 'O%'"}) {
    CAPTURE(condition);
    CHECK_FALSE(is_written("SELECT p.id FROM people p WHERE " + std::string(condition), *snapshot));
  }
}

TEST_CASE("both bounds of a range are written, one is not") {
  const auto snapshot = with_shares(rewriter::test::demo_snapshot());
  CHECK_FALSE(is_written("SELECT 1 FROM people WHERE city >= 'a' AND state < 'b'", *snapshot));
  CHECK(condition_of("p.city >= 'a' AND p.city < 'b'", *snapshot) ==
        "pg_catalog.booleq(p.city >= 'a', true) AND pg_catalog.booleq(p.city < 'b', true)");
}

TEST_CASE("conditions are written where every row must meet them, and nowhere else") {
  const auto snapshot = with_shares(rewriter::test::demo_snapshot());
  for (const char* sql :
       {"SELECT 1 FROM people p JOIN cities c ON c.city = p.city AND p.state = 'OH'",
        "SELECT 1 FROM cities c LEFT JOIN people p ON c.city = p.city AND p.state = 'OH'",
        "SELECT 1 FROM cities c WHERE EXISTS (SELECT 1 FROM people p WHERE p.state = 'OH')",
        "WITH w AS (SELECT id FROM people WHERE state = 'OH') SELECT * FROM w",
        "SELECT 1 FROM (SELECT state AS s, city FROM people) q WHERE q.s = 'OH'", "SELECT job FROM ohio",
        "SELECT 1 FROM people WHERE state = 'OH' UNION SELECT 2 FROM people"}) {
    CAPTURE(sql);
    CHECK(is_written(sql, *snapshot));
  }
  for (const char* sql :
       {"SELECT state = 'OH' FROM people", "SELECT count(*) FILTER (WHERE state = 'OH') FROM people",
        "SELECT state FROM people GROUP BY state HAVING state = 'OH'",
        "SELECT 1 FROM cities c FULL JOIN people p ON c.city = p.city",
        "SELECT 1 FROM (SELECT state FROM people GROUP BY state) q WHERE q.state = 'OH'",
        "SELECT 1 FROM people AS p(a, b, c, state) WHERE p.state = 'OH'",
        "SELECT 1 FROM cities p WHERE p.city = 'OH' AND EXISTS (SELECT 1 FROM people)"}) {
    CAPTURE(sql);
    CHECK_FALSE(is_written(sql, *snapshot));
  }
}

TEST_CASE("small tables, and tables without a tree's counts, keep their conditions") {
  const std::string sql = "SELECT id FROM people WHERE state = 'OH'";
  CHECK_FALSE(is_written(sql, *rewriter::test::demo_snapshot()));
  CHECK_FALSE(is_written(sql, *with_shares(rewriter::test::demo_snapshot(), 999)));
  CHECK(is_written(sql, *with_shares(rewriter::test::demo_snapshot(), 1'000)));
}

TEST_CASE("the query keeps all rows of its own look-up") {
  const auto snapshot = with_shares(rewriter::test::demo_snapshot_with_indexes());
  const std::string text = sent_of("SELECT id FROM people WHERE state = 'OH'", *snapshot);
  CHECK(text.find("ORDER BY t.ctid OFFSET 0") != std::string::npos);
  CHECK(text.ends_with(" WHERE " + kept_by_all("state = 'OH'")));
}

TEST_CASE("shares are those of the cohorts") {
  const auto catalog = rewriter::test::demo_catalog();
  const Relation& people = *catalog->find("public", "people");
  const auto version = rewriter::test::version_of(rewriter::test::worked_example_policy(),
                                                  rewriter::test::worked_example_counts(), people);
  const ShownShares shares = shown_shares(version.tree, people);
  const auto rows = static_cast<double>(version.tree.nodes.front().rows);
  CHECK(shares.rows == rows);
  std::vector<double> shown(version.tree.attributes.size());
  for (const policy::Cohort& cohort : policy::cohorts(version.tree)) {
    for (const auto attribute : cohort.disclosed) shown[attribute] += static_cast<double>(cohort.rows);
  }
  for (std::size_t a = 0; a < shown.size(); ++a) {
    const auto& share = shares.columns[static_cast<std::size_t>(version.tree.attributes[a].number - 1)];
    REQUIRE(share.has_value());
    CHECK(share->shown == doctest::Approx(shown[a] / rows));
    double of_values = 0;
    for (const auto& [value, part] : share->frequent) of_values += part;
    CHECK(of_values == doctest::Approx(share->shown));
    CHECK(share->typical <= share->shown);
  }
  CHECK_FALSE(shares.columns[0].has_value());
}

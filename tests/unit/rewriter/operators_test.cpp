// Operators of users: never taken for pg_catalog's, however an expression looks its operator up.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

std::shared_ptr<const Snapshot> snapshot_with(const std::string& op) {
  const auto catalog = rewriter::test::demo_catalog();
  catalog->operator_names_elsewhere.insert(op);
  catalog->operator_names_of_users.insert(op);
  return make_snapshot(
             {.catalog = catalog, .policies = {}, .open_tables = {"public.cities"}, .generation = 1})
      .value();
}

bool is_refused(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal != nullptr && refusal->reason == Reason::operator_not_listed;
}

// The verifier alone, on what a faulty resolver might have sent.
bool is_verified(const std::string& sql, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(sql, 10'000).value();
  return verify_tree(sql, *tree.result->stmts[0]->stmt, "analyst", snapshot).has_value();
}

const std::map<std::string, std::vector<std::string>> kForms = {
    {"=",
     {"city IN ('a')", "city IN (SELECT 'a')", "city IS DISTINCT FROM 'a'", "NULLIF(city, 'a') IS NULL",
      "CASE city WHEN 'a' THEN true END",
      "1 IN (SELECT 1 FROM ONLY public.cities AS a JOIN ONLY public.cities AS b USING (city))",
      "EXISTS (SELECT FROM ONLY public.cities AS a NATURAL JOIN ONLY public.cities AS b)"}},
    {"<>", {"city NOT IN ('a')"}},
    {"~~", {"city LIKE 'a'"}},
    {"!~~", {"city NOT LIKE 'a'"}},
    {"~~*", {"city ILIKE 'a'"}},
    {"!~~*", {"city NOT ILIKE 'a'"}},
    {"<=", {"city BETWEEN 'a' AND 'b'", "city BETWEEN SYMMETRIC 'a' AND 'b'"}},
    {"<", {"city NOT BETWEEN 'a' AND 'b'"}},
};

}  // namespace

TEST_CASE("forms that can't name pg_catalog's operator are refused where a user's may be found") {
  const auto harmless = snapshot_with("===");
  for (const auto& [op, conditions] : kForms) {
    const auto snapshot = snapshot_with(op);
    for (const std::string& condition : conditions) {
      CAPTURE(condition);
      const std::string sql = "SELECT city FROM ONLY public.cities WHERE " + condition;
      CHECK(is_refused(sql, *snapshot));
      CHECK_FALSE(is_verified(sql, *snapshot));
      CHECK_FALSE(is_refused(sql, *harmless));
      CHECK(is_verified(sql, *harmless));
    }
  }
}

TEST_CASE("operators that can be named are, and answered") {
  const auto snapshot = snapshot_with("=");
  const auto verdict = rewrite(
      "SELECT city = 'a', city = ANY (ARRAY['b']), (city, 1) = ('a', 1) FROM cities JOIN "
      "cities c USING (city) ORDER BY city",
      {"analyst"}, *snapshot);
  CHECK(std::holds_alternative<Refusal>(verdict));  // for the join
  const auto answered = rewrite(
      "SELECT city = 'a', city = ANY (ARRAY['b']), (city, 1) = ('a', 1) FROM cities", {"analyst"}, *snapshot);
  REQUIRE(std::holds_alternative<Rewritten>(answered));
  CHECK(std::get<Rewritten>(answered).statements[0].sql ==
        "SELECT city OPERATOR(pg_catalog.=) 'a', city OPERATOR(pg_catalog.=) ANY (ARRAY['b']), "
        "(city, 1) OPERATOR(pg_catalog.=) ('a', 1) FROM ONLY public.cities");
}

// A sample of a protected table is drawn by random(), outside of the mask: nothing that tells where a row is
// stored takes part.
#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

namespace pgveil::rewriter::sample_test {

namespace {

constexpr std::string_view kTable = "public.people AS t";

std::string with_table(const std::string& mask, const std::string& table) {
  const auto at = mask.find(kTable);
  REQUIRE(at != std::string::npos);
  return mask.substr(0, at) + table + mask.substr(at + kTable.size());
}

bool is_verified(const std::string& from, const Snapshot& snapshot) {
  const std::string text = "SELECT 1 FROM (" + from + ") AS p";
  const auto tree = pg::parse_own(text, 100'000).value();
  return verify(text, tree.result->stmts[0]->stmt->base, "analyst", snapshot, 100'000).has_value();
}

std::string sent(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql;
}

std::string refused(const std::string& sql, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {"analyst"}, snapshot);
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal == nullptr ? std::string() : std::string(reason_name(refusal->reason));
}

}  // namespace

TEST_CASE("rows of a protected table are drawn by random()") {
  for (const auto& snapshot : {rewriter::test::demo_snapshot(), rewriter::test::demo_snapshot_with_views()}) {
    const std::string text = sent("SELECT city FROM people AS p TABLESAMPLE BERNOULLI (10 + $1)", *snapshot);
    CHECK(text.find("TABLESAMPLE") == std::string::npos);
    CHECK(
        text.find("AS pgveil_m WHERE (pg_catalog.random() OPERATOR(pg_catalog.*) 100) OPERATOR(pg_catalog.<) "
                  "pgveil_s.percent OFFSET 0) AS pgveil_t) AS p") != std::string::npos);
    CHECK(text.find("(SELECT (10 + $1)::pg_catalog.float4 AS percent OFFSET 0)") != std::string::npos);
  }
}

TEST_CASE("samples that tell where rows are stored are refused") {
  const auto snapshot = rewriter::test::demo_snapshot();
  CHECK(refused("SELECT 1 FROM people TABLESAMPLE BERNOULLI (10) REPEATABLE (1)", *snapshot) == "row_layout");
  CHECK(refused("SELECT 1 FROM people TABLESAMPLE BERNOULLI (10) REPEATABLE ($1)", *snapshot) ==
        "row_layout");
  CHECK(refused("SELECT 1 FROM people TABLESAMPLE SYSTEM (10)", *snapshot) == "row_layout");
  CHECK(refused("SELECT 1 FROM cities TABLESAMPLE BERNOULLI (10) REPEATABLE (1)", *snapshot).empty());
}

TEST_CASE("the arguments of a sample see no column of the table") {
  const auto snapshot = rewriter::test::demo_snapshot();
  CHECK(std::holds_alternative<Error>(
      rewrite("SELECT 1 FROM people TABLESAMPLE BERNOULLI (visits)", {"analyst"}, *snapshot)));
  const std::string lateral =
      sent("SELECT 1 FROM cities c, LATERAL (SELECT city FROM people TABLESAMPLE BERNOULLI (c.population)) l",
           *snapshot);
  CHECK(lateral.find("(SELECT c.population::pg_catalog.float4 AS percent OFFSET 0) AS pgveil_s") !=
        std::string::npos);
}

TEST_CASE("the verifier knows no sample of a mask's table") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const Mask& mask = *snapshot->protected_tables().front().mask;
  const auto sampled = [&](const std::string& sample) {
    return with_table(mask.text, std::string(kTable) + sample);
  };
  CHECK(is_verified("SELECT * FROM \"pgveil mask\".\"100\"", *snapshot));
  for (const std::string& from :
       {mask.text, sampled(" TABLESAMPLE bernoulli(10)"),
        sampled(" TABLESAMPLE bernoulli(10) REPEATABLE (1)"), sampled(" TABLESAMPLE system(10)"),
        sampled(" TABLESAMPLE tsm.bernoulli(10)"), sampled(", public.cities"), mask.text + " OR true",
        mask.text + " OFFSET 0", with_table(mask.text, "ONLY public.people AS t"),
        with_table(mask.text, "public.secrets AS t"),
        std::string("SELECT t.id FROM public.people AS t TABLESAMPLE bernoulli(10)"),
        std::string("SELECT * FROM \"pgveil mask\".\"100\" TABLESAMPLE bernoulli(10)")}) {
    CAPTURE(from);
    CHECK(!is_verified(from, *snapshot));
  }
}

}  // namespace pgveil::rewriter::sample_test

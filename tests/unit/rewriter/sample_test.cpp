// The one variation of a mask that the verifier lets through: a Bernoulli sample of its table.
#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "rewriter/masks.hpp"
#include "rewriter/pg/parse.hpp"
#include "rewriter/verify.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

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

}  // namespace

TEST_CASE("the verifier knows a mask with a sample of its table") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string mask = snapshot->protected_tables().front().mask->text;
  const auto sampled = [&](const std::string& sample) {
    return with_table(mask, std::string(kTable) + sample);
  };
  CHECK(is_verified(mask, *snapshot));
  CHECK(is_verified(sampled(" TABLESAMPLE bernoulli(10)"), *snapshot));
  CHECK(is_verified(sampled(" TABLESAMPLE bernoulli($1) REPEATABLE (pg_catalog.random())"), *snapshot));
  CHECK(is_verified(sampled(" TABLESAMPLE bernoulli((SELECT 1 FROM public.cities))"), *snapshot));
}

TEST_CASE("the verifier knows no other variation") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const Mask& mask = *snapshot->protected_tables().front().mask;
  const auto sampled = [&](const std::string& sample) {
    return with_table(mask.text, std::string(kTable) + sample);
  };
  for (const std::string& from :
       {sampled(" TABLESAMPLE system(10)"), sampled(" TABLESAMPLE tsm.bernoulli(10)"),
        sampled(" TABLESAMPLE bernoulli((SELECT 1 FROM public.people))"),
        sampled(" TABLESAMPLE bernoulli((SELECT 1 FROM public.secrets))"),
        sampled(" TABLESAMPLE bernoulli(leaky(1))"),
        sampled(" TABLESAMPLE bernoulli(10) REPEATABLE (public.leaky(1))"), sampled(", public.cities"),
        with_table(mask.text, "ONLY public.people AS t TABLESAMPLE bernoulli(10)"),
        with_table(mask.text, "public.people AS people TABLESAMPLE bernoulli(10)"),
        with_table(mask.text, "public.secrets AS t TABLESAMPLE bernoulli(10)"),
        sampled(" TABLESAMPLE bernoulli(10)") + " OR true",
        std::string("SELECT t.id FROM public.people AS t TABLESAMPLE bernoulli(10)"),
        std::string("SELECT * FROM \"pgveil mask\".\"100\" TABLESAMPLE bernoulli(10)")}) {
    CAPTURE(from);
    CHECK(!is_verified(from, *snapshot));
  }
}

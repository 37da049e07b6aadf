// Listed views beyond what tests/golden/rewrites/views.txt shows: what is never sent, what a listing may
// name, limits.
#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

bool is_verified(const std::string& text, const std::string& role, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, 100'000).value();
  return verify(text, tree.result->stmts[0]->stmt->base, role, snapshot, 100'000).has_value();
}

Result<std::shared_ptr<const Snapshot>> opened(RelationKind kind) {
  auto catalog = rewriter::test::demo_catalog();
  catalog->relations.at({"public", "ohio"}).kind = kind;
  return make_snapshot({.catalog = catalog, .policies = {}, .open_tables = {"public.ohio"}, .generation = 1});
}

}  // namespace

TEST_CASE("the verifier lets no view through by its name") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const std::string role : {"analyst", "dpo", "intern"}) {
    CAPTURE(role);
    CHECK_FALSE(is_verified("SELECT * FROM public.ohio", role, *snapshot));
    CHECK_FALSE(is_verified("SELECT * FROM public.open_view AS v(city)", role, *snapshot));
    CHECK_FALSE(is_verified("SELECT * FROM ohio", role, *snapshot));
    CHECK_FALSE(is_verified("COPY (SELECT 1 FROM public.unlisted_view) TO STDOUT", role, *snapshot));
  }
  const auto verdict = rewrite("SELECT * FROM open_view", {"intern"}, *snapshot);
  const std::string sent = std::get<Rewritten>(verdict).statements[0].sql;
  CHECK(sent.starts_with("SELECT * FROM (SELECT cities.city FROM ONLY public.cities WHERE "));
  CHECK(is_verified(sent, "intern", *snapshot));
}

TEST_CASE("a closed policy closes the views over its table") {
  const auto catalog = rewriter::test::demo_catalog();
  const auto spec = std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
  const auto snapshot =
      make_snapshot({.catalog = catalog, .policies = {{spec, nullptr, {}}}, .open_tables = {"public.ohio"}})
          .value();
  const auto verdict = rewrite("SELECT * FROM ohio", {"analyst"}, *snapshot);
  REQUIRE(std::holds_alternative<Refusal>(verdict));
  CHECK(std::get<Refusal>(verdict).reason == Reason::policy_not_built);
  CHECK(std::get<Refusal>(verdict).message == "view \"ohio\": the policy of relation \"people\" is closed");
}

TEST_CASE("what is expanded counts for the limit of the text that is sent") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto verdict = rewrite("SELECT * FROM ohio", {"analyst"}, *snapshot, {.output_bytes = 400});
  REQUIRE(std::holds_alternative<Error>(verdict));
  CHECK(std::get<Error>(verdict).kind == ErrorKind::limit);
}

TEST_CASE("a statement after one that was refused inside a view knows nothing of it") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto refused = rewrite("SELECT * FROM who; SELECT * FROM loop_a; SELECT 1", {"analyst"}, *snapshot);
  REQUIRE(std::holds_alternative<Refusal>(refused));
  CHECK(std::get<Refusal>(refused).position == 34);
  const auto answered = rewrite("SELECT * FROM ohio; SELECT * FROM ohio, cities", {"analyst"}, *snapshot);
  REQUIRE(std::holds_alternative<Rewritten>(answered));
  CHECK(std::get<Rewritten>(answered).statements.size() == 2);
  CHECK(std::get<Rewritten>(answered).versions.size() == 1);
}

TEST_CASE("only tables and views can be opened") {
  CHECK(opened(RelationKind::view).has_value());
  for (const auto& [kind, words] : {std::pair(RelationKind::materialized_view, "is a materialized view"),
                                    std::pair(RelationKind::foreign_table, "is a foreign table"),
                                    std::pair(RelationKind::sequence, "is a sequence")}) {
    const auto snapshot = opened(kind);
    REQUIRE_FALSE(snapshot.has_value());
    CHECK(snapshot.error().kind == ErrorKind::configuration);
    CHECK(snapshot.error().public_message.find(words) != std::string::npos);
  }
}

TEST_CASE("a view that a policy names too is not opened, and no policy is kept for what is no table") {
  auto spec = rewriter::test::worked_example_policy();
  spec.table = "ohio";
  spec.columns = {};
  const auto catalog = rewriter::test::demo_catalog();
  const auto snapshot =
      make_snapshot({.catalog = catalog,
                     .policies = {{std::make_shared<policy::PolicySpec>(spec), nullptr, {}}},
                     .open_tables = {"public.ohio"}});
  REQUIRE_FALSE(snapshot.has_value());
  CHECK(snapshot.error().public_message.find("has a policy too") != std::string::npos);
  for (const auto& [kind, words] : {std::pair(RelationKind::view, "is a view"),
                                    std::pair(RelationKind::materialized_view, "is a materialized view"),
                                    std::pair(RelationKind::foreign_table, "is a foreign table"),
                                    std::pair(RelationKind::sequence, "is a sequence")}) {
    catalog->relations.at({"public", "ohio"}).kind = kind;
    const auto findings = check_policy(spec, *catalog);
    REQUIRE(findings.errors.size() == 1);
    CHECK(findings.errors.front().public_message.find(words) != std::string::npos);
  }
}

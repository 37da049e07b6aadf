// A view of a database with the state of one policy changed, without another look at the database.
#include "daemon/state/present.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "rewriter/compile/make_snapshot.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::app::testing {
namespace {

using rewriter::PolicyState;
using ProtectedTable = rewriter::Snapshot::ProtectedTable;

struct ServingState {
  std::shared_ptr<rewriter::Catalog> catalog = rewriter::test::demo_catalog();
  Config config;
  Generations generations;
  std::shared_ptr<policy::PolicySpec> one = spec("one", "analyst");
  std::shared_ptr<policy::PolicySpec> two = spec("two", "bob");
  DatabaseView view = made({state(one, 7), state(two, 7)});

  static std::shared_ptr<policy::PolicySpec> spec(const char* name, const char* reader) {
    auto out = std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
    out->name = name;
    out->readers = {reader};
    out->exempt_roles = {};
    return out;
  }
  [[nodiscard]] PolicyState state(const std::shared_ptr<policy::PolicySpec>& spec,
                                  std::uint64_t number) const {
    auto version = rewriter::test::version_of(*spec, rewriter::test::worked_example_counts(),
                                              *catalog->find("public", "people"));
    version.number = number;
    return {spec, std::make_shared<policy::PolicyVersion>(std::move(version)), ""};
  }
  [[nodiscard]] DatabaseView made(std::vector<PolicyState> states) {
    auto input = std::make_shared<rewriter::SnapshotInput>();
    input->catalog = catalog;
    input->policies = std::move(states);
    input->open_tables = {"public.cities"};
    input->generation = generations.next();
    DatabaseView out;
    out.snapshot = rewriter::make_snapshot(*input).value();
    out.input = std::move(input);
    out.fingerprint = "catalog";
    out.stamp = "versions";
    return out;
  }
  [[nodiscard]] std::optional<DatabaseView> with(PolicyState changed) {
    return with_state(config, view, "demo", std::move(changed), generations).value();
  }
};

const ProtectedTable& table_of(const DatabaseView& view, const std::string& policy) {
  return *std::ranges::find(
      view.snapshot->protected_tables(), policy,
      [](const auto& table) -> const auto& { return table.state.spec->name; });
}

}  // namespace

TEST_CASE("a new version of one policy makes its mask, and leaves the others theirs") {
  ServingState serving;
  const auto next = serving.with(serving.state(serving.one, 8));
  REQUIRE(next.has_value());
  CHECK(table_of(*next, "one").state.version->number == 8);
  CHECK(table_of(*next, "one").mask != table_of(serving.view, "one").mask);
  CHECK(table_of(*next, "two").mask == table_of(serving.view, "two").mask);
  CHECK(next->snapshot->generation() > serving.view.snapshot->generation());
  // The database is looked at again as if nothing had been taken up: its stamp has changed.
  CHECK(next->stamp == serving.view.stamp);
  CHECK(next->input->before == nullptr);
}

TEST_CASE("a withdrawal closes its policy and no other") {
  ServingState serving;
  const auto next = serving.with({serving.two, nullptr, "withdrawn: too few; build needed"});
  REQUIRE(next.has_value());
  CHECK(table_of(*next, "two").mask == nullptr);
  CHECK(table_of(*next, "two").state.closed_because == "withdrawn: too few; build needed");
  CHECK(table_of(*next, "one").mask == table_of(serving.view, "one").mask);
  serving.view = *next;
  const auto built = serving.with(serving.state(serving.two, 9));
  REQUIRE(built.has_value());
  CHECK(table_of(*built, "two").mask != nullptr);
}

TEST_CASE("what the catalog at hand does not fit needs another look") {
  ServingState serving;
  SUBCASE("a version of a table that changed since") {
    serving.catalog = std::make_shared<rewriter::Catalog>(*serving.catalog);
    serving.catalog->relations.at({"public", "people"}).relfilenode += 1;
    CHECK_FALSE(serving.with(serving.state(serving.one, 8)).has_value());
  }
  SUBCASE("a version with a copy or a column") {
    for (const auto enforcement : {policy::Enforcement::copy, policy::Enforcement::stored}) {
      serving.one->enforcement = enforcement;
      CHECK_FALSE(serving.with(serving.state(serving.one, 8)).has_value());
    }
  }
  SUBCASE("a policy that was not there") {
    CHECK_FALSE(serving.with(serving.state(ServingState::spec("three", "carol"), 1)).has_value());
  }
  SUBCASE("a database that is not answered") {
    serving.view.snapshot = nullptr;
    CHECK_FALSE(serving.with({serving.one, nullptr, "withdrawn"}).has_value());
  }
}

}  // namespace pgveil::app::testing

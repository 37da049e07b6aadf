// Who may read what: lists of readers, and PostgreSQL's own grants.
#include <doctest/doctest.h>

#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::rewriter {
namespace {

constexpr const char* kNotListed = "is not listed for this role";

struct World {
  std::shared_ptr<Catalog> catalog = test::demo_catalog();
  policy::PolicySpec spec = test::worked_example_policy();
  std::map<std::string, Access> open_access = {};

  Relation& relation(const std::string& name) { return catalog->relations.at({"public", name}); }
  void grant(const std::string& role, const std::string& table, std::set<int> columns) {
    catalog->grants[relation(table).oid][role] = std::move(columns);
  }
  [[nodiscard]] std::set<int> all(const std::string& table) {
    std::set<int> numbers;
    for (const Column& column : relation(table).columns) numbers.insert(column.number);
    return numbers;
  }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const {
    const auto version = std::make_shared<policy::PolicyVersion>(
        test::version_of(spec, test::worked_example_counts(), *catalog->find("public", "people")));
    return make_snapshot({.catalog = catalog,
                          .policies = {{std::make_shared<policy::PolicySpec>(spec), version, {}}},
                          .open_tables = {"public.cities", "public.ohio"},
                          .open_access = open_access,
                          .generation = 1})
        .value();
  }
  // "" when it is answered.
  [[nodiscard]] std::string refusal(const std::string& sql, const std::string& role) const {
    const auto verdict = rewrite(sql, {.role = role}, *snapshot());
    if (std::holds_alternative<Rewritten>(verdict)) return {};
    if (const auto* error = std::get_if<Error>(&verdict)) return "error: " + error->public_message;
    return std::get<Refusal>(verdict).message;
  }
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an open table with readers is theirs, and for others as if it were not there") {
  World world;
  const std::string sql = "SELECT * FROM cities";
  CHECK(world.refusal(sql, "anybody").empty());
  world.open_access["public.cities"] = {{"analyst", "bi"}, false};
  CHECK(world.refusal(sql, "analyst").empty());
  CHECK(world.refusal(sql, "bi").empty());
  for (const std::string role : {"anybody", "dpo", "Analyst", ""}) {
    CAPTURE(role);
    CHECK(says(world.refusal(sql, role), kNotListed));
    CHECK(says(world.refusal("SELECT 1 FROM nowhere", role), kNotListed));
    CHECK(says(world.refusal("COPY cities TO STDOUT", role), kNotListed));
    CHECK(says(world.refusal("SELECT (SELECT max(city) FROM public.cities)", role), kNotListed));
  }
}

TEST_CASE("a listed view with readers is theirs") {
  World world;
  const std::string sql = "SELECT * FROM ohio";
  CHECK(world.refusal(sql, "analyst").empty());
  world.open_access["public.ohio"] = {{"bi"}, false};
  CHECK(says(world.refusal(sql, "analyst"), kNotListed));
  CHECK(says(world.refusal("COPY ohio TO STDOUT", "analyst"), kNotListed));
}

TEST_CASE("with access: from_database a role reads what PostgreSQL lets it read whole") {
  World world;
  world.open_access["public.cities"] = {{}, true};
  const std::string sql = "SELECT * FROM cities";
  const std::string denied = "permission denied for table cities";
  CHECK(world.refusal(sql, "analyst") == denied);  // no grants were read: nobody
  world.grant("analyst", "cities", world.all("cities"));
  std::set<int> some = world.all("cities");
  some.erase(some.begin());
  world.grant("bi", "cities", some);
  CHECK(world.refusal(sql, "analyst").empty());
  CHECK(world.refusal(sql, "bi") == denied);
  CHECK(world.refusal("SELECT count(*) FROM cities", "bi") == denied);
  CHECK(world.refusal(sql, "missing") == denied);
  CHECK(world.snapshot()->roles() == std::set<std::string>{"analyst", "dpo"});
}

TEST_CASE("under a policy the columns that may be shown need a right, and those that are hidden do not") {
  World world;
  world.spec.readers.clear();
  world.spec.is_access_from_database = true;
  const std::string sql = "SELECT * FROM people";
  const std::string denied = "permission denied for table people";
  CHECK(world.refusal(sql, "bi") == denied);
  std::set<int> shown;
  for (const auto& rule : world.spec.columns) {
    if (rule.column_class == policy::ColumnClass::identifier) continue;
    shown.insert(world.relation("people").find_column(rule.name)->number);
  }
  REQUIRE(shown.size() < world.relation("people").columns.size());
  world.grant("bi", "people", shown);
  CHECK(world.refusal(sql, "bi").empty());
  const auto verdict = rewrite(sql, {.role = "bi"}, *world.snapshot());
  CHECK(std::get<Rewritten>(verdict).statements.front().is_masked);
  for (const int column : shown) {
    CAPTURE(column);
    std::set<int> fewer = shown;
    fewer.erase(column);
    world.grant("bi", "people", fewer);
    CHECK(world.refusal(sql, "bi") == denied);
  }
  CHECK(world.refusal(sql, "analyst") == denied);
  CHECK(world.refusal(sql, "dpo").empty());  // exempt by name
}

TEST_CASE("a column can't be told from a function by a table that the role may not read") {
  World world;
  world.open_access["public.cities"] = {{"bi"}, false};
  CHECK(world.refusal("SELECT 1", "analyst").empty());
  CHECK_FALSE(world.snapshot()->is_open(world.relation("cities"), "analyst"));
  CHECK(world.snapshot()->is_open(world.relation("cities"), "bi"));
}

}  // namespace
}  // namespace pgveil::rewriter

// Versions with a copy of masked rows: what is sent names the copy, never the table, and a copy that is
// another table now closes the policy.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "fixture.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

constexpr const char* kCopyName = "people_k2.copy.4711";

struct World {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  std::shared_ptr<policy::PolicySpec> spec =
      std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
  std::shared_ptr<policy::PolicyVersion> version;

  World() {
    Relation copy = table();
    copy.oid = 900;
    copy.relfilenode = 901;
    copy.schema = "pgveil";
    copy.name = kCopyName;
    spec->enforcement = policy::Enforcement::copy;
    version = std::make_shared<policy::PolicyVersion>(
        rewriter::test::version_of(*spec, rewriter::test::worked_example_counts(), table()));
    version->copy = shape_of(copy);
    catalog->relations.emplace(std::pair{copy.schema, copy.name}, std::move(copy));
  }
  [[nodiscard]] const Relation& table() const { return *catalog->find("public", "people"); }
  [[nodiscard]] Relation& copy() const {
    return catalog->relations.find(std::pair<std::string, std::string>("pgveil", kCopyName))->second;
  }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot(VersionGuard guard = VersionGuard::present) const {
    return make_snapshot({.catalog = catalog,
                          .policies = {{spec, version, {}}},
                          .open_tables = {"public.cities"},
                          .generation = 1,
                          .version_guard = guard})
        .value();
  }
};

std::string sent(const std::string& sql, const std::string& role, const Snapshot& snapshot) {
  const auto verdict = rewrite(sql, {role}, snapshot);
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  return rewritten == nullptr ? "" : rewritten->statements.front().sql;
}

}  // namespace

TEST_CASE("statements read the copy in place of the table, under both guards") {
  const auto snapshot = World().snapshot();
  const Mask& mask = *snapshot->protected_tables().front().mask;
  INFO(mask.text);
  CHECK(mask.text.starts_with(
      "SELECT NULL::pg_catalog.int4 AS id, t.occupation AS occupation, t.city AS city, t.state AS state, "
      "t.visits AS visits, NULL::pg_catalog.text AS note FROM pgveil.\"people_k2.copy.4711\" AS t WHERE CASE "
      "WHEN pgveil.shape('900'::pg_catalog.oid, '901'::pg_catalog.oid, "));
  CHECK(mask.text.find("pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8)") !=
        std::string::npos);
  CHECK(mask.table_oid == 100);
  for (const std::string sql : {"SELECT city FROM people", "TABLE people", "COPY people TO STDOUT",
                                "SELECT * FROM people TABLESAMPLE BERNOULLI (10)",
                                "SELECT p FROM people p JOIN people q USING (id)"}) {
    const auto text = sent(sql, "analyst", *snapshot);
    CHECK_MESSAGE(text.find("pgveil.\"people_k2.copy.4711\"") != std::string::npos, sql);
    CHECK_MESSAGE(text.find("public.people") == std::string::npos, text);
    CHECK_MESSAGE(text.find(kStandInSchema) == std::string::npos, text);
  }
  CHECK(sent("SELECT city FROM people", "dpo", *snapshot).find("public.people") != std::string::npos);
}

TEST_CASE("no client names a copy") {
  const auto snapshot = World().snapshot();
  for (const std::string role : {"analyst", "dpo"}) {
    CHECK(sent("SELECT * FROM pgveil.\"people_k2.copy.4711\"", role, *snapshot).empty());
    CHECK(sent(snapshot->protected_tables().front().mask->text, role, *snapshot).empty());
  }
}

TEST_CASE("a key with a masked column is no key of the copy") {
  World world;
  world.catalog->relations.find(std::pair<std::string, std::string>("public", "people"))
      ->second.primary_key = {3, 5};
  const std::string sql = "SELECT occupation FROM people GROUP BY city, visits";
  CHECK(sent(sql, "analyst", *world.snapshot()) == sent(sql, "analyst", *World().snapshot()));
  const auto* mask = world.snapshot()->protected_tables().front().mask.get();
  REQUIRE(mask != nullptr);
  CHECK(world.snapshot()->protected_tables().front().mask->shows_raw ==
        std::vector<bool>{false, false, false, false, true, false});
}

TEST_CASE("a copy that is not the version's closes the policy") {
  struct Case {
    std::string name;
    std::function<void(World&)> spoil;
  };
  for (const auto& [name, spoil] :
       {Case{"gone",
             [](World& w) {
               w.catalog->relations.erase(std::pair<std::string, std::string>("pgveil", kCopyName));
             }},
        Case{"recreated", [](World& w) { w.copy().oid = 902; }},
        Case{"rewritten", [](World& w) { w.copy().relfilenode = 903; }},
        Case{"distributed", [](World& w) { w.copy().is_distributed = true; }},
        Case{"a view now", [](World& w) { w.copy().kind = RelationKind::view; }},
        Case{"a column renamed", [](World& w) { w.copy().columns[2].name = "town"; }},
        Case{"none in the version", [](World& w) { w.version->copy.reset(); }},
        Case{"of another schema", [](World& w) { w.version->copy = shape_of(w.table()); }}}) {
    World world;
    spoil(world);
    const auto snapshot = world.snapshot();
    CHECK_MESSAGE(snapshot->protected_tables().front().mask == nullptr, name);
    CHECK(snapshot->protected_tables().front().state.closed_because ==
          "its copy was removed or changed: build needed");
    CHECK(sent("SELECT city FROM people", "analyst", *snapshot).empty());
  }
  CHECK(World()
            .snapshot(VersionGuard::absent)
            ->protected_tables()
            .front()
            .state.closed_because.starts_with("enforcement: copy needs the schema pgveil"));
}

TEST_CASE("columns that the table got after its copy was made are NULL") {
  World world;
  auto& table =
      world.catalog->relations.find(std::pair<std::string, std::string>("public", "people"))->second;
  Column leak = table.columns[2];
  leak.number = 9;
  leak.name = "leak";
  table.columns.push_back(leak);
  const auto snapshot = world.snapshot();
  REQUIRE(snapshot->protected_tables().front().mask != nullptr);
  const std::string text = snapshot->protected_tables().front().mask->text;
  CHECK(text.find("NULL::pg_catalog.text AS note, NULL::pg_catalog.\"varchar\"(20) AS leak FROM pgveil.") !=
        std::string::npos);
  CHECK(sent("SELECT leak FROM people", "analyst", *snapshot).find("public.people") == std::string::npos);
  CHECK_FALSE(sent("SELECT leak, city FROM people", "analyst", *snapshot).empty());
  // A mask that reads the new column is none.
  const auto compiled = compile_copy_mask(*world.spec, *world.version, world.table(), world.copy()).value();
  CHECK(verify_copy_mask(*compiled, *world.spec, *world.version, world.table(), world.copy()).has_value());
  auto other = world.table();
  other.columns.back().name = "other";
  CHECK(verify_copy_mask(*compiled, *world.spec, *world.version, other, world.copy()).has_error());
  other.columns.pop_back();
  CHECK(verify_copy_mask(*compiled, *world.spec, *world.version, other, world.copy()).has_error());
  Relation wide = world.copy();
  wide.columns.push_back(leak);
  auto open = *world.spec;
  open.columns.push_back(
      {.name = "leak", .column_class = policy::ColumnClass::insensitive, .constraints = {}, .at = {}});
  const auto reading = compile_copy_mask(open, *world.version, world.table(), wide).value();
  CHECK(verify_copy_mask(*reading, *world.spec, *world.version, world.table(), world.copy()).has_error());
}

TEST_CASE("a mask of another table or with other cells fails its check") {
  const World world;
  const auto is_accepted = [&](const CompiledMask& mask) {
    return verify_copy_mask(mask, *world.spec, *world.version, world.table(), world.copy()).has_value();
  };
  const auto compiled = [&] {
    return compile_copy_mask(*world.spec, *world.version, world.table(), world.copy()).value();
  };
  CHECK(is_accepted(*compiled()));
  // Compiled for something else in every one of these, so that tree, text and parts agree with one another.
  Relation table = world.copy();
  table.schema = "public";
  table.name = "people";
  CHECK_FALSE(is_accepted(*compile_copy_mask(*world.spec, *world.version, world.table(), table).value()));
  auto other_version = *world.version;
  other_version.number = 8;
  CHECK_FALSE(
      is_accepted(*compile_copy_mask(*world.spec, other_version, world.table(), world.copy()).value()));
  auto open = *world.spec;
  for (auto& rule : open.columns) rule.column_class = policy::ColumnClass::insensitive;
  CHECK_FALSE(is_accepted(*compile_copy_mask(open, *world.version, world.table(), world.copy()).value()));
  Relation narrow = world.copy();
  narrow.columns.resize(4);  // visits, which the policy shows, would be NULL
  CHECK_FALSE(is_accepted(*compile_copy_mask(*world.spec, *world.version, world.table(), narrow).value()));
  CHECK_FALSE(
      is_accepted(*compile_mask(*world.spec, *world.version, world.table(), VersionGuard::present).value()));
  auto spoiled = compiled();
  spoiled->text += " LIMIT 1";
  CHECK_FALSE(is_accepted(*spoiled));
}

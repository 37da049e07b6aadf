// What a mask is made of, and masks that are taken over from one snapshot to the next.
#include "rewriter/compile/policy_mask.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "fixture.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::rewriter::test {
namespace {

// Everything is made anew by each call, as it is when a database is read again.
struct World {
  std::shared_ptr<Catalog> catalog = demo_catalog();
  policy::PolicySpec spec = worked_example_policy();
  policy::PolicyVersion version =
      version_of(spec, worked_example_counts(), *catalog->find("public", "people"));
  std::vector<std::string> open_tables = {"public.cities"};
  VersionGuard guard = VersionGuard::present;
  MaskSource source = MaskSource::text;
  LookUps look_ups = LookUps::yes;
  NewMasks new_masks = NewMasks::make;

  [[nodiscard]] Relation& people() { return catalog->relations.at({"public", "people"}); }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot(std::shared_ptr<const Snapshot> before) const {
    return make_snapshot({.catalog = catalog,
                          .policies = {{std::make_shared<policy::PolicySpec>(spec),
                                        std::make_shared<policy::PolicyVersion>(version),
                                        {}}},
                          .open_tables = open_tables,
                          .generation = 1,
                          .version_guard = guard,
                          .mask_source = source,
                          .look_ups = look_ups,
                          .before = std::move(before),
                          .new_masks = new_masks})
        .value();
  }
};

std::shared_ptr<const Mask> mask_in(const std::shared_ptr<const Snapshot>& snapshot) {
  return snapshot->protected_tables().front().mask;
}

using Change = std::function<void(World&)>;

}  // namespace

TEST_CASE("a mask is taken over where nothing that it is made of changed") {
  const auto before = World{}.snapshot(nullptr);
  REQUIRE(mask_in(before) != nullptr);
  CHECK(mask_in(World{}.snapshot(before)) == mask_in(before));
  const std::vector<Change> elsewhere = {
      [](World& w) { w.spec.readers.push_back("somebody"); },
      [](World& w) { w.spec.at.line += 10; },
      [](World& w) { w.open_tables.clear(); },
      [](World& w) {
        w.catalog->relations.at({"public", "cities"}).columns.pop_back();
      },
  };
  for (const Change& change : elsewhere) {
    World world;
    change(world);
    CHECK(mask_in(world.snapshot(before)) == mask_in(before));
  }
}

TEST_CASE("a mask is made anew when anything that it is made of changed") {
  const auto before = World{}.snapshot(nullptr);
  const std::vector<Change> changes = {
      [](World& w) { ++w.version.number; },
      [](World& w) { w.version.tree.nodes.back().is_closed = true; },
      [](World& w) { w.spec.columns.front().column_class = policy::ColumnClass::insensitive; },
      [](World& w) { w.people().indexed = {2}; },
      [](World& w) { w.guard = VersionGuard::absent; },
      [](World& w) { w.source = MaskSource::view; },
      [](World& w) { w.look_ups = LookUps::no; },
      [](World& w) { w.spec.name = w.version.policy = "another"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    World world;
    changes[i](world);
    const auto after = world.snapshot(before);
    REQUIRE(mask_in(after) != nullptr);
    CHECK(mask_in(after) != mask_in(before));
    // What was made anew is what would have been made without a snapshot before.
    CHECK(mask_in(after)->text == mask_in(world.snapshot(nullptr))->text);
    CHECK(mask_in(world.snapshot(after)) == mask_in(after));
  }
}

TEST_CASE("the masks of the system's catalogs are taken over where the catalog is equal") {
  const auto before = World{}.snapshot(nullptr);
  const Relation settings = *before->catalog().find("pg_catalog", "pg_settings");
  REQUIRE(before->catalog_mask(settings) != nullptr);
  CHECK(World{}.snapshot(before)->catalog_mask(settings) == before->catalog_mask(settings));
  World world;
  world.catalog->relations.at({"pg_catalog", "pg_settings"}).columns.pop_back();
  const auto after = world.snapshot(before);
  REQUIRE(after->catalog_mask(settings) != nullptr);
  CHECK(after->catalog_mask(settings)->text == world.snapshot(nullptr)->catalog_mask(settings)->text);
  CHECK(after->catalog_mask(settings)->text != before->catalog_mask(settings)->text);
  // A catalog with another OID gets a mask of its own, under that OID.
  world.catalog->relations.at({"pg_catalog", "pg_settings"}).oid = 12'000;
  CHECK(world.snapshot(before)->catalog_mask(12'000) != nullptr);
  CHECK(world.snapshot(before)->catalog_mask(settings) == nullptr);
}

TEST_CASE("a table that changed is closed, whatever mask it had") {
  const auto before = World{}.snapshot(nullptr);
  World world;
  world.people().relfilenode += 1;
  const auto after = world.snapshot(before);
  CHECK(mask_in(after) == nullptr);
  CHECK(before->shows_more_than(*after));
  CHECK_FALSE(after->protected_tables().front().is_waiting);
}

TEST_CASE("a column that was added since the build is hidden, and the table stays open") {
  const auto before = World{}.snapshot(nullptr);
  World world;
  Column leak = world.people().columns[2];
  leak.number = 9;
  leak.name = "leak";
  world.people().columns.push_back(leak);
  const auto after = world.snapshot(before);
  REQUIRE(mask_in(after) != nullptr);
  CHECK_FALSE(before->shows_more_than(*after));
  CHECK(mask_in(after)->text.find("NULL::pg_catalog.\"varchar\"(20) AS leak FROM") != std::string::npos);
  const Client analyst{.role = "analyst", .path = {}};
  CHECK(std::holds_alternative<Rewritten>(rewrite("SELECT leak FROM people", analyst, *after, Limits{})));
  const auto closed_because = [&] {
    return world.snapshot(before)->protected_tables().front().state.closed_because;
  };
  world.people().columns.back().name = "renamed";
  CHECK(closed_because().empty());
  world.people().columns[4].name = "leak";  // the new one is not what changed
  CHECK(closed_because().find("has no column \"visits\"") != std::string::npos);
}

TEST_CASE("a column whose type has no NULL that can be written closes its own policy alone") {
  World world;
  Column place = world.people().columns[2];
  place.number = 9;
  place.name = "place";
  place.type_text = "public.geometry(Point,4326)";
  place.typmod = 1107460;
  world.people().columns.push_back(place);
  const auto snapshot = world.snapshot(nullptr);
  CHECK(mask_in(snapshot) == nullptr);
  CHECK(snapshot->protected_tables().front().state.closed_because ==
        "the type modifier of column \"place\" is not understood; it was added since version 7 was built");
  CHECK(snapshot->is_open(*world.catalog->find("public", "cities"), "analyst"));
}

TEST_CASE("a mask that was taken over needs nothing of the snapshot and the catalog that it comes from") {
  auto first = World{}.snapshot(nullptr);
  auto second = World{}.snapshot(first);
  first.reset();
  const auto third = World{}.snapshot(second);
  second.reset();
  const Client analyst{.role = "analyst", .path = {}};
  const auto verdict = rewrite("SELECT state, city FROM public.people", analyst, *third, Limits{});
  CHECK(std::holds_alternative<Rewritten>(verdict));
}

TEST_CASE("before new masks are made, what is closed is closed, and who waits is told so") {
  const auto before = World{}.snapshot(nullptr);
  World same;
  same.new_masks = NewMasks::wait;
  CHECK(mask_in(same.snapshot(before)) == mask_in(before));
  CHECK_FALSE(same.snapshot(before)->is_making_masks());
  World built;
  built.new_masks = NewMasks::wait;
  ++built.version.number;
  const auto waiting = built.snapshot(before);
  const auto& table = waiting->protected_tables().front();
  CHECK(table.mask == nullptr);
  CHECK(table.is_waiting);
  CHECK(table.state.closed_because == "its mask is being made: try again in a moment");
  CHECK_FALSE(before->shows_more_than(*waiting));  // it is only late
  CHECK(waiting->is_making_masks());
  const Client analyst{.role = "analyst", .path = {}};
  const auto verdict = rewrite("SELECT state FROM public.people", analyst, *waiting, Limits{});
  REQUIRE(std::holds_alternative<Refusal>(verdict));
  CHECK(std::get<Refusal>(verdict).hint == "its masks are being made: try again in a moment");
  built.open_tables.clear();
  CHECK(before->shows_more_than(*built.snapshot(before)));
  CHECK_FALSE(waiting->shows_more_than(*before));
}

TEST_CASE("rights that were taken away are less to show, rights that were given are not") {
  const auto with = [](std::set<std::string, std::less<>> roles) {
    World world;
    world.spec.readers.clear();
    world.spec.is_access_from_database = true;
    std::set<int> columns;
    for (const Column& column : world.people().columns) columns.insert(column.number);
    for (const std::string& role : roles) world.catalog->grants[world.people().oid][role] = columns;
    return world.snapshot(nullptr);
  };
  const auto one = with({"analyst"});
  const auto two = with({"analyst", "bob"});
  CHECK(two->shows_more_than(*one));
  CHECK_FALSE(one->shows_more_than(*two));
}

}  // namespace pgveil::rewriter::test

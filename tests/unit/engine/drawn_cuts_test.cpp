// Mondrian with drawn cuts: that what it publishes keeps its promises, and that the choice of cuts makes
// nothing certain (docs/attack-model.md, "Cuts that are drawn").
#include "engine/mondrian/drawn_cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "common/sha256.hpp"
#include "common/workers.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "engine/privacy/secret_draws.hpp"
#include "tables.hpp"

namespace pgveil::engine::drawn_cuts_test {

using namespace pgveil::engine::test;

namespace {

Dimension numbers(const std::string& values) {
  const auto table = value_of(read_table("n;other\n" + values, ';'));
  return value_of(numeric_dimension(*table.find("n"), ""));
}

// Two countries in Europe, three in America; Italy has two regions.
Dimension towns() {
  constexpr std::string_view hierarchy =
      "Rome;Italy;Europe;*\nMilan;Italy;Europe;*\nParis;France;Europe;*\nOttawa;Canada;America;*\n"
      "Boston;USA;America;*\nLima;Peru;America;*\n";
  const auto table =
      value_of(read_table("town;other\nRome;1\nMilan;1\nParis;1\nOttawa;1\nBoston;1\nLima;1\n", ';'));
  return value_of(
      categorical_dimension(*table.find("town"), value_of(read_hierarchy(std::string(hierarchy), ';'))));
}

using Cells = std::vector<Rank>;  // of one record, by dimension

// The dimensions, whose codes are their ranks, and records.
struct World {
  std::vector<Dimension> dimensions{numbers("10;1\n20;1\n30;1\n40;1\n"), towns()};
  std::vector<Cells> records;

  [[nodiscard]] Groups groups(MondrianOptions options) const {
    std::vector<CodeColumn> columns(dimensions.size());
    std::vector<const CodeColumn*> pointers;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      for (const Cells& cells : records) {
        const auto code = std::ranges::find(dimensions[d].rank_of, cells[d]);
        columns[d].push_back(static_cast<Code>(code - dimensions[d].rank_of.begin()));
      }
      pointers.push_back(&columns[d]);
    }
    CodeColumn kinds;  // a sensitive column of two values
    for (std::size_t i = 0; i < records.size(); ++i) kinds.push_back(static_cast<Code>(i % 2));
    const std::vector<const CodeColumn*> sensitive{&kinds};
    const std::vector<SensitiveValues> values(1);
    options.values = values;
    return value_of(mondrian(dimensions, pointers, sensitive, options));
  }
};

MondrianOptions drawn(std::uint64_t k, std::uint64_t seed) {
  MondrianOptions options;
  options.k = k;
  options.cuts = Cuts::drawn;
  options.secret = sha256(fmt::format("a test's {}", seed));
  return options;
}

Cells random_cells(const World& world, std::mt19937& random) {
  Cells cells;
  for (const Dimension& dimension : world.dimensions)
    cells.push_back(static_cast<Rank>(random() % dimension.ranks()));
  return cells;
}

World random_world(std::size_t records, std::mt19937& random) {
  World world;
  while (world.records.size() < records) world.records.push_back(random_cells(world, random));
  return world;
}

// What a reader sees: which records are in a group, and the group's region.
struct Shown {
  std::vector<std::uint32_t> records;
  std::vector<RankRange> region;
  bool operator==(const Shown&) const = default;
};

std::vector<Shown> shown(const Groups& groups, std::size_t dimensions) {
  std::vector<Shown> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto at = [](const auto& list, std::uint64_t place) {
      return list.begin() + static_cast<std::ptrdiff_t>(place);
    };
    Shown one{{at(groups.records, groups.begin_of(g)), at(groups.records, groups.ends[g])},
              {at(groups.boxes, g * dimensions), at(groups.boxes, (g + 1) * dimensions)}};
    std::ranges::sort(one.records);
    out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, &Shown::records);
  return out;
}

// Other records that would fill the same regions.
World other_filling(const World& world, const std::vector<Shown>& groups, std::mt19937& random) {
  World other = world;
  for (const Shown& group : groups) {
    for (const auto record : group.records) {
      for (std::size_t d = 0; d < group.region.size(); ++d) {
        const auto [low, high] = group.region[d];
        other.records[record][d] = low + static_cast<Rank>(random() % (high - low + 1));
      }
    }
  }
  return other;
}

bool is_publishable(const World& world, const std::vector<Shown>& groups, const MondrianOptions& options) {
  return shown(world.groups(options), world.dimensions.size()) == groups;
}

}  // namespace

TEST_CASE("places of cuts follow from the region") {
  const Dimension ages = numbers(";1\n10;1\n20;1\n30;1\n40;1\n50;1\n60;1\n70;1\n80;1\n");
  REQUIRE(ages.null_rank == Rank{0});
  CHECK(places_of_cuts(ages, {0, 8}) == std::vector<Rank>{0, 2, 4, 6});
  CHECK(places_of_cuts(ages, {1, 8}) == std::vector<Rank>{2, 4, 6});
  CHECK(places_of_cuts(ages, {0, 1}) == std::vector<Rank>{0});
  CHECK(places_of_cuts(ages, {3, 4}) == std::vector<Rank>{3});
  CHECK(places_of_cuts(ages, {3, 5}) == std::vector<Rank>{3, 4});
  CHECK(places_of_cuts(ages, {5, 5}).empty());
  const Dimension places = towns();
  REQUIRE(places.values == std::vector<std::string>{"Rome", "Milan", "Paris", "Ottawa", "Boston", "Lima"});
  CHECK(places_of_cuts(places, {0, 5}) == std::vector<Rank>{2});
  CHECK(places_of_cuts(places, {0, 2}) == std::vector<Rank>{1});
  CHECK(places_of_cuts(places, {0, 1}) == std::vector<Rank>{0});
  CHECK(places_of_cuts(places, {3, 5}) == std::vector<Rank>{3, 4});
  CHECK(places_of_cuts(places, {4, 4}).empty());
}

TEST_CASE("the weight of a cut is the square of the region's share") {
  const Dimension ages = numbers("10;1\n20;1\n30;1\n40;1\n50;1\n");
  CHECK(weight_of_cut(ages, {0, 4}) == std::uint64_t{1} << 32);
  CHECK(weight_of_cut(ages, {1, 3}) == std::uint64_t{1} << 30);
  CHECK(weight_of_cut(ages, {2, 2}) == 0);
}

TEST_CASE("draws are even, and differ from secret to secret") {
  SecretDraws draws("a secret");
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[draws.below(3)];
  CHECK(counts.size() == 3);
  for (const auto& [_, count] : counts) CHECK(std::abs(count - 1000) < 150);
  const auto first = [](std::string secret) { return SecretDraws(std::move(secret)).below(UINT64_MAX); };
  CHECK(first("a secret") == first("a secret"));
  CHECK(first("a secret") != first("another"));
  CHECK(draws.secret_of_side(true) != draws.secret_of_side(false));
}

TEST_CASE("drawn groups have k records and the models, and their regions cover each record once") {
  std::mt19937 random(29);
  Workers workers(3);
  std::size_t most_groups = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    const World world = random_world(4 + random() % 60, random);
    MondrianOptions options = drawn(1 + random() % 4, round);
    if (round % 2 == 0) options.models = {{0, DistinctDiversity{2}}};
    const Groups groups = world.groups(options);
    most_groups = std::max(most_groups, groups.size());
    std::set<std::uint32_t> seen;
    for (const Shown& group : shown(groups, 2)) {
      CHECK(group.records.size() >= options.k);
      std::set<std::uint32_t> kinds;
      for (const auto record : group.records) {
        kinds.insert(record % 2);
        CHECK(seen.insert(record).second);
        for (std::size_t d = 0; d < 2; ++d) {
          CHECK(group.region[d].low <= world.records[record][d]);
          CHECK(world.records[record][d] <= group.region[d].high);
        }
      }
      if (!options.models.empty()) CHECK(kinds.size() == 2);
    }
    CHECK(seen.size() == world.records.size());
    options.parallel.threads = 3;
    options.parallel.least_rows = 1;
    options.parallel.run = [&](std::size_t parts, const auto& work) { workers.run(parts, work); };
    CHECK(shown(world.groups(options), 2) == shown(groups, 2));
  }
  CHECK(most_groups > 8);
}

TEST_CASE("any records that fill the published regions could have been published so") {
  std::mt19937 random(2509);
  std::size_t of_some_size = 0, with_choice = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    const World world = random_world(4 + random() % 4, random);
    MondrianOptions options = drawn(2, random());
    if (round % 3 == 0) options.models = {{0, DistinctDiversity{2}}};
    const auto groups = shown(world.groups(options), 2);
    for (const Shown& group : groups) {
      of_some_size += group.records.size() >= 2 * options.k ? 1 : 0;
      with_choice += group.region[0].low < group.region[0].high ? 1 : 0;
    }
    const World other = other_filling(world, groups, random);
    bool is_found = false;
    for (std::uint64_t seed = 0; seed < 40'000 && !is_found; ++seed) {
      options.secret = drawn(2, seed).secret;
      is_found = is_publishable(other, groups, options);
    }
    CAPTURE(round);
    CHECK(is_found);
  }
  CHECK(of_some_size > 10);
  CHECK(with_choice > 30);
}

TEST_CASE("cuts at the median exclude fillings of their own regions") {
  std::mt19937 random(2509);
  std::size_t excluded = 0;
  for (int round = 0; round < 60; ++round) {
    const World world = random_world(4 + random() % 4, random);
    MondrianOptions options;
    const auto groups = shown(world.groups(options), 2);
    excluded += is_publishable(other_filling(world, groups, random), groups, options) ? 0 : 1;
  }
  CHECK(excluded > 10);
}

TEST_CASE("a group that shows its region as a set shows values that nobody in it has") {
  World world;
  world.records = {{0, 0}, {0, 0}, {1, 1}};  // Rome and Milan; all places of the regions are empty but these
  MondrianOptions options = drawn(3, 1);
  const Groups groups = world.groups(options);
  REQUIRE(groups.size() == 1);
  CodeColumn ages, places;
  for (const Code code : {0U, 0U, 1U}) {
    ages.push_back(code);
    places.push_back(code);
  }
  const std::vector<const CodeColumn*> columns{&ages, &places};
  const auto shown_as = [&](std::size_t d, Ranges ranges) {
    return generalized(groups, world.dimensions, columns, d, ranges).values;
  };
  CHECK(shown_as(0, Ranges::region_sets) == std::vector<std::string>{"[10,40]"});
  CHECK(shown_as(1, Ranges::region_sets) == std::vector<std::string>{"*"});
  CHECK(shown_as(1, Ranges::sets) == std::vector<std::string>{"{Rome,Milan}"});
  Groups europe = groups;
  europe.boxes[1] = {0, 2};
  const auto text = generalized(europe, world.dimensions, columns, 1, Ranges::region_sets);
  CHECK(text.values == std::vector<std::string>{"{Rome,Milan,Paris}"});
  CHECK(quality_of(europe, world.dimensions, columns, Ranges::region_sets).certainty_penalty ==
        doctest::Approx(3 * (1 + 0.5)));
}

}  // namespace pgveil::engine::drawn_cuts_test

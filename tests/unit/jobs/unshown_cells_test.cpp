// What sizes of cells that were not shown exclude, compared with all ways to fill the cells.
#include "jobs/check/unshown_cells.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace pgveil::app::unshown_cells_test {
namespace {

using Codes = TransformationOrder::Codes;
using Counts = std::vector<std::uint64_t>;

// One column. Transformations group its values: [step][value] is the cell.
struct World {
  std::uint64_t k = 2;
  std::vector<Codes> cells;
  std::vector<bool> is_shown;  // by value: by the first transformation
  Codes class_of;              // by value: that the last transformation gives
  Counts counts;               // by value: the records that are there

  [[nodiscard]] std::size_t values() const { return counts.size(); }
  [[nodiscard]] std::size_t classes() const { return 1 + *std::ranges::max_element(class_of); }
  [[nodiscard]] bool fits(const Counts& other) const {
    Counts of_class(classes(), 0), expected(classes(), 0);
    for (std::size_t value = 0; value < values(); ++value) {
      if (is_shown[value]) continue;
      of_class[class_of[value]] += other[value];
      expected[class_of[value]] += counts[value];
    }
    return of_class == expected && are_small(other);
  }
  // Each cell that was not shown has fewer than k records.
  [[nodiscard]] bool are_small(const Counts& other) const {
    return std::ranges::all_of(cells, [&](const Codes& of_value) {
      Counts in_cell(values(), 0);
      for (std::size_t value = 0; value < values(); ++value) {
        if (!is_shown[value]) in_cell[of_value[value]] += other[value];
      }
      return std::ranges::all_of(in_cell, [&](std::uint64_t it) { return it < k; });
    });
  }
  // The last transformation shows class c as code values() + c; the first one what it shows as 0.
  [[nodiscard]] TransformationOrder order() const {
    std::vector<TransformationOrder::Step> steps;
    for (std::size_t s = 0; s < cells.size(); ++s) {
      auto& column = steps.emplace_back().emplace_back();
      for (std::size_t value = 0; value < values(); ++value) {
        const bool is_seen = s == 0 && is_shown[value];
        column.push_back({cells[s][value], is_seen ? std::optional<engine::Code>(0) : std::nullopt});
      }
    }
    auto& last = steps.emplace_back().emplace_back();
    std::map<Codes, std::size_t> class_numbers{{{0}, classes()}};
    for (const auto c : class_of) {
      const auto code = static_cast<engine::Code>(values() + c);
      last.push_back({c, code});
      class_numbers[{code}] = c;
    }
    return {std::move(steps), std::move(class_numbers)};
  }
  [[nodiscard]] std::vector<OpenClass> open_classes() const {
    std::vector<OpenClass> made(classes());
    for (std::size_t value = 0; value < values(); ++value) {
      if (is_shown[value]) continue;
      made[class_of[value]].records += counts[value];
      made[class_of[value]].combinations.push_back({static_cast<engine::Code>(value)});
    }
    return made;
  }
};

World draw_world(std::mt19937_64& random) {
  World made;
  made.k = 2 + random() % 2;
  const std::size_t values = 3 + random() % 4;
  made.counts.assign(values, 0);
  const Codes first_cells = [&] {
    Codes cells;
    for (std::size_t i = 0; i < values; ++i) cells.push_back(static_cast<engine::Code>(random() % values));
    return cells;
  }();
  made.cells.push_back(first_cells);
  if (random() % 2 == 0) {
    Codes cells;
    for (std::size_t i = 0; i < values; ++i) cells.push_back(static_cast<engine::Code>(random() % values));
    made.cells.push_back(std::move(cells));
  }
  // The first transformation shows whole cells.
  std::vector<bool> shows(values);
  for (std::size_t i = 0; i < values; ++i) shows[i] = random() % 4 == 0;
  for (const auto cell : first_cells) made.is_shown.push_back(shows[cell]);
  for (std::size_t i = 0; i < values; ++i) made.class_of.push_back(static_cast<engine::Code>(random() % 2));
  for (int i = 0; i < 12; ++i) {
    Counts more = made.counts;
    const std::size_t value = random() % values;
    if (made.is_shown[value]) continue;
    ++more[value];
    if (made.are_small(more)) made.counts = more;
  }
  return made;
}

// By value: the least and the largest number of records in all ways to fill the cells.
std::vector<std::array<std::uint64_t, 2>> extremes(const World& world) {
  std::vector<std::array<std::uint64_t, 2>> made(world.values(), {UINT64_MAX, 0});
  Counts counts(world.values(), 0);
  while (true) {
    if (world.fits(counts)) {
      for (std::size_t value = 0; value < counts.size(); ++value) {
        made[value][0] = std::min(made[value][0], counts[value]);
        made[value][1] = std::max(made[value][1], counts[value]);
      }
    }
    std::size_t at = 0;
    for (; at < counts.size(); ++at) {
      if (!world.is_shown[at] && ++counts[at] < world.k) break;
      counts[at] = 0;
    }
    if (at == counts.size()) return made;
  }
}

TEST_CASE("a combination that sizes exclude is impossible however the cells are filled") {
  std::mt19937_64 random(1);
  std::size_t excluded = 0, impossible = 0, pinned = 0, most_pinned = 0;
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    const auto world = draw_world(random);
    const auto order = world.order();
    const UnshownCells cells(order, world.k, world.open_classes());
    const auto exact = extremes(world);
    for (std::size_t value = 0; value < world.values(); ++value) {
      const auto& of_class = cells.class_at(world.class_of[value]);
      if (world.is_shown[value] || of_class.records == 0) continue;
      const auto pins = cells.least_of(world.class_of[value], 0);
      const auto pin = pins.find(static_cast<engine::Code>(value));
      const auto least = pin == pins.end() ? 0 : pin->second;
      const bool is_left =
          std::ranges::any_of(of_class.combinations, [&](const Codes& it) { return it.front() == value; });
      if (!is_left) CHECK(exact[value][1] == 0);
      CHECK(least <= exact[value][0]);
      excluded += is_left ? 0 : 1;
      impossible += exact[value][1] == 0 ? 1 : 0;
      pinned += least;
      most_pinned += exact[value][0];
    }
  }
  // docs/attacks.md has these figures.
  CHECK(excluded == 344);
  CHECK(impossible == 396);
  CHECK(pinned == 3464);
  CHECK(most_pinned == 3717);
}

TEST_CASE("a class that fills a cell leaves no place in it for another one") {
  // k = 3. Values 0 and 1 share a cell that was not shown, value 2 has its own. Class 0 has value 0 alone and
  // two records, so class 1 has no value 1.
  World world;
  world.k = 3;
  world.cells = {{0, 0, 1}};
  world.is_shown = {false, false, false};
  world.class_of = {0, 1, 1};
  world.counts = {2, 0, 2};
  const UnshownCells cells(world.order(), world.k, world.open_classes());
  CHECK(cells.class_at(1).combinations == std::vector<Codes>{{2}});
}

TEST_CASE("a class with combinations that were not listed excludes nothing") {
  World world;
  world.k = 3;
  world.cells = {{0, 0, 1}};
  world.is_shown = {false, false, false};
  world.class_of = {0, 1, 1};
  world.counts = {2, 0, 2};
  auto classes = world.open_classes();
  classes[0].is_open = true;
  const UnshownCells cells(world.order(), world.k, classes);
  CHECK(cells.class_at(1).combinations.size() == 2);
  CHECK(cells.least_of(0, 0).empty());
}

}  // namespace
}  // namespace pgveil::app::unshown_cells_test

// Grouping by place, window by window, by hash and by keys past 64 bits: whatever the table is like, a check
// counts what counting by definition counts.
#include <set>

#include "random_tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

void check_random_levels(const RandomTable& random, int steps, Optimizations optimizations) {
  const auto table = value_of(prepare(random.table, random.columns));
  Checker checker(table, {{2, 0}, SuppressedSums::none, {}, optimizations, {1, 0.8, {}}});
  std::mt19937_64 generator(7);
  for (int step = 0; step < steps; ++step) {
    std::vector<unsigned> levels;
    for (std::size_t j = 0; j < random.columns.size(); ++j)
      levels.push_back(step == 0 ? 0 : static_cast<unsigned>(generator() % 4));
    CAPTURE(step);
    const auto summary = checker.check(table.from_given(levels));
    checker.keep_snapshot([](const Transformation&) { return false; });
    std::uint64_t squares = 0;
    const auto classes = naive_classes(random, levels);
    for (const auto& [values, count] : classes) squares += count * count;
    REQUIRE(summary.classes == classes.size());
    REQUIRE(summary.squares == squares);
  }
}

}  // namespace

TEST_CASE("small and large domains, and those past 64 bits, are counted alike") {
  const Optimizations none{Switch::off, Switch::off, Switch::off};
  check_random_levels(wide_table(2, 30, 300), 16, {});
  check_random_levels(wide_table(4, 30, 300), 16, {});
  check_random_levels(wide_table(3, 200, 6'000), 3,
                      {});  // more distinct rows than a first table of keys holds
  check_random_levels(wide_table(8, 20, 200), 16, none);
  check_random_levels(wide_table(16, 20, 100), 16, {});
  check_random_levels(wide_table(24, 10, 100), 16, none);
}

TEST_CASE("a column with more values than two bytes hold is grouped window by window") {
  constexpr std::size_t rows = 70'000;
  Hierarchy ids;
  std::string text = "id;kind\n";
  for (std::size_t row = 0; row < rows; ++row) {
    // Out of order, so that neighbours in the table are none in the hierarchy.
    const std::size_t id = row * 7919 % rows;
    ids.rows.push_back({fmt::format("{}", id), fmt::format("{}-", id / 10), "*"});
    text += fmt::format("{};{}\n", id, id % 3);
  }
  const auto table = value_of(
      prepare(value_of(read_table(text, ';')),
              std::vector<QuasiIdentifier>{{"id", ids}, {"kind", {{{"0", "*"}, {"1", "*"}, {"2", "*"}}}}}));
  Checker checker(table, {{2, 0}, SuppressedSums::none, {}, {}, {}});
  CHECK(checker.check(table.from_given(std::vector{0U, 0U})).classes == rows);
  // Ten neighbours fall into three kinds, of 3, 3 and 4.
  const auto tens = checker.check(table.from_given(std::vector{1U, 0U}));
  CHECK(tens.classes == rows / 10 * 3);
  CHECK(tens.squares == rows / 10 * (9 + 9 + 16));
  CHECK(checker.check(table.from_given(std::vector{1U, 1U})).smallest_class == 10);
  CHECK(checker.check(table.from_given(std::vector{2U, 1U})).classes == 1);
}

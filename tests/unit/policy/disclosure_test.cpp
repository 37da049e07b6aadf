#include <doctest/doctest.h>

#include "naive.hpp"
#include "policy/disclosure.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

TEST_CASE("disclosure agrees with a count cell by cell, on other data than the tree's too") {
  for (const auto& [has_units, strategy] :
       {std::pair(false, Strategy::greedy), std::pair(true, Strategy::greedy),
        std::pair(false, Strategy::thorough), std::pair(true, Strategy::thorough)}) {
    std::mt19937_64 random(3);
    int built = 0;
    for (int i = 0; i < 600; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.has_units = has_units});
      const auto tree = build_tree(count(table), 2, {.strategy = strategy});
      if (!tree) continue;
      ++built;
      CHECK(measure(*tree, count(table)) == naive_disclosure(*tree, table));
      Table other = random_table(random, {.has_units = has_units});
      for (Row& row : other.rows) row.values.resize(table.attributes.size());
      other.attributes = table.attributes;
      CHECK(measure(*tree, count(other)) == naive_disclosure(*tree, other));
    }
    CHECK(built > 200);
  }
}

TEST_CASE("a column with two values implies the second where the first is excluded") {
  const Table table{
      {"sex", "city"},
      false,
      {{{"f", "A"}}, {{"f", "B"}}, {{"f", "C"}}, {{"m", "D"}}, {{"m", "E"}}, {{std::nullopt, "F"}}}};
  const Disclosure disclosure = measure(build_tree(count(table), 2).value(), count(table));
  CHECK(disclosure.disclosed_by_attribute == std::vector<std::uint64_t>{3, 0});
  CHECK(disclosure.disclosed_or_implied_by_attribute == std::vector<std::uint64_t>{5, 0});  // not the NULL
}

TEST_CASE("measuring an empty table gives zeros") {
  const DisclosureTree tree = build_tree(count(worked_example()), 2).value();
  Table empty = worked_example();
  empty.rows.clear();
  const Disclosure disclosure = measure(tree, count(empty));
  CHECK(disclosure.rows == 0);
  CHECK(disclosure.cells == 0);
  CHECK(disclosure.disclosed_or_implied == 0);
  CHECK(disclosure.cohorts == 5);
  CHECK(disclosure.smallest_cohort == 0);
}

}  // namespace pgveil::policy::testing

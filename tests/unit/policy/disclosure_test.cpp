#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "naive.hpp"
#include "policy/tree/disclosure.hpp"
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
  const Disclosure disclosure = measure(build_tree(count(table), 2, kGreedy).value(), count(table));
  CHECK(disclosure.disclosed_by_attribute == std::vector<std::uint64_t>{3, 0});
  CHECK(disclosure.computable_by_attribute == std::vector<std::uint64_t>{2, 0});  // not the NULL
  CHECK(disclosure.equal_by_attribute == std::vector<std::uint64_t>{0, 0});
}

namespace {

// Every row that the columns' values allow and that shows this, with whether its own path leads to the
// cohort.
std::vector<std::pair<Row, bool>> rows_that_show(const DisclosureTree& tree, const Table& table,
                                                 const std::vector<Text>& shows) {
  std::set<Text> a;
  std::set<Text> b;
  for (const Row& row : table.rows) {
    a.insert(row.values[0]);
    b.insert(row.values[1]);
  }
  std::vector<std::pair<Row, bool>> found;
  for (const Text& first : a) {
    for (const Text& second : b) {
      Row row{{first, second}};
      if (shown(tree, row) != shows) continue;
      const auto values = view(row);
      found.emplace_back(row, path_end_of(tree, values) == leaf_of(tree, values));
    }
  }
  return found;
}

// Goes through all tables: the class may consist of any of these rows, k of them of the cohort's own path. →
// per attribute, whether no cell of it has two different values in two of the tables.
std::vector<bool> is_settled(const std::vector<std::pair<Row, bool>>& possible, std::size_t size,
                             std::uint64_t k, std::size_t attribute_count) {
  std::vector<std::vector<std::set<std::string>>> seen(attribute_count,
                                                       std::vector<std::set<std::string>>(size));
  std::vector<std::size_t> choice(size, 0);
  while (true) {
    const auto own = std::ranges::count_if(choice, [&](std::size_t i) { return possible[i].second; });
    for (std::size_t r = 0; static_cast<std::uint64_t>(own) >= k && r < size; ++r) {
      for (std::size_t a = 0; a < attribute_count; ++a) {
        if (const Text& value = possible[choice[r]].first.values[a]) seen[a][r].insert(*value);
      }
    }
    std::size_t r = 0;
    while (r < size && ++choice[r] == possible.size()) choice[r++] = 0;
    if (r == size) break;
  }
  std::vector<bool> settled;
  for (const auto& by_row : seen)
    settled.push_back(std::ranges::all_of(by_row, [](const auto& values) { return values.size() <= 1; }));
  return settled;
}

}  // namespace

TEST_CASE("computable is what all tables with the same answers agree on: enumerated, table by table") {
  std::uint64_t computable = 0;
  std::uint64_t equal = 0;
  for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 1500; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.max_rows = 7, .max_attributes = 2, .max_values = 3});
      const auto tree = build_tree(count(table), 2, {.strategy = strategy});
      if (!tree || table.attributes.size() != 2) continue;
      const auto classes = naive_classes(*tree, table);
      if (std::ranges::any_of(classes, [](const auto& entry) { return entry.second.size() > 5; })) continue;
      std::vector<std::uint64_t> found(2, 0);
      for (const auto& [shows, rows] : classes) {
        const auto possible = rows_that_show(*tree, table, shows);
        const auto settled = is_settled(possible, rows.size(), 2, 2);
        for (std::size_t a = 0; a < 2; ++a) {
          if (shows[a] || !settled[a]) continue;
          found[a] += static_cast<std::uint64_t>(
              std::ranges::count_if(rows, [&](const Row* row) { return row->values[a].has_value(); }));
        }
      }
      const Disclosure disclosure = measure(*tree, count(table));
      CHECK(disclosure.computable_by_attribute == found);
      computable += disclosure.computable;
      equal += disclosure.equal;
    }
  }
  CHECK(computable > 200);
  CHECK(equal > 50);
}

namespace {

std::size_t whole_size(const Table& table) {
  return build_tree(count(table), 2, {.strategy = Strategy::thorough}).value().nodes.size();
}

}  // namespace

TEST_CASE("thorough leaves nothing to compute but in the last cohort of the root's chain") {
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(6);
    std::uint64_t greedy = 0;
    int cut = 0;
    for (int i = 0; i < 1500; ++i) {
      CAPTURE(i);
      Table table = random_table(
          random, {.max_rows = 60, .max_attributes = 4, .max_values = 4, .has_units = has_units});
      for (Row& row : table.rows) {
        for (Text& value : row.values) value = value.value_or("none");
        row.unit = row.unit.value_or("u");
      }
      Growth growth{.strategy = Strategy::thorough};
      if (i % 2 == 0) growth.max_cohorts = 2 + random() % 6;  // chains that are cut are closed, too
      const auto tree = build_tree(count(table), 2, growth);
      if (!tree) continue;
      cut += growth.max_cohorts && tree->nodes.size() < whole_size(table) ? 1 : 0;
      const auto shows_nothing = [&](const Row& row) {
        return std::ranges::none_of(shown(*tree, row), [](const Text& text) { return text.has_value(); });
      };
      const auto last = static_cast<std::uint64_t>(std::ranges::count_if(table.rows, shows_nothing));
      const Disclosure whole = measure(*tree, count(table));
      CHECK(whole.computable <= last * table.attributes.size());
      if (!growth.max_cohorts) CHECK(whole.computable + whole.equal <= last * table.attributes.size());
      greedy += measure(build_tree(count(table), 2, kGreedy).value(), count(table)).computable;
    }
    CHECK(greedy > 1000);
    CHECK(cut > 100);
  }
}

TEST_CASE("measuring an empty table gives zeros") {
  const DisclosureTree tree = build_tree(count(worked_example()), 2, kGreedy).value();
  Table empty = worked_example();
  empty.rows.clear();
  const Disclosure disclosure = measure(tree, count(empty));
  CHECK(disclosure.rows == 0);
  CHECK(disclosure.cells == 0);
  CHECK(disclosure.computable + disclosure.equal == 0);
  CHECK(disclosure.cohorts == 5);
  CHECK(disclosure.smallest_cohort == 0);
}

}  // namespace pgveil::policy::testing

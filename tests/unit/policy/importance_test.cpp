// What an owner says comes first: priority and weight.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "naive.hpp"
#include "policy/builder/leaf_growth.hpp"
#include "policy/builder/prune.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/decision/decision.hpp"
#include "policy/release/lineage.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

std::vector<std::string> exact_columns(const Table& table) {
  std::vector<std::string> columns;
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    if (table.level_of(a) == nullptr) columns.push_back(table.attributes[a]);
  }
  return columns;
}

Growth random_words(std::mt19937_64& random, const Table& table) {
  Growth growth{.strategy = random() % 2 == 0 ? Strategy::greedy : Strategy::thorough};
  std::vector<std::string> columns = exact_columns(table);
  std::shuffle(columns.begin(), columns.end(), random);
  columns.resize(1 + random() % columns.size());
  if (random() % 2 == 0) {
    for (const std::string& column : columns) growth.weights[column] = 1 + random() % 5;
  } else {
    growth.priority = columns;
  }
  return growth;
}

Turn random_turn(std::mt19937_64& random) {
  return {static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 4),
          static_cast<std::uint32_t>(random() % 6), random() % 2 == 0};
}

// Rows of the table with one exact value changed, to another's or to NULL.
std::vector<Row> rows_that_may_come(const Table& table) {
  std::vector<Row> rows = table.rows;
  for (const Row& row : table.rows) {
    for (std::size_t a = 0; a < row.values.size(); ++a) {
      if (table.level_of(a) != nullptr) continue;
      for (const Text& other : {Text{"5"}, Text{"v1"}, Text{"unseen"}, Text{}}) {
        rows.push_back(row);
        rows.back().values[a] = other;
        fill_levels(table, rows.back());
      }
    }
  }
  return rows;
}

void check_sound(const Table& table, const DisclosureTree& tree) {
  const auto flaw = find_flaw(tree);
  CHECK_MESSAGE(!flaw, flaw.value_or(""));
  const auto classes = naive_classes(tree, table);
  for (const auto& [visible, rows] : classes) CHECK(units_in(table, rows) >= tree.k);
  CHECK(measure(tree, count(table)) == naive_disclosure(tree, table));
  const auto decisions = compile_decisions(tree);
  for (const Row& row : rows_that_may_come(table)) {
    const auto visible = shown(tree, row);
    CHECK(classes.contains(visible));
    for (std::size_t a = 0; a < decisions.size(); ++a) {
      CHECK(is_released(decisions[a], view(row)) == visible[a].has_value());
      if (visible[a] && table.level_of(a) != nullptr)
        CHECK(shown_constant(decisions[a], view(row)) == *visible[a]);
    }
  }
}

}  // namespace

TEST_CASE("a tree with priority or weights is the naive one, and keeps k for every row that may come") {
  std::mt19937_64 random(721);
  int changed = 0;
  for (int i = 0; i < 500; ++i) {
    CAPTURE(i);
    const RandomShape shape{.max_rows = 40, .max_attributes = 3, .has_units = i % 3 == 0};
    const Table table = i % 2 == 0 ? random_leveled_table(random, {.max_rows = 40, .max_attributes = 1})
                                   : random_table(random, shape);
    const std::uint64_t k = 2 + random() % 3;
    const Growth growth = random_words(random, table);
    const auto tree = build_tree(count(table, random()), k, growth);
    if (!tree) continue;
    CHECK(*tree == naive_tree(table, k, growth));
    check_sound(table, *tree);
    changed += *tree == build_tree(count(table), k, {.strategy = growth.strategy}).value() ? 0 : 1;
  }
  CHECK(changed > 100);
}

TEST_CASE("whatever the turns, levels before exact values too, the tree is the naive one and keeps k") {
  std::mt19937_64 random(722);
  int level_first = 0;
  for (int i = 0; i < 500; ++i) {
    CAPTURE(i);
    RandomShape shape{.max_rows = 60, .max_attributes = 2, .has_units = i % 3 == 0};
    const Table table = i % 4 == 0 ? random_table(random, shape) : random_leveled_table(random, shape);
    const std::uint64_t k = 2 + random() % 3;
    std::vector<Turn> turns;
    for (std::size_t a = 0; a < table.attributes.size(); ++a) turns.push_back(random_turn(random));
    const Growth growth{.strategy = random() % 2 == 0 ? Strategy::greedy : Strategy::thorough};
    const Counts counts = count(table, random());
    const CountsView view(counts);
    const auto tree = build_with_turns(view, k, growth, turns, {}, {});
    if (!tree) continue;
    CHECK(*tree == naive_tree(table, k, growth, turns));
    check_sound(table, *tree);
    for (const Node& node : tree->nodes) {
      const Level* level = node.split ? table.level_of(node.split->attribute) : nullptr;
      if (level == nullptr || !tree->nodes[node.yes].split) continue;
      level_first += table.attributes[tree->nodes[node.yes].split->attribute] == level->source ? 1 : 0;
    }
  }
  CHECK(level_first > 50);
}

TEST_CASE("a column of priority is split on before all others, with its levels") {
  Table table{{"sex", "city"}, false, {}};
  for (int i = 0; i < 12; ++i)
    table.rows.push_back({{i < 9 ? "f" : "m", i % 3 == 0 ? "A" : i % 3 == 1 ? "B" : "C"}});
  const auto plain = build_tree(count(table), 3, kGreedy).value();
  CHECK(plain.nodes[0].split == Split{0, "f"});
  const auto first =
      build_tree(count(table), 3, {.strategy = Strategy::greedy, .priority = {"city"}}).value();
  CHECK(first.nodes[0].split == Split{1, "A"});
  CHECK(measure(first, count(table)).disclosed_by_attribute[1] == 8);
  CHECK(measure(plain, count(table)).disclosed_by_attribute[1] == 6);
  const auto heavy =
      build_tree(count(table), 3, {.strategy = Strategy::greedy, .weights = {{"city", 3}}}).value();
  CHECK(heavy.nodes[0].split == Split{1, "A"});  // 3 × 4 units against 9
  const auto light =
      build_tree(count(table), 3, {.strategy = Strategy::greedy, .weights = {{"city", 2}}}).value();
  CHECK(light.nodes[0].split == Split{0, "f"});
}

TEST_CASE("equal words are the tree of no words, byte for byte") {
  std::mt19937_64 random(723);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const Table table = random_leveled_table(random, {.has_units = i % 2 == 0});
    Growth growth{.strategy = i % 3 == 0 ? Strategy::greedy : Strategy::thorough};
    const auto plain = build_tree(count(table), 2, growth);
    if (!plain) continue;
    for (const std::string& column : exact_columns(table)) growth.weights[column] = 7;
    CHECK(build_tree(count(table), 2, growth).value() == *plain);
  }
}

TEST_CASE("a tree with words is cut down to max_cohorts, and cut chains are closed") {
  std::mt19937_64 random(724);
  int cut = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {.max_rows = 60, .has_units = i % 3 == 0});
    Growth growth = random_words(random, table);
    const auto whole = build_tree(count(table), 2, growth);
    if (!whole) continue;
    growth.max_cohorts = 2 + random() % 4;
    const auto tree = build_tree(count(table), 2, growth).value();
    CHECK(cohorts(tree).size() <= *growth.max_cohorts);
    CHECK(!find_flaw(tree));
    for (const auto& [visible, rows] : naive_classes(tree, table)) CHECK(units_in(table, rows) >= 2);
    cut += cohorts(*whole).size() > *growth.max_cohorts ? 1 : 0;
  }
  CHECK(cut > 50);
}

TEST_CASE("a lineage with words goes on by them: new values are split on in their order") {
  Table table{{"sex", "city"}, false, {}};
  for (int i = 0; i < 12; ++i) table.rows.push_back({{i < 6 ? "f" : "m", "A"}});
  const Growth growth{.strategy = Strategy::greedy, .priority = {"city"}};
  const auto first = build_tree(count(table), 3, growth).value();
  const Lineage lineage = continued(nullptr, 1, first, count(table));
  for (int i = 0; i < 5; ++i) table.rows.push_back({{"x", "New"}});
  const auto again = rebuild(first, lineage, count(table), growth).value();
  CHECK(again.grown > 0);
  for (const auto& [visible, rows] : naive_classes(again.tree, table)) CHECK(rows.size() >= 3);
  const auto plain = rebuild(first, lineage, count(table), kGreedy).value();
  CHECK(plain.tree != again.tree);  // "x" comes first there: the lower number of equals
}

}  // namespace pgveil::policy::testing

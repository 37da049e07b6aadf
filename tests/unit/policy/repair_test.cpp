#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "naive.hpp"
#include "policy/decision/decision.hpp"
#include "policy/decision/row_decision.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

Table without_rows(Table table, const std::set<std::size_t>& removed) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!removed.contains(i)) rows.push_back(table.rows[i]);
  }
  table.rows = std::move(rows);
  return table;
}

// A table of the same columns with some rows gone, some changed and some new, with new values among them.
Table drifted(const Table& table, std::mt19937_64& random) {
  Table later = table;
  for (Row& row : later.rows) {
    if (random() % 4 == 0) row.values[random() % row.values.size()] = "new" + std::to_string(random() % 2);
  }
  std::erase_if(later.rows, [&](const Row&) { return random() % 4 == 0; });
  return later;
}

}  // namespace

TEST_CASE("deleting one row of the worked example's sacrificial cohort closes the split above it") {
  const Table table = worked_example();
  const DisclosureTree tree = build_tree(count(table), 2, {.strategy = Strategy::greedy}).value();
  const Repaired repaired = repair(tree, count(without_rows(table, {0}))).value();
  CHECK(repaired.collapsed == 1);
  std::vector<std::string> labels;
  for (const Cohort& cohort : cohorts(repaired.tree)) labels.push_back(cohort.label);
  CHECK(labels == std::vector<std::string>{"D111", "D112", "D12", "D2"});
  CHECK(shown(repaired.tree, table.rows[8]) == std::vector<Text>(3, std::nullopt));
}

namespace {

// n rows of one city and one job.
void add(Table& table, const std::string& city, const std::string& job, int n) {
  for (int i = 0; i < n; ++i) table.rows.push_back({{city, job}});
}

// Splits that release something: their rows do not fall back at once.
std::size_t releasing(const DisclosureTree& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(
      tree.nodes, [&](const Node& node) { return node.split && !tree.nodes[node.yes].falls_back; }));
}

Table of_four_cities() {
  Table table{{"city", "job"}, false, {}};
  add(table, "Aber", "cook", 4);
  add(table, "Aber", "mason", 4);
  add(table, "Bree", "baker", 3);
  add(table, "Bree", "smith", 3);
  add(table, "Cork", "smith", 3);
  add(table, "Dale", "tailor", 2);
  return table;
}

}  // namespace

TEST_CASE("the rest of a chain goes on without the value that went, and its rows join the end of the chain") {
  const Table table = of_four_cities();
  const DisclosureTree tree = build_tree(count(table), 2, {.strategy = Strategy::greedy}).value();
  REQUIRE(tree.nodes.front().split == Split{0, "Aber"});
  const Table one_left = without_rows(table, {0, 1, 2, 3, 4, 5, 6});  // a mason of Aber
  for (const Table& now : {one_left, without_rows(one_left, {0})}) {
    const Repaired repaired = repair(tree, count(now)).value();
    CHECK(!find_flaw(repaired.tree));
    CHECK(repaired.collapsed == 2);  // Aber, and the jobs below it
    for (const Row& row : table.rows) {
      if (row.values[0] == "Aber") {
        CHECK(shown(repaired.tree, row) == std::vector<Text>(2));
      } else {
        CHECK(shown(repaired.tree, row) == shown(tree, row));
      }
    }
    // A row of Aber that comes later shows nothing either: not what the rest of the chain would show of it.
    CHECK(shown(repaired.tree, {{"Aber", "smith"}}) == std::vector<Text>(2));
    CHECK(repair(repaired.tree, count(table)).value().tree.nodes.size() == repaired.tree.nodes.size());
    CHECK(repair(repaired.tree, count(now)).value().collapsed == 0);
  }
  const Repaired cut = repair(tree, count(one_left), {}, Undo::rest).value();
  CHECK(cut.tree.nodes.size() == 1);
  CHECK(cut.collapsed == releasing(tree));
}

TEST_CASE("a value that went at the end of a chain leaves no split behind") {
  Table table = of_four_cities();
  const DisclosureTree tree = build_tree(count(table), 2, {.strategy = Strategy::greedy}).value();
  const auto is_cork = [](const Row& row) { return row.values[0] == "Cork"; };
  std::erase_if(table.rows, is_cork);
  const Repaired repaired = repair(tree, count(table)).value();
  CHECK(repaired.collapsed == 1);
  CHECK(std::ranges::none_of(repaired.tree.nodes, &Node::falls_back));
  CHECK(repaired.tree.nodes.back().is_closed);
}

TEST_CASE("one value of many costs its own rows only") {
  Table table{{"city", "job"}, false, {}};
  for (int city = 0; city < 200; ++city) add(table, "city" + std::to_string(city), "cook", 5);
  const DisclosureTree tree = build_tree(count(table), 5, {.strategy = Strategy::greedy}).value();
  const std::string lost = tree.nodes[40].split.value().value;
  std::erase_if(table.rows, [&](const Row& row) { return row.values[0] == lost; });
  const Repaired repaired = repair(tree, count(table)).value();
  CHECK(repaired.collapsed == 1);
  for (const Row& row : table.rows) CHECK(shown(repaired.tree, row) == shown(tree, row));
  CHECK(repair(tree, count(table), {}, Undo::rest).value().collapsed > 100);
}

TEST_CASE("a split whose side fell below k takes everything under it along") {
  const Table table = worked_example();
  const DisclosureTree tree = build_tree(count(table), 2, {.strategy = Strategy::greedy}).value();
  // Only Ohio is left: the root's split has an empty side.
  const Repaired repaired = repair(tree, count(without_rows(table, {0, 1, 8, 9, 10}))).value();
  CHECK(repaired.tree.nodes.size() == 1);
  CHECK(repaired.collapsed == 4);
}

TEST_CASE("repair refuses when the table itself has fewer than k units") {
  const Table table = worked_example();
  const DisclosureTree tree = build_tree(count(table), 2, {.strategy = Strategy::greedy}).value();
  const auto result = repair(tree, count(without_rows(table, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
  REQUIRE(!result);
  CHECK(result.error().kind == ErrorKind::policy);
}

TEST_CASE("repair on the data that built the tree changes nothing") {
  const Counts counts = count(worked_example());
  const DisclosureTree tree = build_tree(counts, 2, {.strategy = Strategy::greedy}).value();
  const Repaired repaired = repair(tree, counts).value();
  CHECK(repaired.tree == tree);
  CHECK(repaired.collapsed == 0);
}

struct Kind {
  bool has_units;
  Strategy strategy;
};
const std::vector<Kind> kKinds = {{false, Strategy::greedy},
                                  {true, Strategy::greedy},
                                  {false, Strategy::thorough},
                                  {true, Strategy::thorough}};

TEST_CASE("recount agrees with a count row by row, on drifted tables too") {
  for (const auto& [has_units, strategy] : kKinds) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 400; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.has_units = has_units});
      const auto tree = build_tree(count(table), 2, {.strategy = strategy});
      if (!tree) continue;
      const Table later = drifted(table, random);
      const auto counted = recount(*tree, count(later, random()));
      const auto rows = naive_rows_by_node(*tree, later);
      for (std::size_t node = 0; node < rows.size(); ++node) {
        CHECK(counted[node].rows == rows[node].size());
        CHECK(counted[node].units == units_in(later, rows[node]));
      }
    }
  }
}

TEST_CASE("a repaired tree shows never more than before, and every cohort has k units again") {
  int repaired_count = 0;
  for (const auto& [has_units, strategy] : kKinds) {
    std::mt19937_64 random(8);
    for (int i = 0; i < 600; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.has_units = has_units});
      const auto tree = build_tree(count(table), 2, {.strategy = strategy});
      if (!tree) continue;
      const Table later = drifted(table, random);
      const auto repaired = repair(*tree, count(later));
      if (!repaired) continue;
      repaired_count += repaired->collapsed > 0 ? 1 : 0;
      CHECK(!find_flaw(repaired->tree));
      CHECK(repaired->collapsed == releasing(*tree) - releasing(repaired->tree));
      for (const auto& [visible, rows] : naive_classes(repaired->tree, later))
        CHECK(units_in(later, rows) >= tree->k);
      for (const Cohort& cohort : cohorts(repaired->tree)) CHECK(cohort.units >= tree->k);
      for (const Row& row : later.rows) {
        const auto before = shown(*tree, row);
        const auto after = shown(repaired->tree, row);
        for (std::size_t a = 0; a < before.size(); ++a) CHECK((!after[a] || before[a] == after[a]));
        const auto cut = shown(repair(*tree, count(later), {}, Undo::rest).value().tree, row);
        for (std::size_t a = 0; a < before.size(); ++a) CHECK((!cut[a] || cut[a] == after[a]));
      }
    }
  }
  CHECK(repaired_count > 50);
}

namespace {

// Every row that the values of a table, one more and NULL make.
void for_each_combination(const Table& table, const std::function<void(const Row&)>& visit) {
  std::vector<std::set<Text>> values(table.attributes.size(), std::set<Text>{std::nullopt, "unseen"});
  for (const Row& row : table.rows) {
    for (std::size_t a = 0; a < values.size(); ++a) values[a].insert(row.values[a]);
  }
  Row row{std::vector<Text>(values.size())};
  const std::function<void(std::size_t)> choose = [&](std::size_t a) {
    if (a == values.size()) {
      visit(row);
      return;
    }
    for (const Text& value : values[a]) {
      row.values[a] = value;
      choose(a + 1);
    }
  };
  choose(0);
}

// What rows would show if the splits that were undone had just been left out, so that their rows go on down
// the chain.
std::vector<Text> shown_without_undone(const DisclosureTree& tree, const Row& row) {
  Row changed = row;
  for (const Node& node : tree.nodes) {
    if (!node.split || !tree.nodes[node.yes].falls_back || !tree.nodes[node.yes].is_closed) continue;
    Text& value = changed.values[node.split->attribute];
    if (value == node.split->value) value = std::nullopt;
  }
  return shown(tree, changed);
}

}  // namespace

TEST_CASE(
    "each class of a repaired tree is a union of classes before it, for rows that are there, were there or "
    "never were") {
  int went_on = 0;
  int torn_without_it = 0;
  for (const auto& [has_units, strategy] : kKinds) {
    std::mt19937_64 random(9);
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.max_attributes = 3, .has_units = has_units});
      auto tree = build_tree(count(table), 2, {.strategy = strategy});
      if (!tree) continue;
      for (int drift = 0; drift < 3; ++drift) {
        const Table later = drifted(table, random);
        const auto repaired = repair(*tree, count(later));
        if (!repaired) break;
        const auto decisions = compile_decisions(repaired->tree);
        const auto for_row = compile_row_decision(repaired->tree);
        CHECK(measure(repaired->tree, count(later)) == naive_disclosure(repaired->tree, later));
        std::map<std::vector<Text>, std::vector<Text>> now_of;
        std::map<std::vector<Text>, std::set<std::vector<Text>>> torn;
        for_each_combination(table, [&](const Row& row) {
          const auto now = shown(repaired->tree, row);
          CHECK(now_of.try_emplace(shown(*tree, row), now).first->second == now);
          torn[shown(*tree, row)].insert(shown_without_undone(repaired->tree, row));
          const auto bits = released_attributes(for_row, view(row));
          for (std::size_t a = 0; a < now.size(); ++a) {
            CHECK(is_released(decisions[a], view(row)) == now[a].has_value());
            CHECK((bits >> a & 1) == (now[a].has_value() ? 1U : 0U));
          }
        });
        for (const auto& [before, after] : torn) torn_without_it += after.size() > 1 ? 1 : 0;
        went_on += std::ranges::any_of(repaired->tree.nodes,
                                       [](const Node& node) { return node.falls_back && node.is_closed; });
        tree->nodes = repaired->tree.nodes;
      }
    }
  }
  CHECK(went_on > 50);
  CHECK(torn_without_it > 50);  // the test can fail
}

}  // namespace pgveil::policy::testing

#include <doctest/doctest.h>

#include <set>

#include "naive.hpp"
#include "policy/tree.hpp"
#include "policy/tree_check.hpp"
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
  const DisclosureTree tree = build_tree(count(table), 2).value();
  const Repaired repaired = repair(tree, count(without_rows(table, {0}))).value();
  CHECK(repaired.collapsed == 1);
  std::vector<std::string> labels;
  for (const Cohort& cohort : cohorts(repaired.tree)) labels.push_back(cohort.label);
  CHECK(labels == std::vector<std::string>{"D111", "D112", "D12", "D2"});
  CHECK(shown(repaired.tree, table.rows[8]) == std::vector<Text>(3, std::nullopt));
}

TEST_CASE("a split whose side fell below k takes everything under it along") {
  const Table table = worked_example();
  const DisclosureTree tree = build_tree(count(table), 2).value();
  // Only Ohio is left: the root's split has an empty side.
  const Repaired repaired = repair(tree, count(without_rows(table, {0, 1, 8, 9, 10}))).value();
  CHECK(repaired.tree.nodes.size() == 1);
  CHECK(repaired.collapsed == 4);
}

TEST_CASE("repair refuses when the table itself has fewer than k units") {
  const Table table = worked_example();
  const DisclosureTree tree = build_tree(count(table), 2).value();
  const auto result = repair(tree, count(without_rows(table, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
  REQUIRE(!result);
  CHECK(result.error().kind == ErrorKind::policy);
}

TEST_CASE("repair on the data that built the tree changes nothing") {
  const Counts counts = count(worked_example());
  const DisclosureTree tree = build_tree(counts, 2).value();
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
      CHECK(repaired->collapsed == (tree->nodes.size() - repaired->tree.nodes.size()) / 2);
      for (const auto& [visible, rows] : naive_classes(repaired->tree, later))
        CHECK(units_in(later, rows) >= tree->k);
      for (const Cohort& cohort : cohorts(repaired->tree)) CHECK(cohort.units >= tree->k);
      for (const Row& row : later.rows) {
        const auto before = shown(*tree, row);
        const auto after = shown(repaired->tree, row);
        for (std::size_t a = 0; a < before.size(); ++a) CHECK((!after[a] || before[a] == after[a]));
      }
    }
  }
  CHECK(repaired_count > 50);
}

}  // namespace pgveil::policy::testing

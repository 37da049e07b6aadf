// mode: refine: splits only where both sides keep the constraints.
#include <doctest/doctest.h>

#include <algorithm>

#include "naive.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

const std::vector<std::vector<ConstraintModel>> kRules = {{DistinctL{2}},
                                                          {DistinctL{3}},
                                                          {EntropyL{1.5}},
                                                          {EntropyL{2}},
                                                          {RecursiveL{2, 2}},
                                                          {RecursiveL{1.5, 2}},
                                                          {TCloseness{0.3}},
                                                          {TCloseness{0.25, Distance::ordered}},
                                                          {DistinctL{2}, EntropyL{1.7}, TCloseness{0.5}}};

SideRules on_first(const std::vector<ConstraintModel>& models) {
  SideRules rules;
  for (const auto& model : models) rules.push_back({0, model});
  return rules;
}

bool keeps_all(const Table& table, const std::vector<const Row*>& rows,
               const std::vector<ConstraintModel>& models) {
  return std::ranges::all_of(models, [&](const auto& model) { return naive_keeps(table, rows, model); });
}

std::vector<const Row*> rows_of(const Table& table) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) rows.push_back(&row);
  return rows;
}

Table changed(const Table& table, std::mt19937_64& random) {
  Table later = table;
  std::erase_if(later.rows, [&](const Row&) { return random() % 5 == 0; });
  for (Row& row : later.rows) {
    if (row.sensitive && random() % 5 == 0) row.sensitive = "s" + std::to_string(random() % 3);
  }
  return later;
}

}  // namespace

TEST_CASE("the split that the design warns of is refused, and that tells") {
  // OH {HIV, HIV}, MA {flu, cold, gout, ache}, k = l = 2.
  Table table{{"state"}, false, {}};
  table.has_sensitive = true;
  for (const char* disease : {"HIV", "HIV"}) table.rows.push_back({{"OH"}, {}, disease});
  for (const char* disease : {"flu", "cold", "gout", "ache"}) table.rows.push_back({{"MA"}, {}, disease});
  CHECK(build_tree(count(table), 2, kGreedy).value().nodes.size() == 3);
  CHECK(build_tree(count(table), 2, kGreedy, {}, on_first({DistinctL{2}})).value().nodes.size() == 1);
}

TEST_CASE("a split that a constraint forbids is passed over, and its turn may come later") {
  // a (4 rows, all x) is more frequent than b (4 rows): but its own side has one value. b may be split off.
  Table table{{"city"}, false, {}};
  table.has_sensitive = true;
  for (const char* disease : {"x", "x", "x", "x", "x"}) table.rows.push_back({{"a"}, {}, disease});
  for (const char* disease : {"x", "y", "x", "y"}) table.rows.push_back({{"b"}, {}, disease});
  for (const char* disease : {"x", "y", "z"}) table.rows.push_back({{"c"}, {}, disease});
  const auto tree = build_tree(count(table), 2, kGreedy, {}, on_first({DistinctL{2}})).value();
  REQUIRE(tree.nodes[0].split);
  CHECK(tree.nodes[0].split->value == "b");
  // Closeness to the table (2 x : 1 y): first c alone is near enough, then what is left of it.
  Table later{{"city"}, false, {}};
  later.has_sensitive = true;
  for (const char* disease : {"x", "x", "x", "x", "y"}) later.rows.push_back({{"a"}, {}, disease});
  for (const char* disease : {"x", "x", "y", "y"}) later.rows.push_back({{"b"}, {}, disease});
  for (const char* disease : {"x", "x", "y"}) later.rows.push_back({{"c"}, {}, disease});
  for (const double t : {0.05, 0.1, 0.15, 0.2, 0.3}) {
    CAPTURE(t);
    CHECK(build_tree(count(later), 2, kGreedy, {}, on_first({TCloseness{t}})).value() ==
          naive_tree(later, 2, Strategy::greedy, {TCloseness{t}}));
  }
}

TEST_CASE("a table that breaks a constraint as a whole is refused with what was found") {
  Table table = {{"city"}, false, {{{"a"}, {}, "x"}, {{"a"}, {}, "x"}, {{"b"}, {}, "y"}}};
  table.has_sensitive = true;
  const auto tree = build_tree(count(table), 2, kGreedy, {}, on_first({EntropyL{2}}));
  REQUIRE(!tree);
  CHECK(tree.error().kind == ErrorKind::policy);
  CHECK(tree.error().public_message == "the table as a whole violates a constraint of column \"sensitive\"");
  CHECK(tree.error().hint == "required: an entropy of at least log 2; found: log 1.890");
}

TEST_CASE("refined trees are those of a builder row by row, and every class keeps the constraints") {
  int with_splits = 0;
  int changed_by_rules = 0;
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(21);
    for (int i = 0; i < 120; ++i) {
      CAPTURE(i);
      const Table table =
          random_table(random, {.has_units = has_units, .sensitive_values = 2 + random() % 3});
      const std::uint64_t k = 2 + random() % 2;
      for (const auto& models : kRules) {
        const auto tree = build_tree(count(table, random()), k, kGreedy, {}, on_first(models));
        const bool is_fine = units_in(table, rows_of(table)) >= k && keeps_all(table, rows_of(table), models);
        CHECK(tree.has_value() == is_fine);
        if (!tree) continue;
        CHECK(*tree == naive_tree(table, k, Strategy::greedy, models));
        CHECK(!find_flaw(*tree));
        for (const auto& [visible, rows] : naive_classes(*tree, table)) CHECK(keeps_all(table, rows, models));
        with_splits += tree->nodes.size() > 1 ? 1 : 0;
        changed_by_rules += *tree == build_tree(count(table), k, kGreedy).value() ? 0 : 1;
        const auto small = build_tree(count(table), k, {.strategy = Strategy::greedy, .max_cohorts = 2}, {},
                                      on_first(models))
                               .value();
        for (const auto& [visible, rows] : naive_classes(small, table)) CHECK(keeps_all(table, rows, models));
      }
    }
  }
  CHECK(with_splits > 200);
  CHECK(changed_by_rules > 200);
}

TEST_CASE("repair undoes splits until every class keeps the constraints again, or refuses") {
  int collapsed = 0;
  int refused = 0;
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(22);
    for (int i = 0; i < 150; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.has_units = has_units, .sensitive_values = 3});
      const Table later = changed(table, random);
      for (const auto& models : kRules) {
        const auto tree = build_tree(count(table), 2, kGreedy, {}, on_first(models));
        if (!tree) continue;
        CHECK(repair(*tree, count(table), on_first(models)).value().tree == *tree);
        const auto repaired = repair(*tree, count(later, random()), on_first(models));
        const bool is_fine = units_in(later, rows_of(later)) >= 2 && keeps_all(later, rows_of(later), models);
        CHECK(repaired.has_value() == is_fine);
        refused += repaired ? 0 : 1;
        if (!repaired) continue;
        collapsed += repaired->collapsed > 0 ? 1 : 0;
        CHECK(!find_flaw(repaired->tree));
        for (const auto& [visible, rows] : naive_classes(repaired->tree, later)) {
          CHECK(units_in(later, rows) >= 2);
          CHECK(keeps_all(later, rows, models));
        }
        // What stays is what held on both sides: a tree without rules loses no more than these.
        CHECK(repair(repaired->tree, count(later), on_first(models)).value().collapsed == 0);
      }
    }
  }
  CHECK(collapsed > 50);
  CHECK(refused > 20);
}

}  // namespace pgveil::policy::testing

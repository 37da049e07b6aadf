// Properties on random tables, against the naive implementation and against brute force.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "naive.hpp"
#include "policy/decision/decision.hpp"
#include "policy/decision/region_bitmaps.hpp"
#include "policy/decision/row_decision.hpp"
#include "policy/tree/tree.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// Calls check(table, k, tree) on seeded random tables that have at least k units, with trees of each
// strategy.
template <class Check>
void for_random_trees(std::uint64_t seed, int count_of_tables, RandomShape shape, Strategy strategy,
                      Check check) {
  std::mt19937_64 random(seed);
  int built = 0;
  for (int i = 0; i < count_of_tables; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, shape);
    const std::uint64_t k = 2 + random() % 3;
    const auto tree = build_tree(count(table, random()), k, {.strategy = strategy});
    std::vector<const Row*> all;
    for (const Row& row : table.rows) all.push_back(&row);
    REQUIRE(tree.has_value() == (units_in(table, all) >= k));
    if (!tree) continue;
    ++built;
    check(table, k, *tree);
  }
  CHECK(built > count_of_tables / 4);  // the property was really tried
}

template <class Check>
void for_random_tables(std::uint64_t seed, int count_of_tables, RandomShape shape, Check check) {
  for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
    CAPTURE(static_cast<int>(strategy));
    int falling = 0;
    for_random_trees(seed, count_of_tables, shape, strategy,
                     [&](const Table& table, std::uint64_t k, const auto& tree) {
                       falling += std::ranges::any_of(tree.nodes, &Node::falls_back) ? 1 : 0;
                       check(table, k, tree);
                     });
    CHECK((falling > 20) == (strategy == Strategy::thorough));
  }
}

// Every combination of the values that occur, one that does not, and NULL, per attribute.
std::vector<Row> all_combinations(const Table& table) {
  std::vector<Row> combinations = {{}};
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    std::set<Text> values = {std::nullopt, "unseen"};
    for (const Row& row : table.rows) values.insert(row.values[a]);
    std::vector<Row> longer;
    for (const Row& row : combinations) {
      for (const Text& value : values) {
        longer.push_back(row);
        longer.back().values.push_back(value);
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

Strategy strategy_of(const DisclosureTree& tree) {
  return std::ranges::any_of(tree.nodes, &Node::falls_back) ? Strategy::thorough : Strategy::greedy;
}

}  // namespace

TEST_CASE("the tree is the naive one, with and without units") {
  for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
    CAPTURE(static_cast<int>(strategy));
    for (const bool has_units : {false, true}) {
      CAPTURE(has_units);
      const auto is_naive = [&](const Table& table, std::uint64_t k, const auto& tree) {
        CHECK(tree == naive_tree(table, k, strategy));
      };
      for_random_trees(11, 1500, {.has_units = has_units}, strategy, is_naive);
      for_random_trees(12, 150, {.max_rows = 200, .max_values = 20, .has_units = has_units}, strategy,
                       is_naive);
    }
  }
}

TEST_CASE("the same counts in any row order and any numbering of codes give the same tree") {
  for (const bool has_units : {false, true}) {
    for_random_tables(
        21, 300, {.has_units = has_units}, [](const Table& table, std::uint64_t k, const auto& tree) {
          for (std::uint64_t seed = 1; seed < 5; ++seed)
            CHECK(build_tree(count(table, seed), k, {.strategy = strategy_of(tree)}).value() == tree);
        });
  }
}

TEST_CASE("the cohorts divide the rows, look all different, and each has at least k units") {
  for (const bool has_units : {false, true}) {
    for_random_tables(31, 500, {.has_units = has_units},
                      [](const Table& table, std::uint64_t k, const auto& tree) {
                        CHECK(!find_flaw(tree));
                        const auto classes = naive_classes(tree, table);
                        const auto counted = recount_cohorts(tree, count(table));
                        std::uint64_t total = 0;
                        const auto all = cohorts(tree);
                        for (const Cohort& cohort : all) {
                          const auto& rows = classes.at(tuple_of(tree, cohort));
                          CHECK(cohort.rows == rows.size());
                          CHECK(cohort.units >= k);
                          CHECK(cohort.units <= units_in(table, rows));
                          CHECK(counted[cohort.leaf].rows == rows.size());
                          CHECK(counted[cohort.leaf].units == units_in(table, rows));
                          total += cohort.rows;
                        }
                        CHECK(classes.size() == all.size());
                        CHECK(total == table.rows.size());
                      });
  }
}

TEST_CASE("every visible tuple belongs to at least k units, on all tables of up to 8 rows tried") {
  for (const bool has_units : {false, true}) {
    for_random_tables(41, 4000, {.max_rows = 8, .max_attributes = 3, .has_units = has_units},
                      [](const Table& table, std::uint64_t k, const auto& tree) {
                        for (const auto& [visible, rows] : naive_classes(tree, table)) {
                          CHECK(units_in(table, rows) >= k);
                        }
                      });
  }
}

TEST_CASE("a row that comes later joins a cohort, whatever it is") {
  for_random_tables(45, 500, {}, [](const Table& table, std::uint64_t, const auto& tree) {
    const auto classes = naive_classes(tree, table);
    for (const Row& row : all_combinations(table)) CHECK(classes.contains(shown(tree, row)));
  });
}

TEST_CASE("a NULL is never released and an unseen value shows nothing of itself") {
  for_random_tables(51, 500, {}, [](const Table& table, std::uint64_t, const auto& tree) {
    for (const Row& row : all_combinations(table)) {
      const auto visible = shown(tree, row);
      for (std::size_t a = 0; a < visible.size(); ++a) {
        if (!row.values[a] || row.values[a] == "unseen") CHECK(!visible[a]);
      }
    }
    for (const Node& node : tree.nodes) {
      if (node.split) CHECK(node.split->value.starts_with("v"));
    }
  });
}

TEST_CASE("the sacrificial cohort is the last one and takes a row that is unseen everywhere") {
  for_random_tables(61, 200, {}, [](const Table& table, std::uint64_t, const auto& tree) {
    const Row unseen{std::vector<Text>(table.attributes.size(), "unseen")};
    const Cohort last = cohorts(tree).back();
    CHECK(leaf_of(tree, view(unseen)) == last.leaf);
    CHECK(last.disclosed.empty());
  });
}

TEST_CASE("labels and paths say how a row gets to its leaf") {
  for_random_tables(71, 200, {}, [](const Table& table, std::uint64_t, const auto& tree) {
    std::map<NodeIndex, Cohort> by_leaf;
    std::set<std::string> labels;
    for (const Cohort& cohort : cohorts(tree)) {
      by_leaf[cohort.leaf] = cohort;
      labels.insert(cohort.label);
    }
    const auto falling = static_cast<std::size_t>(std::ranges::count_if(tree.nodes, &Node::falls_back));
    CHECK(labels.size() + falling == (tree.nodes.size() + 1) / 2);
    for (const Row& row : table.rows) {
      const Cohort& cohort = by_leaf.at(leaf_of(tree, view(row)));
      CHECK(tuple_of(tree, cohort) == shown(tree, row));
      if (falling > 0) continue;  // it may have come another way
      std::string label = "D";
      for (const PathStep& step : cohort.path) {
        const bool has_value = row.values[step.attribute] == step.value;
        CHECK(has_value == step.has_value);
        label += has_value ? '1' : '2';
      }
      CHECK(label == cohort.label);
    }
  });
}

TEST_CASE("progress ends at 1 and never falls") {
  std::mt19937_64 random(81);
  const Table table = random_table(random, {.max_rows = 4000, .max_values = 30});
  std::vector<double> shares;
  REQUIRE(build_tree(count(table), 2, kGreedy, [&](double share) { shares.push_back(share); }).has_value());
  REQUIRE(!shares.empty());
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == 1.0);
}

TEST_CASE("decisions equal the tree on every combination, unseen values and NULL included") {
  for (const bool has_units : {false, true}) {
    for_random_tables(91, 600, {.has_units = has_units},
                      [](const Table& table, std::uint64_t, const auto& tree) {
                        const auto decisions = compile_decisions(tree);
                        const auto for_row = compile_row_decision(tree);
                        const auto bitmaps = region_bitmaps(for_row, std::size_t{1} << 20);
                        REQUIRE(decisions.size() == tree.attributes.size());
                        for (const Row& row : all_combinations(table)) {
                          const auto visible = shown(tree, row);
                          const auto bits = released_attributes(for_row, view(row));
                          CHECK((bitmaps ? released_attributes(*bitmaps, view(row)) : 0) == bits);
                          for (std::size_t a = 0; a < decisions.size(); ++a) {
                            CHECK(is_released(decisions[a], view(row)) == visible[a].has_value());
                            CHECK((bits >> a & 1) == (visible[a].has_value() ? 1U : 0U));
                          }
                          CHECK((bits >> decisions.size()) == 0);
                        }
                      });
  }
}

}  // namespace pgveil::policy::testing

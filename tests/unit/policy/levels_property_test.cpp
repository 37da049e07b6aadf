// Properties of trees with levels, on random tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "naive.hpp"
#include "policy/builder/prune.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/decision/decision.hpp"
#include "policy/decision/row_decision.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/tree_check.hpp"
#include "policy/version/version.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// check(table, k, tree, strategy)
template <class Check>
void for_leveled_trees(std::uint64_t seed, int tables, RandomShape shape, Check check) {
  for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
    std::mt19937_64 random(seed);
    int leveled = 0;
    for (int i = 0; i < tables; ++i) {
      CAPTURE(i);
      shape.has_units = i % 3 == 0;
      const Table table = random_leveled_table(random, shape);
      const std::uint64_t k = 2 + random() % 3;
      const auto tree = build_tree(count(table, random()), k, {.strategy = strategy});
      if (!tree) continue;
      leveled += std::ranges::any_of(tree->nodes, [&](const Node& node) {
        return node.split && table.level_of(node.split->attribute) != nullptr;
      });
      check(table, k, *tree, strategy);
    }
    CHECK(leveled > tables / 8);
  }
}

// Rows of the table with one exact value changed, to another number, to an unseen value, or to NULL.
std::vector<Row> near_rows(const Table& table) {
  std::vector<Row> rows = table.rows;
  for (const Row& row : table.rows) {
    for (std::size_t a = 0; a < row.values.size(); ++a) {
      if (table.level_of(a) != nullptr) continue;
      for (const Text& other : {Text{"5"}, Text{"-3"}, Text{"unseen"}, Text{}}) {
        rows.push_back(row);
        rows.back().values[a] = other;
        fill_levels(table, rows.back());
      }
    }
  }
  return rows;
}

Counts without_levels(Counts counts) {
  Counts exact;
  exact.rows = counts.rows;
  exact.units = counts.units;
  for (std::size_t a = 0; a < counts.attributes.size(); ++a) {
    if (counts.attributes[a].level) continue;
    exact.attributes.push_back(counts.attributes[a]);
    exact.codes.push_back(counts.codes[a]);
  }
  return exact;
}

}  // namespace

TEST_CASE("a tree with levels is the naive one, whole, and discloses what the naive count says") {
  for_leveled_trees(301, 400, {.max_rows = 40, .max_attributes = 2},
                    [](const Table& table, std::uint64_t k, const auto& tree, Strategy strategy) {
                      CHECK(tree == naive_tree(table, k, strategy));
                      const auto flaw = find_flaw(tree);
                      CHECK_MESSAGE(!flaw, flaw.value_or(""));
                      CHECK(measure(tree, count(table)) == naive_disclosure(tree, table));
                    });
}

TEST_CASE("every visible tuple of rows with levels belongs to at least k units, and to one cohort") {
  for_leveled_trees(302, 600, {.max_rows = 24, .max_attributes = 2},
                    [](const Table& table, std::uint64_t k, const auto& tree, Strategy) {
                      const auto classes = naive_classes(tree, table);
                      std::set<std::vector<Text>> tuples;
                      for (const auto& [visible, rows] : classes) {
                        CHECK(units_in(table, rows) >= k);
                        tuples.insert(visible);
                      }
                      for (const Cohort& cohort : cohorts(tree)) {
                        CHECK(tuples.erase(tuple_of(tree, cohort)) == 1);
                        CHECK(tuple_of(tree, cohort) == shown_by(tree, cohort.path));
                      }
                      CHECK(tuples.empty());
                      for (const Row& row : near_rows(table)) CHECK(classes.contains(shown(tree, row)));
                    });
}

TEST_CASE("decisions over levels equal the tree and show the level of the row") {
  for_leveled_trees(
      303, 400, {.max_rows = 40, .max_attributes = 2},
      [](const Table& table, std::uint64_t, const auto& tree, Strategy) {
        const auto decisions = compile_decisions(tree);
        const auto for_row = compile_row_decision(tree);
        for (const Row& row : near_rows(table)) {
          const auto visible = shown(tree, row);
          const auto bits = released_attributes(for_row, view(row));
          for (std::size_t a = 0; a < decisions.size(); ++a) {
            CHECK(is_released(decisions[a], view(row)) == visible[a].has_value());
            CHECK(((bits >> a & 1) == 1 && row.values[a].has_value()) == visible[a].has_value());
            if (visible[a] && table.level_of(a) != nullptr)
              CHECK(shown_constant(decisions[a], view(row)) == *visible[a]);
          }
        }
      });
}

TEST_CASE("levels take no exact value away: the paper's tree shows the same ones without them") {
  for_leveled_trees(304, 400, {.max_rows = 60, .max_attributes = 2},
                    [](const Table& table, std::uint64_t k, const auto& tree, Strategy strategy) {
                      if (strategy != Strategy::greedy) return;
                      const Counts exact = without_levels(count(table));
                      const auto bare = build_tree(exact, k, kGreedy).value();
                      for (const Row& row : table.rows) {
                        Row plain;
                        for (std::size_t a = 0; a < row.values.size(); ++a) {
                          if (table.level_of(a) == nullptr) plain.values.push_back(row.values[a]);
                        }
                        std::vector<Text> kept;
                        const auto visible = shown(tree, row);
                        for (std::size_t a = 0; a < row.values.size(); ++a) {
                          if (table.level_of(a) == nullptr) kept.push_back(visible[a]);
                        }
                        CHECK(kept == shown(bare, plain));
                      }
                    });
}

TEST_CASE("levels are computed of exact values wherever these are counted") {
  for_leveled_trees(305, 100, {.max_rows = 40, .max_attributes = 2},
                    [](const Table& table, std::uint64_t k, const auto& tree, Strategy strategy) {
                      const Counts counts = count(table);
                      const Counts again = with_attributes(without_levels(counts), tree.attributes);
                      CHECK(has_sources(without_levels(counts), tree.attributes));
                      CHECK(build_tree(again, k, {.strategy = strategy}).value() == tree);
                      Counts missing = without_levels(counts);
                      std::erase_if(missing.attributes, [](const Attribute& a) { return a.name == "n0"; });
                      CHECK(!has_sources(missing, tree.attributes));
                    });
}

TEST_CASE("repaired and pruned trees with levels keep k and have no flaw") {
  std::mt19937_64 random(306);
  for_leveled_trees(306, 300, {.max_rows = 40, .max_attributes = 2},
                    [&](const Table& table, std::uint64_t k, const auto& tree, Strategy) {
                      const auto pruned = prune(tree, 1 + random() % 6);
                      REQUIRE(pruned.has_value());
                      CHECK(!find_flaw(*pruned));
                      for (const auto& [visible, rows] : naive_classes(*pruned, table))
                        CHECK(units_in(table, rows) >= k);
                      Table fewer = table;
                      std::erase_if(fewer.rows, [&](const Row&) { return random() % 4 == 0; });
                      const auto repaired = repair(tree, count(fewer));
                      if (!repaired) return;
                      CHECK(!find_flaw(repaired->tree));
                      for (const auto& [visible, rows] : naive_classes(repaired->tree, fewer))
                        CHECK(units_in(fewer, rows) >= k);
                    });
}

TEST_CASE("versions keep levels") {
  for_leveled_trees(307, 30, {.max_rows = 40, .max_attributes = 2},
                    [](const Table& table, std::uint64_t, const auto& tree, Strategy) {
                      PolicyVersion version{"p",   1,  "hash", {1, 2, "s", "t", {}},
                                            {},    {}, tree,   measure(tree, count(table)),
                                            "now", {}};
                      for (const TreeAttribute& a : tree.attributes)
                        version.shape.columns.push_back({a.number, a.name, 25, -1, 100});
                      const auto read = version_from_json(to_json(version), "v.json");
                      REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
                      CHECK(*read == version);
                    });
}

TEST_CASE("every kind of broken level is found") {
  std::mt19937_64 random(308);
  const Table table = random_leveled_table(random, {.max_rows = 400, .max_attributes = 1, .max_values = 3});
  REQUIRE(table.rows.size() > 60);
  const DisclosureTree tree = build_tree(count(table), 3, kGreedy).value();
  REQUIRE(!find_flaw(tree));
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(table.attributes, name) - table.attributes.begin());
  };
  const auto broken = [&](const std::function<void(DisclosureTree&)>& breaking) {
    DisclosureTree changed = tree;
    breaking(changed);
    return find_flaw(changed).value_or("none");
  };
  const auto level = [&](DisclosureTree& t, std::string_view name) -> Level& {
    return *t.attributes[at(name)].level;
  };
  CHECK(broken([&](auto& t) { level(t, "n0_2").step = 0; }) == "a level without step");
  CHECK(broken([&](auto& t) { level(t, "n0_2").step = 2; }) == "two levels in one place");
  CHECK(broken([&](auto& t) { level(t, "n0_2").step = 3; }) == "levels that are not nested");
  CHECK(broken([&](auto& t) {
          level(t, "n0_2").method = Bins{4 * kScale, 0};
        }) == "levels that are not nested");
  CHECK(broken([&](auto& t) { level(t, "n1_b").source_number = 99; }) == "a level without its source");
  CHECK(broken([&](auto& t) { level(t, "n1_b").source = "n0"; }) == "a level without its source");
  CHECK(broken([&](auto& t) { level(t, "n1_b").source_number = t.attributes[at("n0_2")].number; }) ==
        "a level without its source");
  CHECK(broken([&](auto& t) { t.attributes[at("n0")].level = level(t, "n1_b"); }) != "none");
  CHECK(broken([&](auto& t) {
          auto& own = t.attributes[at("n0")];
          own.level = Level{"n0", own.number, 1, LevelShows::start, Bins{}};
        }) != "none");
  CHECK(broken([&](auto& t) {
          auto& own = t.attributes[at("a0")];
          own.level = Level{"n0", own.number, 1, LevelShows::start, Bins{}};
        }) == "a level of a column of two names");
  CHECK(broken([&](auto& t) {
          const auto leveled = std::ranges::find_if(t.nodes, [&](const Node& node) {
            return node.split && t.attributes[node.split->attribute].level;
          });
          REQUIRE(leveled != t.nodes.end());
          leveled->split->value = "[0,3)";
        }).find("no value of its level") != std::string::npos);
}

}  // namespace pgveil::policy::testing

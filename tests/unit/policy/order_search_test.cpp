// The order that is found for a workload.
#include "policy/builder/order_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "naive.hpp"
#include "policy/builder/leaf_growth.hpp"
#include "policy/release/lineage.hpp"
#include "policy/tree/tree_check.hpp"
#include "policy/utility/answer_error.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

std::vector<Question> random_workload(std::mt19937_64& random, const Table& table) {
  std::vector<Question> workload;
  for (std::size_t q = 0; q <= random() % 3; ++q) {
    std::vector<std::string> columns = table.attributes;
    std::shuffle(columns.begin(), columns.end(), random);
    columns.resize(1 + random() % std::min<std::size_t>(2, columns.size()));
    workload.push_back({columns, 1 + random() % 4});
  }
  return workload;
}

std::vector<std::vector<std::uint32_t>> questions_of(const Table& table, const Growth& growth) {
  std::vector<std::vector<std::uint32_t>> questions;
  for (const Question& question : growth.workload) {
    questions.emplace_back();
    for (const std::string& column : question.columns) {
      const auto at = std::ranges::find(table.attributes, column) - table.attributes.begin();
      questions.back().push_back(static_cast<std::uint32_t>(at));
    }
  }
  return questions;
}

// What the search makes as small as it can.
double cost_of(const Table& table, const DisclosureTree& tree, const Growth& growth) {
  const auto errors = answer_errors(tree, count(table), questions_of(table, growth));
  double sum = 0;
  double weights = 0;
  for (std::size_t q = 0; q < errors.size(); ++q) {
    sum += static_cast<double>(growth.workload[q].weight * errors[q].mean_error_ppm);
    weights += static_cast<double>(growth.workload[q].weight);
  }
  const Disclosure disclosure = measure(tree, count(table));
  return 16 * sum / weights + 1e6 * static_cast<double>(disclosure.cells - disclosure.disclosed) /
                                  static_cast<double>(disclosure.cells);
}

// 40 towns of falling size, and two columns that eat up the crowd.
Table clinic() {
  std::mt19937_64 random(5);
  Table table{{"sex", "town", "nationality"}, false, {}};
  for (int town = 1; town <= 40; ++town) {
    for (int i = 0; i < 200 / town + 6; ++i) {
      table.rows.push_back({{random() % 2 == 0 ? "f" : "m", "t" + std::to_string(town),
                             "n" + std::to_string(std::min(random() % 9, random() % 9))}});
    }
  }
  return table;
}

}  // namespace

TEST_CASE("a tree for a workload is the naive one of its turns, and no worse than with the columns first") {
  std::mt19937_64 random(731);
  int better = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const RandomShape shape{.max_rows = 60, .max_attributes = 2, .max_values = 5, .has_units = i % 3 == 0};
    const Table table = i % 2 == 0 ? random_leveled_table(random, shape) : random_table(random, shape);
    const std::uint64_t k = 2 + random() % 3;
    Growth growth{.strategy = i % 5 == 0 ? Strategy::greedy : Strategy::thorough};
    growth.workload = random_workload(random, table);
    const auto tree = build_tree(count(table, random()), k, growth);
    if (!tree) continue;
    REQUIRE(tree->turns.size() == table.attributes.size());
    CHECK(*tree == naive_tree(table, k, growth, tree->turns));
    CHECK(!find_flaw(*tree));
    for (const auto& [visible, rows] : naive_classes(*tree, table)) CHECK(units_in(table, rows) >= k);
    CHECK(*tree == build_tree(count(table, random()), k, growth).value());  // order and codes don't matter
    Growth plain = growth;
    plain.workload.clear();
    const double found = cost_of(table, *tree, growth);
    better += found < cost_of(table, build_tree(count(table), k, plain).value(), growth) - 1000 ? 1 : 0;
  }
  CHECK(better > 10);
}

TEST_CASE("small towns are right when they are asked for, and the answer says how wrong they were") {
  const Table table = clinic();
  const std::vector<std::vector<std::uint32_t>> town = {{1}};
  const auto plain = build_tree(count(table), 5, {}).value();
  CHECK(answer_errors(plain, count(table), town)[0].mean_error_ppm > 200'000);
  Growth growth;
  growth.workload = {{{"town"}}};
  const auto tree = build_tree(count(table), 5, growth).value();
  const AnswerError error = answer_errors(tree, count(table), town)[0];
  CHECK(error.mean_error_ppm <= 10'000);
  CHECK(error.groups_shown == 40);
  CHECK(error.top_kept == 10);
}

TEST_CASE("a lineage keeps its turns over repairs and rebuilds, and splits new values by them") {
  std::mt19937_64 random(732);
  int grown = 0;
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    Table table = random_table(random, {.max_rows = 60, .max_attributes = 3, .has_units = i % 3 == 0});
    Growth growth;
    growth.workload = random_workload(random, table);
    const auto first = build_tree(count(table), 2, growth);
    if (!first) continue;
    const Lineage lineage = continued(nullptr, 1, *first, count(table));
    const std::size_t before = table.rows.size();
    for (int r = 0; r < 12; ++r) {
      Row row = table.rows[random() % before];
      row.values[random() % row.values.size()] = "new";
      row.unit = "n" + std::to_string(r);
      table.rows.push_back(row);
    }
    const auto repaired = repair(*first, count(table)).value();
    CHECK(repaired.tree.turns == first->turns);
    const auto again = rebuild(*first, lineage, count(table), growth).value();
    CHECK(again.tree.turns == first->turns);
    CHECK(!find_flaw(again.tree));
    grown += again.grown > 0 ? 1 : 0;
    for (const auto& [visible, rows] : naive_classes(again.tree, table)) CHECK(units_in(table, rows) >= 2);
  }
  CHECK(grown > 10);
}

TEST_CASE("an order is found within the limit of tries, and progress is told") {
  const Table table = clinic();
  const Counts counts = count(table);
  const CountsView view(counts);
  Growth growth;
  growth.workload = {{{"town"}}, {{"nationality", "sex"}, 3}};
  double last = 0;
  const auto turns = find_turns(view, 5, growth, [&](double share) {
    CHECK(share > last);
    last = share;
  });
  REQUIRE(turns.has_value());
  CHECK(last > 0);
  CHECK(last <= 1);
}

TEST_CASE("a table below k has no order, but the refusal of every build") {
  const Table table{{"a"}, false, {{{"x"}}}};
  Growth growth;
  growth.workload = {{{"a"}}};
  const auto tree = build_tree(count(table), 2, growth);
  REQUIRE(!tree);
  CHECK(tree.error().kind == ErrorKind::policy);
}

}  // namespace pgveil::policy::testing

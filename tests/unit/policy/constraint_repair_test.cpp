// mode: hide: cohorts that break a constraint are joined with others, and the build goes on.
#include "policy/builder/constraint_repair.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "naive.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

ConstrainedColumn hiding_column(const Table& table, std::vector<ConstraintModel> models, std::uint64_t seed) {
  ColumnRule rule{"sensitive", ColumnClass::sensitive, {}, {}};
  for (auto& model : models) rule.constraints.push_back({model, ConstraintMode::hide});
  return {std::move(rule), count(table, seed)};
}

void add(Table& table, const char* city, const char* job, const char* disease, int times) {
  for (int i = 0; i < times; ++i) table.rows.push_back({{city, job}, {}, disease});
}

// Each class of the later tree is made of whole classes of the earlier one.
bool is_union_of_classes(const DisclosureTree& earlier, const DisclosureTree& later, const Table& table) {
  std::map<std::vector<Text>, std::set<std::vector<Text>>> after;
  for (const Row& row : table.rows) after[shown(earlier, row)].insert(shown(later, row));
  return std::ranges::all_of(after, [](const auto& entry) { return entry.second.size() == 1; });
}

const std::vector<ConstraintModel> kHidingModels = {DistinctL{2}, EntropyL{1.6}, RecursiveL{1.5, 2},
                                                    TCloseness{0.3}};

}  // namespace

TEST_CASE("a cohort of one disease gives its city up, and the others keep theirs") {
  Table table{{"city", "job"}, false, {}};
  table.has_sensitive = true;
  for (const char* disease : {"flu", "gout"}) {
    add(table, "Ulm", "cook", disease, 4);
    add(table, "Bonn", "cook", disease, 2);
    add(table, "Kiel", "cook", disease, 1);
    add(table, "Trier", "smith", disease, 1);
  }
  add(table, "Hof", "cook", "flu", 3);
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  const std::vector<ConstrainedColumn> columns = {hiding_column(table, {DistinctL{2}}, 0)};
  REQUIRE(!find_breaches(tree, columns[0]).empty());
  const HiddenBreaches hidden = with_breaches_hidden(tree, columns);
  CHECK(find_breaches(hidden.tree, columns[0]).empty());
  CHECK(hidden.joined >= 1);
  CHECK(find_flaw(hidden.tree) == std::nullopt);
  CHECK(shown(hidden.tree, {{"Ulm", "cook"}})[0] == Text("Ulm"));
  CHECK(shown(hidden.tree, {{"Bonn", "cook"}})[0] == Text("Bonn"));
  CHECK(!shown(hidden.tree, {{"Hof", "cook"}})[0]);
}

TEST_CASE("a tree that keeps its constraints stays, and other modes are not looked at") {
  Table table{{"city", "job"}, false, {}};
  table.has_sensitive = true;
  add(table, "Ulm", "cook", "flu", 3);
  add(table, "Bonn", "cook", "gout", 3);
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  std::vector<ConstrainedColumn> columns = {hiding_column(table, {DistinctL{1}}, 0)};
  CHECK(with_breaches_hidden(tree, columns).tree == tree);
  columns = {hiding_column(table, {DistinctL{2}}, 0)};
  CHECK(with_breaches_hidden(tree, columns).tree.nodes.size() < tree.nodes.size());
  columns[0].rule.constraints[0].mode = ConstraintMode::verify;
  CHECK(with_breaches_hidden(tree, columns).tree == tree);
}

TEST_CASE("a table that breaks a constraint as a whole ends as one cohort, which the check refuses") {
  Table table{{"city", "job"}, false, {}};
  table.has_sensitive = true;
  add(table, "Ulm", "cook", "flu", 3);
  add(table, "Bonn", "smith", "flu", 3);
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  const std::vector<ConstrainedColumn> columns = {hiding_column(table, {DistinctL{2}}, 0)};
  const HiddenBreaches hidden = with_breaches_hidden(tree, columns);
  CHECK(cohorts(hidden.tree).size() == 1);
  PolicySpec spec;
  spec.name = "p";
  spec.columns = {columns[0].rule};
  const auto checked = check_constraints(spec, hidden.tree, columns);
  REQUIRE(!checked);
  CHECK(checked.error().hint.find("the whole table: ") == 0);
}

TEST_CASE("every class keeps the constraints or is the whole table, and classes are unions of earlier ones") {
  int changed = 0;
  int kept = 0;
  for (const bool has_units : {false, true}) {
    for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
      std::mt19937_64 random(17);
      for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        const Table table =
            random_table(random, {.has_units = has_units, .sensitive_values = 2 + random() % 4});
        const auto tree = build_tree(count(table), 2, {.strategy = strategy});
        if (!tree) continue;
        for (const ConstraintModel& model : kHidingModels) {
          const std::vector<ConstrainedColumn> columns = {hiding_column(table, {model}, random())};
          const HiddenBreaches hidden = with_breaches_hidden(*tree, columns);
          const std::vector<ConstrainedColumn> shuffled = {hiding_column(table, {model}, random())};
          CHECK(with_breaches_hidden(*tree, shuffled).tree == hidden.tree);
          CHECK(find_flaw(hidden.tree) == std::nullopt);
          CHECK(is_union_of_classes(*tree, hidden.tree, table));
          const bool is_whole = cohorts(hidden.tree).size() == 1;
          for (const auto& [visible, rows] : naive_classes(hidden.tree, table)) {
            CHECK((is_whole || naive_keeps(table, rows, model)));
            CHECK(units_in(table, rows) >= 2);
          }
          (hidden.tree == *tree ? kept : changed) += 1;
        }
      }
    }
  }
  CHECK(changed > 300);
  CHECK(kept > 300);
}

TEST_CASE("a rebuild keeps joined cohorts together") {
  std::mt19937_64 random(5);
  int joined = 0;
  for (int i = 0; i < 200; ++i) {
    const Table table = random_table(random, {.sensitive_values = 3});
    const auto tree = build_tree(count(table), 2, {});
    if (!tree) continue;
    const std::vector<ConstrainedColumn> columns = {hiding_column(table, {DistinctL{2}}, 0)};
    const HiddenBreaches hidden = with_breaches_hidden(*tree, columns);
    PolicySpec spec;
    spec.name = "p";
    spec.columns = {columns[0].rule};
    if (!check_constraints(spec, hidden.tree, columns)) continue;
    const auto again = repair_within_constraints(spec, hidden.tree, count(table), columns);
    REQUIRE(again.has_value());
    CHECK(again->collapsed == 0);
    for (const Row& row : table.rows) CHECK(shown(again->tree, row) == shown(hidden.tree, row));
    joined += hidden.joined > 0 ? 1 : 0;
  }
  CHECK(joined > 20);
}

}  // namespace pgveil::policy::testing

// Trees held against constraints, verify: by a count of their own.
#include <doctest/doctest.h>

#include "naive.hpp"
#include "policy/builder/constraint_repair.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// The example of the design: who has what in two states, k = 2.
Table two_states() {
  Table table{{"state"}, false, {}};
  table.has_sensitive = true;
  for (const char* disease : {"HIV", "HIV"}) table.rows.push_back({{"OH"}, {}, disease});
  for (const char* disease : {"flu", "cold", "gout", "ache"}) table.rows.push_back({{"MA"}, {}, disease});
  return table;
}

ColumnRule rule_of(std::vector<Constraint> constraints) {
  return {"sensitive", ColumnClass::sensitive, std::move(constraints), {}};
}

PolicySpec policy_of(std::vector<Constraint> constraints, std::uint64_t k = 2) {
  PolicySpec spec;
  spec.name = "p";
  spec.k = k;
  spec.columns = {{"state", ColumnClass::quasi_identifier, {}, {}}, rule_of(std::move(constraints))};
  return spec;
}

const std::vector<ConstraintModel> kModels = {DistinctL{2},
                                              DistinctL{3},
                                              EntropyL{1.5},
                                              EntropyL{2.5},
                                              RecursiveL{2, 2},
                                              RecursiveL{1.5, 3},
                                              TCloseness{0.15},
                                              TCloseness{0.4},
                                              TCloseness{0.15, Distance::ordered},
                                              TCloseness{0.4, Distance::ordered}};

}  // namespace

TEST_CASE("a cohort of one disease breaks diversity, and the message for readers has no number") {
  const Table table = two_states();
  const Counts counts = count(table);
  const auto tree = build_tree(counts, 2, kGreedy).value();
  REQUIRE(cohorts(tree).size() == 2);
  const PolicySpec spec = policy_of({{DistinctL{2}, ConstraintMode::verify}});
  const std::vector<ConstrainedColumn> columns = {{spec.columns[1], counts}};
  const auto checked = check_constraints(spec, tree, columns);
  REQUIRE(!checked);
  CHECK(checked.error().kind == ErrorKind::policy);
  CHECK(checked.error().public_message ==
        "policy p: some cohorts violate the constraints of column \"sensitive\"");
  CHECK(checked.error().hint == "D2: at least 2 distinct values, found 1");
  CHECK(k_that_would_do(spec, counts, columns) == 4);
  CHECK(check_constraints(spec, build_tree(counts, 4, kGreedy).value(), columns).has_value());
}

TEST_CASE("the table as a whole is held against the constraints too") {
  Table table = two_states();
  for (Row& row : table.rows) row.sensitive = "flu";
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  const auto breaches = find_breaches(tree, {rule_of({{EntropyL{2}, ConstraintMode::verify}}), count(table)});
  REQUIRE(breaches.size() == 3);
  CHECK(breaches[0].label.empty());
  CHECK(breaches[0].found == "log 1.000");
  const PolicySpec spec = policy_of({{EntropyL{2}, ConstraintMode::verify}});
  const std::vector<ConstrainedColumn> columns = {{spec.columns[1], count(table)}};
  CHECK(!k_that_would_do(spec, count(table), columns));
  CHECK(check_constraints(spec, tree, columns).error().hint.find("the whole table: ") == 0);
}

TEST_CASE("at most ten breaches are listed") {
  Table table{{"city"}, false, {}};
  table.has_sensitive = true;
  for (int city = 0; city < 12; ++city) {
    for (int i = 0; i < 2; ++i)
      table.rows.push_back({{"c" + std::to_string(city)}, {}, "s" + std::to_string(city)});
  }
  const PolicySpec spec = policy_of({{DistinctL{2}, ConstraintMode::verify}});
  const auto checked = check_constraints(spec, build_tree(count(table), 2, kGreedy).value(),
                                         std::vector<ConstrainedColumn>{{spec.columns[1], count(table)}});
  REQUIRE(!checked);
  CHECK(checked.error().hint.ends_with("; and 2 more"));
}

TEST_CASE(
    "find_breaches finds the classes that a count row by row finds, in units and rows, all strategies") {
  int broken = 0;
  int kept = 0;
  for (const bool has_units : {false, true}) {
    for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
      std::mt19937_64 random(11);
      for (int i = 0; i < 150; ++i) {
        CAPTURE(i);
        const Table table =
            random_table(random, {.has_units = has_units, .sensitive_values = 1 + random() % 5});
        const auto tree = build_tree(count(table), 2, {.strategy = strategy});
        if (!tree) continue;
        const auto classes = naive_classes(*tree, table);
        for (const ConstraintModel& model : kModels) {
          std::size_t expected = 0;
          for (const auto& [visible, rows] : classes) expected += naive_keeps(table, rows, model) ? 0 : 1;
          std::size_t found = 0;
          const ConstrainedColumn column{rule_of({{model, ConstraintMode::verify}}), count(table, random())};
          for (const Breach& breach : find_breaches(*tree, column)) found += breach.label.empty() ? 0 : 1;
          CHECK(found == expected);
          (expected == 0 ? kept : broken) += 1;
        }
      }
    }
  }
  CHECK(broken > 500);
  CHECK(kept > 500);
}

TEST_CASE("a chain is cut where rows of a value that went would break a constraint at its end") {
  Table table{{"state"}, false, {}};
  table.has_sensitive = true;
  const auto add = [&](const char* state, int flu, int cold) {
    for (int i = 0; i < flu + cold; ++i) table.rows.push_back({{state}, {}, i < flu ? "flu" : "cold"});
  };
  add("MA", 3, 3);
  add("OH", 2, 2);
  add("TX", 1, 1);
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  REQUIRE(cohorts(tree).size() == 3);
  std::erase_if(table.rows, [](const Row& row) { return row.values[0] == "MA"; });
  add("MA", 1, 0);  // with TX: two with flu, one with a cold
  const Counts counts = count(table);
  const auto repaired_by = [&](double l) {
    const PolicySpec spec = policy_of({{EntropyL{l}, ConstraintMode::verify}});
    const std::vector<ConstrainedColumn> columns = {{spec.columns[1], counts}};
    return repair_within_constraints(spec, tree, counts, columns);
  };
  CHECK(cohorts(repaired_by(1.8).value().tree).size() == 2);
  CHECK(cohorts(repaired_by(1.95).value().tree).size() == 1);
  CHECK(!repaired_by(2));
}

}  // namespace pgveil::policy::testing

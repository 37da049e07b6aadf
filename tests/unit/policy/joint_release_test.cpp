#include "policy/release/joint_release.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "policy/builder/collapse.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {
namespace {

Counts only(Counts counts, std::initializer_list<std::size_t> attributes) {
  Counts out;
  for (const std::size_t a : attributes) {
    out.attributes.push_back(counts.attributes[a]);
    out.codes.push_back(counts.codes[a]);
  }
  out.rows = counts.rows;
  out.units = counts.units;
  return out;
}

Counts count_of(Counts counts, std::initializer_list<std::size_t> attributes) {
  Counts out = only(counts, attributes);
  out.sensitive = counts.sensitive;
  return out;
}

// What a row shows under a tree over some of the table's attributes.
std::vector<Text> shown_of(const DisclosureTree& tree, const Row& row) {
  Row part;
  for (const auto& attribute : tree.attributes)  // numbers are 2, 4, 6, …
    part.values.push_back(row.values[static_cast<std::size_t>(attribute.number) / 2 - 1]);
  return shown(tree, part);
}

// The sizes of the classes that somebody with both answers sees, counted row by row.
std::multiset<std::uint64_t> naive_classes(const DisclosureTree& a, const DisclosureTree& b,
                                           const Table& table) {
  std::map<std::vector<Text>, std::vector<Text>> units;
  for (const Row& row : table.rows) {
    auto tuple = shown_of(a, row);
    const auto more = shown_of(b, row);
    tuple.insert(tuple.end(), more.begin(), more.end());
    units[tuple].push_back(row.unit);
  }
  std::multiset<std::uint64_t> sizes;
  for (auto& [tuple, members] : units) {
    std::set<Text> distinct(members.begin(), members.end());
    distinct.erase(std::nullopt);
    sizes.insert(table.has_units ? distinct.size() : members.size());
  }
  return sizes;
}

using Leaves = std::vector<NodeIndex>;

Leaves leaves_of_row(const Trees& trees, const Row& row) {
  Leaves leaves;
  for (const DisclosureTree* tree : trees) {
    Row part;
    for (const auto& attribute : tree->attributes)
      part.values.push_back(row.values[static_cast<std::size_t>(attribute.number) / 2 - 1]);
    leaves.push_back(leaf_of(*tree, view(part)));
  }
  return leaves;
}

std::map<Leaves, std::uint64_t> classes_of_rows(const Trees& trees, const Table& table) {
  std::map<Leaves, std::uint64_t> rows;
  for (const Row& row : table.rows) ++rows[leaves_of_row(trees, row)];
  return rows;
}

// Each row that can be made of the table's values, a value that nobody has, and NULL.
std::vector<Row> rows_that_may_come(const Table& table) {
  std::vector<Row> rows = {{}};
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    std::set<Text> values = {std::nullopt, "nobody has it"};
    for (const Row& row : table.rows) values.insert(row.values[a]);
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (const Text& value : values) {
        longer.push_back(row);
        longer.back().values.push_back(value);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

// Of the joint classes of these rows: those that are no cohort of any tree as a whole and have fewer than k
// rows.
std::size_t fallen_short(const Trees& trees, const Table& table, std::uint64_t k) {
  const auto classes = classes_of_rows(trees, table);
  return static_cast<std::size_t>(std::ranges::count_if(classes, [&](const auto& one) {
    const auto is_cohort_of = [&](std::size_t tree) {
      return std::ranges::count_if(
                 classes, [&](const auto& other) { return other.first[tree] == one.first[tree]; }) == 1;
    };
    bool is_cohort = false;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) is_cohort = is_cohort || is_cohort_of(tree);
    return one.second < k && !is_cohort;
  }));
}

const Growth kThorough{.strategy = Strategy::thorough};

TEST_CASE("two policies with crossing classes are finer together than each alone") {
  // Each of two columns has two values in halves; together there are quarters.
  Table table{{"sex", "city"}, false, {}};
  for (const char* sex : {"f", "m"}) {
    for (const char* city : {"A", "B"}) {
      for (int i = 0; i < 3; ++i) table.rows.push_back({{sex, city}});
    }
  }
  const Counts counts = count(table);
  const auto by_sex = build_tree(only(counts, {0}), 5, kGreedy).value();
  const auto by_city = build_tree(only(counts, {1}), 5, kGreedy).value();
  const JointClasses joint({&by_sex, &by_city}, counts);
  const auto below = joint.below(counts, 5);
  REQUIRE(below.size() == 4);
  CHECK(below.front().units == 3);
  CHECK(below.front().has_rows);
  CHECK(joint.label_of(0, below.front().joint[0]) == "D1");
  CHECK(joint.below(counts, 3).empty());
}

TEST_CASE("a class that nobody is in yet counts when a row to come can be in it") {
  // Cohorts of one are unions of the other's, on these rows: nobody is a0 without being b0.
  Table table{{"a", "b"}, false, {}};
  for (int i = 0; i < 40; ++i)
    table.rows.push_back({{"a" + std::to_string(i / 10), i < 20 ? Text("b0") : Text("b1")}});
  const Counts counts = count(table);
  const auto by_a = build_tree(only(counts, {0}), 5, kGreedy).value();
  const auto by_b = build_tree(only(counts, {1}), 5, kGreedy).value();
  const auto below = JointClasses({&by_a, &by_b}, counts).below(counts, 5);
  REQUIRE(!below.empty());
  CHECK_FALSE(below.front().has_rows);
  CHECK(below.front().units == 0);
}

TEST_CASE("what is a cohort of one policy as a whole is for that policy to answer") {
  const Counts counts = count(worked_example());
  const auto fine = build_tree(counts, 2, kGreedy).value();
  const auto same = build_tree(counts, 2, kGreedy).value();
  const auto root = build_tree(counts, 11, kGreedy).value();  // one cohort
  CHECK(JointClasses({&fine, &same}, counts).below(counts, 2).empty());
  CHECK(JointClasses({&fine, &root}, counts).below(counts, 11).empty());
  CHECK(JointClasses({&root, &fine}, counts).below(counts, 11).empty());
  CHECK(JointClasses({&root, &fine, &same}, counts).below(counts, 11).empty());
}

TEST_CASE("three policies can be finer than any two of them") {
  Table table{{"x", "y", "z"}, false, {}};
  for (int i = 0; i < 8; ++i) {
    for (int copies = 0; copies < 2; ++copies)
      table.rows.push_back({{Text(i & 1 ? "1" : "0"), Text(i & 2 ? "1" : "0"), Text(i & 4 ? "1" : "0")}});
  }
  const Counts counts = count(table);
  const auto x = build_tree(only(counts, {0}), 4, kGreedy).value();
  const auto y = build_tree(only(counts, {1}), 4, kGreedy).value();
  const auto z = build_tree(only(counts, {2}), 4, kGreedy).value();
  CHECK(JointClasses({&x, &y}, counts).below(counts, 4).empty());
  CHECK(JointClasses({&y, &z}, counts).below(counts, 4).empty());
  CHECK(JointClasses({&x, &z}, counts).below(counts, 4).empty());
  CHECK(JointClasses({&x, &y, &z}, counts).below(counts, 4).size() == 8);
}

TEST_CASE("possible classes are those of some row, by trying all rows") {
  std::mt19937_64 random(5);
  std::size_t classes = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {.max_attributes = 3, .max_values = 3});
    if (table.attributes.size() < 2) continue;
    const Counts counts = count(table, static_cast<std::uint64_t>(i));
    const auto a = build_tree(only(counts, {0, 1}), 2, i % 2 == 0 ? kGreedy : kThorough);
    const auto b = build_tree(only(counts, {table.attributes.size() - 1}), 2, kGreedy);
    const auto c = build_tree(counts, 3, kThorough);
    if (!a || !b || !c) continue;
    const Trees trees = {&*a, &*b, &*c};
    std::set<Leaves> found;
    for (const Row& row : rows_that_may_come(table)) found.insert(leaves_of_row(trees, row));
    const auto possible = possible_classes(trees, 100'000);
    CHECK_FALSE(possible.is_cut);
    CHECK(std::set<Leaves>(possible.classes.begin(), possible.classes.end()) == found);
    CHECK(possible_classes(trees, found.size() - 1).is_cut);
    classes += found.size();
  }
  CHECK(classes > 1'000);
}

TEST_CASE("possible classes of trees with levels have each class of a row") {
  std::mt19937_64 random(7);
  std::size_t rows = 0;
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const Table table = random_leveled_table(random, {.max_rows = 60, .max_attributes = 2});
    const Counts counts = count(table, static_cast<std::uint64_t>(i));
    const auto fine = build_tree(counts, 2, i % 2 == 0 ? kGreedy : kThorough);
    const auto coarse = build_tree(counts, 6, kThorough);
    if (!fine || !coarse) continue;
    const Trees trees = {&*fine, &*coarse};
    const auto possible = possible_classes(trees, 100'000).classes;
    for (int n = 0; n < 50; ++n) {
      Row row = table.rows[random() % table.rows.size()];
      for (Text& value : row.values) {
        if (random() % 3 == 0) value = random() % 2 == 0 ? Text(std::to_string(random() % 12)) : std::nullopt;
      }
      fill_levels(table, row);
      CHECK(std::ranges::find(possible, leaves_of_row(trees, row)) != possible.end());
      ++rows;
    }
    CHECK(JointClasses({&*fine, &*fine}, counts).below(counts, 2).empty());
  }
  CHECK(rows > 2'000);
}

TEST_CASE("what holds together holds for every row that comes, and what does not can be broken by one") {
  std::mt19937_64 random(11);
  int held = 0;
  int broken = 0;
  for (int i = 0; i < 4'000; ++i) {
    CAPTURE(i);
    Table table = random_table(random, {.max_rows = 80, .max_attributes = 3, .max_values = 2});
    if (table.attributes.size() < 2) continue;
    const Counts counts = count(table, static_cast<std::uint64_t>(i));
    const auto a = build_tree(only(counts, {0}), 2, kGreedy);
    const auto b = build_tree(only(counts, {table.attributes.size() - 1}), 2, kGreedy);
    if (!a || !b) continue;
    const Trees trees = {&*a, &*b};
    const auto below = JointClasses(trees, counts).below(counts, 2);
    const auto coming = rows_that_may_come(table);
    if (below.empty()) {
      ++held;
      for (int n = 0; n < 20; ++n) {
        table.rows.push_back(coming[random() % coming.size()]);
        CHECK(fallen_short(trees, table, 2) == 0);
      }
      continue;
    }
    ++broken;
    std::size_t worst = fallen_short(trees, table, 2);
    for (const Row& row : coming) {
      table.rows.push_back(row);
      worst = std::max(worst, fallen_short(trees, table, 2));
      table.rows.pop_back();
    }
    CHECK(worst > 0);
  }
  CHECK(held > 100);
  CHECK(broken > 100);
}

TEST_CASE("the sizes of joint classes agree with a count row by row") {
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(11);
    int crossing = 0;
    for (int i = 0; i < 800; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.max_attributes = 4, .has_units = has_units});
      if (table.attributes.size() < 3) continue;
      const Counts counts = count(table, static_cast<std::uint64_t>(i));
      const auto a = build_tree(only(counts, {0, 1}), 2, kGreedy);
      const auto b = build_tree(only(counts, {1, 2}), 2, kGreedy);
      if (!a || !b) continue;
      // All joint classes that rows are in and that are too small for any k, if no cohort of one tree alone.
      const auto sizes = naive_classes(*a, *b, table);
      for (const auto& one : JointClasses({&*a, &*b}, counts).below(counts, 1'000)) {
        if (!one.has_rows) continue;
        CHECK(sizes.contains(one.units));
        ++crossing;
      }
    }
    CHECK(crossing > 500);
  }
}

TEST_CASE("constraints hold for joint classes too, in the units of who made them") {
  // Two diagnoses in each cohort of both, one in each class of the two together.
  Table table{{"a", "b"}, true, {}, true};
  for (int i = 0; i < 20; ++i) {
    const bool a = i % 2 == 0;
    const bool b = i % 4 < 2;
    table.rows.push_back(
        {{Text(a ? "a0" : "a1"), Text(b ? "b0" : "b1")}, std::to_string(i), a == b ? "x" : "y"});
  }
  const Counts counts = count(table);
  const auto by_a = build_tree(only(counts, {0}), 5, kGreedy).value();
  const auto by_b = build_tree(only(counts, {1}), 5, kGreedy).value();
  const ConstrainedColumn column{{"sensitive", ColumnClass::sensitive, {{DistinctL{2}}}, {}}, counts};
  CHECK(find_breaches(by_a, {column.rule, count_of(counts, {0})}).empty());
  CHECK(find_breaches(by_b, {column.rule, count_of(counts, {1})}).empty());
  const JointClasses joint({&by_a, &by_b}, counts);
  CHECK(joint.below(counts, 5).empty());
  const auto broken = joint.breaking(column.rule, counts);
  REQUIRE(broken.size() == 4);
  CHECK(broken.front().breach.found == "1");
  // Also where a class is a cohort of one of the two: it promised less.
  const auto by_both = build_tree(counts, 5, kGreedy).value();
  CHECK(JointClasses({&by_both, &by_a}, counts).breaking(column.rule, counts).size() == 4);
}

TEST_CASE("policies are counted together by the quasi-identifiers of all, in one unit") {
  PolicySpec a;
  a.unit = "person";
  a.columns = {{"city", ColumnClass::quasi_identifier, {}, {}},
               {"diagnosis", ColumnClass::sensitive, {{DistinctL{2}, ConstraintMode::refine}}, {}},
               {"note", ColumnClass::insensitive, {}, {}}};
  PolicySpec b;
  b.columns = {{"sex", ColumnClass::quasi_identifier, {}, {}},
               {"city", ColumnClass::identifier, {}, {}},
               {"diagnosis", ColumnClass::sensitive, {{DistinctL{3}}}, {}}};
  const std::vector<const PolicySpec*> both = {&a, &b};
  const auto by_person = counted_together(both, "person");
  REQUIRE(by_person.columns.size() == 3);
  CHECK(by_person.columns[0].name == "city");
  CHECK(by_person.columns[1].constraints == std::vector<Constraint>{{DistinctL{2}, ConstraintMode::verify}});
  CHECK(by_person.columns[2].name == "sex");
  const auto by_row = counted_together(both, std::nullopt);
  CHECK(!by_row.unit);
  CHECK(by_row.columns.back().constraints == std::vector<Constraint>{{DistinctL{3}}});
}

TEST_CASE("splits are undone by name, and their place is closed") {
  const auto tree = build_tree(count(worked_example()), 2, kGreedy).value();
  const auto root = collapsed(tree, {0});
  REQUIRE(root.nodes.size() == 1);
  CHECK(root.nodes[0].is_closed);
  CHECK(root.nodes[0].units == 11);
  CHECK(collapsed(tree, {}) == tree);
  const auto parents = parents_of(tree);
  const NodeIndex last = parents.back();
  const auto shorter = collapsed(tree, {last});
  CHECK(shorter.nodes.size() < tree.nodes.size());
  CHECK_FALSE(find_flaw(shorter));
}

TEST_CASE("columns that one policy shows and the other hides") {
  const auto policy = [](std::initializer_list<std::pair<const char*, ColumnClass>> columns) {
    PolicySpec spec;
    for (const auto& [name, column_class] : columns) spec.columns.push_back({name, column_class, {}, {}});
    return spec;
  };
  const auto shows = policy({{"city", ColumnClass::insensitive},
                             {"age", ColumnClass::sensitive},
                             {"id", ColumnClass::insensitive},
                             {"sex", ColumnClass::quasi_identifier},
                             {"pay", ColumnClass::sensitive}});
  const auto hides = policy({{"city", ColumnClass::quasi_identifier},
                             {"id", ColumnClass::identifier},
                             {"sex", ColumnClass::insensitive},
                             {"pay", ColumnClass::insensitive}});
  CHECK(shown_though_hidden(shows, hides) ==
        std::vector<std::string>{"city", "age", "id"});  // age is not listed
  CHECK(shown_though_hidden(hides, shows) == std::vector<std::string>{"sex"});
  CHECK(shown_though_hidden(shows, shows).empty());
}

}  // namespace
}  // namespace pgveil::policy::testing

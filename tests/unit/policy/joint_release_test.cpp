#include "policy/joint_release.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

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

TEST_CASE("two policies with crossing classes are finer together than each alone") {
  // Each of two columns has two values in halves; together there are quarters.
  Table table{{"sex", "city"}, false, {}};
  for (const char* sex : {"f", "m"}) {
    for (const char* city : {"A", "B"}) {
      for (int i = 0; i < 3; ++i) table.rows.push_back({{sex, city}});
    }
  }
  const Counts counts = count(table);
  const auto by_sex = build_tree(only(counts, {0}), 5).value();
  const auto by_city = build_tree(only(counts, {1}), 5).value();
  const auto joint = joint_release(by_sex, by_city, counts, 5);
  CHECK_FALSE(joint.is_nested);
  CHECK(joint.smallest == 3);
  CHECK(joint.below == 4);
  CHECK(joint.smallest_in_a.front() == 'D');
  CHECK_FALSE(joint.is_sound());
  CHECK(joint_release(by_sex, by_city, counts, 3).is_sound());
}

TEST_CASE("a coarser policy adds nothing to a finer one") {
  const Counts counts = count(worked_example());
  const auto fine = build_tree(counts, 2).value();
  const auto same = build_tree(counts, 2).value();
  const auto coarse = build_tree(counts, 4).value();
  CHECK(joint_release(fine, same, counts, 2).is_nested);
  const auto root = build_tree(counts, 11).value();  // one class
  const auto joint = joint_release(fine, root, counts, 11);
  CHECK(joint.is_nested);
  CHECK(joint.is_sound());  // the larger k is not kept together, but nobody sees more than by the finer one
  CHECK(joint.below > 0);
  CHECK(joint_release(root, fine, counts, 11).is_nested);
  static_cast<void>(coarse);
}

TEST_CASE("an empty table joins to nothing") {
  const Counts full = count(worked_example());
  const auto tree = build_tree(full, 2).value();
  Table empty = worked_example();
  empty.rows.clear();
  const auto joint = joint_release(tree, tree, count(empty), 2);
  CHECK(joint.is_sound());
  CHECK(joint.below == 0);
}

TEST_CASE("joint classes agree with a count row by row") {
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(11);
    int crossing = 0;
    int sound = 0;
    for (int i = 0; i < 800; ++i) {
      CAPTURE(i);
      const Table table = random_table(random, {.max_attributes = 4, .has_units = has_units});
      if (table.attributes.size() < 3) continue;
      const Counts counts = count(table, static_cast<std::uint64_t>(i));
      const auto a = build_tree(only(counts, {0, 1}), 2);
      const auto b = build_tree(only(counts, {1, 2}), 2);
      if (!a || !b) continue;
      const auto sizes = naive_classes(*a, *b, table);
      const auto joint = joint_release(*a, *b, counts, 2);
      CHECK(joint.smallest == *sizes.begin());
      CHECK(joint.below == static_cast<std::uint64_t>(std::distance(sizes.begin(), sizes.lower_bound(2))));
      crossing += joint.is_sound() ? 0 : 1;
      sound += joint.is_sound() ? 1 : 0;
    }
    CHECK(crossing > 20);
    CHECK(sound > 20);
  }
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

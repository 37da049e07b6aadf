#include <doctest/doctest.h>

#include "policy/tree/tree_diff.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

TEST_CASE("a tree does not differ from itself") {
  const auto tree = build_tree(count(worked_example()), 2, kGreedy).value();
  const auto diff = diff_trees(tree, tree);
  CHECK(diff.same == 5);
  CHECK(diff.changes.empty());
}

TEST_CASE("what is new, gone and of another size") {
  const Table table = worked_example();
  Table later = table;
  later.rows.push_back({{"Accountant", "Bonn", "NW"}});  // D21 grows
  later.rows.push_back({{"Baker", "Akron", "OH"}});
  later.rows.push_back({{"Baker", "Akron", "OH"}});  // bakers of OH
  const auto diff =
      diff_trees(build_tree(count(table), 2, kGreedy).value(), build_tree(count(later), 2, kGreedy).value());
  std::vector<std::string> found;
  for (const CohortChange& change : diff.changes) {
    std::string line;
    for (const auto& [name, value] : change.shows) line += name + "=" + value + " ";
    line += change.before ? std::to_string(change.before->rows) : "-";
    line += change.after ? ">" + std::to_string(change.after->rows) : ">-";
    found.push_back(line);
  }
  CHECK(found == std::vector<std::string>{"occupation=Accountant 3>4", "occupation=Baker state=OH ->2"});
  CHECK(diff.same == 4);
}

TEST_CASE("trees over other columns have nothing in common but what shows nothing") {
  const Table table = worked_example();
  auto other = build_tree(count(table), 2, kGreedy).value();
  for (TreeAttribute& attribute : other.attributes) attribute.name += "2";
  const auto diff = diff_trees(build_tree(count(table), 2, kGreedy).value(), other);
  CHECK(diff.same == 1);
  CHECK(diff.changes.size() == 8);
}

}  // namespace pgveil::policy::testing

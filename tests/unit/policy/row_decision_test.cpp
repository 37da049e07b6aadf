// The form and the estimated work of decisions; that they equal the tree is in tree_property_test.cpp.
#include "policy/decision/row_decision.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "policy/decision/decision_cost.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// "b=1,2:3 a=x:(c=4:7 else 3) else 0"
std::string to_text(const RowDecision& decision) {
  std::string text;
  for (const RowArm& arm : decision.arms) {
    const RowDecision& then = arm.then.at(0);
    text += fmt::format("{}={}:{} ", static_cast<char>('a' + arm.attribute), fmt::join(arm.values, ","),
                        then.arms.empty() ? fmt::format("{}", then.released) : "(" + to_text(then) + ")");
  }
  return text + fmt::format("else {}", decision.released);
}

// (value of a, of b) with as many rows as said.
DisclosureTree tree_of(const std::vector<std::pair<std::pair<Text, Text>, int>>& counts, std::uint64_t k) {
  Table table{.attributes = {"a", "b"}, .rows = {}};
  for (const auto& [values, count] : counts) {
    for (int i = 0; i < count; ++i) table.rows.push_back({{values.first, values.second}});
  }
  return build_tree(count(table), k, kGreedy).value();
}

}  // namespace

TEST_CASE("a row decision says of each leaf which attributes its path released") {
  const auto tree =
      tree_of({{{"x", "1"}, 6}, {{"x", "2"}, 3}, {{"x", "3"}, 2}, {{"y", "1"}, 4}, {{"z", "3"}, 2}}, 2);
  CHECK(to_text(compile_row_decision(tree)) == "a=x:(b=1,2:3 else 1) a=y:1 else 0");
}

TEST_CASE("a tree of one leaf decides nothing") {
  const auto decision = compile_row_decision(tree_of({{{"x", "1"}, 2}}, 2));
  CHECK(to_text(decision) == "else 0");
  CHECK(expected_tests(decision, 2) == 0);
}

TEST_CASE("work is estimated from the rows that reach each test") {
  const Decision one{{{0, {"x"}, {}, 60}, {0, {"y"}, {}, 30}}};
  CHECK(expected_tests(one, 100) == doctest::Approx(1 + 0.4));
  const Decision deeper{{{0, {"x"}, {one}, 50}}};
  CHECK(expected_tests(deeper, 100) ==
        doctest::Approx(1 + 0.5));  // all 50 rows are taken by the first test below
  const Decision some{{{0, {"1", "2", "3", "4"}, {}, 0}}};
  CHECK(expected_tests(some, 10) == doctest::Approx(0.8 + 2));
  const Decision hashed{{{0, std::vector<std::string>(500, "v"), {}, 0}}};
  CHECK(expected_tests(hashed, 10) == doctest::Approx(3.75));
  const RowDecision row{0, {{0, {"x"}, 60, {{1, {}}}}, {1, {"y"}, 30, {{2, {}}}}}};
  CHECK(expected_tests(row, 100) == doctest::Approx(1 + 0.4));
  CHECK(expected_tests(one, 0) == 0);
}

}  // namespace pgveil::policy::testing

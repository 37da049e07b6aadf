// The paper's example, k = 2, cohort for cohort.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>

#include "naive.hpp"
#include "policy/decision/decision.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

constexpr std::size_t kOccupation = 0;
constexpr std::size_t kCity = 1;
constexpr std::size_t kState = 2;

DisclosureTree example_tree() {
  return build_tree(count(worked_example()), 2, kGreedy).value();
}

std::string predicate(const DisclosureTree& tree, const Cohort& cohort) {
  std::string text;
  for (const PathStep& step : cohort.path) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " and ", tree.attributes[step.attribute].name,
                        step.has_value ? "=" : "not", step.value);
  }
  return text;
}

std::string join(const std::vector<Text>& values) {
  std::string text;
  for (const Text& value : values) text += fmt::format("{}|", value.value_or("-"));
  return text;
}

}  // namespace

TEST_CASE("the worked example has the paper's five cohorts") {
  const DisclosureTree tree = example_tree();
  struct Expected {
    std::string label;
    std::string predicate;
    std::uint64_t rows;
    std::vector<std::uint32_t> disclosed;
  };
  const std::vector<Expected> expected = {
      {"D111", "state = OH and city = Hamlet and occupation = Farmer", 2, {kOccupation, kCity, kState}},
      {"D112", "state = OH and city = Hamlet and occupation not Farmer", 2, {kCity, kState}},
      {"D12", "state = OH and city not Hamlet", 2, {kState}},
      {"D21", "state not OH and occupation = Accountant", 3, {kOccupation}},
      {"D22", "state not OH and occupation not Accountant", 2, {}}};
  const std::vector<Cohort> found = cohorts(tree);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].label == expected[i].label);
    CHECK(predicate(tree, found[i]) == expected[i].predicate);
    CHECK(found[i].rows == expected[i].rows);
    CHECK(found[i].units == expected[i].rows);
    CHECK(found[i].disclosed == expected[i].disclosed);
    CHECK(!tree.nodes[found[i].leaf].split);
  }
}

TEST_CASE("the worked example shows the paper's table 4") {
  const std::vector<std::string> expected = {
      "-|-|-|",  "-|-|-|",  "-|Hamlet|OH|",    "-|Hamlet|OH|",    "Farmer|Hamlet|OH|", "Farmer|Hamlet|OH|",
      "-|-|OH|", "-|-|OH|", "Accountant|-|-|", "Accountant|-|-|", "Accountant|-|-|"};
  const DisclosureTree tree = example_tree();
  const Table table = worked_example();
  for (std::size_t i = 0; i < table.rows.size(); ++i) CHECK(join(shown(tree, table.rows[i])) == expected[i]);
}

TEST_CASE("rows added later show what the paper says") {
  const DisclosureTree tree = example_tree();
  CHECK(join(shown(tree, {{"Accountant", "New York", "NY"}})) == "Accountant|-|-|");
  CHECK(join(shown(tree, {{"President of the United States of America", "Washington", "DC"}})) == "-|-|-|");
}

TEST_CASE(
    "a row with NULL state, Hamlet, Farmer shows nothing, though the paper's SQL would (NOT (state = 'OH') "
    "is NULL)") {
  const DisclosureTree tree = example_tree();
  const Row row{{"Farmer", "Hamlet", std::nullopt}};
  CHECK(join(shown(tree, row)) == "-|-|-|");
  const auto decisions = compile_decisions(tree);
  for (const Decision& decision : decisions) CHECK_FALSE(is_released(decision, view(row)));
  CHECK(leaf_of(tree, view(row)) == cohorts(tree).back().leaf);
}

TEST_CASE("the worked example's decisions are the paper's rules") {
  const DisclosureTree tree = example_tree();
  const auto decisions = compile_decisions(tree);
  REQUIRE(decisions.size() == 3);

  const Decision& state = decisions[kState];
  REQUIRE(state.arms.size() == 1);
  CHECK(state.arms[0].attribute == kState);
  CHECK(state.arms[0].values == std::vector<std::string>{"OH"});
  CHECK(state.arms[0].then.empty());

  const Decision& city = decisions[kCity];
  REQUIRE(city.arms.size() == 1);
  CHECK(city.arms[0].attribute == kState);
  REQUIRE(city.arms[0].then.size() == 1);
  REQUIRE(city.arms[0].then[0].arms.size() == 1);
  CHECK(city.arms[0].then[0].arms[0].attribute == kCity);
  CHECK(city.arms[0].then[0].arms[0].values == std::vector<std::string>{"Hamlet"});
  CHECK(city.arms[0].then[0].arms[0].then.empty());

  const Decision& occupation = decisions[kOccupation];
  REQUIRE(occupation.arms.size() == 2);
  CHECK(occupation.arms[0].attribute == kState);
  CHECK(occupation.arms[1].attribute == kOccupation);
  CHECK(occupation.arms[1].values == std::vector<std::string>{"Accountant"});
  CHECK(occupation.arms[1].then.empty());
}

TEST_CASE("the worked example discloses 15 of 33 cells") {
  const Disclosure disclosure = measure(example_tree(), count(worked_example()));
  CHECK(disclosure.rows == 11);
  CHECK(disclosure.units == 11);
  CHECK(disclosure.cells == 33);
  CHECK(disclosure.disclosed == 15);
  CHECK(disclosure.disclosed_by_attribute == std::vector<std::uint64_t>{5, 4, 6});
  // Lawyer, Washington and DC of the two rows of D22: its rows agree, but nothing that a reader has says on
  // what.
  CHECK(disclosure.computable == 0);
  CHECK(disclosure.equal == 6);
  CHECK(disclosure.equal_by_attribute == std::vector<std::uint64_t>{2, 2, 2});
  CHECK(disclosure.cohorts == 5);
  CHECK(disclosure.smallest_cohort == 2);
}

TEST_CASE("ties go to the lower attribute number, then to the text with the lower bytes") {
  // a: x 2, y 2; b: p 2, q 2, all splits equal.
  const Table table{{"a", "b"}, false, {{{"y", "q"}}, {{"y", "p"}}, {{"x", "q"}}, {{"x", "p"}}}};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const DisclosureTree tree = build_tree(count(table, seed), 2, kGreedy).value();
    REQUIRE(tree.nodes.size() == 3);
    CHECK(tree.nodes[0].split == Split{0, "x"});
  }
  const Table bytes{{"a"}, false, {{{"é"}}, {{"é"}}, {{"z"}}, {{"z"}}, {{"Z"}}, {{"Z"}}}};
  CHECK(build_tree(count(bytes), 2, kGreedy).value().nodes[0].split == Split{0, "Z"});
}

TEST_CASE("attributes are taken by number, whatever order the aggregate has them in") {
  const Counts counts = count(worked_example());
  Counts reversed = counts;
  std::reverse(reversed.attributes.begin(), reversed.attributes.end());
  std::reverse(reversed.codes.begin(), reversed.codes.end());
  CHECK(build_tree(reversed, 2, kGreedy).value() == build_tree(counts, 2, kGreedy).value());
}

TEST_CASE("a table with fewer than k units is refused, an empty one too") {
  const Table table = worked_example();
  const auto result = build_tree(count(table), 12, kGreedy);
  REQUIRE(!result);
  CHECK(result.error().kind == ErrorKind::policy);
  CHECK(result.error().sqlstate == "42501");
  CHECK(build_tree(count(table), 11, kGreedy).value().nodes.size() == 1);
  CHECK(!build_tree(count({{"a"}, false, {}}), 2, kGreedy));
  CHECK(!build_tree(count({{"a"}, true, {{{"x"}, "u"}, {{"x"}, "u"}, {{"x"}, std::nullopt}}}), 2, kGreedy));
}

TEST_CASE("one patient with three visits does not fill a cohort of three") {
  const Table visits{{"city"},
                     true,
                     {{{"Hamlet"}, "p1"},
                      {{"Hamlet"}, "p1"},
                      {{"Hamlet"}, "p1"},
                      {{"Ulm"}, "p2"},
                      {{"Ulm"}, "p3"},
                      {{"Ulm"}, "p4"},
                      {{"Bonn"}, "p5"},
                      {{"Bonn"}, "p6"},
                      {{"Bonn"}, "p7"}}};
  const DisclosureTree tree = build_tree(count(visits), 3, kGreedy).value();
  CHECK(shown(tree, visits.rows[0]) == std::vector<Text>{std::nullopt});
  CHECK(shown(tree, visits.rows[6]) == std::vector<Text>{"Bonn"});
}

}  // namespace pgveil::policy::testing

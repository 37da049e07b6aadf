// Large and lopsided tables: they must build at all (no recursion over chains), and right.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "policy/decision/decision.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"
#include "policy/tree/tree_check.hpp"
#include "policy/version/version.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// One attribute with `value_count` values, each two rows: a chain as long as there are values.
Counts long_chain(std::size_t value_count) {
  Counts counts;
  counts.attributes.push_back({"a", 1, {}});
  counts.codes.resize(1);
  for (std::size_t i = 0; i < value_count; ++i) {
    counts.attributes[0].values.push_back(fmt::format("{:06}", i));
    counts.codes[0].push_back(static_cast<Code>(i + 1));
    counts.rows.push_back(2);
  }
  return counts;
}

// Attribute j of row i takes value i mod (j + 2)^2 or so: many combinations, thousands of leaves.
Counts wide_table(std::size_t row_count, bool has_units) {
  std::mt19937_64 random(5);
  Counts counts;
  const std::vector<std::size_t> sizes = {300, 40, 12, 7, 3};
  counts.codes.resize(sizes.size());
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    counts.attributes.push_back({fmt::format("a{}", a), static_cast<int>(a + 1), {}});
    for (std::size_t v = 0; v < sizes[a]; ++v) counts.attributes[a].values.push_back(fmt::format("v{}", v));
    for (std::size_t i = 0; i < row_count; ++i) {
      counts.codes[a].push_back(
          static_cast<Code>(std::min(random() % sizes[a], random() % sizes[a]) + random() % 2));
    }
  }
  counts.rows.assign(row_count, 1);
  for (std::size_t i = 0; has_units && i < row_count; ++i) {
    counts.units.push_back(static_cast<Code>(random() % (row_count / 2)));
  }
  return counts;
}

}  // namespace

TEST_CASE("a chain of 20,000 nodes is built, compiled, measured, repaired, written and read") {
  const Counts counts = long_chain(20'000);
  const DisclosureTree tree = build_tree(counts, 2, kGreedy).value();
  REQUIRE(tree.nodes.size() == 2 * 20'000 - 1);
  CHECK(!find_flaw(tree));
  const auto decisions = compile_decisions(tree);
  REQUIRE(decisions[0].arms.size() == 1);  // one membership test
  CHECK(decisions[0].arms[0].values.size() == 19'999);
  CHECK(measure(tree, counts).cohorts == 20'000);
  CHECK(repair(tree, counts).value().tree == tree);
  std::size_t cohort_count = 0;
  for_each_cohort(tree, [&](const Cohort& cohort) {
    ++cohort_count;
    REQUIRE(cohort.label.size() == 1 + cohort.path.size());
    REQUIRE(cohort.disclosed.size() == (cohort.path.back().has_value ? 1 : 0));
  });
  CHECK(cohort_count == 20'000);

  PolicyVersion version{
      "p", 1, "hash", {1, 2, "s", "t", {{1, "a", 25, -1, 100}}}, {}, {}, tree, measure(tree, counts), "now"};
  CHECK(version_from_json(to_json(version), "v.json").value() == version);
}

TEST_CASE("thousands of leaves: every cohort has k units and the recount agrees with the build") {
  for (const bool has_units : {false, true}) {
    CAPTURE(has_units);
    const Counts counts = wide_table(40'000, has_units);
    const DisclosureTree tree = build_tree(counts, 5, kGreedy).value();
    CHECK(tree.nodes.size() > 2000);
    CHECK(!find_flaw(tree));
    const auto counted = recount(tree, counts);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      REQUIRE(counted[i].rows == tree.nodes[i].rows);
      REQUIRE(counted[i].units == tree.nodes[i].units);
    }
  }
}

TEST_CASE("a unit with very many rows is one unit") {
  Counts counts = wide_table(20'000, true);
  for (std::size_t i = 0; i < 15'000; ++i) counts.units[i] = 1;
  const DisclosureTree tree = build_tree(counts, 5, kGreedy).value();
  CHECK(!find_flaw(tree));
  CHECK(tree.nodes[0].rows == 20'000);
  CHECK(tree.nodes[0].units < 5'001);
}

TEST_CASE("entries with no rows count nothing") {
  Counts counts = long_chain(3);
  counts.attributes[0].values.push_back("ghost");
  counts.codes[0].push_back(4);
  counts.rows.push_back(0);
  CHECK(build_tree(counts, 2, kGreedy).value() == build_tree(long_chain(3), 2, kGreedy).value());
}

}  // namespace pgveil::policy::testing

#include "attack/findings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "policy/tree/disclosure.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {

using namespace policy;
using policy::testing::count;
using policy::testing::kGreedy;
using policy::testing::Table;

namespace {

// A village of four farmers and two priests, where only sexes and farmers can be shown.
Table village() {
  Table table{{"job", "sex"}, false, {}};
  for (int i = 0; i < 4; ++i) table.rows.push_back({{"farmer", i < 2 ? "f" : "m"}});
  for (int i = 0; i < 2; ++i) table.rows.push_back({{"priest", "m"}});
  return table;
}

bool has_null(const Table& table) {
  return std::ranges::any_of(table.rows, [](const auto& row) {
    return std::ranges::any_of(row.values, [](const auto& text) { return !text.has_value(); });
  });
}

}  // namespace

TEST_CASE("greedy: not a farmer of two jobs is a priest, and the claim is compared with the table") {
  const auto counts = count(village());
  const auto tree = build_tree(counts, 2, kGreedy).value();
  const Findings found = attack_tree(knowledge_of(tree, counts, kGreedy, Made::to_the_end), counts);
  REQUIRE(found.computed() > 0);
  CHECK(found.wrong() == 0);
  CHECK(found.computed() == measure(tree, counts).computable);
}

TEST_CASE("the worked example has nothing to compute") {
  const auto counts = count(policy::testing::worked_example());
  const auto tree = build_tree(counts, 2, kGreedy).value();
  const Findings found = attack_tree(knowledge_of(tree, counts, kGreedy, Made::to_the_end), counts);
  CHECK(found.rows == 11);
  CHECK(found.cells == 33);
  CHECK(found.shown == 15);
  CHECK(found.hidden() == 18);
  CHECK(found.computed() == 0);
  CHECK(found.classes == 5);
}

TEST_CASE("500 random tables: paths alone give what is measured as computable, and no claim is wrong") {
  std::mt19937_64 random(29);
  std::uint64_t computed = 0;
  std::uint64_t complete = 0;  // tables without NULL
  for (int round = 0; round < 500; ++round) {
    const Table table = round % 2 == 0 ? policy::testing::random_table(random, {})
                                       : policy::testing::random_leveled_table(random, {});
    const std::uint64_t k = 2 + random() % 4;
    if (table.rows.size() < k) continue;
    const auto counts = count(table, random());
    for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
      CAPTURE(round);
      const Growth growth{.strategy = strategy};
      const auto tree = build_tree(counts, k, growth).value();
      const Findings by_path =
          attack_tree(knowledge_of(tree, counts, growth, Made::unknown), counts, Effort::bounds);
      const Findings by_rules =
          attack_tree(knowledge_of(tree, counts, growth, Made::to_the_end), counts, Effort::bounds);
      CHECK(by_path.wrong() == 0);
      CHECK(by_rules.wrong() == 0);
      CHECK(by_rules.computed() >= by_path.computed());
      CHECK(by_path.shown == measure(tree, counts).disclosed);
      CHECK(by_path.computed() <= measure(tree, counts).computable);
      if (strategy == Strategy::thorough) {
        std::uint64_t beside = 0;
        for (const auto& it : by_rules.attributes) beside += it.computed - it.computed_in_blank;
        if (!has_null(table)) CHECK(beside == 0);
        complete += has_null(table) ? 0 : 1;
      }
      computed += by_rules.computed();
    }
  }
  CHECK(computed > 100);
  CHECK(complete > 50);
}

}  // namespace pgveil::attack::testing

// Cutting a tree down, against every way there is to do it.
#include <doctest/doctest.h>

#include <algorithm>

#include "naive.hpp"
#include "policy/builder/prune.hpp"
#include "policy/tree/tree.hpp"
#include "policy/tree/tree_check.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

std::uint64_t cells_of(const DisclosureTree& tree, const Table& table) {
  std::uint64_t cells = 0;
  for (const Row& row : table.rows) {
    const auto visible = shown(tree, row);
    cells += static_cast<std::uint64_t>(std::ranges::count_if(visible, &Text::has_value));
  }
  return cells;
}

std::size_t cohorts_of(const DisclosureTree& tree) {
  return cohorts(tree).size();
}

using Cuts = std::vector<bool>;  // per node: a leaf in its place

void copy_cut(const DisclosureTree& tree, NodeIndex at, const Cuts& cuts, DisclosureTree& out) {
  const auto index = static_cast<NodeIndex>(out.nodes.size());
  out.nodes.push_back(tree.nodes[at]);
  if (!tree.nodes[at].split) return;
  if (cuts[at]) {
    out.nodes[index] = {std::nullopt, 0, 0, tree.nodes[at].rows, tree.nodes[at].units};
    return;
  }
  out.nodes[index].yes = index + 1;
  copy_cut(tree, tree.nodes[at].yes, cuts, out);
  out.nodes[index].no = static_cast<NodeIndex>(out.nodes.size());
  copy_cut(tree, tree.nodes[at].no, cuts, out);
}

// The most cells that any way of cutting shows, per number of cohorts.
std::vector<std::uint64_t> best_by_force(const DisclosureTree& tree, const Table& table) {
  std::vector<NodeIndex> splits;
  for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].split) splits.push_back(i);
  }
  std::vector<std::uint64_t> best(cohorts_of(tree) + 1, 0);
  for (std::uint32_t chosen = 0; chosen < 1U << splits.size(); ++chosen) {
    Cuts cuts(tree.nodes.size(), false);
    for (std::size_t i = 0; i < splits.size(); ++i) cuts[splits[i]] = (chosen >> i & 1U) != 0;
    DisclosureTree cut{tree.k, tree.attributes, {}};
    copy_cut(tree, 0, cuts, cut);
    auto& cells = best[cohorts_of(cut)];
    cells = std::max(cells, cells_of(cut, table));
  }
  for (std::size_t i = 1; i < best.size(); ++i) best[i] = std::max(best[i], best[i - 1]);
  return best;
}

}  // namespace

TEST_CASE("no way of cutting shows more with as many cohorts") {
  std::mt19937_64 random(5);
  int tried = 0;
  for (int i = 0; i < 400; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {.max_rows = 60});
    const auto tree = build_tree(count(table), 2, kGreedy);
    if (!tree || tree->nodes.size() > 2 * 9 + 1) continue;
    const auto best = best_by_force(*tree, table);
    for (std::size_t most = 1; most < best.size(); ++most, ++tried) {
      CAPTURE(most);
      const auto pruned = prune(*tree, most).value();
      CHECK(!find_flaw(pruned));
      CHECK(cohorts_of(pruned) <= most);
      CHECK(cells_of(pruned, table) == best[most]);
    }
    CHECK(prune(*tree, best.size()).value() == *tree);
  }
  CHECK(tried > 500);
}

TEST_CASE("a thorough tree that is cut keeps k, and more cohorts never show less") {
  std::mt19937_64 random(6);
  int tried = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {.max_rows = 80, .has_units = i % 2 == 0});
    const auto tree = build_tree(count(table), 2, {.strategy = Strategy::thorough});
    if (!tree) continue;
    std::uint64_t before = 0;
    for (std::size_t most = 1; most <= cohorts_of(*tree); ++most, ++tried) {
      CAPTURE(most);
      const auto pruned =
          build_tree(count(table), 2, {.strategy = Strategy::thorough, .max_cohorts = most}).value();
      CHECK(!find_flaw(pruned));
      CHECK(cohorts_of(pruned) <= most);
      for (const auto& [visible, rows] : naive_classes(pruned, table)) CHECK(units_in(table, rows) >= 2);
      before = std::max(before, cells_of(pruned, table));
      CHECK(cells_of(pruned, table) <= cells_of(*tree, table));
    }
    CHECK(before == cells_of(*tree, table));
  }
  CHECK(tried > 500);
}

TEST_CASE("one cohort shows nothing, and the worked example loses first what shows least") {
  const Table table = worked_example();
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  CHECK(prune(tree, 1).value().nodes.size() == 1);
  const auto four = prune(tree, 4).value();
  CHECK(cohorts_of(four) == 4);
  CHECK(cells_of(four, table) == 13);  // of 15: without the two farmers
}

TEST_CASE("cutting that would take too much memory is refused") {
  DisclosureTree tree{2, {{"a", 1}}, {}};
  constexpr std::uint32_t kSplits = 20'000;
  for (std::uint32_t i = 0; i < kSplits; ++i) {
    tree.nodes.push_back(
        {Split{0, std::to_string(i)}, 2 * i + 1, 2 * i + 2, 2 * (kSplits - i) + 2, 2 * (kSplits - i) + 2});
    tree.nodes.push_back({std::nullopt, 0, 0, 2, 2});
  }
  tree.nodes.push_back({std::nullopt, 0, 0, 2, 2});
  REQUIRE(!find_flaw(tree));
  const auto result = prune(tree, 19'000);
  REQUIRE(!result.has_value());
  CHECK(result.error().kind == ErrorKind::limit);
  CHECK(cohorts_of(prune(tree, 100).value()) == 100);
}

}  // namespace pgveil::policy::testing

// Implements rebuild() of lineage.hpp: repairs the earlier tree, then grows its open leaves by new values.
#include <algorithm>
#include <map>
#include <utility>

#include "policy/builder/leaf_growth.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/release/lineage.hpp"
#include "policy/tree/chains.hpp"

namespace pgveil::policy {

namespace {

Admitted new_values(const Lineage& lineage, const CountsView& counts) {
  Admitted admitted(counts.attribute_count());
  for (std::size_t a = 0; a < counts.attribute_count(); ++a) {
    const std::vector<std::string>& values = counts.attribute(a).values;
    admitted[a].assign(values.size() + 1, 0);
    if (a >= lineage.seen.size() || !lineage.seen[a]) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto print = fingerprint(counts.attribute(a).number, values[i]);
      admitted[a][i + 1] = std::ranges::binary_search(*lineage.seen[a], print) ? 0 : 1;
    }
  }
  return admitted;
}

std::uint64_t cohorts_of(const DisclosureTree& tree) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(tree.nodes, [](const Node& node) { return !node.split && !node.falls_back; }));
}

}  // namespace

Result<Rebuilt> rebuild(const DisclosureTree& earlier, const Lineage& lineage, const Counts& counts,
                        const Growth& growth, const SideRules& rules, Undo undo) {
  auto repaired = repair(earlier, counts, rules, undo);
  if (!repaired) return repaired.error();
  const DisclosureTree& tree = repaired->tree;
  const CountsView view(counts);
  const auto grower = LeafGrower::make(view, earlier.k, growth, earlier.turns, rules);
  const Admitted admitted = new_values(lineage, view);
  Partitions partitions = partitions_of(tree, chains_of(tree), view);
  std::map<NodeIndex, std::vector<Node>> grown;
  for (NodeIndex leaf = 0; leaf < tree.nodes.size(); ++leaf) {
    const Node& node = tree.nodes[leaf];
    if (node.split || node.falls_back || node.is_closed) continue;
    grown.emplace(
        leaf, grower->grow(std::move(partitions.entries[leaf]), std::move(partitions.open[leaf]), admitted));
  }
  DisclosureTree whole = with_leaves_grown(tree, grown);
  if (growth.max_cohorts && cohorts_of(whole) > *growth.max_cohorts)
    return Rebuilt{std::move(repaired->tree), repaired->collapsed, 0};
  const std::size_t splits = (whole.nodes.size() - tree.nodes.size()) / 2;
  return Rebuilt{std::move(whole), repaired->collapsed, splits};
}

}  // namespace pgveil::policy

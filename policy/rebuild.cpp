// rebuild of lineage.hpp: the earlier tree repaired, then its open leaves grown by values that are new.
#include <algorithm>
#include <utility>

#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
#include "policy/lineage.hpp"
#include "policy/released_together.hpp"
#include "policy/routing.hpp"
#include "policy/tree_growth.hpp"

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

class Regrower {
 public:
  Regrower(const DisclosureTree& tree, const CountsView& counts, Admitted admitted, LeafGrower& grower)
      : tree_(tree), admitted_(std::move(admitted)), grower_(grower), entries_(tree.nodes.size()) {
    const auto ends = path_ends_of(tree, chains_of(tree), counts);
    for (const std::uint32_t entry : counts.entries()) entries_[ends[entry]].push_back(entry);
    follow_paths();
  }

  DisclosureTree run() {
    DisclosureTree grown;
    grown.k = tree_.k;
    grown.attributes = tree_.attributes;
    std::vector<NodeIndex> new_index(tree_.nodes.size());
    for (NodeIndex old = 0; old < tree_.nodes.size(); ++old) {  // preorder stays preorder
      new_index[old] = static_cast<NodeIndex>(grown.nodes.size());
      append(old, grown.nodes);
    }
    for (NodeIndex old = 0; old < tree_.nodes.size(); ++old) {
      if (!tree_.nodes[old].split) continue;
      Node& node = grown.nodes[new_index[old]];
      node.yes = new_index[tree_.nodes[old].yes];
      node.no = new_index[tree_.nodes[old].no];
    }
    return grown;
  }

 private:
  void follow_paths() {
    const auto together = released_together(tree_.attributes);
    open_.resize(tree_.nodes.size());
    for (std::uint32_t a = 0; a < tree_.attributes.size(); ++a) open_[0].push_back(a);
    for (const Node& node : tree_.nodes) {  // preorder: parents first
      if (!node.split) continue;
      const auto& open = open_[static_cast<std::size_t>(&node - tree_.nodes.data())];
      open_[node.no] = open;
      open_[node.yes] = open;
      std::erase_if(open_[node.yes],
                    [&](std::uint32_t a) { return (together[node.split->attribute] >> a & 1) != 0; });
    }
  }

  void append(NodeIndex old, std::vector<Node>& nodes) {
    const Node& node = tree_.nodes[old];
    if (node.split || node.falls_back || node.is_closed) {
      nodes.push_back(node);
      return;
    }
    const auto offset = static_cast<NodeIndex>(nodes.size());
    for (Node& grown : grower_.grow(entries_[old], open_[old], admitted_)) {
      if (grown.split) {
        grown.yes += offset;
        grown.no += offset;
      }
      nodes.push_back(std::move(grown));
    }
  }

  const DisclosureTree& tree_;
  Admitted admitted_;
  LeafGrower& grower_;
  std::vector<std::vector<std::uint32_t>> entries_;  // per leaf
  std::vector<std::vector<std::uint32_t>> open_;  // per node: the attributes that its path has not released
};

}  // namespace

Result<Rebuilt> rebuild(const DisclosureTree& earlier, const Lineage& lineage, const Counts& counts,
                        const Growth& growth, const SideRules& rules) {
  auto repaired = repair(earlier, counts, rules);
  if (!repaired) return repaired.error();
  const CountsView view(counts);
  const auto grower = LeafGrower::make(view, earlier.k, growth.strategy, rules);
  DisclosureTree grown = Regrower(repaired->tree, view, new_values(lineage, view), *grower).run();
  if (growth.max_cohorts && cohorts_of(grown) > *growth.max_cohorts)
    return Rebuilt{std::move(repaired->tree), repaired->collapsed, 0};
  const std::size_t splits = (grown.nodes.size() - repaired->tree.nodes.size()) / 2;
  return Rebuilt{std::move(grown), repaired->collapsed, splits};
}

}  // namespace pgveil::policy

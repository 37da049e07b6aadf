#include "policy/builder/leaf_growth.hpp"

#include <algorithm>
#include <utility>

#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

Partitions partitions_of(const DisclosureTree& tree, const Chains& chains, const CountsView& counts) {
  Partitions out;
  out.entries.resize(tree.nodes.size());
  const auto ends = path_ends_of(tree, chains, counts);
  for (const std::uint32_t entry : counts.entries()) out.entries[ends[entry]].push_back(entry);

  const auto together = released_together(tree.attributes);
  out.open.resize(tree.nodes.size());
  for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) out.open[0].push_back(a);
  for (NodeIndex index = 0; index < tree.nodes.size(); ++index) {  // preorder: parents come first
    const Node& node = tree.nodes[index];
    if (!node.split) continue;
    out.open[node.no] = out.open[index];
    out.open[node.yes] = out.open[index];
    std::erase_if(out.open[node.yes],
                  [&](std::uint32_t a) { return (together[node.split->attribute] >> a & 1) != 0; });
  }
  return out;
}

DisclosureTree with_leaves_grown(const DisclosureTree& tree,
                                 const std::map<NodeIndex, std::vector<Node>>& grown) {
  DisclosureTree out;
  out.k = tree.k;
  out.attributes = tree.attributes;
  out.turns = tree.turns;
  std::vector<NodeIndex> new_index(tree.nodes.size());
  for (NodeIndex old = 0; old < tree.nodes.size(); ++old) {  // the result stays in preorder
    const auto offset = static_cast<NodeIndex>(out.nodes.size());
    new_index[old] = offset;
    const auto found = grown.find(old);
    if (found == grown.end()) {
      out.nodes.push_back(tree.nodes[old]);
      continue;
    }
    for (Node node : found->second) {
      if (node.split) {
        node.yes += offset;
        node.no += offset;
      }
      out.nodes.push_back(std::move(node));
    }
  }
  for (NodeIndex old = 0; old < tree.nodes.size(); ++old) {
    if (!tree.nodes[old].split) continue;
    Node& node = out.nodes[new_index[old]];
    node.yes = new_index[tree.nodes[old].yes];
    node.no = new_index[tree.nodes[old].no];
  }
  return out;
}

DisclosureTree with_cut_chains_closed(const DisclosureTree& tree, const CountsView& counts,
                                      const Growth& growth, LeafGrower& grower) {
  const auto importance = importance_of(tree.attributes, growth, tree.turns);
  const Chains chains = chains_of(tree);
  Partitions partitions = partitions_of(tree, chains, counts);
  std::map<NodeIndex, std::vector<Node>> grown;
  std::vector<char> falls_back(chains.chains.size(), 0);
  std::vector<Loss> losses(chains.chains.size());
  for (ChainIndex index = 1; index < chains.chains.size(); ++index) {  // outer chains come first
    const Chain& chain = chains.chains[index];
    const ChainIndex outer = chains.chain_of[chain.parent];
    losses[index] = Loss::of(importance[tree.nodes[chain.parent].split->attribute]);
    if (falls_back[outer] != 0) losses[index] = losses[index].and_also(losses[outer]);
    falls_back[index] = Chains::falls_back(tree, chain) ? 1 : 0;
    if (falls_back[index] != 0) continue;
    const NodeIndex leaf = chain.nodes.back();
    auto nodes =
        grower.close(std::move(partitions.entries[leaf]), std::move(partitions.open[leaf]), losses[index]);
    falls_back[index] = nodes.size() > 1 ? 1 : 0;
    grown.emplace(leaf, std::move(nodes));
  }
  return with_leaves_grown(tree, grown);
}

}  // namespace pgveil::policy

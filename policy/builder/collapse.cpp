#include "policy/builder/collapse.hpp"

#include <algorithm>
#include <utility>

namespace pgveil::policy {

namespace {

class Copier {
 public:
  Copier(const DisclosureTree& tree, const Chains& chains, const ChainCuts& cuts)
      : tree_(tree), chains_(chains), cuts_(cuts) {
    out_.k = tree.k;
    out_.attributes = tree.attributes;
    out_.turns = tree.turns;
  }

  DisclosureTree run() {
    copy(0);
    return std::move(out_);
  }

 private:
  // The recursion is as deep as chains nest.
  void copy(ChainIndex index) {
    const Chain& chain = chains_.chains[index];
    const std::size_t kept = cuts_.kept[index];
    for (std::size_t step = 0; step < kept; ++step) {
      const NodeIndex old = chain.nodes[step];
      const auto at = static_cast<NodeIndex>(out_.nodes.size());
      out_.nodes.push_back(tree_.nodes[old]);
      out_.nodes[at].yes = at + 1;
      if (cuts_.given_up[old] != 0)
        add_leaf(tree_.nodes[tree_.nodes[old].yes], true, true);
      else
        copy(chains_.chain_of[tree_.nodes[old].yes]);
      out_.nodes[at].no = static_cast<NodeIndex>(out_.nodes.size());
    }
    const bool is_cut = kept + 1 < chain.nodes.size();
    add_leaf(tree_.nodes[chain.nodes[kept]], Chains::falls_back(tree_, chain),
             is_cut || tree_.nodes[chain.nodes.back()].is_closed);
  }

  void add_leaf(const Node& counted, bool falls_back, bool is_closed) {
    out_.nodes.push_back({std::nullopt, 0, 0, counted.rows, counted.units, falls_back, is_closed});
  }

  const DisclosureTree& tree_;
  const Chains& chains_;
  const ChainCuts& cuts_;
  DisclosureTree out_;
};

}  // namespace

DisclosureTree with_cuts(const DisclosureTree& tree, const Chains& chains, const ChainCuts& cuts) {
  return Copier(tree, chains, cuts).run();
}

DisclosureTree collapsed(const DisclosureTree& tree, const std::set<NodeIndex>& undone) {
  const Chains chains = chains_of(tree);
  ChainCuts cuts{{}, std::vector<char>(tree.nodes.size(), 0)};
  for (const Chain& chain : chains.chains) {
    const auto is_undone = [&](NodeIndex node) { return undone.contains(node); };
    const auto end = chain.nodes.end() - 1;
    cuts.kept.push_back(
        static_cast<std::size_t>(std::find_if(chain.nodes.begin(), end, is_undone) - chain.nodes.begin()));
  }
  return with_cuts(tree, chains, cuts);
}

std::vector<NodeIndex> parents_of(const DisclosureTree& tree) {
  std::vector<NodeIndex> parents(tree.nodes.size(), 0);
  for (NodeIndex index = 0; index < tree.nodes.size(); ++index) {
    const Node& node = tree.nodes[index];
    if (!node.split) continue;
    parents[node.yes] = index;
    parents[node.no] = index;
  }
  return parents;
}

}  // namespace pgveil::policy

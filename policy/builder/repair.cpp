#include <algorithm>

#include "policy/builder/collapse.hpp"
#include "policy/cohorts/side_counter.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/routing.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

namespace {

// Finds the splits that keep the rules on both sides, as far as the splits before them on the chain do. It
// goes chain by chain, as the tree was built.
class RuleCheck {
 public:
  RuleCheck(const DisclosureTree& tree, const Chains& chains, const CountsView& counts,
            const SideRules& rules)
      : tree_(tree),
        chains_(chains),
        leaves_(path_ends_of(tree, chains, counts)),
        sides_(counts, rules),
        keeps_(tree.nodes.size(), 1) {
    if (!rules.empty()) visit(0, counts.entries());
  }
  [[nodiscard]] bool keeps(NodeIndex split) const { return keeps_[split] != 0; }

 private:
  // The recursion is as deep as chains nest.
  void visit(ChainIndex index, const std::vector<std::uint32_t>& entries) {
    const Chain& chain = chains_.chains[index];
    std::vector<std::vector<std::uint32_t>> locals(chain.nodes.size());
    for (std::uint32_t i = 0; i < entries.size(); ++i)
      locals[step_of(chain, leaves_[entries[i]])].push_back(i);
    sides_.start(entries);
    std::size_t kept = 0;
    for (; kept + 1 < chain.nodes.size() && sides_.allows(locals[kept]); ++kept) {
      for (const std::uint32_t i : locals[kept]) sides_.remove(i);
    }
    for (std::size_t step = kept; step < chain.nodes.size(); ++step) keeps_[chain.nodes[step]] = 0;
    for (std::size_t step = 0; step < kept; ++step) {
      std::vector<std::uint32_t> below;
      for (const std::uint32_t i : locals[step]) below.push_back(entries[i]);
      visit(chains_.chain_of[tree_.nodes[chain.nodes[step]].yes], below);
    }
  }

  // The split whose `yes` side contains the leaf: the last one of the chain before it.
  static std::size_t step_of(const Chain& chain, NodeIndex leaf) {
    const auto after = std::ranges::upper_bound(chain.nodes, leaf);
    return static_cast<std::size_t>(after - chain.nodes.begin()) - 1;
  }

  const DisclosureTree& tree_;
  const Chains& chains_;
  std::vector<NodeIndex> leaves_;  // per entry
  SideCounter sides_;
  std::vector<char> keeps_;  // per node; meaningless below a split that does not stay as it was
};

// Finds the splits of each chain that stay, and those that only keep their rows away from the others.
class CutFinder {
 public:
  CutFinder(const DisclosureTree& tree, const Chains& chains, const RuleCheck& check, Undo undo)
      : tree_(tree), chains_(chains), check_(check), undo_(undo) {}

  ChainCuts find() {
    cuts_.given_up.assign(tree_.nodes.size(), 0);
    for (const Chain& chain : chains_.chains) cuts_.kept.push_back(kept_of(chain));
    return std::move(cuts_);
  }

 private:
  std::size_t kept_of(const Chain& chain) {
    const bool falls_back = Chains::falls_back(tree_, chain);
    std::size_t kept = 0;
    for (std::size_t step = 0; step + 1 < chain.nodes.size(); ++step) {
      const NodeIndex index = chain.nodes[step];
      const Node& node = tree_.nodes[index];
      if ((!falls_back && tree_.nodes[node.no].units < tree_.k) || !check_.keeps(index)) break;
      if (releases(node)) {
        kept = step + 1;
      } else if (undo_ == Undo::rest && tree_.nodes[node.yes].units < tree_.k) {
        break;
      } else {
        cuts_.given_up[index] = 1;  // at the end of a chain it keeps rows from nothing, and is left out
      }
    }
    return kept;
  }

  [[nodiscard]] bool releases(const Node& split) const {
    const Node& yes = tree_.nodes[split.yes];
    return yes.units >= tree_.k && !yes.falls_back;
  }

  const DisclosureTree& tree_;
  const Chains& chains_;
  const RuleCheck& check_;
  Undo undo_;
  ChainCuts cuts_;
};

std::size_t releasing_splits(const DisclosureTree& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(
      tree.nodes, [&](const Node& node) { return node.split && !tree.nodes[node.yes].falls_back; }));
}

}  // namespace

Result<Repaired> repair(const DisclosureTree& tree, const Counts& counts, const SideRules& rules, Undo undo) {
  DisclosureTree recounted = tree;
  const std::vector<NodeCount> counted = recount(tree, counts);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    recounted.nodes[i].rows = counted[i].rows;
    recounted.nodes[i].units = counted[i].units;
  }
  if (counted[0].units < tree.k) return too_few_units(tree.k);
  const CountsView view(counts);
  if (auto whole = check_root(view, rules); !whole) return whole.error();
  const Chains chains = chains_of(tree);
  const RuleCheck check(tree, chains, view, rules);
  const auto cuts = CutFinder(recounted, chains, check, rules.empty() ? undo : Undo::rest).find();
  Repaired repaired{with_cuts(recounted, chains, cuts)};
  repaired.collapsed = releasing_splits(tree) - releasing_splits(repaired.tree);
  return repaired;
}

}  // namespace pgveil::policy

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"
#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
#include "policy/routing.hpp"
#include "policy/side_counter.hpp"
#include "policy/too_few_units.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

Error too_few_units(std::uint64_t k) {
  return {.kind = ErrorKind::policy,
          .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
          .public_message = fmt::format("the table has fewer than k = {} units", k),
          .hint = "a smaller k, or more people; hiding columns is not enough"};
}

namespace {

// Which splits keep the rules on both sides, as far as the splits before them on the chain do; chain by chain, as the tree
// was built.
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
  // As deep as chains nest.
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

  // The split whose `yes` side a leaf is below: the last one of the chain before it.
  static std::size_t step_of(const Chain& chain, NodeIndex leaf) {
    const auto after = std::ranges::upper_bound(chain.nodes, leaf);
    return static_cast<std::size_t>(after - chain.nodes.begin()) - 1;
  }

  const DisclosureTree& tree_;
  const Chains& chains_;
  std::vector<NodeIndex> leaves_;  // per entry
  SideCounter sides_;
  std::vector<char> keeps_;  // per node; those below a split that does not stay as they were
};

}  // namespace

Result<Repaired> repair(const DisclosureTree& tree, const Counts& counts, const SideRules& rules) {
  const std::vector<NodeCount> counted = recount(tree, counts);
  const Chains chains = chains_of(tree);
  if (counted[0].units < tree.k) return too_few_units(tree.k);
  const CountsView view(counts);
  if (auto whole = check_root(view, rules); !whole) return whole.error();
  const RuleCheck check(tree, chains, view, rules);
  Repaired repaired;
  repaired.tree.k = tree.k;
  repaired.tree.attributes = tree.attributes;
  struct Visit {
    NodeIndex old_index;
    NodeIndex parent;  // in the new tree, when this is its `no` child
    bool is_no_child;
  };
  std::vector<Visit> stack = {{0, 0, false}};
  std::size_t kept = 0;
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    const Node& old = tree.nodes[visit.old_index];
    const auto index = static_cast<NodeIndex>(repaired.tree.nodes.size());
    if (visit.is_no_child) repaired.tree.nodes[visit.parent].no = index;
    Node node;
    node.rows = counted[visit.old_index].rows;
    node.units = counted[visit.old_index].units;
    const bool falls_back = chains.falls_back(tree, chains.chains[chains.chain_of[visit.old_index]]);
    // A side's count does not depend on what is collapsed below it, so top down gives what bottom up would.
    if (old.split && counted[old.yes].units >= tree.k && (falls_back || counted[old.no].units >= tree.k) &&
        check.keeps(visit.old_index)) {
      ++kept;
      node.split = old.split;
      node.yes = index + 1;
      stack.push_back({old.no, index, true});
      stack.push_back({old.yes, index, false});
    } else {
      node.falls_back = falls_back;
      node.is_closed = old.is_closed || old.split.has_value();
    }
    repaired.tree.nodes.push_back(std::move(node));
  }
  repaired.collapsed = (tree.nodes.size() - 1) / 2 - kept;
  return repaired;
}

}  // namespace pgveil::policy

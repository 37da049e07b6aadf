#include "policy/builder/constraint_repair.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "policy/builder/collapse.hpp"
#include "policy/cohorts/projection.hpp"
#include "policy/tree/chains.hpp"

namespace pgveil::policy {

namespace {

std::vector<NodeIndex> cohort_leaves(const DisclosureTree& tree) {
  std::vector<NodeIndex> leaves;
  for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].split && !tree.nodes[i].falls_back) leaves.push_back(i);
  }
  return leaves;
}

// Only the constraints that hide what breaks them.
ColumnRule hiding(const ColumnRule& rule) {
  ColumnRule out = rule;
  std::erase_if(out.constraints,
                [](const Constraint& constraint) { return constraint.mode != ConstraintMode::hide; });
  return out;
}

std::set<NodeIndex> broken_leaves(const DisclosureTree& tree, std::span<const ConstrainedColumn> columns) {
  std::set<NodeIndex> broken;
  const auto leaves = cohort_leaves(tree);
  for (const ConstrainedColumn& column : columns) {
    const ColumnRule rule = hiding(column.rule);
    if (rule.constraints.empty()) continue;
    const auto leaf_of_entry = leaves_in(tree, column.counts);
    for (const GroupBreach& breach : find_group_breaches(leaf_of_entry, leaves, rule, column.counts))
      broken.insert(breach.group);
  }
  return broken;
}

// The cuts found so far, over the tree as it was built.
class Joiner {
 public:
  Joiner(const DisclosureTree& tree, std::span<const ConstrainedColumn> columns)
      : tree_(tree), columns_(columns), chains_(chains_of(tree)), next_cut_(chains_.chains.size(), 1) {
    cuts_.given_up.assign(tree.nodes.size(), 0);
    for (const Chain& chain : chains_.chains) cuts_.kept.push_back(chain.nodes.size() - 1);
  }

  DisclosureTree run() {
    while (true) {
      DisclosureTree now = with_cuts(tree_, chains_, cuts_);
      const auto broken = broken_leaves(now, columns_);
      if (broken.empty() || now.nodes.size() == 1) return now;
      chain_at_.assign(now.nodes.size(), kNoChain);
      next_ = 0;
      number(0);
      for (const NodeIndex leaf : broken) join(chain_at_[leaf]);
    }
  }

 private:
  static constexpr ChainIndex kNoChain = ~ChainIndex{0};

  // Walks as with_cuts does, so that each leaf of its result gets the chain that it ends. As deep as chains
  // nest.
  void number(ChainIndex index) {
    const Chain& chain = chains_.chains[index];
    for (std::size_t step = 0; step < cuts_.kept[index]; ++step) {
      const NodeIndex split = chain.nodes[step];
      ++next_;
      if (cuts_.given_up[split] != 0)
        ++next_;
      else
        number(chains_.chain_of[tree_.nodes[split].yes]);
    }
    chain_at_[next_++] = index;
  }

  void join(ChainIndex index) {
    if (cuts_.kept[index] > 0) {
      cut(index);
      return;
    }
    if (index == 0) return;  // the whole table breaks it
    give_up(chains_.chains[index].parent);
  }

  void give_up(NodeIndex split) {
    cuts_.given_up[split] = 1;
    leave_out_idle_splits(chains_.chain_of[split]);
  }

  void cut(ChainIndex index) {
    const std::size_t splits = std::min(next_cut_[index], cuts_.kept[index]);
    cuts_.kept[index] -= splits;
    next_cut_[index] *= 2;
    leave_out_idle_splits(index);
  }

  // At the end of a chain, a value that was given up keeps its rows from nothing. Where nothing is left of a
  // chain that falls back, the value that led into it shows nobody any more.
  void leave_out_idle_splits(ChainIndex index) {
    const Chain& chain = chains_.chains[index];
    while (cuts_.kept[index] > 0 && cuts_.given_up[chain.nodes[cuts_.kept[index] - 1]] != 0)
      --cuts_.kept[index];
    if (cuts_.kept[index] == 0 && index != 0 && Chains::falls_back(tree_, chain)) give_up(chain.parent);
  }

  const DisclosureTree& tree_;
  std::span<const ConstrainedColumn> columns_;
  Chains chains_;
  ChainCuts cuts_;
  std::vector<std::size_t> next_cut_;  // per chain
  std::vector<ChainIndex> chain_at_;   // per node of the tree as it is now; kNoChain: no cohort ends there
  NodeIndex next_ = 0;
};

}  // namespace

HiddenBreaches with_breaches_hidden(const DisclosureTree& tree, std::span<const ConstrainedColumn> columns) {
  const bool hides = std::ranges::any_of(columns, [](const ConstrainedColumn& column) {
    return has_constraint(column.rule, ConstraintMode::hide);
  });
  if (!hides) return {tree, 0};
  HiddenBreaches result{Joiner(tree, columns).run(), 0};
  result.joined = cohort_leaves(tree).size() - cohort_leaves(result.tree).size();
  return result;
}

Result<Repaired> repair_within_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                                           const Counts& counts, std::span<const ConstrainedColumn> columns) {
  const auto repaired_by = [&](Undo undo) {
    auto repaired = repair(tree, counts, side_rules(spec, counts), undo);
    if (!repaired) return repaired;
    auto hidden = with_breaches_hidden(repaired->tree, columns);
    repaired->collapsed += hidden.joined;
    repaired->tree = std::move(hidden.tree);
    return repaired;
  };
  auto repaired = repaired_by(Undo::value);
  if (!repaired || check_constraints(spec, repaired->tree, columns)) return repaired;
  auto cut = repaired_by(Undo::rest);
  if (!cut) return cut;
  if (auto kept = check_constraints(spec, cut->tree, columns); !kept) return kept.error();
  return cut;
}

}  // namespace pgveil::policy

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "policy/chains.hpp"
#include "policy/too_few_units.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

Error too_few_units(std::uint64_t k) {
  return {.kind = ErrorKind::policy,
          .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
          .public_message = fmt::format("the table has fewer than k = {} units", k),
          .hint = "a smaller k, or more people; hiding columns is not enough"};
}

Result<Repaired> repair(const DisclosureTree& tree, const Counts& counts) {
  const std::vector<NodeCount> counted = recount(tree, counts);
  const Chains chains = chains_of(tree);
  if (counted[0].units < tree.k) return too_few_units(tree.k);
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
    if (old.split && counted[old.yes].units >= tree.k && (falls_back || counted[old.no].units >= tree.k)) {
      ++kept;
      node.split = old.split;
      node.yes = index + 1;
      stack.push_back({old.no, index, true});
      stack.push_back({old.yes, index, false});
    } else {
      node.falls_back = falls_back;
    }
    repaired.tree.nodes.push_back(std::move(node));
  }
  repaired.collapsed = (tree.nodes.size() - 1) / 2 - kept;
  return repaired;
}

}  // namespace pgveil::policy

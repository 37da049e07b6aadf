#include "policy/tree/chains.hpp"

#include "common/assert.hpp"

namespace pgveil::policy {

Chains chains_of(const DisclosureTree& tree) {
  const std::size_t node_count = tree.nodes.size();
  PGVEIL_ASSERT(node_count > 0);
  Chains result;
  result.chain_of.resize(node_count);
  result.step_of.resize(node_count);
  result.chains.emplace_back();
  for (NodeIndex index = 0; index < node_count; ++index) {
    const ChainIndex chain = result.chain_of[index];
    result.chains[chain].nodes.push_back(index);
    const Node& node = tree.nodes[index];
    if (!node.split) continue;
    PGVEIL_ASSERT(node.yes == index + 1 && node.no > node.yes && node.no < node_count);
    result.chain_of[node.no] = chain;
    result.step_of[node.no] = result.step_of[index] + 1;
    result.chain_of[node.yes] = static_cast<ChainIndex>(result.chains.size());
    const std::uint32_t depth = result.chains[chain].depth + 1;
    result.chains.push_back({{}, index, depth});
  }
  return result;
}

NodeIndex Chains::cohort_at_end(const DisclosureTree& tree, ChainIndex chain) const {
  while (falls_back(tree, chains[chain])) {
    PGVEIL_ASSERT(chain != 0);
    chain = chain_of[chains[chain].parent];
  }
  return chains[chain].nodes.back();
}

NodeIndex Chains::common_ancestor(NodeIndex a, NodeIndex b) const {
  while (chain_of[a] != chain_of[b]) {
    NodeIndex& deeper = chains[chain_of[a]].depth >= chains[chain_of[b]].depth ? a : b;
    deeper = chains[chain_of[deeper]].parent;
  }
  return step_of[a] <= step_of[b] ? a : b;
}

std::vector<std::uint64_t> rows_falling_out(const DisclosureTree& tree, const Chains& chains) {
  std::vector<std::uint64_t> rows(chains.chains.size(), 0);
  for (std::size_t i = rows.size(); i-- > 0;) {  // inner chains first: theirs are added by then
    const Chain& chain = chains.chains[i];
    if (!Chains::falls_back(tree, chain)) {
      rows[i] = 0;
      continue;
    }
    rows[i] += tree.nodes[chain.nodes.back()].rows;
    rows[chains.chain_of[chain.parent]] += rows[i];
  }
  return rows;
}

}  // namespace pgveil::policy

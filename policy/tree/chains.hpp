#pragma once
// A tree read as chains: a node, its `no` child, that one's `no` child … is one chain; each `yes` child
// starts another. A chain can be thousands of nodes long, but chains nest only as deep as there are
// attributes, because each `yes` releases one. So code that loops over chains and recurses over `yes` needs
// little stack.
#include <cstdint>
#include <vector>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

using ChainIndex = std::uint32_t;

struct Chain {
  std::vector<NodeIndex> nodes;  // all but the last have a split; the last is a leaf
  NodeIndex parent = 0;          // the node whose `yes` child starts this chain; 0 for chain 0, the root's
  std::uint32_t depth = 0;       // chains above this one
};

struct Chains {
  std::vector<Chain> chains;           // in preorder of their first nodes
  std::vector<ChainIndex> chain_of;    // per node
  std::vector<std::uint32_t> step_of;  // per node: its index in its chain

  [[nodiscard]] const Chain& yes_chain(const DisclosureTree& tree, NodeIndex split_node) const {
    return chains[chain_of[tree.nodes[split_node].yes]];
  }
  [[nodiscard]] static bool falls_back(const DisclosureTree& tree, const Chain& chain) {
    return tree.nodes[chain.nodes.back()].falls_back;
  }
  // The leaf of the cohort that rows at the end of this chain belong to: the chain's own leaf, or that of an
  // outer chain.
  [[nodiscard]] NodeIndex cohort_at_end(const DisclosureTree& tree, ChainIndex chain) const;
  // The deepest node that has both nodes below it (or is one of them).
  [[nodiscard]] NodeIndex common_ancestor(NodeIndex a, NodeIndex b) const;
};

// REQUIRES: tree.nodes is a tree in preorder (tree.hpp); not empty.
[[nodiscard]] Chains chains_of(const DisclosureTree& tree);

// Per chain: the number of rows that come to it and fall back out of it.
[[nodiscard]] std::vector<std::uint64_t> rows_falling_out(const DisclosureTree& tree, const Chains& chains);

}  // namespace pgveil::policy

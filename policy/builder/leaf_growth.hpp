#pragma once
// What build_tree does in one partition, for whoever grows leaves of a tree that is there already: a rebuild,
// and chains that were cut. For policy/ only.
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "policy/counts/counts_view.hpp"
#include "policy/spec/growth.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// Per attribute and code: not 0 where a split on the value may be made.
using Admitted = std::vector<std::vector<char>>;

class LeafGrower {
 public:
  virtual ~LeafGrower() = default;
  // Both return the nodes that take the place of a leaf, in preorder, counted from 0. Where nothing
  // qualifies, that is the leaf's own node alone.
  // REQUIRES: entries are some of counts.entries(), in that order; open: the attributes not yet released,
  // ascending.

  // The leaf's own chain splits on admitted values only and never falls back; what is below a `yes` is free.
  [[nodiscard]] virtual std::vector<Node> grow(std::vector<std::uint32_t> entries,
                                               std::vector<std::uint32_t> open, const Admitted& admitted) = 0;
  // Splits only as rule 6 of docs/disclosure-tree.md does at the end of a chain, so there is one cohort
  // afterwards as before. cells_lost: how many cells a row shows less that falls back from here.
  [[nodiscard]] virtual std::vector<Node> close(std::vector<std::uint32_t> entries,
                                                std::vector<std::uint32_t> open,
                                                std::uint64_t cells_lost) = 0;

  // REQUIRES: counts and rules outlive it.
  [[nodiscard]] static std::unique_ptr<LeafGrower> make(const CountsView& counts, std::uint64_t k,
                                                        Strategy strategy, const SideRules& rules);
};

// What comes to each node of a tree.
struct Partitions {
  std::vector<std::vector<std::uint32_t>> entries;  // per leaf, in the order of counts.entries()
  std::vector<std::vector<std::uint32_t>> open;     // per node: the attributes its path has not released
};
[[nodiscard]] Partitions partitions_of(const DisclosureTree& tree, const Chains& chains,
                                       const CountsView& counts);

// The tree with what was grown in the place of its leaves.
[[nodiscard]] DisclosureTree with_leaves_grown(const DisclosureTree& tree,
                                               const std::map<NodeIndex, std::vector<Node>>& grown);

// A tree whose chains were cut short, each but the root's closed where it ends now.
[[nodiscard]] DisclosureTree with_cut_chains_closed(const DisclosureTree& tree, const CountsView& counts,
                                                    LeafGrower& grower);

}  // namespace pgveil::policy

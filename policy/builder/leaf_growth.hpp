#pragma once
// Does in one partition what build_tree does in the whole table. Callers grow leaves of a tree that already
// exists: a rebuild does so, and so does the repair of chains that were cut. For policy/ only.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "policy/builder/importance.hpp"
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
  // grow and close return the nodes that take the place of a leaf, in preorder, with indices from 0. Where
  // nothing qualifies, they return the leaf's own node alone.
  // REQUIRES: entries are some of counts.entries(), in that order; open: the attributes not yet released,
  // ascending.

  // The chain that starts at the leaf splits on admitted values only and never falls back. Below a `yes`, any
  // value may be split off.
  [[nodiscard]] virtual std::vector<Node> grow(std::vector<std::uint32_t> entries,
                                               std::vector<std::uint32_t> open, const Admitted& admitted) = 0;
  // Splits only as rule 6 of docs/disclosure-tree.md does at the end of a chain, so the number of cohorts
  // stays the same. loss: what a row that falls back from here no longer shows.
  [[nodiscard]] virtual std::vector<Node> close(std::vector<std::uint32_t> entries,
                                                std::vector<std::uint32_t> open, const Loss& loss) = 0;

  // turns: those of the tree whose leaves are grown. REQUIRES: counts and rules outlive the result.
  [[nodiscard]] static std::unique_ptr<LeafGrower> make(const CountsView& counts, std::uint64_t k,
                                                        const Growth& growth, const std::vector<Turn>& turns,
                                                        const SideRules& rules);
};

// A tree, and per entry of the counts the leaf that its path ends in (0 for one without rows).
struct GrownTree {
  DisclosureTree tree;
  std::vector<NodeIndex> path_ends;
};

// What build_tree does once it is known what comes first, without and with max_cohorts. REQUIRES: what
// build_tree says.
[[nodiscard]] Result<GrownTree> grow_with_turns(const CountsView& counts, std::uint64_t k,
                                                const Growth& growth, const std::vector<Turn>& turns,
                                                const std::function<void(double)>& progress,
                                                const SideRules& rules);
[[nodiscard]] Result<DisclosureTree> build_with_turns(const CountsView& counts, std::uint64_t k,
                                                      const Growth& growth, const std::vector<Turn>& turns,
                                                      const std::function<void(double)>& progress,
                                                      const SideRules& rules);

// What arrives at each node of a tree.
struct Partitions {
  std::vector<std::vector<std::uint32_t>> entries;  // per leaf, in the order of counts.entries()
  std::vector<std::vector<std::uint32_t>> open;     // per node: the attributes its path has not released
};
[[nodiscard]] Partitions partitions_of(const DisclosureTree& tree, const Chains& chains,
                                       const CountsView& counts);

// The tree after the grown nodes have replaced their leaves. grown: per leaf, the nodes from LeafGrower.
[[nodiscard]] DisclosureTree with_leaves_grown(const DisclosureTree& tree,
                                               const std::map<NodeIndex, std::vector<Node>>& grown);

// Takes a tree whose chains were cut short and closes each chain except the root's where it now ends.
[[nodiscard]] DisclosureTree with_cut_chains_closed(const DisclosureTree& tree, const CountsView& counts,
                                                    const Growth& growth, LeafGrower& grower);

}  // namespace pgveil::policy

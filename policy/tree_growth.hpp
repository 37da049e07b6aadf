#pragma once
// What build_tree does in one partition, for a rebuild that grows a leaf of an earlier tree. For policy/ only.
#include <cstdint>
#include <memory>
#include <vector>

#include "policy/counts_view.hpp"
#include "policy/growth.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

// Per attribute and code: not 0 where a split on the value may be made.
using Admitted = std::vector<std::vector<char>>;

class LeafGrower {
 public:
  virtual ~LeafGrower() = default;
  // The nodes that take the place of a leaf, in preorder, counted from 0; its own node alone where nothing qualifies. Its own
  // chain splits on admitted values only and never falls back; what is below a `yes` is free.
  // REQUIRES: entries are some of counts.entries(), in that order; open: the attributes not yet released, ascending.
  [[nodiscard]] virtual std::vector<Node> grow(std::vector<std::uint32_t> entries,
                                               std::vector<std::uint32_t> open, const Admitted& admitted) = 0;

  // REQUIRES: counts and rules outlive it.
  [[nodiscard]] static std::unique_ptr<LeafGrower> make(const CountsView& counts, std::uint64_t k,
                                                        Strategy strategy, const SideRules& rules);
};

}  // namespace pgveil::policy

#include "policy/cohorts/projection.hpp"

#include "policy/cohorts/leveled_counts.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

Counts projected(const Counts& counts, const DisclosureTree& tree) {
  return with_attributes(counts, tree.attributes);
}

std::vector<NodeIndex> leaves_in(const DisclosureTree& tree, const Counts& counts) {
  const Counts seen = projected(counts, tree);
  return leaves_of(tree, chains_of(tree), CountsView(seen));
}

}  // namespace pgveil::policy

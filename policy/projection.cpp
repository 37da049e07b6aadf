#include "policy/projection.hpp"

#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
#include "policy/leveled_counts.hpp"
#include "policy/routing.hpp"

namespace pgveil::policy {

Counts projected(const Counts& counts, const DisclosureTree& tree) {
  return with_attributes(counts, tree.attributes);
}

std::vector<NodeIndex> leaves_in(const DisclosureTree& tree, const Counts& counts) {
  const Counts seen = projected(counts, tree);
  return leaves_of(tree, chains_of(tree), CountsView(seen));
}

}  // namespace pgveil::policy

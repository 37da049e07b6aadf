#include "policy/projection.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "policy/chains.hpp"
#include "policy/counts_view.hpp"
#include "policy/routing.hpp"

namespace pgveil::policy {

Counts projected(const Counts& counts, const DisclosureTree& tree) {
  Counts out;
  out.rows = counts.rows;
  out.units = counts.units;
  out.sensitive = counts.sensitive;
  for (const TreeAttribute& attribute : tree.attributes) {
    const auto at = std::ranges::find(counts.attributes, attribute.number, &Attribute::number);
    PGVEIL_ASSERT(at != counts.attributes.end());
    out.attributes.push_back(*at);
    out.codes.push_back(counts.codes[static_cast<std::size_t>(at - counts.attributes.begin())]);
  }
  return out;
}

std::vector<NodeIndex> leaves_in(const DisclosureTree& tree, const Counts& counts) {
  const Counts seen = projected(counts, tree);
  return leaves_of(tree, chains_of(tree), CountsView(seen));
}

}  // namespace pgveil::policy

#include <unordered_set>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

using Visited = std::unordered_set<Transformation, TransformationHash>;

// Goes upwards first and checks on the way back: a transformation high up that is not anonymous tags
// everything below it. Above such a node there may still be something to find; above an anonymous or excluded
// one there is not.
void visit(Explorer& explorer, const Transformation& node, Visited& visited) {
  if (explorer.is_stopped() || !visited.insert(node).second) return;
  if (explorer.is_tagged(node) && !explorer.is_tagged_not_anonymous(node)) return;
  std::vector<Transformation> up;
  successors(explorer.lattice(), node, up);
  explorer.order().sort(up);
  for (const auto& next : up) visit(explorer, next, visited);
  if (!explorer.is_tagged(node)) explorer.check(node);
}

}  // namespace

void run_depth_first(Explorer& explorer) {
  Visited visited;
  visit(explorer, explorer.lattice().bottom, visited);
}

}  // namespace pgveil::engine

#include <bit>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

// In the lattice of a subset of the quasi-identifiers, the others are dropped. A subset's transformation that
// is not anonymous generalizes, and so excludes, every transformation of a larger subset that agrees with it
// (Kohlmayer et al. 2012, III-A). Because dropping a column is a level of its own here, ordinary predictive
// tagging does this.
void search_subset(Explorer& explorer, const Lattice& lattice) {
  Antichain anonymous(Antichain::Keep::minimal,
                      lattice.attributes);  // for this subset only: it says nothing about larger ones
  for (unsigned sum = lattice.bottom.level_sum(); sum <= lattice.top.level_sum() && !explorer.is_stopped();
       ++sum) {
    LevelWalk walk(lattice.bottom, lattice.top, lattice.attributes, sum);
    while (walk.next() && !explorer.is_stopped()) {
      const auto& node = walk.current();
      if (explorer.is_tagged_not_anonymous(node) || anonymous.covers(node)) continue;
      if (explorer.check_subset(node)) anonymous.add(node);
    }
  }
}

}  // namespace

void run_incognito(Explorer& explorer) {
  const Lattice& whole = explorer.lattice();
  const auto attributes = static_cast<int>(whole.attributes);
  for (int size = 1; size < attributes; ++size) {
    for (std::uint64_t subset = 0; subset < std::uint64_t{1} << attributes && !explorer.is_stopped();
         ++subset) {
      if (std::popcount(subset) == size) search_subset(explorer, subset_lattice(whole, subset));
    }
  }
  run_breadth_first(explorer);
}

}  // namespace pgveil::engine

#include "policy/tree/tree_diff.hpp"

#include <utility>

#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

using Sizes = std::map<ShownValues, CohortSize>;

Sizes sizes_of(const DisclosureTree& tree) {
  Sizes sizes;
  for_each_cohort(tree, [&](const Cohort& cohort) {
    ShownValues shows;
    const auto shown = shown_by(tree, cohort.path);
    for (std::size_t a = 0; a < shown.size(); ++a) {
      if (shown[a]) shows.emplace(tree.attributes[a].name, *shown[a]);
    }
    sizes.emplace(std::move(shows), CohortSize{cohort.rows, cohort.units});
  });
  return sizes;
}

}  // namespace

TreeDiff diff_trees(const DisclosureTree& before, const DisclosureTree& after) {
  std::map<ShownValues, CohortChange> all;
  for (auto& [shows, size] : sizes_of(before)) all[shows].before = size;
  for (auto& [shows, size] : sizes_of(after)) all[shows].after = size;
  TreeDiff diff;
  for (auto& [shows, change] : all) {
    if (change.before == change.after) {
      ++diff.same;
      continue;
    }
    change.shows = shows;
    diff.changes.push_back(std::move(change));
  }
  return diff;
}

}  // namespace pgveil::policy

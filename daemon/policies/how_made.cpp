#include "daemon/policies/how_made.hpp"

#include <algorithm>

namespace pgveil::app {

HowMade how_made(const policy::DisclosureTree& tree, const policy::PolicySpec& spec,
                 const policy::Counts& counts) {
  const auto unknown = [](std::string_view why) { return HowMade{attack::Made::unknown, why}; };
  if (counts.has_units()) return unknown("the policy counts units, of which readers know only rows");
  if (!spec.growth.workload.empty())
    return unknown("the order was searched for a workload. docs/attack-model.md tells how much that gives");
  const auto anew = policy::build_tree(counts, spec.k, spec.growth);
  const auto is_same = [](const policy::Node& now, const policy::Node& then) {
    return now.split == then.split && now.falls_back == then.falls_back;
  };
  if (!anew || !std::ranges::equal(anew->nodes, tree.nodes, is_same))
    return unknown("the tree is not what a FRESH build over the present rows makes");
  return {attack::Made::to_the_end, {}};
}

}  // namespace pgveil::app

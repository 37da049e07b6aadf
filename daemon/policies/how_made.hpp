#pragma once
// Which rules of the tree's making hold for the rows that are there now.
#include <string_view>

#include "attack/knowledge.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::app {

struct HowMade {
  attack::Made made = attack::Made::unknown;
  std::string_view why;  // it is unknown; empty otherwise
};

// A tree that a fresh build over these rows would make, too, was made by all rules. REQUIRES: the counts are
// those of the tree's attributes, and the policy is the one that it was built from.
[[nodiscard]] HowMade how_made(const policy::DisclosureTree& tree, const policy::PolicySpec& spec,
                               const policy::Counts& counts);

}  // namespace pgveil::app

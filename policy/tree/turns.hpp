#pragma once
// The order of a tree that was made for a workload, in words for an owner. It names columns and no values.
#include <string>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// "city (rare values first), then sex and birth_year"; empty for a tree without turns.
[[nodiscard]] std::string describe_turns(const DisclosureTree& tree);

}  // namespace pgveil::policy

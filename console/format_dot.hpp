#pragma once
// The disclosure tree as a graph in the DOT language of Graphviz.
#include <string>

#include "policy/tree/tree.hpp"

namespace pgveil::console {

// One node per split (its condition) and per leaf (label, rows, units and what is shown). Edges are labelled
// yes and no; a dashed edge leads from a leaf that falls back to its cohort. Quotes data values: only for
// admin_users.
[[nodiscard]] std::string tree_dot(const policy::DisclosureTree& tree);

}  // namespace pgveil::console

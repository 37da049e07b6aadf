#pragma once
// Is this a disclosure tree at all? For trees that come from outside (version_from_json); build_tree's own
// need none.
#include <optional>
#include <string>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// What is wrong first, "node 12: its no side has fewer than k units"; nullopt when nothing is. Checked: k ≥
// 2; 1 to kMaxQuasiIdentifiers attributes, ascending by number; nodes are one tree in preorder (so no cycle);
// split attributes exist, are released at most once on a path, and no value is asked twice on one; rows add
// up; every node but a leaf that falls back has at least k units, no more than rows, and those of a split are
// covered by its sides; only leaves fall back, and not the root chain's.
[[nodiscard]] std::optional<std::string> find_flaw(const DisclosureTree& tree);

}  // namespace pgveil::policy

#pragma once
// Checks that a tree is a disclosure tree at all. This is for trees that come from outside
// (version_from_json); trees from build_tree need no check.
#include <optional>
#include <string>

#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// The first flaw, for example "node 12: its no side has fewer than k units"; nullopt when there is none. The
// following must hold: k ≥ 2; there are 1 to kMaxQuasiIdentifiers attributes, ascending by number (none is
// enough for a single leaf); the nodes are one tree in preorder (so there is no cycle); attributes of splits
// exist and are released at most once on a path, and no value is tested twice on one path; rows add up; every
// node except a leaf that falls back has at least k units (a single leaf without rows may have none); no node
// has more units than rows, and the units of a split are covered by its sides; only leaves fall back, and
// none on the root's chain.
[[nodiscard]] std::optional<std::string> find_flaw(const DisclosureTree& tree);

}  // namespace pgveil::policy

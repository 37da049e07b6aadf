#pragma once
// Rebuilds a tree in such a way that nobody learns anything by comparing its versions
// (docs/disclosure-tree.md, "Rebuilding"). The versions that follow one another in this way are a lineage.
// Each version of a lineage shows the rows of every earlier one in unions of that version's cohorts:
//
//   - A split stays where both of its sides are still large enough.
//   - A split that had to be undone stays undone, and its rows stay together.
//   - A cohort is split further only by values that no version of the lineage has seen.
//
// So each side of a new split has none of the rows of an earlier version, or all rows that this version had
// in that cohort, which are k units or more.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct Lineage {
  std::uint64_t first = 0;  // number of the version that began the lineage; 0: the version that carries this
  // Per attribute of the tree: fingerprints of the values that rows had at any build of the lineage,
  // ascending. nullopt: not known, so each value counts as seen.
  std::vector<std::optional<std::vector<std::uint64_t>>> seen;
  bool operator==(const Lineage&) const = default;
};

// If an attribute has more values than this, they are not remembered.
inline constexpr std::size_t kMaxSeenValues = 20'000;

// The fingerprint of a value of the attribute with this number: 52 bits of a hash, so that a version does not
// spell out rare values. If two values have the same fingerprint, neither counts as new; that is the only
// effect.
[[nodiscard]] std::uint64_t fingerprint(int attribute_number, std::string_view value);

// The lineage after one more build: the values that these counts have, added to those of the lineage before.
// nullptr: the lineage begins here.
[[nodiscard]] Lineage continued(const Lineage* before, std::uint64_t first, const DisclosureTree& tree,
                                const Counts& counts);

struct Rebuilt {
  DisclosureTree tree;
  std::size_t collapsed = 0;  // splits of the earlier tree that are undone
  std::size_t grown = 0;      // new splits
};

// REQUIRES: the earlier tree has the attributes of counts, by number. growth and rules are those of
// build_tree, undo is that of repair. If a new split would exceed max_cohorts, nothing grows. Errors: as
// repair.
[[nodiscard]] Result<Rebuilt> rebuild(const DisclosureTree& earlier, const Lineage& lineage,
                                      const Counts& counts, const Growth& growth, const SideRules& rules = {},
                                      Undo undo = Undo::value);

}  // namespace pgveil::policy

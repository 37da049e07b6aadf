#pragma once
// Readers who kept the answers of earlier versions of a policy and recognize rows in them. For a row they
// know one class of each version, and so its joint class. They have what any of the versions shows of it, and
// a hidden cell can only have a value that all of the versions leave possible. Pure.
#include <cstdint>
#include <vector>

#include "attack/knowledge.hpp"
#include "policy/counts/counts.hpp"

namespace pgveil::attack {

// Versions that are compared with the current one over the same rows.
struct OverVersions {
  std::vector<std::uint64_t> versions;  // their numbers, in the order that they were given in
  std::uint64_t required = 0;           // the most that one of them promises
  std::uint64_t small_classes = 0;      // joint classes below it that have rows
  std::uint64_t smallest = 0;           // of these; 0: there is none
  // Cells that the current version hides. NULL does not count.
  std::uint64_t shown_before = 0;  // an earlier version shows them
  std::uint64_t claimed = 0;       // else: all versions together leave one value, the current one more
  std::uint64_t true_cells = 0;    // of the claimed ones, those that have the value
  bool operator==(const OverVersions&) const = default;
};

// The numbers of `versions` are left to the caller. REQUIRES: known: the current version first, then at least
// one earlier one; each of them over these counts, which have the exact values of all columns that one of
// the trees asks about.
[[nodiscard]] OverVersions attack_versions(const std::vector<Knowledge>& known, const policy::Counts& counts);

// How many joint classes of two trees are no class of either, whatever rows there are. 0: each joint class
// had k units when its version was built, also where the rows changed since. REQUIRES: as above.
[[nodiscard]] std::uint64_t classes_of_their_own(const policy::DisclosureTree& current,
                                                 const policy::DisclosureTree& earlier,
                                                 const policy::Counts& counts);

}  // namespace pgveil::attack

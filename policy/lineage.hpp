#pragma once
// Rebuilding a tree so that nobody learns by comparing versions. A version of a lineage shows its rows in cohorts that are
// unions or parts of the cohorts of the version before: splits stay where both sides are large enough still, one that had to
// be undone stays undone, and a cohort is split further only by values that no version of the lineage has seen. So each side of
// a new split has none of an earlier version's rows, or all that this version had in that cohort: k units or more.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/counts.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

struct Lineage {
  std::uint64_t first = 0;  // number of the version that began it; 0: the version that carries this
  // Per tree attribute, fingerprints of the values that rows had at any build of the lineage, ascending; nullopt: not known,
  // so each value counts as seen.
  std::vector<std::optional<std::vector<std::uint64_t>>> seen;
  bool operator==(const Lineage&) const = default;
};

// More values of one attribute than this are not remembered.
inline constexpr std::size_t kMaxSeenValues = 20'000;

// Of a value of the attribute with this number: 53 bits of a hash, so that a version does not spell out rare values. Two values
// with one fingerprint only mean that neither counts as new.
[[nodiscard]] std::uint64_t fingerprint(int attribute_number, std::string_view value);

// What counts have, and what the lineage before had; nullptr: it begins here.
[[nodiscard]] Lineage continued(const Lineage* before, std::uint64_t first, const DisclosureTree& tree,
                                const Counts& counts);

struct Rebuilt {
  DisclosureTree tree;
  std::size_t collapsed = 0;  // splits of the earlier tree that are undone
  std::size_t grown = 0;      // new splits
};

// REQUIRES: the earlier tree has the attributes of counts, by number. growth and rules as build_tree. Where max_cohorts would
// be crossed nothing grows. Errors: as repair.
[[nodiscard]] Result<Rebuilt> rebuild(const DisclosureTree& earlier, const Lineage& lineage,
                                      const Counts& counts, const Growth& growth,
                                      const SideRules& rules = {});

}  // namespace pgveil::policy

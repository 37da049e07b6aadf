#pragma once
// How much a tree discloses. "Cells" are rows × attributes; a cell is disclosed when it is shown as a
// non-NULL value; it is implied when it is hidden or shown but its value follows for sure from the cohort's
// path and the column's small domain ("not" paths that exclude all values but one).
#include <cstdint>
#include <vector>

#include "policy/counts.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

struct Disclosure {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
  std::uint64_t cells = 0;      // rows × attributes
  std::uint64_t disclosed = 0;  // shown, non-NULL
  std::uint64_t disclosed_or_implied = 0;
  std::uint64_t cohorts = 0;
  std::uint64_t smallest_cohort = 0;                  // in units, over all leaves
  std::vector<std::uint64_t> disclosed_by_attribute;  // rows, per tree attribute
  std::vector<std::uint64_t> disclosed_or_implied_by_attribute;
  bool operator==(const Disclosure&) const = default;
};

// Implied, exactly: a hidden cell of attribute a in a leaf is implied when all rows of that leaf in `counts`
// have the same non-NULL value of a, or when the path's "not" steps exclude all but one of a's values in
// `counts` and the row is not NULL there. Of a column with levels all steps count, on it and on its levels.
[[nodiscard]] Disclosure measure(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy

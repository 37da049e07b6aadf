#pragma once
// How much a tree discloses. "Cells" are rows × attributes. A cell is disclosed when it is shown as a
// non-NULL value. Some hidden cells can be computed by a reader, and some are merely the same for a whole
// equivalence class (docs/disclosure-tree.md, "What follows from the answers").
#include <cstdint>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct Disclosure {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
  std::uint64_t cells = 0;       // rows × attributes
  std::uint64_t disclosed = 0;   // shown, non-NULL
  std::uint64_t computable = 0;  // hidden, and a reader can compute the value
  std::uint64_t equal = 0;       // hidden, not computable, and all rows of the class have the same value
  std::uint64_t cohorts = 0;
  std::uint64_t smallest_cohort = 0;                  // in units, over all leaves
  std::vector<std::uint64_t> disclosed_by_attribute;  // rows, per tree attribute
  std::vector<std::uint64_t> computable_by_attribute;
  std::vector<std::uint64_t> equal_by_attribute;
  bool operator==(const Disclosure&) const = default;
};

// Computable is exact. Take all tables that have the same values per column as `counts`, that have NULL where
// a column of `counts` has NULL, that the tree masks to the same answers, and in which each cohort has k
// units of its own path. A hidden, non-NULL cell is computable when no two of these tables have different
// non-NULL values in it. With `unit`, a class that has k units is treated as one to which no row falls back.
// Equal is exact as well: a hidden cell that is not computable, where all rows of the class have the same
// non-NULL value in `counts`.
[[nodiscard]] Disclosure measure(const DisclosureTree& tree, const Counts& counts);

}  // namespace pgveil::policy

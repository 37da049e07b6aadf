#pragma once
// Columns whose values follow from those of another one, as a country follows from the city. Found in the
// counts: nobody declares it. An owner should know: such a column costs nothing where the other is shown, and
// who sees the other knows it though it is hidden.
#include <cstdint>
#include <vector>

#include "policy/counts/counts.hpp"

namespace pgveil::policy {

struct ImpliedColumn {
  std::uint32_t attribute = 0;  // of the counts, in the order of their numbers
  std::uint32_t by = 0;
  bool operator==(const ImpliedColumn&) const = default;
};

// Ascending by attribute; each that is implied once, by the attribute that has the fewest values (ties: the
// lower number). `attribute` follows from `by` where all rows with one value of `by` have one value of
// `attribute`, NULL in either aside. What would be so by chance alone doesn't count: an attribute with one
// value, a `by` with fewer values than the attribute (it is NULL elsewhere), and a `by` that is (almost) a
// key: values that at least k rows have must have half of its rows. Levels of a column follow from it by what
// they are, so they are left out too. O(attributes² × entries).
[[nodiscard]] std::vector<ImpliedColumn> implied_columns(const Counts& counts, std::uint64_t k);

}  // namespace pgveil::policy

#pragma once
// What a reader gets, in one form for all methods: each cell of a quasi-identifier stands for a set of
// values.
#include <cstdint>
#include <string>
#include <vector>

#include "bench/utility/sets.hpp"
#include "policy/spec/growth.hpp"

namespace pgveil::bench::utility {

struct MaskedColumn {
  std::vector<std::vector<std::uint32_t>> covers;  // by cell, the codes that it stands for
  std::vector<std::uint32_t> cells;                // by row
};

struct Masked {
  std::vector<MaskedColumn> columns;  // as Set::dimensions
  std::vector<char> is_dropped;       // by row: it is not published
  double ms = 0;                      // CPU time of one thread
};

// A hidden cell stands for all values of its column.
[[nodiscard]] Masked mask_by_tree(const Set& set, std::uint64_t k, const policy::Growth& growth);
// The generalization that loses least of all (metric loss), with at most so great a share of the records
// suppressed. What is lost in each of the `favoured` columns weighs ten times as much as in another.
[[nodiscard]] Masked mask_by_full_domain(const Set& set, std::uint64_t k, double suppression,
                                         const Names& favoured);
// Numbers show the range from the least to the greatest value of their group, the others the closest common
// ancestor.
[[nodiscard]] Masked mask_by_mondrian(const Set& set, std::uint64_t k, bool is_relaxed);
// The table as it is.
[[nodiscard]] Masked not_masked(const Set& set);

// Rows that look alike. cells: by column.
struct MaskedClass {
  std::vector<std::uint32_t> cells;
  double rows = 0;
  double amount = 0;  // the sum of the sensitive number
};
[[nodiscard]] std::vector<MaskedClass> classes_of(const Set& set, const Masked& masked);

// The share of cells that stand for one value.
[[nodiscard]] double exact_cells(const Set& set, const Masked& masked);

}  // namespace pgveil::bench::utility

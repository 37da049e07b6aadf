#pragma once
// The refinement attack on a file whose job generalizes by levels (arXiv 2509.03350): a record that a later
// transformation shows has no combination of values that an earlier one shows, and a suppressed record has
// none that any of them shows. So some values are impossible in a cell, though they are below its text. Pure.
//
// Sound: a value is excluded only if each combination with the other columns was tried. Not complete: it does
// not use that a cell that is not shown holds fewer than k records, and a value stays open if there are more
// combinations than kMostCombinations.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/check/transformation_order.hpp"

namespace pgveil::app {

struct RefinedColumn {
  std::string name;
  std::uint64_t generalized = 0;  // records whose cell stands for several values of the input
  std::uint64_t narrowed = 0;     // of these: a value is impossible in their cell
  std::uint64_t learnt = 0;       // of these: one value is possible, and it is theirs
  std::uint64_t wrong = 0;        // of these: one value is possible, and theirs is another
};

struct Refinement {
  std::vector<RefinedColumn> columns;  // the quasi-identifiers
  std::uint64_t open = 0;              // values of cells that have too many combinations
};

inline constexpr std::uint64_t kMostCombinations = 20'000;

struct RefinedClass {
  std::size_t number = 0;                          // as the order says it
  bool holds_suppressed = false;                   // it also holds what no transformation shows
  std::vector<TransformationOrder::Codes> values;  // by column: the raw codes that its cell stands for
  std::vector<TransformationOrder::Codes> rows;    // of the input, for the check of claims: by row and column
};

// Adds the class to `out`, which has an element for each column. REQUIRES: the order is known; kinds: what
// order.kinds_of gives for each column.
void refine(const TransformationOrder& order, const std::vector<TransformationOrder::Codes>& kinds,
            const RefinedClass& cells, Refinement& out);

}  // namespace pgveil::app

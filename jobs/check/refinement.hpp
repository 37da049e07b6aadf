#pragma once
// The refinement attack on a file whose job generalizes by levels (arXiv 2509.03350). It uses two facts of
// the order of the transformations. Pure.
//
// - A record that a later transformation shows has no combination of values that an earlier one shows, and a
//   suppressed record has none that any of them shows. So some values are impossible in a cell, though they
//   are below its text.
// - An earlier transformation did not show these records because fewer than k records had their values at
//   its levels. So the records of a class are spread over the cells that are not shown, at most k − 1 in
//   each, also together with those of other classes (unshown_cells.hpp). This needs a job whose only model
//   is k.
//
// Sound: a value is excluded only if each combination with the other columns was tried. Not complete: a value
// stays open if there are more combinations than kMostCombinations, and the second fact is used by bounds.
#include <cstddef>
#include <cstdint>
#include <optional>
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
  // So many generalized records of classes certainly have a certain value, but it is not certain which of
  // the class they are. Of these, those for which the class has enough records with the value.
  std::uint64_t pinned = 0, pinned_true = 0;
};

struct Refinement {
  std::vector<RefinedColumn> columns;  // the quasi-identifiers
  std::uint64_t open = 0;              // values of cells that have too many combinations
  bool uses_sizes = false;             // the second fact: the job has no model but k
};

inline constexpr std::uint64_t kMostCombinations = 20'000;

struct RefinedClass {
  std::size_t number = 0;                          // as the order says it
  std::uint64_t records = 0;                       // in the file
  bool holds_suppressed = false;                   // it also holds what no transformation shows
  std::vector<TransformationOrder::Codes> values;  // by column: the raw codes that its cell stands for
  std::vector<TransformationOrder::Codes> rows;    // of the input, for the check of claims: by row and column
};

// names: of the columns. k: of a job that has no other model; nullopt: it has one. REQUIRES: the order is
// known; classes: all of the file.
[[nodiscard]] Refinement refine(const TransformationOrder& order, const std::vector<std::string>& names,
                                const std::vector<RefinedClass>& classes, std::optional<std::uint64_t> k);

}  // namespace pgveil::app

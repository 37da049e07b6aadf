#pragma once
// A quasi-identifier as Mondrian sees it: its values in an order that can be cut, and the name of each range
// of that order.
//
// Numbers are ordered as numbers. Texts that are the same number (1, 1.0) are one value, shown as the
// shortest of them. Categories have the order of the leaves of their hierarchy: subtrees are contiguous,
// siblings are in the order of the file. NULL is a value of its own, before all numbers.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/code_column.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

// A place in a dimension's order, from 0.
using Rank = std::uint32_t;

struct RankRange {
  Rank low = 0, high = 0;  // both inclusive
  bool operator==(const RankRange&) const = default;
};

struct Dimension {
  std::string name;
  std::vector<Rank> rank_of;          // by the column's codes
  std::vector<std::string> values;    // by rank
  std::optional<Rank> null_rank;      // of NULL, if there is one; for numbers it is 0
  std::vector<double> numbers;        // by rank, 0 for NULL; empty for categories
  std::optional<LevelTables> levels;  // for categories, over the codes of `values` (code = rank)

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(values.size()); }
  [[nodiscard]] bool is_numeric() const { return !levels.has_value(); }
};

// The values of a categorical dimension that occur in a group: one bit for each rank.
using RankSet = std::uint64_t;
inline constexpr Rank kMostOfSet = 64;

// Errors, kind configuration, with the offending values in private_detail: values that are no numbers
// (decimal, at most 15 digits, so that none is rounded); the column is empty.
[[nodiscard]] Result<Dimension> numeric_dimension(const Column& column,
                                                  std::optional<std::string_view> null_text);

// null_text: how NULL is written in the column. It matters only for sets. Errors: those of make_level_tables.
[[nodiscard]] Result<Dimension> categorical_dimension(const Column& column, const Hierarchy& hierarchy,
                                                      std::optional<std::string_view> null_text = {});

// The distance between the ends: for numbers their difference, for categories the difference of their places.
// From NULL to a number it is the whole range.
[[nodiscard]] double span(const Dimension& dimension, RankRange range);

// The text as which all values in the range are published: the value itself if there is only one; `[30,39]`
// (both ends inclusive) for numbers; the least common ancestor for categories; `*` from NULL to a number, and
// where there is no common ancestor.
[[nodiscard]] std::string label(const Dimension& dimension, RankRange range);

// The range of all values, without NULL for numbers.
[[nodiscard]] RankRange all_numbers(const Dimension& dimension);

// NCP of one cell (docs/engine.md): 0 for a single value. For numbers, the difference of the ends ÷ that of
// the whole column; for categories, the leaves of the hierarchy under the ancestor ÷ all its leaves; 1 for
// `*`.
[[nodiscard]] double certainty_penalty(const Dimension& dimension, RankRange range);

// Whether groups can show sets of this dimension's values: it has categories, at most kMostOfSet.
[[nodiscard]] bool has_sets(const Dimension& dimension);

// The text as which a set is published: the value itself if there is only one; otherwise `{Italy,Spain}`, as
// PostgreSQL writes an array, with quotes where it needs them and NULL without; `*` if the set has all
// values of the hierarchy. REQUIRES: has_sets; the set is not empty.
[[nodiscard]] std::string label_of_set(const Dimension& dimension, RankSet set);

// NCP of a cell that shows a set: 0 for a single value, otherwise its values ÷ all leaves of the hierarchy
// (Xu et al. 2006 define it so for the leaves under an ancestor). REQUIRES: as before.
[[nodiscard]] double certainty_penalty_of_set(const Dimension& dimension, RankSet set);

}  // namespace pgveil::engine

#pragma once
// A quasi-identifier as Mondrian sees it: its values in an order that can be cut, and what a range of that
// order is called.
//
// Numbers are ordered as numbers; texts that are the same number (1, 1.0) are one value, shown as the
// shortest of them. Categories stand in the order of the leaves of their hierarchy: subtrees are contiguous,
// siblings in the order of the file. NULL is a value of its own, before all numbers.
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
  std::optional<Rank> null_rank;      // of numbers only: 0, if there is one
  std::vector<double> numbers;        // by rank, 0 for NULL; empty: categories
  std::optional<LevelTables> levels;  // of categories, over the codes of `values` (code = rank)

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(values.size()); }
  [[nodiscard]] bool is_numeric() const { return !levels.has_value(); }
};

// Errors, kind configuration, the offending values in private_detail: values that are no numbers (decimal, at
// most 15 digits, so that none is rounded); the column is empty.
[[nodiscard]] Result<Dimension> numeric_dimension(const Column& column,
                                                  std::optional<std::string_view> null_text);

// Errors: those of make_level_tables.
[[nodiscard]] Result<Dimension> categorical_dimension(const Column& column, const Hierarchy& hierarchy);

// How far apart the ends are: numbers by their difference, categories by their places. From NULL to a number:
// the whole range.
[[nodiscard]] double span(const Dimension& dimension, RankRange range);

// What all values in the range are published as: the value itself if there is one, `[30,39]` (both ends
// belong to it) for numbers, the least common ancestor for categories; `*` from NULL to a number, and where
// no ancestor is common.
[[nodiscard]] std::string label(const Dimension& dimension, RankRange range);

// NCP of one cell (engine.md): 0 for a single value; numbers: the difference of the ends ÷ that of the whole
// column; categories: leaves of the hierarchy under the ancestor ÷ all its leaves; 1 for `*`.
[[nodiscard]] double certainty_penalty(const Dimension& dimension, RankRange range);

}  // namespace pgveil::engine

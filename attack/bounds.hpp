#pragma once
// How many rows at each node of a tree may have each value of one column. Every table that is possible from
// the attacker's point of view lies within these bounds, so a value whose upper bound is 0 is excluded. The
// bounds come from constraint propagation: sums over the tree, over the values of a node, and the gaps that
// the choice of splits leaves. It is sound for any table. It is not complete, because the gaps make the exact
// problem one of integer programming, which exact.hpp solves where it can.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "attack/knowledge.hpp"

namespace pgveil::attack {

struct Interval {
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool operator==(const Interval&) const = default;
};

// Rows that end at or pass through each node, whatever their values. Narrowed by all columns that are not too
// large.
[[nodiscard]] std::vector<Interval> node_sizes(const Knowledge& knowledge);

struct ColumnBounds {
  std::size_t atoms = 0;
  std::vector<Interval> rows;  // of node n with atom v: rows[n * atoms + v]
  bool is_settled = true;      // false: stopped before nothing changed any more; still sound
  [[nodiscard]] const Interval& at(policy::NodeIndex node, std::size_t atom) const {
    return rows[node * atoms + atom];
  }
};

// The work is limited to so many numbers (nodes × atoms) in one column.
inline constexpr std::size_t kMostBounds = 40'000'000;
[[nodiscard]] bool is_too_large(const Knowledge& knowledge, const Column& column);

// REQUIRES: sizes = node_sizes(knowledge); !is_too_large.
[[nodiscard]] ColumnBounds bounds_of(const Knowledge& knowledge, const Column& column,
                                     const std::vector<Interval>& sizes);

}  // namespace pgveil::attack

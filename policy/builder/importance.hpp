#pragma once
// What comes first in a tree, per attribute: by rule 3 of docs/disclosure-tree.md, by what the owner said of
// columns (priority and weight of growth.hpp), or by what was found for a workload (Turn of tree.hpp). Also
// what a row loses that falls back. For policy/builder, and for attackers who know its rules (attack).
#include <cstdint>
#include <limits>
#include <vector>

#include "policy/counts/counts_view.hpp"
#include "policy/spec/growth.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

struct Importance {
  std::uint32_t rank = 0;    // of a split: 0 comes first
  std::uint32_t tier = 0;    // of a cell: 0 comes first
  std::uint64_t weight = 1;  // of a cell beside cells of the same tier, and of a split, per unit
  // Of a cell beside all others, for max_cohorts: the weight, or eight times the next tier's.
  std::uint64_t worth = 1;
  // Of a split, per unit, in the place of the weight; by code. Empty: the weight, whatever the value.
  std::vector<std::uint64_t> value_weights = {};

  // Of splits of one rank the one with the greater merit comes first. It only falls while units leave.
  [[nodiscard]] std::uint64_t merit(Code code, std::uint64_t units) const {
    const std::uint64_t each = value_weights.empty() ? weight : value_weights[code];
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return units > kMost / each ? kMost : units * each;
  }
};

// REQUIRES: what Growth says of its members; turns: empty, or one per attribute.
[[nodiscard]] std::vector<Importance> importance_of(const std::vector<TreeAttribute>& attributes,
                                                    const Growth& growth, const std::vector<Turn>& turns);

// The same with the weights of values, which depend on how many units of the whole table have them.
[[nodiscard]] std::vector<Importance> importance_of(const CountsView& counts, const Growth& growth,
                                                    const std::vector<Turn>& turns);

// The cells that a row shows less which falls back: those of the first tier among them, by weight. Cells of
// later tiers are not counted, because nothing of them outweighs one of the first.
struct Loss {
  std::uint32_t tier = 0;
  std::uint64_t weight = 0;

  [[nodiscard]] static Loss of(const Importance& released) { return {released.tier, released.weight}; }
  [[nodiscard]] Loss and_also(const Loss& other) const {
    if (tier != other.tier) return tier < other.tier ? *this : other;
    return {tier, weight + other.weight};
  }
};

// What is won when `shown` rows show one more cell and `hidden` rows lose `loss` each; 0 when that is nothing
// or less.
[[nodiscard]] std::uint64_t gain(const Importance& cell, std::uint64_t shown, const Loss& loss,
                                 std::uint64_t hidden);

}  // namespace pgveil::policy

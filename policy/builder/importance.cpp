#include "policy/builder/importance.hpp"

#include <algorithm>
#include <bit>

#include "common/assert.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

namespace {

constexpr std::uint64_t kWorthOfNextTier = 8;
constexpr std::uint32_t kRanksOfTier = kMaxQuasiIdentifiers;  // more than a column has levels
constexpr std::uint32_t kLeastExponent = 8;
constexpr std::uint32_t kMostExponent = 62;

const std::string& column_of(const TreeAttribute& attribute) {
  return attribute.level ? attribute.level->source : attribute.name;
}

// As the owner said, exact values of a tier before its levels, fine ones first.
Importance said_of(const TreeAttribute& attribute, const Growth& growth) {
  Importance it;
  const auto place = std::ranges::find(growth.priority, column_of(attribute)) - growth.priority.begin();
  it.tier = static_cast<std::uint32_t>(place);
  it.rank = it.tier * kRanksOfTier + coarseness_of(attribute);
  if (const auto found = growth.weights.find(column_of(attribute)); found != growth.weights.end())
    it.weight = found->second;
  PGVEIL_ASSERT(it.weight >= 1 && it.weight <= kMaxWeight);
  return it;
}

std::uint32_t tier_count(const std::vector<Importance>& importance) {
  std::uint32_t last = 0;
  for (const Importance& it : importance) last = std::max(last, it.tier);
  return last + 1;
}

// Twice the binary logarithm, rounded down. REQUIRES: n ≥ 1.
std::uint32_t half_octaves(std::uint64_t n) {
  if (n >= std::uint64_t{1} << 32) return half_octaves(n >> 16) + 32;
  return static_cast<std::uint32_t>(std::bit_width(n * n)) - 1;
}

std::vector<std::uint64_t> units_by_code(const CountsView& counts, std::size_t a) {
  std::vector<std::uint64_t> units(counts.attribute(a).values.size() + 1, 0);
  std::vector<Code> last(units.size(), kNullCode);  // per code the last unit that has it
  for (const std::uint32_t entry : counts.entries()) {
    const Code code = counts.codes(a)[entry];
    if (!counts.has_units()) {
      units[code] += counts.rows(entry);
    } else if (counts.unit(entry) != last[code]) {  // entries of one unit stand next to each other
      last[code] = counts.unit(entry);
      ++units[code];
    }
  }
  return units;
}

std::uint64_t units_in(const CountsView& counts) {
  std::uint64_t units = 0;
  Code last = kNullCode;
  for (const std::uint32_t entry : counts.entries()) {
    if (!counts.has_units()) {
      units += counts.rows(entry);
    } else if (counts.unit(entry) != last) {
      last = counts.unit(entry);
      ++units;
    }
  }
  return units;
}

std::uint64_t weight_of_value(const Turn& turn, std::uint64_t all, std::uint64_t having) {
  if (having == 0) return 1;
  const std::uint32_t rareness = half_octaves(std::max(all, having)) - half_octaves(having);
  const std::uint32_t exponent = kLeastExponent + turn.favour + turn.rarity * rareness / 4;
  const std::uint64_t weight = std::uint64_t{1} << std::min(exponent, kMostExponent);
  return turn.is_by_cost ? std::max<std::uint64_t>(1, weight / std::max(1U, rareness)) : weight;
}

}  // namespace

std::vector<Importance> importance_of(const std::vector<TreeAttribute>& attributes, const Growth& growth,
                                      const std::vector<Turn>& turns) {
  PGVEIL_ASSERT(growth.priority.size() <= kMaxPriorities);
  PGVEIL_ASSERT(growth.priority.empty() || growth.weights.empty());
  PGVEIL_ASSERT(turns.empty() || turns.size() == attributes.size());
  std::vector<Importance> importance;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    importance.push_back(said_of(attributes[a], growth));
    if (turns.empty()) continue;
    PGVEIL_ASSERT(turns[a].rank <= kMaxRank);
    importance.back().rank = importance.back().tier = turns[a].rank;
  }
  for (Importance& it : importance) {
    it.worth = it.weight;
    for (std::size_t tier = it.tier + 1; tier < tier_count(importance); ++tier) it.worth *= kWorthOfNextTier;
  }
  return importance;
}

std::vector<Importance> importance_of(const CountsView& counts, const Growth& growth,
                                      const std::vector<Turn>& turns) {
  auto importance = importance_of(tree_attributes(counts), growth, turns);
  if (turns.empty()) return importance;
  const std::uint64_t all = units_in(counts);
  for (std::size_t a = 0; a < turns.size(); ++a) {
    for (const std::uint64_t having : units_by_code(counts, a))
      importance[a].value_weights.push_back(weight_of_value(turns[a], all, having));
  }
  return importance;
}

std::uint64_t gain(const Importance& cell, std::uint64_t shown, const Loss& loss, std::uint64_t hidden) {
  const std::uint64_t won = shown * cell.weight;
  if (hidden == 0 || cell.tier < loss.tier) return won;
  if (cell.tier > loss.tier || won <= hidden * loss.weight) return 0;
  return won - hidden * loss.weight;
}

}  // namespace pgveil::policy

#include "policy/decision/visible_columns.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/assert.hpp"
#include "policy/cohorts/projection.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {
namespace {

// How many units a group of entries has, as far as "none, one or more" is concerned.
struct Crowd {
  std::uint64_t rows = 0;
  Code unit = kNullCode;
  bool has_others = false;

  void add(std::uint64_t more_rows, Code more_unit, bool has_units) {
    has_others =
        has_others || (rows > 0 && (!has_units || unit != more_unit)) || (!has_units && more_rows > 1);
    unit = more_unit;
    rows += more_rows;
  }
  [[nodiscard]] bool is_alone() const { return rows > 0 && !has_others; }
};

std::size_t position_of(const Counts& counts, int number) {
  const auto at = std::ranges::find(counts.attributes, number, &Attribute::number);
  PGVEIL_ASSERT(at != counts.attributes.end());
  return static_cast<std::size_t>(at - counts.attributes.begin());
}

// The value that all rows with one visible value have in one attribute, if they agree.
struct Agreement {
  Code first = kNullCode;
  bool is_broken = false;  // another value, or NULL

  void add(Code code) {
    if (code == kNullCode || (first != kNullCode && first != code)) is_broken = true;
    first = code;
  }
};

}  // namespace

VisibleColumn measure_visible(const DisclosureTree& tree, const Counts& counts, int number) {
  const auto& values = counts.codes[position_of(counts, number)];
  const auto leaves = leaves_in(tree, counts);
  const Counts seen = projected(counts, tree);
  const auto unit_of = [&](std::size_t entry) {
    return counts.has_units() ? counts.units[entry] : kNullCode;
  };
  std::map<std::pair<NodeIndex, Code>, Crowd> in_cohorts;
  std::map<Code, Crowd> in_table;
  std::map<Code, std::vector<Agreement>> agreements;
  VisibleColumn out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out.rows += counts.rows[i];
    if (values[i] == kNullCode || counts.rows[i] == 0) continue;
    in_cohorts[{leaves[i], values[i]}].add(counts.rows[i], unit_of(i), counts.has_units());
    in_table[values[i]].add(counts.rows[i], unit_of(i), counts.has_units());
    auto& agreement = agreements.try_emplace(values[i], tree.attributes.size()).first->second;
    for (std::size_t a = 0; a < agreement.size(); ++a) agreement[a].add(seen.codes[a][i]);
  }
  for (const auto& [key, crowd] : in_cohorts) out.unique_rows += crowd.is_alone() ? crowd.rows : 0;
  const auto released = released_on_path(tree);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
      const bool is_hidden = (released[leaves[i]] >> a & 1) == 0 && seen.codes[a][i] != kNullCode;
      if (!is_hidden) continue;
      out.hidden_cells += counts.rows[i];
      if (values[i] == kNullCode || in_table[values[i]].is_alone()) continue;
      if (!agreements.at(values[i])[a].is_broken) out.determined_cells += counts.rows[i];
    }
  }
  return out;
}

std::uint64_t rows_alone_in(const Counts& counts, int number) {
  const auto& values = counts.codes[position_of(counts, number)];
  std::map<Code, Crowd> crowds;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (values[i] == kNullCode || counts.rows[i] == 0) continue;
    crowds[values[i]].add(counts.rows[i], counts.has_units() ? counts.units[i] : kNullCode,
                          counts.has_units());
  }
  std::uint64_t rows = 0;
  for (const auto& [value, crowd] : crowds) rows += crowd.is_alone() ? crowd.rows : 0;
  return rows;
}

}  // namespace pgveil::policy

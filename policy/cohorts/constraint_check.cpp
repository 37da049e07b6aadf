#include "policy/cohorts/constraint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "common/yaml.hpp"
#include "policy/cohorts/projection.hpp"

namespace pgveil::policy {

namespace {

constexpr std::size_t kBreachesNamed = 10;  // so that the message stays one line

struct Seen {
  std::uint32_t group = 0;  // a cohort's leaf, or a joint class
  Code value = kNullCode;
  Code unit = kNullCode;
  std::uint64_t rows = 0;
};

// The frequencies of one group, or of the whole table: `seen` is sorted by value and unit.
std::vector<std::uint64_t> frequencies_of(std::span<const Seen> seen, std::size_t values, bool has_units) {
  std::vector<std::uint64_t> frequencies(values, 0);
  const Seen* last = nullptr;
  for (const Seen& one : seen) {
    const bool is_again = last != nullptr && last->value == one.value && last->unit == one.unit;
    if (!has_units) frequencies[one.value - 1] += one.rows;
    if (has_units && !is_again) ++frequencies[one.value - 1];
    last = &one;
  }
  return frequencies;
}

std::vector<Seen> seen_in(std::span<const std::uint32_t> group_of, const Counts& counts) {
  const std::vector<Code>& values = counts.sensitive.front().codes;
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Code unit = counts.has_units() ? counts.units[i] : kNullCode;
    const bool counts_for_nobody = counts.has_units() && unit == kNullCode;
    if (values[i] == kNullCode || counts_for_nobody || counts.rows[i] == 0) continue;
    seen.push_back({group_of[i], values[i], unit, counts.rows[i]});
  }
  return seen;
}

// How many units have each value, per group and in the whole table.
class Frequency {
 public:
  Frequency(std::span<const std::uint32_t> group_of, const Counts& counts)
      : seen_(seen_in(group_of, counts)),
        values_(counts.sensitive.front().value_count),
        has_units_(counts.has_units()) {
    std::ranges::sort(seen_, {}, [](const Seen& one) { return std::tuple(one.value, one.unit); });
    in_table_ = frequencies_of(seen_, values_, has_units_);
    std::ranges::sort(seen_, {}, [](const Seen& one) { return std::tuple(one.group, one.value, one.unit); });
  }
  [[nodiscard]] const std::vector<std::uint64_t>& in_table() const { return in_table_; }
  [[nodiscard]] std::vector<std::uint64_t> in_group(std::uint32_t group) const {
    // Not equal_range, because clang 14 cannot compile its result with this standard library.
    const auto first = std::ranges::lower_bound(seen_, group, {}, &Seen::group);
    const auto last = std::ranges::upper_bound(first, seen_.end(), group, {}, &Seen::group);
    return frequencies_of({first, last}, values_, has_units_);
  }

 private:
  std::vector<Seen> seen_;
  std::size_t values_;
  bool has_units_;
  std::vector<std::uint64_t> in_table_;
};

std::vector<Breach> breaches_of(const ColumnRule& rule, const std::string& label, Frequencies frequencies,
                                Frequencies in_table) {
  std::vector<Breach> breaches;
  for (const Constraint& constraint : rule.constraints) {
    if (holds(constraint.model, frequencies, in_table)) continue;
    breaches.push_back(
        {label, requirement(constraint.model), measured(constraint.model, frequencies, in_table)});
  }
  return breaches;
}

std::string listed(const std::vector<Breach>& breaches) {
  std::string text;
  for (std::size_t i = 0; i < std::min(breaches.size(), kBreachesNamed); ++i) {
    const Breach& breach = breaches[i];
    text +=
        fmt::format("{}{}: {}, found {}", i == 0 ? "" : "; ",
                    breach.label.empty() ? "the whole table" : breach.label, breach.required, breach.found);
  }
  if (breaches.size() > kBreachesNamed)
    text += fmt::format("; and {} more", breaches.size() - kBreachesNamed);
  return text;
}

}  // namespace

std::vector<Breach> find_breaches(const DisclosureTree& tree, const ConstrainedColumn& column) {
  PGVEIL_ASSERT(column.counts.sensitive.size() == 1);
  const auto leaves = leaves_in(tree, column.counts);
  const Frequency frequency(leaves, column.counts);
  std::vector<Breach> breaches = breaches_of(column.rule, "", frequency.in_table(), frequency.in_table());
  for_each_cohort(tree, [&](const Cohort& cohort) {
    auto found =
        breaches_of(column.rule, cohort.label, frequency.in_group(cohort.leaf), frequency.in_table());
    std::ranges::move(found, std::back_inserter(breaches));
  });
  return breaches;
}

std::vector<GroupBreach> find_group_breaches(std::span<const std::uint32_t> group_of,
                                             std::span<const std::uint32_t> groups, const ColumnRule& rule,
                                             const Counts& counts) {
  PGVEIL_ASSERT(counts.sensitive.size() == 1 && group_of.size() == counts.size());
  const Frequency frequency(group_of, counts);
  std::vector<GroupBreach> out;
  for (const std::uint32_t group : groups) {
    auto found = breaches_of(rule, "", frequency.in_group(group), frequency.in_table());
    if (!found.empty()) out.push_back({group, std::move(found.front())});
  }
  return out;
}

Result<void> check_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                               std::span<const ConstrainedColumn> columns) {
  for (const ConstrainedColumn& column : columns) {
    const auto breaches = find_breaches(tree, column);
    if (breaches.empty()) continue;
    return Error{.kind = ErrorKind::policy,
                 .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
                 .public_message = fmt::format("policy {}: some cohorts violate the constraints of column {}",
                                               spec.name, yaml::in_quotes(column.rule.name)),
                 .hint = listed(breaches)};
  }
  return {};
}

SideRules side_rules(const PolicySpec& spec, const Counts& counts) {
  SideRules rules;
  for (const ColumnRule& rule : spec.columns) {
    for (const Constraint& constraint : rule.constraints) {
      if (constraint.mode != ConstraintMode::refine) continue;
      const auto at = std::ranges::find(counts.sensitive, rule.name, &SensitiveColumn::name);
      PGVEIL_ASSERT(at != counts.sensitive.end());
      rules.push_back({static_cast<std::size_t>(at - counts.sensitive.begin()), constraint.model});
    }
  }
  return rules;
}

std::optional<std::uint64_t> k_that_would_do(const PolicySpec& spec, const Counts& counts,
                                             std::span<const ConstrainedColumn> columns) {
  const SideRules rules = side_rules(spec, counts);
  for (std::uint64_t k = spec.k; k <= std::numeric_limits<std::uint64_t>::max() / 2;) {
    k *= 2;
    const auto tree = build_tree(counts, k, spec.growth, {}, rules);
    if (!tree) return std::nullopt;
    if (check_constraints(spec, *tree, columns)) return k;
  }
  return std::nullopt;
}

}  // namespace pgveil::policy

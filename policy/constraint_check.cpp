#include "policy/constraint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "common/yaml.hpp"
#include "policy/projection.hpp"

namespace pgveil::policy {

namespace {

constexpr std::size_t kBreachesNamed = 10;  // a message is one line

struct Seen {
  NodeIndex cohort = 0;
  Code value = kNullCode;
  Code unit = kNullCode;
  std::uint64_t rows = 0;
};

// The frequencies of one cohort, or of the table: a run of what was seen, sorted by value and unit.
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

std::vector<Seen> seen_in(const DisclosureTree& tree, const Counts& counts) {
  const auto leaves = leaves_in(tree, counts);
  const std::vector<Code>& values = counts.sensitive.front().codes;
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Code unit = counts.has_units() ? counts.units[i] : kNullCode;
    const bool counts_for_nobody = counts.has_units() && unit == kNullCode;
    if (values[i] == kNullCode || counts_for_nobody || counts.rows[i] == 0) continue;
    seen.push_back({leaves[i], values[i], unit, counts.rows[i]});
  }
  return seen;
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
  const Counts& counts = column.counts;
  const std::size_t values = counts.sensitive.front().value_count;
  std::vector<Seen> seen = seen_in(tree, counts);
  std::ranges::sort(seen, {}, [](const Seen& one) { return std::tuple(one.value, one.unit); });
  const auto in_table = frequencies_of(seen, values, counts.has_units());
  std::ranges::sort(seen, {}, [](const Seen& one) { return std::tuple(one.cohort, one.value, one.unit); });
  std::vector<Breach> breaches;
  const auto check = [&](const std::string& label, Frequencies frequencies) {
    for (const Constraint& constraint : column.rule.constraints) {
      if (holds(constraint.model, frequencies, in_table)) continue;
      breaches.push_back(
          {label, requirement(constraint.model), measured(constraint.model, frequencies, in_table)});
    }
  };
  check("", in_table);
  for_each_cohort(tree, [&](const Cohort& cohort) {
    // Not equal_range, whose answer clang 14 can't compile with this standard library.
    const auto first = std::ranges::lower_bound(seen, cohort.leaf, {}, &Seen::cohort);
    const auto last = std::ranges::upper_bound(first, seen.end(), cohort.leaf, {}, &Seen::cohort);
    check(cohort.label, frequencies_of({first, last}, values, counts.has_units()));
  });
  return breaches;
}

Result<void> check_constraints(const PolicySpec& spec, const DisclosureTree& tree,
                               std::span<const ConstrainedColumn> columns) {
  for (const ConstrainedColumn& column : columns) {
    const auto breaches = find_breaches(tree, column);
    if (breaches.empty()) continue;
    return Error{
        .kind = ErrorKind::policy,
        .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
        .public_message = fmt::format("policy {}: not every cohort keeps the constraints of column {}",
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

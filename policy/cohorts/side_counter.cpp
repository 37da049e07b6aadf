#include "policy/cohorts/side_counter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::policy {

SideCounter::SideCounter(const CountsView& counts, const SideRules& rules)
    : counts_(counts), rules_(rules), columns_(rules.empty() ? 0 : counts.sensitive().size()) {
  for (const SideRule& rule : rules) {
    PGVEIL_ASSERT(rule.column < columns_.size());
    Column& column = columns_[rule.column];
    column.number = rule.column;
    column.is_used = true;
    const std::size_t values = counts.sensitive()[rule.column].value_count;
    column.last_pair.assign(values, kNone);
    column.left.assign(values, 0);
    stays_forbidden_ = stays_forbidden_ && stays_broken(rule.model);
  }
  if (rules.empty()) return;
  start(counts.entries());
  for (Column& column : columns_) column.in_table = column.left;
}

void SideCounter::start(std::span<const std::uint32_t> entries) {
  for (Column& column : columns_) {
    if (column.is_used) number_pairs(column, entries);
  }
}

void SideCounter::number_pairs(Column& column, std::span<const std::uint32_t> entries) const {
  const std::vector<Code>& codes = counts_.sensitive()[column.number].codes;
  column.pairs.clear();
  column.pair_of.assign(entries.size(), kNone);
  std::ranges::fill(column.left, 0);
  std::ranges::fill(column.last_pair, kNone);
  std::uint32_t first_of_unit = 0;
  Code unit = kNullCode;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Code code = codes[entries[i]];
    if (counts_.has_units() && counts_.unit(entries[i]) != unit) {
      unit = counts_.unit(entries[i]);
      first_of_unit = static_cast<std::uint32_t>(column.pairs.size());
    }
    if (code == kNullCode || (counts_.has_units() && unit == kNullCode)) continue;
    std::uint32_t& last = column.last_pair[code - 1];
    if (!counts_.has_units() || last == kNone || last < first_of_unit) {
      last = static_cast<std::uint32_t>(column.pairs.size());
      const std::uint64_t weight = counts_.has_units() ? 1 : counts_.rows(entries[i]);
      column.pairs.push_back({code, weight, 0, 0});
      column.left[code - 1] += weight;
    }
    ++column.pairs[last].alive;
    column.pair_of[i] = last;
  }
}

// A unit with entries on both sides counts on both sides.
void SideCounter::divide(Column& column, std::span<const std::uint32_t> yes) {
  column.yes.assign(column.left.size(), 0);
  column.no = column.left;
  for (const std::uint32_t i : yes) {
    if (column.pair_of[i] == kNone) continue;
    Pair& pair = column.pairs[column.pair_of[i]];
    if (pair.taken++ == 0) column.yes[pair.code - 1] += pair.weight;
    if (pair.taken == pair.alive) column.no[pair.code - 1] -= pair.weight;
  }
  for (const std::uint32_t i : yes) {
    if (column.pair_of[i] != kNone) column.pairs[column.pair_of[i]].taken = 0;
  }
}

bool SideCounter::allows(std::span<const std::uint32_t> yes) {
  for (Column& column : columns_) {
    if (column.is_used) divide(column, yes);
  }
  return std::ranges::all_of(rules_, [this](const SideRule& rule) {
    const Column& column = column_of(rule);
    return holds(rule.model, column.yes, column.in_table) && holds(rule.model, column.no, column.in_table);
  });
}

void SideCounter::remove(std::size_t i) {
  for (Column& column : columns_) {
    if (!column.is_used || column.pair_of[i] == kNone) continue;
    Pair& pair = column.pairs[column.pair_of[i]];
    if (--pair.alive == 0) column.left[pair.code - 1] -= pair.weight;
  }
}

Result<void> SideCounter::check() const {
  for (const SideRule& rule : rules_) {
    const Column& column = column_of(rule);
    if (holds(rule.model, column.left, column.in_table)) continue;
    return Error{.kind = ErrorKind::policy,
                 .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
                 .public_message = fmt::format("the table as a whole violates a constraint of column \"{}\"",
                                               counts_.sensitive()[rule.column].name),
                 .hint = fmt::format("required: {}; found: {}", requirement(rule.model),
                                     measured(rule.model, column.left, column.in_table))};
  }
  return {};
}

Result<void> check_root(const CountsView& counts, const SideRules& rules) {
  return SideCounter(counts, rules).check();  // it starts with all entries
}

}  // namespace pgveil::policy

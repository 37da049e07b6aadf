#include "daemon/policies/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/assert.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/cohorts/leveled_counts.hpp"

namespace pgveil::app {
namespace {

using policy::JointClasses;
using policy::PolicySpec;

// "D1 of a with D22 of b".
std::string words_of(const std::vector<Released>& releases, const JointClasses& classes,
                     const policy::JointClass& joint) {
  std::string words;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    words += fmt::format("{}{} of {}", i == 0 ? "" : " with ", classes.label_of(i, joint[i]),
                         releases[i].spec->name);
  }
  return words;
}

std::string words_of(const std::vector<Released>& releases, const JointClasses& classes,
                     const std::vector<JointClasses::Short>& below, std::uint64_t required) {
  const JointClasses::Short& first = below.front();
  const std::string where = words_of(releases, classes, first.joint);
  if (first.has_rows) {
    return fmt::format(
        "their smallest joint class has {} units, but {} are promised ({}; {} joint "
        "classes are too small)",
        first.units, required, where, below.size());
  }
  return fmt::format(
      "a person who is added later can be alone in a joint class, but {} units are "
      "promised ({} is empty now; there are {} such classes)",
      required, where, below.size());
}

// What these policies promise about the column in this unit.
policy::ColumnRule promised(policy::ColumnRule rule, const std::optional<std::string>& unit,
                            const std::vector<Released>& releases) {
  rule.constraints.clear();
  for (const Released& release : releases) {
    if (release.spec->unit != unit) continue;
    const auto own = std::ranges::find(release.spec->columns, rule.name, &policy::ColumnRule::name);
    if (own != release.spec->columns.end())
      std::ranges::copy(own->constraints, std::back_inserter(rule.constraints));
  }
  return rule;
}

}  // namespace

Result<Together> Together::count(const Config& config, const std::vector<const PolicySpec*>& policies) {
  Together together;
  for (const PolicySpec* policy : policies) {
    const auto is_it = [&](const InUnit& one) { return one.unit == policy->unit; };
    if (std::ranges::any_of(together.units_, is_it)) continue;
    auto reading =
        db::TableReading::open(build_endpoint(config), policy::counted_together(policies, policy->unit));
    if (!reading) return reading.error();
    auto counts = reading->counts();
    if (!counts) return counts.error();
    auto columns = reading->constrained_columns();
    if (!columns) return columns.error();
    together.units_.push_back({policy->unit, std::move(*counts), std::move(*columns)});
  }
  return together;
}

bool Together::covers(const policy::DisclosureTree& tree) const {
  return policy::has_sources(units_.front().counts, tree.attributes);
}

const policy::Counts& Together::counts_of(const PolicySpec& spec) const {
  const auto at = std::ranges::find(units_, spec.unit, &InUnit::unit);
  PGVEIL_ASSERT(at != units_.end());
  return at->counts;
}

std::optional<Together::Flaws> Together::judge(const std::vector<Released>& releases) const {
  policy::Trees trees;
  for (const Released& release : releases) trees.push_back(release.tree);
  const JointClasses classes(trees, units_.front().counts);
  Flaws flaws;
  const auto note = [&](const policy::JointClass& joint, auto&& words) {
    if (flaws.classes.empty()) flaws.what = words();
    flaws.classes.insert(joint);
  };
  for (const InUnit& in_unit : units_) {
    std::uint64_t required = 0;
    for (const Released& release : releases)
      required = release.spec->unit == in_unit.unit ? std::max(required, release.spec->k) : required;
    const auto below = classes.below(in_unit.counts, required);
    for (const auto& one : below) {
      note(one.joint, [&] { return words_of(releases, classes, below, required); });
    }
    for (const auto& column : in_unit.columns) {
      const auto asked = promised(column.rule, in_unit.unit, releases);
      const auto broken = classes.breaking(asked, column.counts);
      for (const auto& one : broken) {
        note(one.joint, [&] {
          return fmt::format(
              "{} of their joint classes violate the constraint of column {} ({}, found {}, in "
              "{})",
              broken.size(), asked.name, one.breach.required, one.breach.found,
              words_of(releases, classes, one.joint));
        });
      }
    }
  }
  if (flaws.classes.empty()) return std::nullopt;
  return flaws;
}

}  // namespace pgveil::app

#include "policy/release/joint_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "policy/cohorts/leveled_counts.hpp"
#include "policy/cohorts/projection.hpp"

namespace pgveil::policy {
namespace {

// The class of each entry that has rows; each class once, ascending.
struct Occupied {
  std::vector<std::uint32_t> entries;   // of counts
  std::vector<std::uint32_t> class_of;  // per entry of `entries`
  std::vector<JointClass> classes;
};

Occupied occupied_by(const Trees& trees, const Counts& counts) {
  Occupied out;
  std::vector<std::vector<NodeIndex>> leaves;
  for (const DisclosureTree* tree : trees) leaves.push_back(leaves_in(*tree, counts));
  const auto class_at = [&](std::uint32_t entry) {
    JointClass joint;
    for (const auto& of_tree : leaves) joint.push_back(of_tree[entry]);
    return joint;
  };
  std::map<JointClass, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts.rows[i] == 0) continue;
    out.entries.push_back(i);
    numbers.try_emplace(class_at(i), 0);
  }
  for (auto& [joint, number] : numbers) {
    number = static_cast<std::uint32_t>(out.classes.size());
    out.classes.push_back(joint);
  }
  for (const std::uint32_t entry : out.entries) out.class_of.push_back(numbers.at(class_at(entry)));
  return out;
}

// Per class: its number of units; NULL units do not count.
std::vector<std::uint64_t> units_of(const Occupied& occupied, const Counts& counts) {
  std::vector<std::uint64_t> units(occupied.classes.size(), 0);
  if (!counts.has_units()) {
    for (std::size_t i = 0; i < occupied.entries.size(); ++i)
      units[occupied.class_of[i]] += counts.rows[occupied.entries[i]];
    return units;
  }
  std::vector<std::pair<std::uint32_t, Code>> seen;
  for (std::size_t i = 0; i < occupied.entries.size(); ++i) {
    const Code unit = counts.units[occupied.entries[i]];
    if (unit != kNullCode) seen.emplace_back(occupied.class_of[i], unit);
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const auto& [joint, unit] : seen) ++units[joint];
  return units;
}

std::size_t cohort_count(const DisclosureTree& tree) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tree.nodes, [](const Node& node) { return !node.split && !node.falls_back; }));
}

}  // namespace

// If a set of trees is sound, its classes are only those that have rows and, for each tree, its cohorts. So
// looking for one more class than these finds one that is too small.
JointClasses::JointClasses(Trees trees, const Counts& counts) : trees_(std::move(trees)) {
  const Occupied occupied = occupied_by(trees_, counts);
  std::size_t most = occupied.classes.size();
  for (const DisclosureTree* tree : trees_) most += cohort_count(*tree);
  auto possible = possible_classes(trees_, most).classes;
  std::ranges::set_union(possible, occupied.classes, std::back_inserter(classes_));
  for (const DisclosureTree* tree : trees_) partners_.emplace_back(tree->nodes.size(), 0);
  for (const JointClass& joint : classes_) {
    for (std::size_t tree = 0; tree < joint.size(); ++tree) ++partners_[tree][joint[tree]];
  }
  std::erase_if(classes_, [this](const JointClass& joint) { return is_one_cohort(joint); });
}

bool JointClasses::is_one_cohort(const JointClass& joint) const {
  for (std::size_t tree = 0; tree < joint.size(); ++tree) {
    if (partners_[tree][joint[tree]] == 1) return true;
  }
  return false;
}

std::vector<JointClasses::Short> JointClasses::below(const Counts& counts, std::uint64_t required) const {
  const Occupied occupied = occupied_by(trees_, counts);
  const auto units = units_of(occupied, counts);
  std::vector<Short> out;
  for (const JointClass& joint : classes_) {
    const auto at = std::ranges::lower_bound(occupied.classes, joint);
    const bool has_rows = at != occupied.classes.end() && *at == joint;
    const std::uint64_t found = has_rows ? units[static_cast<std::size_t>(at - occupied.classes.begin())] : 0;
    if (found < required) out.push_back({joint, found, has_rows});
  }
  std::ranges::stable_sort(out, {}, [](const Short& one) { return std::tuple(!one.has_rows, one.units); });
  return out;
}

std::vector<JointClasses::Broken> JointClasses::breaking(const ColumnRule& rule, const Counts& counts) const {
  const Occupied occupied = occupied_by(trees_, counts);
  std::vector<std::uint32_t> group_of(counts.size(), 0);
  for (std::size_t i = 0; i < occupied.entries.size(); ++i)
    group_of[occupied.entries[i]] = occupied.class_of[i];
  std::vector<std::uint32_t> groups;
  for (std::uint32_t group = 0; group < occupied.classes.size(); ++group) groups.push_back(group);
  std::vector<Broken> out;
  for (auto& [group, breach] : find_group_breaches(group_of, groups, rule, counts))
    out.push_back({occupied.classes[group], std::move(breach)});
  return out;
}

std::string JointClasses::label_of(std::size_t tree, NodeIndex leaf) const {
  std::string label;
  for_each_cohort(*trees_[tree], [&](const Cohort& cohort) {
    if (cohort.leaf == leaf) label = cohort.label;
  });
  return label;
}

std::vector<std::string> shown_though_hidden(const PolicySpec& shows, const PolicySpec& hides) {
  const auto is_visible = [](const ColumnRule& rule) {
    return rule.column_class == ColumnClass::sensitive || rule.column_class == ColumnClass::insensitive;
  };
  std::vector<std::string> names;
  for (const ColumnRule& rule : shows.columns) {
    if (!is_visible(rule)) continue;
    const auto twin = std::ranges::find(hides.columns, rule.name, &ColumnRule::name);
    if (twin == hides.columns.end() || !is_visible(*twin)) names.push_back(rule.name);
  }
  return names;
}

PolicySpec counted_together(std::span<const PolicySpec* const> policies,
                            const std::optional<std::string>& unit) {
  PolicySpec together = without_levels(*policies.front());
  together.unit = unit;
  together.columns.clear();
  for (const PolicySpec* policy : policies) {
    for (ColumnRule rule : without_levels(*policy).columns) {
      const bool is_quasi = rule.column_class == ColumnClass::quasi_identifier;
      if (policy->unit != unit) rule.constraints.clear();
      if (!is_quasi && rule.constraints.empty()) continue;
      for (Constraint& constraint : rule.constraints) constraint.mode = ConstraintMode::verify;
      const auto twin = std::ranges::find(together.columns, rule.name, &ColumnRule::name);
      if (twin == together.columns.end()) {
        together.columns.push_back(std::move(rule));
        continue;
      }
      if (is_quasi) twin->column_class = ColumnClass::quasi_identifier;
      std::ranges::copy(rule.constraints, std::back_inserter(twin->constraints));
    }
  }
  for (ColumnRule& rule : together.columns) {  // columns that others hide in part are another finding
    if (rule.column_class == ColumnClass::quasi_identifier) rule.constraints.clear();
  }
  return together;
}

}  // namespace pgveil::policy

#include "daemon/policies/attack_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/policies/how_made.hpp"
#include "daemon/policies/together.hpp"
#include "policy/cohorts/projection.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::app {
namespace {

using policy::PolicyVersion;

Result<void> check_is_earlier(const PolicyVersion& earlier, const PolicyVersion& current) {
  const auto refuse = [&](std::string_view what) {
    return Error{
        ErrorKind::usage, "22023",
        fmt::format("version {} of policy {} {}", earlier.number, earlier.policy, what),
        fmt::format("name versions of policy {} from before version {}", current.policy, current.number)};
  };
  if (earlier.policy != current.policy) return refuse("is of another policy");
  if (earlier.number >= current.number) return refuse("is no earlier version");
  if (earlier.shape.table_oid != current.shape.table_oid) return refuse("was built from another table");
  return {};
}

// What was known of the table's columns when the version was built, of those that its tree asks about.
std::vector<policy::ShapeColumn> columns_of(const PolicyVersion& version) {
  const std::set<int> asked = policy::asked_columns(version.tree);
  std::vector<policy::ShapeColumn> columns;
  std::ranges::copy_if(version.shape.columns, std::back_inserter(columns),
                       [&](const policy::ShapeColumn& it) { return asked.contains(it.number); });
  return columns;
}

bool still_has(const policy::TableShape& shape, const policy::ShapeColumn& column) {
  const auto now = std::ranges::find(shape.columns, column.number, &policy::ShapeColumn::number);
  return now != shape.columns.end() && policy::still_fits(column, *now, true);
}

// A policy that counts the columns that the version asks about.
policy::PolicySpec counting(const PolicyVersion& version, const policy::PolicySpec& spec) {
  policy::PolicySpec made = spec;
  made.columns.clear();
  for (const policy::ShapeColumn& column : columns_of(version))
    made.columns.push_back({column.name, policy::ColumnClass::quasi_identifier, {}, {}});
  return made;
}

// Whether the tree's nodes have as many rows and units as when it was built or last repaired.
bool has_rows_of(const PolicyVersion& version, const policy::Counts& counts) {
  const auto now = policy::recount(version.tree, policy::projected(counts, version.tree));
  return std::ranges::equal(version.tree.nodes, now, [](const auto& node, const auto& count) {
    return node.rows == count.rows && node.units == count.units;
  });
}

// Whether readers had the answers of both over these rows. A copy has the rows of its build. Without one, a
// version answers from the rows of the moment until the next one takes its place, so it had the rows that the
// next one was built from.
bool has_same_rows(const PolicyVersion& earlier, const PolicyVersion& current, const policy::PolicySpec& spec,
                   const policy::Counts& counts) {
  const bool is_copied = spec.enforcement == policy::Enforcement::copy;
  const bool is_unchanged = has_rows_of(current, counts);
  if (has_rows_of(earlier, counts)) return is_unchanged || !is_copied;
  return is_unchanged && !is_copied && earlier.number + 1 == current.number;
}

attack::Knowledge knowledge_about(const PolicyVersion& version, const policy::PolicySpec& spec,
                                  const policy::Counts& counts) {
  const policy::Counts seen = policy::projected(counts, version.tree);
  const bool is_same_policy = policy::is_built_from(version, spec);
  const HowMade how = is_same_policy ? how_made(version.tree, spec, seen) : HowMade{};
  return attack::knowledge_of(version.tree, seen, is_same_policy ? spec.growth : policy::Growth{}, how.made);
}

std::string over_other_rows(const PolicyVersion& earlier, const PolicyVersion& current,
                            const policy::Counts& counts) {
  const std::string begin =
      fmt::format("Version {}: the rows changed since, and pgveil does not keep them.", earlier.number);
  const auto own = attack::classes_of_their_own(current.tree, earlier.tree, counts);
  if (own == 0)
    return begin +
           " Each of its joint classes with the current version is a class of one of the two, so it "
           "had k units when that version was built. Which hidden cells follow was not tried.";
  return fmt::format(
      "{} It has {} joint classes with the current version that are no class of either. How many of its rows "
      "are still in them, and which hidden cells follow, was not tried.",
      begin, own);
}

// What a report says that was given no earlier version.
std::string without_earlier_versions(const PolicyVersion& current) {
  if (current.number == 1) return "Earlier versions: this is the first one.";
  const std::uint64_t first = current.lineage.first == 0 ? current.number : current.lineage.first;
  const std::string which =
      first == current.number
          ? fmt::format("version {} was built independently of those before it.", current.number)
          : fmt::format("those from version {} on were extended by this one (docs/disclosure-tree.md).",
                        first);
  return fmt::format(
      "Earlier versions: {} pgveil keeps only the current one. Name files of earlier ones "
      "with --with.",
      which);
}

}  // namespace

Result<std::optional<attack::OverVersions>> attack_earlier_versions(const Config& config,
                                                                    const StoredPolicy& stored,
                                                                    const std::vector<PolicyVersion>& earlier,
                                                                    std::vector<std::string>& not_tried) {
  const PolicyVersion& current = *stored.version;
  std::optional<attack::OverVersions> none;
  if (earlier.empty()) not_tried.push_back(without_earlier_versions(current));
  std::vector<const PolicyVersion*> versions{&current};
  for (const PolicyVersion& one : earlier) {
    if (auto checked = check_is_earlier(one, current); !checked) return checked.error();
    const auto columns = columns_of(one);
    const auto gone = std::ranges::find_if(
        columns, [&](const policy::ShapeColumn& it) { return !still_has(current.shape, it); });
    if (gone != columns.end()) {
      not_tried.push_back(
          fmt::format("Version {}: the table's column {} is not what it was.", one.number, gone->name));
      continue;
    }
    versions.push_back(&one);
  }
  if (versions.size() < 2) return none;
  std::vector<policy::PolicySpec> specs;
  std::vector<const policy::PolicySpec*> counted_by;
  for (const PolicyVersion* one : versions) specs.push_back(counting(*one, *stored.spec));
  for (const policy::PolicySpec& spec : specs) counted_by.push_back(&spec);
  const auto counted = Together::count(config, counted_by);
  if (!counted) return counted.error();
  const policy::Counts& counts = counted->counts_of(*stored.spec);
  std::vector<attack::Knowledge> known{knowledge_about(current, *stored.spec, counts)};
  std::vector<std::uint64_t> numbers;
  for (const PolicyVersion* one : versions) {
    if (one == &current) continue;
    if (!has_same_rows(*one, current, *stored.spec, counts)) {
      not_tried.push_back(over_other_rows(*one, current, counts));
      continue;
    }
    known.push_back(knowledge_about(*one, *stored.spec, counts));
    numbers.push_back(one->number);
  }
  if (numbers.empty()) return none;
  attack::OverVersions found = attack::attack_versions(known, counts);
  found.versions = std::move(numbers);
  return std::optional(std::move(found));
}

}  // namespace pgveil::app

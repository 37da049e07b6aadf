#include "policy/joint_release.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "policy/projection.hpp"

namespace pgveil::policy {
namespace {

struct Row {
  NodeIndex a = 0;
  NodeIndex b = 0;
  Code unit = kNullCode;
  std::uint64_t rows = 0;
};

std::vector<Row> rows_of(const DisclosureTree& a, const DisclosureTree& b, const Counts& counts) {
  const auto in_a = leaves_in(a, counts);
  const auto in_b = leaves_in(b, counts);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.rows[i] == 0) continue;
    rows.push_back({in_a[i], in_b[i], counts.has_units() ? counts.units[i] : kNullCode, counts.rows[i]});
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return std::tuple(row.a, row.b, row.unit); });
  return rows;
}

// Units of the run of rows that begins here and shares both leaves; `at` moves behind it.
std::uint64_t count_run(const std::vector<Row>& rows, std::size_t& at, bool has_units) {
  const Row& first = rows[at];
  std::uint64_t units = 0;
  for (Code last = kNullCode; at < rows.size() && rows[at].a == first.a && rows[at].b == first.b; ++at) {
    if (!has_units) {
      units += rows[at].rows;
    } else if (rows[at].unit != last) {  // NULL units come first and count nothing
      last = rows[at].unit;
      ++units;
    }
  }
  return units;
}

std::string label_of(const DisclosureTree& tree, NodeIndex leaf) {
  std::string label;
  for_each_cohort(tree, [&](const Cohort& cohort) {
    if (cohort.leaf == leaf) label = cohort.label;
  });
  return label;
}

// Does each key have one partner only?
bool is_function(const std::vector<std::pair<NodeIndex, NodeIndex>>& pairs,
                 NodeIndex std::pair<NodeIndex, NodeIndex>::*key,
                 NodeIndex std::pair<NodeIndex, NodeIndex>::*value) {
  std::map<NodeIndex, NodeIndex> partner;
  return std::ranges::all_of(pairs, [&](const auto& pair) {
    return partner.try_emplace(pair.*key, pair.*value).first->second == pair.*value;
  });
}

}  // namespace

JointRelease joint_release(const DisclosureTree& a, const DisclosureTree& b, const Counts& counts,
                           std::uint64_t required) {
  using Pair = std::pair<NodeIndex, NodeIndex>;
  JointRelease out;
  out.required = required;
  const auto rows = rows_of(a, b, counts);
  std::vector<Pair> pairs;
  Pair smallest{};
  for (std::size_t at = 0; at < rows.size();) {
    const Pair pair{rows[at].a, rows[at].b};
    const std::uint64_t units = count_run(rows, at, counts.has_units());
    if (pairs.empty() || units < out.smallest) {
      out.smallest = units;
      smallest = pair;
    }
    if (units < required) ++out.below;
    pairs.push_back(pair);
  }
  out.is_nested =
      is_function(pairs, &Pair::first, &Pair::second) || is_function(pairs, &Pair::second, &Pair::first);
  if (!pairs.empty()) {
    out.smallest_in_a = label_of(a, smallest.first);
    out.smallest_in_b = label_of(b, smallest.second);
  }
  return out;
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

}  // namespace pgveil::policy

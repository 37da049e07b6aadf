#include "console/format_cohorts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/command_list.hpp"
#include "console/quote.hpp"

namespace pgveil::console {
namespace {

// Longer lists are cut, because the tree may exclude as many values as a column has.
constexpr std::size_t kValuesNamed = 100;

bool same_exclusion(const policy::PathStep& a, const policy::PathStep& b) {
  return !a.has_value && !b.has_value && a.attribute == b.attribute;
}

}  // namespace

std::string predicate_text(const policy::DisclosureTree& tree, std::span<const policy::PathStep> path) {
  std::string out;
  for (std::size_t i = 0; i < path.size();) {
    std::size_t end = i + 1;
    while (end < path.size() && same_exclusion(path[i], path[end])) ++end;
    std::string values = shown_value(path[i].value);
    const std::size_t named_end = std::min(end, i + kValuesNamed);
    for (std::size_t j = i + 1; j < named_end; ++j) values += ", " + shown_value(path[j].value);
    if (named_end < end) values += fmt::format(", … and {} more", end - named_end);
    const std::string name = shown_name(tree.attributes[path[i].attribute].name);
    out += fmt::format("{}{}{} {}", out.empty() ? "" : " AND ", path[i].has_value ? "" : "NOT ", name,
                       end - i == 1 ? "= " + values : "IN (" + values + ")");
    i = end;
  }
  return out.empty() ? "everything" : out;
}

std::string shown_attributes(const policy::DisclosureTree& tree, std::span<const std::uint32_t> attributes) {
  std::string out;
  for (const auto attribute : attributes) {
    out += (out.empty() ? "" : ", ") + shown_name(tree.attributes[attribute].name);
  }
  return out.empty() ? "nothing" : out;
}

Table cohorts_table(const policy::DisclosureTree& tree) {
  Table table{columns_of(ShowCohorts{}), {}, "SHOW", {}};
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    table.rows.push_back({cohort.label, std::to_string(cohort.rows), std::to_string(cohort.units),
                          predicate_text(tree, cohort.path), shown_attributes(tree, cohort.disclosed)});
  });
  return table;
}

}  // namespace pgveil::console

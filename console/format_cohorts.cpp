#include "console/format_cohorts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/command_list.hpp"
#include "console/excerpt.hpp"
#include "console/quote.hpp"
#include "policy/tree/released_together.hpp"

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
  return cohorts_table(tree, Excerpt{.limit = std::nullopt}).value();
}

Result<Table> cohorts_table(const policy::DisclosureTree& tree, const Excerpt& excerpt) {
  const auto attribute = attribute_of(tree, excerpt);
  if (!attribute) return attribute.error();
  const auto fits = [&](const policy::Cohort& cohort) {
    if (!*attribute) return true;
    if (!std::ranges::binary_search(cohort.disclosed, **attribute)) return false;
    return !excerpt.value || policy::shown_by(tree, cohort.path)[**attribute] == excerpt.value;
  };
  Table table{columns_of(ShowCohorts{}), {}, "SHOW", {}};
  ExcerptRows rows(excerpt);
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    if (!fits(cohort) || !rows.takes_next()) return;
    table.rows.push_back({cohort.label, std::to_string(cohort.rows), std::to_string(cohort.units),
                          predicate_text(tree, cohort.path), shown_attributes(tree, cohort.disclosed)});
  });
  if (auto note = rows.note("cohorts"); !note.empty()) table.notices.push_back(std::move(note));
  return table;
}

}  // namespace pgveil::console

#include "console/format_diff.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "console/quote.hpp"
#include "policy/tree/tree_diff.hpp"

namespace pgveil::console {
namespace {

using Cell = std::optional<std::string>;

struct Shares {
  Cell shown;
  Cell computable;
  Cell equal;
};

Shares shares_of(std::uint64_t shown, std::uint64_t computable, std::uint64_t equal, std::uint64_t whole) {
  return {shown_percent(shown, whole) + "%", shown_percent(computable, whole) + "%",
          shown_percent(equal, whole) + "%"};
}

std::map<std::string, Shares> column_shares(const policy::PolicyVersion& version) {
  std::map<std::string, Shares> shares;
  const policy::Disclosure& disclosure = version.disclosure;
  for (std::size_t a = 0; a < version.tree.attributes.size(); ++a) {
    shares.emplace(version.tree.attributes[a].name,
                   shares_of(disclosure.disclosed_by_attribute[a], disclosure.computable_by_attribute[a],
                             disclosure.equal_by_attribute[a], disclosure.rows));
  }
  return shares;
}

Shares all_shares(const policy::Disclosure& disclosure) {
  return shares_of(disclosure.disclosed, disclosure.computable, disclosure.equal, disclosure.cells);
}

std::vector<Cell> share_row(std::string name, const Shares& before, const Shares& after) {
  return {std::move(name),  before.shown, after.shown, before.computable,
          after.computable, before.equal, after.equal};
}

std::string shows_text(const policy::ShownValues& shows) {
  std::string text;
  for (const auto& [name, value] : shows) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", shown_name(name), shown_value(value));
  }
  return text.empty() ? "nothing" : text;
}

std::string change_text(const policy::CohortChange& change) {
  if (!change.before) return "new";
  return change.after ? "resized" : "gone";
}

}  // namespace

Table shares_table(const policy::PolicyVersion& before, const policy::PolicyVersion& after) {
  Table table{{"column", "shown_before", "shown_after", "computable_before", "computable_after",
               "equal_before", "equal_after"},
              {},
              "DIFF",
              {}};
  const auto old_shares = column_shares(before);
  const auto new_shares = column_shares(after);
  auto names = new_shares;
  names.insert(old_shares.begin(), old_shares.end());
  for (const auto& [name, shares] : names) {
    const auto old_at = old_shares.find(name);
    const auto new_at = new_shares.find(name);
    table.rows.push_back(share_row(shown_name(name), old_at == old_shares.end() ? Shares{} : old_at->second,
                                   new_at == new_shares.end() ? Shares{} : new_at->second));
  }
  table.rows.push_back(share_row("all", all_shares(before.disclosure), all_shares(after.disclosure)));
  return table;
}

Table changes_table(const policy::DisclosureTree& before, const policy::DisclosureTree& after) {
  Table table{
      {"change", "shows", "rows_before", "rows_after", "units_before", "units_after"}, {}, "DIFF", {}};
  const auto rows = [](const std::optional<policy::CohortSize>& size) {
    return size ? Cell(std::to_string(size->rows)) : Cell();
  };
  const auto units = [](const std::optional<policy::CohortSize>& size) {
    return size ? Cell(std::to_string(size->units)) : Cell();
  };
  for (const policy::CohortChange& change : policy::diff_trees(before, after).changes) {
    table.rows.push_back({change_text(change), shows_text(change.shows), rows(change.before),
                          rows(change.after), units(change.before), units(change.after)});
  }
  return table;
}

}  // namespace pgveil::console

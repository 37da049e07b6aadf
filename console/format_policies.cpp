#include "console/format_policies.hpp"

#include <utility>

#include "console/command_list.hpp"
#include "console/format_utility.hpp"
#include "console/quote.hpp"

namespace pgveil::console {
namespace {

using Cells = std::vector<std::optional<std::string>>;

std::optional<std::string> text_or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void add_version_cells(Cells& cells, const policy::PolicyVersion& version, Standing standing) {
  const auto& disclosure = version.disclosure;
  const bool is_admin = standing == Standing::admin;
  const int digits = is_admin ? 1 : 0;
  cells.push_back(std::to_string(version.number));
  cells.push_back("open");
  cells.push_back(version.built_at);
  cells.push_back(is_admin ? std::optional(std::to_string(disclosure.cohorts)) : std::nullopt);
  cells.push_back(is_admin ? std::optional(std::to_string(disclosure.smallest_cohort)) : std::nullopt);
  cells.push_back(shown_percent(disclosure.disclosed, disclosure.cells, digits) + "%");
  cells.push_back(shown_percent(disclosure.computable, disclosure.cells, digits) + "%");
  cells.push_back(shown_percent(disclosure.equal, disclosure.cells, digits) + "%");
  for (auto& cell : utility_cells(version.tree, disclosure, version.utility, standing))
    cells.push_back(std::move(cell));
  cells.push_back(std::nullopt);
}

}  // namespace

Table policies_table(std::span<const PolicyLine> lines, Standing standing) {
  Table table{columns_of(ShowPolicies{}), {}, "SHOW", {}};
  for (const auto& line : lines) {
    Cells cells{line.spec->name, line.spec->database,
                shown_name(line.spec->schema) + "." + shown_name(line.spec->table),
                std::to_string(line.spec->k), line.spec->unit};
    if (line.version) {
      add_version_cells(cells, *line.version, standing);
    } else {
      cells.insert(cells.end(), {std::nullopt, "closed"});
      cells.resize(cells.size() + 9);  // built_at to least_shown
      cells.push_back(line.closed_because);
    }
    cells.push_back(text_or_null(line.building));
    // The reason names the column, and that name is a hash of the tree.
    cells.push_back(standing == Standing::admin ? line.enforcement
                                                : line.enforcement.substr(0, line.enforcement.find(':')));
    cells.push_back(text_or_null(line.last_failure));
    // The reason may say how many rows or units there are.
    cells.push_back(text_or_null(standing == Standing::admin ? line.failure : std::string()));
    cells.push_back(text_or_null(line.last_check));
    cells.push_back(text_or_null(standing == Standing::admin ? line.finding : std::string()));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<std::optional<std::string>> release_cells(const policy::Disclosure& disclosure) {
  return {std::to_string(disclosure.rows),
          std::to_string(disclosure.units),
          std::to_string(disclosure.cohorts),
          std::to_string(disclosure.smallest_cohort),
          shown_percent(disclosure.disclosed, disclosure.cells) + "%",
          shown_percent(disclosure.computable, disclosure.cells) + "%",
          shown_percent(disclosure.equal, disclosure.cells) + "%"};
}

}  // namespace pgveil::console

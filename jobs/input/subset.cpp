#include "jobs/input/subset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace pgveil::app {
namespace {

// Writes each cell with its length, so that different rows have different keys.
std::string key_of(const std::vector<const engine::Column*>& columns, std::size_t row) {
  std::string key;
  for (const auto* column : columns) {
    const auto& cell = column->values[column->codes.at(row)];
    key += fmt::format("{};{}", cell.size(), cell);
  }
  return key;
}

}  // namespace

Result<std::vector<std::uint8_t>> rows_with(const engine::Column& column, std::string_view value) {
  const auto found = std::ranges::find(column.values, value);
  if (found == column.values.end()) {
    return invalid_input(fmt::format("no record has the subset's value in {}", column.name),
                         "values are compared as texts, case-sensitively");
  }
  const auto code = static_cast<engine::Code>(found - column.values.begin());
  std::vector<std::uint8_t> made;
  column.codes.visit([&](auto codes) {
    for (const auto it : codes) made.push_back(it == code ? 1 : 0);
  });
  return made;
}

Result<std::vector<std::uint8_t>> rows_of_subset(const engine::Table& table, const engine::Table& subset) {
  std::vector<const engine::Column*> in_table, in_subset;
  for (const auto& column : subset.columns) {
    const auto* found = table.find(column.name);
    if (found == nullptr) {
      return invalid_input(
          fmt::format("the subset has a column {} that is not an attribute of the job", column.name),
          "remove it from the subset, or add the attribute");
    }
    in_table.push_back(found);
    in_subset.push_back(&column);
  }
  std::unordered_map<std::string, std::vector<std::size_t>> rows;
  for (std::size_t row = table.rows(); row-- > 0;) rows[key_of(in_table, row)].push_back(row);
  std::vector<std::uint8_t> made(table.rows(), 0);
  std::vector<std::size_t> missing;
  for (std::size_t row = 0; row < subset.rows(); ++row) {
    const auto found = rows.find(key_of(in_subset, row));
    if (found == rows.end() || found->second.empty()) {
      missing.push_back(row + 2);  // these are lines if no cell has several
      continue;
    }
    made[found->second.back()] = 1;
    found->second.pop_back();
  }
  if (missing.empty()) return made;
  return invalid_input(fmt::format("{} records of the subset are not in the input", missing.size()),
                       "the input has to have all records, in the subset or not",
                       fmt::format("records {}", fmt::join(missing, ", ")));
}

}  // namespace pgveil::app

#include "jobs/check/published_classes.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/publish/publication.hpp"

namespace pgveil::app {

Error no_release(std::string message, std::string private_detail) {
  return invalid_input(std::move(message), "is this the file that the job published, and its input?",
                       std::move(private_detail));
}

ColumnPointers columns_of(const Job& job, const engine::Table& table, Asked asked) {
  ColumnPointers made;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::identifier) continue;
    const bool is_quasi = attribute.attribute_class == AttributeClass::quasi_identifier;
    if (is_quasi == (asked == Asked::quasi_identifiers)) made.push_back(table.find(attribute.name));
  }
  return made;
}

CellCodes cells_of(const ColumnPointers& columns, std::size_t row) {
  CellCodes cells;
  for (const auto* column : columns) cells.push_back(column->codes.at(row));
  return cells;
}

PublishedClasses classes_of(const engine::Table& table, const ColumnPointers& columns) {
  PublishedClasses made;
  std::map<CellCodes, std::size_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto cells = cells_of(columns, row);
    const auto [found, is_new] = known.emplace(cells, made.shown.size());
    if (is_new) {
      made.shown.push_back(std::move(cells));
      made.rows.emplace_back();
    }
    made.rows[found->second].push_back(static_cast<std::uint32_t>(row));
  }
  return made;
}

bool is_starred(const ColumnPointers& columns, const CellCodes& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]->values[cells[i]] != engine::kSuppressed) return false;
  }
  return true;
}

std::vector<std::optional<engine::Code>> raw_codes_of(const engine::Column& published,
                                                      const engine::Column& raw,
                                                      const std::optional<std::string>& null_text) {
  std::unordered_map<std::string_view, engine::Code> codes;
  for (std::size_t code = 0; code < raw.values.size(); ++code)
    codes.emplace(raw.values[code], static_cast<engine::Code>(code));
  std::vector<std::optional<engine::Code>> made;
  for (const auto& value : published.values) {
    auto found = codes.find(value);
    // Files have an empty cell where a column that is no quasi-identifier is NULL.
    if (found == codes.end() && value.empty() && null_text) found = codes.find(*null_text);
    made.push_back(found == codes.end() ? std::nullopt : std::optional(found->second));
  }
  return made;
}

}  // namespace pgveil::app

#include "cli/check_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/risk/columns_of.hpp"

namespace pgveil::cli {
namespace {

using Columns = std::vector<const engine::Column*>;

Result<void> check_parameters(const TableDemand& demand, std::uint64_t records) {
  engine::Anonymity anonymity;
  std::vector<engine::SensitiveShape> shapes;
  for (const auto& column : demand.sensitive) {
    for (const auto& model : column.demanded) anonymity.sensitive.push_back({shapes.size(), model});
    shapes.push_back({column.name, column.order.has_value(), column.hierarchy.has_value()});
  }
  anonymity.risks = demand.demand.risks;
  if (auto valid = engine::validate(anonymity, shapes, false); !valid) return valid;
  return engine::validate_populations(anonymity, records);
}

}  // namespace

Result<engine::CheckFindings> check_table(const engine::Table& table, const TableDemand& demand) {
  if (auto valid = check_parameters(demand, table.rows()); !valid) return valid.error();
  auto names = demand.quasi_identifiers;
  if (names.empty())
    return engine::not_measurable("no quasi-identifier is named", "name them with --columns, or a job");
  for (const auto& column : demand.sensitive) names.push_back(column.name);
  const auto columns = engine::columns_of(table, names, "table");
  if (!columns) return columns.error();
  const std::size_t keys = demand.quasi_identifiers.size();
  Columns others;
  for (const auto& column : table.columns) {
    if (std::ranges::find(*columns, &column) == columns->end()) others.push_back(&column);
  }
  const auto cell = [&](const engine::Column& column, std::size_t row,
                        bool is_empty_null) -> std::optional<std::string_view> {
    const auto& text = column.values[column.codes.at(row)];
    if (text == demand.null_text || (is_empty_null && text.empty())) return std::nullopt;
    return std::string_view(text);
  };
  engine::TableCheck check(demand.sensitive);
  std::vector<std::optional<std::string_view>> cells(columns->size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = cell(*(*columns)[i], row, i >= keys && demand.is_empty_null);
    const bool shows_more = std::ranges::any_of(
        others, [&](const auto* it) { return cell(*it, row, demand.is_empty_null).has_value(); });
    const engine::Cells all(cells);
    check.add(all.first(keys), all.subspan(keys), shows_more);
  }
  if (demand.add_population) {
    if (auto added = demand.add_population(check); !added) return added.error();
  }
  return check.finish(demand.demand);
}

}  // namespace pgveil::cli

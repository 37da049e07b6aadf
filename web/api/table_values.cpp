#include "web/api/table_values.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "common/utf8.hpp"
#include "daemon/policies/table_policies.hpp"
#include "engine/risk/safe_harbor.hpp"
#include "engine/risk/value_patterns.hpp"
#include "jobs/run/targets.hpp"
#include "web/api/page_job_tables.hpp"
#include "web/api/table_look.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

// Browsers give up on an answer after five minutes.
constexpr std::int64_t kMostTimeMs = 240'000;
constexpr std::uint64_t kLeastRecords = 20;  // as in safe_harbor_hints

// Uses the names, and the values that are returned; other values are not known here.
engine::Table known_of(const db::TableValues& table) {
  engine::Table known;
  for (const auto& column : table.columns) {
    engine::Column named;
    named.name = column.name;
    if (column.values) named.values = *column.values;
    known.columns.push_back(std::move(named));
  }
  return known;
}

bool is_utf8(const std::string& text) {
  return utf8_prefix(text) == text.size();
}

// False for some values of a database with encoding SQL_ASCII: a repaired value would be another value.
bool can_be_told(const db::ColumnValues& column) {
  return column.values && std::ranges::all_of(*column.values, is_utf8);
}

std::string_view kind_of(const db::ColumnValues& column) {
  if (column.numbers) return "number";
  const bool look_like_dates = column.values && !column.values->empty() &&
                               std::ranges::all_of(*column.values, engine::looks_like_date);
  return column.are_dates || look_like_dates ? "date" : "text";
}

json::value listed(const db::ColumnValues& column) {
  if (!can_be_told(column)) return nullptr;
  json::array out;
  for (const auto& value : *column.values) out.push_back(json::string(value));
  return out;
}

json::value counted(const db::ColumnValues& column) {
  if (!can_be_told(column)) return nullptr;
  json::array out;
  for (const auto count : column.counts) out.push_back(json::value(count));
  return out;
}

json::object column_json(const db::ColumnValues& column, std::uint64_t rows,
                         const std::vector<engine::SafeHarborHint>& hints) {
  json::array meanings;
  for (const auto& hint : hints) {
    if (hint.column == column.name) meanings.push_back(json::string(engine::meaning(hint.item)));
  }
  if (meanings.empty() && rows >= kLeastRecords && column.distinct == rows)
    meanings.push_back(json::string(engine::meaning(engine::SafeHarborItem::other_identifier)));
  json::object out{{"name", column.name},       {"type", column.type},         {"distinct", column.distinct},
                   {"empty", column.nulls},     {"kind", kind_of(column)},     {"values", listed(column)},
                   {"counts", counted(column)}, {"hints", std::move(meanings)}};
  if (column.numbers) {
    out["least"] = column.numbers->least;
    out["greatest"] = column.numbers->greatest;
  }
  return out;
}

}  // namespace

json::object values_json(const db::TableValues& table) {
  const auto hints = engine::safe_harbor_hints(known_of(table), std::nullopt);
  json::array columns;
  for (const auto& column : table.columns) columns.push_back(column_json(column, table.rows, hints));
  return {{"rows", table.rows}, {"columns", std::move(columns)}};
}

Result<json::object> values_of(const Present& present, const TableName& table) {
  const auto input = check_page_job_input(present, {table.database, table.schema, table.name});
  if (!input) return input.error();
  const TableLook look;
  if (auto taken = look.taken(); !taken) return taken.error();
  const auto policies = table_policies(present.config, present.specs, input->database);
  if (!policies) return policies.error();
  if (const auto released = check_joint_release(*policies, *input); !released) return released.error();
  const auto values = db::count_column_values(
      build_endpoint(present.config), {input->database, input->schema, input->table, kMostPageJobColumns,
                                       kMostListedValues, kMostListedBytes, kMostTimeMs});
  if (!values) return values.error();
  return values_json(*values);
}

}  // namespace pgveil::app

#include "tests/unit/draft/tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "draft/column_sense.hpp"

namespace pgveil::draft {
namespace {

rewriter::Column made_column(const std::string& text, int number) {
  static const std::map<std::string, char, std::less<>> kCategories{
      {"int2", 'N'}, {"int4", 'N'},  {"int8", 'N'},    {"numeric", 'N'},     {"float8", 'N'}, {"text", 'S'},
      {"bool", 'B'}, {"date", 'D'},  {"varchar", 'S'}, {"timestamptz", 'D'}, {"bpchar", 'S'}, {"uuid", 'U'},
      {"json", 'U'}, {"jsonb", 'U'}, {"enum", 'E'},    {"text[]", 'A'},      {"citext", 'S'}, {"inet", 'I'}};
  const auto space = text.rfind(' ');
  rewriter::Column column;
  column.number = number;
  column.name = text.substr(0, space);
  const std::string type = text.substr(space + 1);
  const auto known = kCategories.find(type);
  REQUIRE(known != kCategories.end());
  column.type_category = known->second;
  column.type_kind = type == "enum" ? 'e' : 'b';
  column.type_schema = type == "enum" || type == "citext" ? "public" : "pg_catalog";
  column.type_name = column.type_text = type;
  return column;
}

std::size_t table_position(const Database& database, std::string_view name) {
  const auto found = std::ranges::find(database.tables, name, &TableFacts::name);
  REQUIRE(found != database.tables.end());
  return static_cast<std::size_t>(found - database.tables.begin());
}

}  // namespace

TableFacts made_table(const std::string& name, const std::vector<std::string>& columns, double rows) {
  TableFacts table;
  table.schema = "public";
  table.name = name;
  table.rows = rows;
  for (const auto& column : columns)
    table.columns.push_back({made_column(column, static_cast<int>(table.columns.size()) + 1), false, {}, {}});
  table.primary_key = {0};
  table.columns.front().is_unique = true;
  return table;
}

void add_sample(TableFacts& table, std::size_t rows, const CellValue& value) {
  table.sample.emplace();
  for (const auto& column : table.columns) {
    engine::ColumnEncoder encoder(column.column.name);
    for (std::size_t row = 0; row < rows; ++row) encoder.add(value(row, column.column.name));
    table.sample->columns.push_back(std::move(encoder).finish());
  }
  look_at_sample(table);
  table.is_sample_whole = table.rows && *table.rows == static_cast<double>(rows);
}

std::size_t position(const TableFacts& table, std::string_view column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].column.name == column) return i;
  }
  FAIL("no such column");
  return 0;
}

void refer(Database& database, std::string_view table, std::string_view column, std::string_view target) {
  auto& from = database.tables[table_position(database, table)];
  from.references.push_back({position(from, column), table_position(database, target), true});
}

}  // namespace pgveil::draft

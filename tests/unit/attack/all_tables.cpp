#include "all_tables.hpp"

#include <set>
#include <string>

namespace pgveil::attack::testing {

using policy::Bins;
using policy::kScale;
using policy::Level;
using policy::LevelShows;
using policy::testing::Row;
using policy::testing::Table;
using policy::testing::Text;

namespace {

Table empty_table(const Shape& shape) {
  Table table;
  for (std::size_t a = 0; a < shape.widths.size(); ++a) table.attributes.push_back("c" + std::to_string(a));
  if (!shape.has_levels) return table;
  table.attributes.push_back("pair");
  table.levels.resize(table.attributes.size());
  table.levels.back() = Level{"c0", 2, 1, LevelShows::label, Bins{2 * kScale, 0}};
  return table;
}

std::vector<Row> kinds_of(const Shape& shape, const Table& table) {
  std::vector<Row> kinds(1);
  for (std::size_t a = 0; a < shape.widths.size(); ++a) {
    std::vector<Row> longer;
    for (const Row& row : kinds) {
      for (std::size_t value = 0; value < shape.widths[a]; ++value) {
        longer.push_back(row);
        longer.back().values.push_back(std::to_string(value));
      }
      if (!shape.has_nulls || a + 1 < shape.widths.size()) continue;
      longer.push_back(row);
      longer.back().values.emplace_back();
    }
    kinds = std::move(longer);
  }
  for (Row& row : kinds) {
    row.values.resize(table.attributes.size());
    policy::testing::fill_levels(table, row);
  }
  return kinds;
}

}  // namespace

void for_all_tables(const Shape& shape, const std::function<void(const Table&)>& visit) {
  Table table = empty_table(shape);
  const std::vector<Row> kinds = kinds_of(shape, table);
  const std::function<void(std::size_t)> add = [&](std::size_t from) {
    if (table.rows.size() == shape.rows) {
      for (std::size_t a = 0; a < shape.widths.size(); ++a) {
        std::set<Text> values;
        for (const Row& row : table.rows) values.insert(row.values[a]);
        if (values.size() < shape.widths[a] + (shape.has_nulls && a + 1 == shape.widths.size() ? 1 : 0))
          return;
      }
      return visit(table);
    }
    for (std::size_t kind = from; kind < kinds.size(); ++kind) {
      table.rows.push_back(kinds[kind]);
      add(kind);
      table.rows.pop_back();
    }
  };
  add(0);
}

}  // namespace pgveil::attack::testing

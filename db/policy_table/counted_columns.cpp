#include "db/policy_table/counted_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::db {

namespace {

Error no_column(const policy::PolicySpec& spec, const std::string& name, const rewriter::Relation& relation) {
  return {ErrorKind::policy, std::string(sqlstate::kUndefinedColumn),
          fmt::format("policy {}: table {} has no column {}", spec.name,
                      qualified_name(relation.schema, relation.name), quoted_name(name)),
          "mend the policy"};
}

}  // namespace

Result<CountedColumn> counted_column(const policy::PolicySpec& spec, const std::string& name,
                                     const rewriter::Relation& relation) {
  const rewriter::Column* column = relation.find_column(name);
  if (column == nullptr) return no_column(spec, name, relation);
  const auto type = rewriter::comparable_type(*column);
  if (!type) return type.error();
  const std::string quoted = quoted_name(name);
  return CountedColumn{column, rewriter::canonical_text_sql(quoted, *type),
                       rewriter::canonical_value_sql(quoted, *type)};
}

Result<std::vector<CountedColumn>> quasi_identifiers(const policy::PolicySpec& spec,
                                                     const rewriter::Relation& relation) {
  std::vector<CountedColumn> out;
  for (const auto& rule : spec.columns) {
    if (rule.column_class != policy::ColumnClass::quasi_identifier) continue;
    auto column = counted_column(spec, rule.name, relation);
    if (!column) return column.error();
    out.push_back(std::move(*column));
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.column->number < b.column->number; });
  return out;
}

Result<std::vector<policy::TreeAttribute>> tree_attributes(const policy::PolicySpec& spec,
                                                           const rewriter::Relation& relation) {
  std::map<std::string, int, std::less<>> numbers;
  for (const auto& column : relation.columns) numbers.emplace(column.name, column.number);
  for (const auto& rule : spec.columns) {
    if (rule.column_class != policy::ColumnClass::quasi_identifier) continue;
    for (const auto& name : {rule.name, rule.level ? rule.level->source : rule.name}) {
      if (!numbers.contains(name)) return no_column(spec, name, relation);
    }
  }
  return policy::attributes_of(spec, numbers);
}

std::vector<CountedColumn> CountedTable::columns() const {
  std::vector<CountedColumn> all = attributes;
  if (unit) all.push_back(*unit);
  all.insert(all.end(), sensitive.begin(), sensitive.end());
  return all;
}

Result<CountedTable> counted_table(const policy::PolicySpec& spec, const rewriter::Relation& relation,
                                   const std::vector<const policy::ColumnRule*>& sensitive) {
  CountedTable table;
  table.relation = &relation;
  auto attributes = quasi_identifiers(policy::without_levels(spec), relation);
  if (!attributes) return attributes.error();
  table.attributes = std::move(*attributes);
  if (spec.unit) {
    auto unit = counted_column(spec, *spec.unit, relation);
    if (!unit) return unit.error();
    table.unit = std::move(*unit);
  }
  for (const policy::ColumnRule* rule : sensitive) {
    auto column = counted_column(spec, rule->name, relation);
    if (!column) return column.error();
    column->needs_order = needs_order(*rule);
    table.sensitive.push_back(std::move(*column));
  }
  return table;
}

std::string group_query(const std::vector<CountedColumn>& columns, const rewriter::Relation& relation) {
  std::string texts;
  std::string values;
  for (const auto& column : columns) {
    texts += column.text_sql + ", ";
    values += (values.empty() ? "" : ", ") + column.value_sql;
  }
  return fmt::format("SELECT {}pg_catalog.count(*) FROM {} GROUP BY {}", texts,
                     qualified_name(relation.schema, relation.name), values);
}

}  // namespace pgveil::db

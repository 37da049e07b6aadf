#include "web/api/columns.hpp"

#include <algorithm>
#include <cmath>

#include "common/sqlstate.hpp"
#include "daemon/policies/table_survey.hpp"
#include "engine/risk/safe_harbor.hpp"
#include "policy/spec/column_reader.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

Error not_known(std::string message, std::string hint) {
  return {ErrorKind::unknown_object, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

Error no_such_database() {
  return not_known("the database is none of backend.databases", "choose one that is served");
}

// Judges by names alone, because there is no value here.
std::vector<engine::SafeHarborHint> hints_by_name(const db::ColumnsOfTable& table) {
  engine::Table names;
  for (const auto& column : table.columns) {
    engine::Column named;
    named.name = column.name;
    names.columns.push_back(std::move(named));
  }
  return engine::safe_harbor_hints(names, std::nullopt);
}

json::array hints_of(const std::vector<engine::SafeHarborHint>& hints, const std::string& column) {
  json::array out;
  for (const auto& hint : hints) {
    if (hint.column == column) out.push_back(json::string(engine::meaning(hint.item)));
  }
  return out;
}

std::string_view kind_of(char type_category) {
  if (type_category == 'N') return "number";
  return type_category == 'D' ? "date" : "text";
}

json::value distinct_of(const db::ColumnFacts& column, const std::optional<double>& rows) {
  if (!column.distinct) return nullptr;
  if (*column.distinct >= 0) return std::llround(*column.distinct);
  return rows ? json::value(std::llround(-*column.distinct * *rows)) : json::value(nullptr);
}

json::object column_json(const db::ColumnFacts& column, const std::optional<double>& rows,
                         const std::vector<engine::SafeHarborHint>& hints) {
  return {{"name", column.name},
          {"type", column.type},
          {"kind", kind_of(column.type_category)},
          {"nullable", column.is_nullable},
          {"key", column.is_in_primary_key},
          {"unique", column.is_unique},
          {"distinct", distinct_of(column, rows)},
          {"nearly_unique", column.distinct && *column.distinct <= -0.95},
          {"null_share", column.null_share ? json::value(*column.null_share) : json::value(nullptr)},
          {"hints", hints_of(hints, column.name)}};
}

}  // namespace

Result<json::array> tables_of(const Present& present, const std::string& database) {
  const auto view = present.databases.find(database);
  if (view == present.databases.end()) return no_such_database();
  if (!view->second.snapshot)
    return Error{ErrorKind::server, std::string(sqlstate::kCannotConnectNow),
                 "the database's catalog is not known at the moment", "try again"};
  json::array tables;
  for (const auto& [name, relation] : view->second.snapshot->catalog().relations) {
    const bool is_table = relation.kind == rewriter::RelationKind::table ||
                          relation.kind == rewriter::RelationKind::partitioned_table;
    if (!is_table || !is_users_place(name.first)) continue;
    if (tables.size() == kMostTablesListed) break;
    tables.push_back(json::string(name.first + "." + name.second));
  }
  return tables;
}

Result<TableName> table_named(const Config& config, const std::string& database, std::string_view text) {
  const auto& databases = config.backend.databases;
  if (std::ranges::find(databases, database) == databases.end()) return no_such_database();
  const auto dot = text.find('.');
  const bool is_whole = dot != std::string_view::npos && dot > 0 && dot + 1 < text.size() &&
                        dot <= policy::kMaxIdentifierBytes &&
                        text.size() - dot - 1 <= policy::kMaxIdentifierBytes;
  if (!is_whole || !is_users_place(text.substr(0, dot)))
    return not_known("no table of users is called so", "write schema.table");
  return TableName{database, std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

Result<json::object> columns_of(const Present& present, const std::string& database, std::string_view table) {
  const auto place = table_named(present.config, database, table);
  if (!place) return place.error();
  const auto columns =
      db::load_columns(build_endpoint(present.config), place->database, place->schema, place->name);
  if (!columns) return columns.error();
  return columns_json(*columns);
}

json::object columns_json(const db::ColumnsOfTable& table) {
  const auto hints = hints_by_name(table);
  json::array columns;
  for (const auto& column : table.columns) columns.push_back(column_json(column, table.rows, hints));
  return {{"rows", table.rows ? json::value(std::llround(*table.rows)) : json::value(nullptr)},
          {"columns", std::move(columns)}};
}

}  // namespace pgveil::app

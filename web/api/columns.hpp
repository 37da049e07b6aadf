#pragma once
// Names and columns of the tables in the configured databases, with hints, for people who design a policy or
// a job. The hints come from the catalog, the statistics and the names of the columns, never from a value of
// a row.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "db/catalog/column_facts.hpp"

namespace pgveil::app {

struct TableName {
  std::string database, schema, name;
};

inline constexpr std::size_t kMostTablesListed = 2'000;

// ["schema.table"]: plain and partitioned tables, in their order, kMostTablesListed at most. Errors: the
// database is not served, or not known at the moment.
[[nodiscard]] Result<boost::json::array> tables_of(const Present& present, const std::string& database);

// The table that "schema.table" names. Errors: the database is not served; the text names no table; the
// schema is PostgreSQL's or pgveil's.
[[nodiscard]] Result<TableName> table_named(const Config& config, const std::string& database,
                                            std::string_view text);

// TableColumns of docs/openapi.yaml. Errors: those of table_named and db::load_columns.
[[nodiscard]] Result<boost::json::object> columns_of(const Present& present, const std::string& database,
                                                     std::string_view table);
// Pure.
[[nodiscard]] boost::json::object columns_json(const db::ColumnsOfTable& table);

}  // namespace pgveil::app

#pragma once
// Tables of the configuration's databases for who designs a policy or a job: their names, columns and hints on them. From the catalog, the
// statistics and the columns' names; never a value of a row.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "cli/present.hpp"
#include "common/error.hpp"
#include "db/column_facts.hpp"

namespace pgveil::cli {

struct TableName {
  std::string database, schema, name;
};

inline constexpr std::size_t kMostTablesListed = 2'000;

// A schema of users: not PostgreSQL's own ones, and not pgveil's.
[[nodiscard]] bool is_users_schema(std::string_view schema);

// ["schema.table"]: plain and partitioned tables, in their order, kMostTablesListed at most. Errors: the database is not served, or not
// known at the moment.
[[nodiscard]] Result<boost::json::array> tables_of(const Present& present, const std::string& database);

// "schema.table" of a database that is served. Errors: it is none, or of a schema that is not users'.
[[nodiscard]] Result<TableName> table_named(const Config& config, const std::string& database,
                                            std::string_view text);

// TableColumns of docs/openapi.yaml. Errors: those of table_named and db::load_columns.
[[nodiscard]] Result<boost::json::object> columns_of(const Present& present, const std::string& database,
                                                     std::string_view table);
// Pure.
[[nodiscard]] boost::json::object columns_json(const db::ColumnsOfTable& table);

}  // namespace pgveil::cli

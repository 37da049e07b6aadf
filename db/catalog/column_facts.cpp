#include "db/catalog/column_facts.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {
namespace {

// For a partitioned table, these are the statistics of all its partitions together.
constexpr const char* kColumns = R"(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), t.typcategory::text, NOT a.attnotnull,
       EXISTS (SELECT FROM pg_catalog.pg_index i
                WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey::int2[])),
       EXISTS (SELECT FROM pg_catalog.pg_index i
                WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
                  AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum),
       s.n_distinct, s.null_frac, c.reltuples
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
                                 AND s.inherited = (c.relkind = 'p')
 WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p')
 ORDER BY a.attnum)";

std::optional<double> number_in(const Field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<double>();
}

}  // namespace

Result<ColumnsOfTable> load_columns(const Endpoint& endpoint, const std::string& database,
                                    const std::string& schema, const std::string& table) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<ColumnsOfTable>("reading the columns of a table", [&]() -> Result<ColumnsOfTable> {
    ColumnsOfTable made;
    for (const auto& row : (*connection)->run(kColumns, schema, table)) {
      const auto rows = row[8].as<double>();
      if (rows >= 0) made.rows = rows;
      auto name = row[0].as<std::string>();
      if (name.starts_with(rewriter::kStoredPrefix)) continue;
      made.columns.push_back({std::move(name), row[1].as<std::string>(), row[2].as<std::string>().at(0),
                              row[3].as<bool>(), row[4].as<bool>(), row[5].as<bool>(), number_in(row[6]),
                              number_in(row[7])});
    }
    if (!made.columns.empty()) return made;
    return Error{ErrorKind::unknown_object, std::string(sqlstate::kUndefinedTable),
                 fmt::format("there is no table {}", qualified_name(schema, table)),
                 "names are case-sensitive; views are none"};
  });
}

}  // namespace pgveil::db

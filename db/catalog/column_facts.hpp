#pragma once
// What the catalog and PostgreSQL's statistics tell about a table's columns without reading a row: types,
// keys, estimated numbers of distinct values. It never holds a value: most_common_vals and histograms are not
// read.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct ColumnFacts {
  std::string name;
  std::string type;          // as SQL spells it
  char type_category = 'U';  // pg_type.typcategory: N number, D date or time, …
  bool is_nullable = true;
  bool is_in_primary_key = false;
  bool is_unique = false;  // a valid index without a condition says so for this column alone
  // Estimates of the last ANALYZE; nullopt: there was none, or this role may not see them.
  std::optional<double>
      distinct;  // distinct values; negative: their share of the rows, so -1 means that all rows differ
  std::optional<double> null_share;  // 0 to 1
};

struct ColumnsOfTable {
  std::optional<double> rows;  // an estimate; nullopt: never analyzed
  std::vector<ColumnFacts> columns;
};

// The columns of a plain or partitioned table, without pgveil's own stored columns. Errors:
// ErrorKind::unknown_object: there is no such table; ErrorKind::connection, ::server.
[[nodiscard]] Result<ColumnsOfTable> load_columns(const Endpoint& endpoint, const std::string& database,
                                                  const std::string& schema, const std::string& table);

}  // namespace pgveil::db

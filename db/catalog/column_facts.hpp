#pragma once
// What the catalog and PostgreSQL's statistics tell of a table's columns without a row being read: types,
// keys, estimated numbers of different values. Never a value: most_common_vals and histograms are not asked
// for.
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
  bool is_unique = false;  // a valid index without a condition says so of this column alone
  // Estimates of the last ANALYZE; nullopt: there was none, or this role may not see it.
  std::optional<double>
      distinct;  // different values; negative: their share of the rows, -1: every row has another one
  std::optional<double> null_share;  // 0 to 1
};

struct ColumnsOfTable {
  std::optional<double> rows;  // an estimate; nullopt: never analyzed
  std::vector<ColumnFacts> columns;
};

// Of a plain or partitioned table; pgveil's own stored columns are left out. Errors:
// ErrorKind::unknown_object: there is no such table; ErrorKind::connection, ::server.
[[nodiscard]] Result<ColumnsOfTable> load_columns(const Endpoint& endpoint, const std::string& database,
                                                  const std::string& schema, const std::string& table);

}  // namespace pgveil::db

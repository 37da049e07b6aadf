#pragma once
// What stands in the columns of a table, counted by the server: how many different values, how many NULLs,
// the values themselves where they are few and short. Values are compared as their texts, as jobs read them.
// For who may read the table; nothing here asks who that is.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct ColumnValuesQuery {
  std::string database, schema, table;
  std::size_t most_columns = 0;      // of the table
  std::size_t most_values = 0;       // of a column that are told, all or none
  std::size_t most_value_bytes = 0;  // of each that is told; a longer text counts as no number
  std::int64_t time_ms = 0;          // for all of it, waiting for locks included; at least 1
};

struct ColumnValues {
  struct Range {
    double least = 0, greatest = 0;
  };
  std::string name;
  std::string type;            // as SQL spells it
  std::uint64_t distinct = 0;  // different texts; NULL is none
  std::uint64_t nulls = 0;
  std::optional<Range> numbers;  // all texts are numbers without an exponent, and there is one
  bool are_dates = false;        // all texts begin as 2024-02-29 does, and there is one
  std::optional<std::vector<std::string>>
      values;  // all but NULL, sorted by bytes; nullopt: too many, or too long
};

struct TableValues {
  std::uint64_t rows = 0;
  std::vector<ColumnValues> columns;  // in the table's order; pgveil's own stored columns are left out
};

// One REPEATABLE READ state of a plain or partitioned table, read once for each column; what is held here are
// the values that are told. Errors: those of begin_reading; ErrorKind::limit: more columns, or it took
// longer; ErrorKind::connection, ::server.
[[nodiscard]] Result<TableValues> count_column_values(const Endpoint& endpoint,
                                                      const ColumnValuesQuery& query);

}  // namespace pgveil::db

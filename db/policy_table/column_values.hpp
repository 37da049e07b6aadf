#pragma once
// Counts on the server what is in the columns of a table: how many distinct values, how many NULLs, and the
// values themselves if they are few and short. Values are compared as their texts, as jobs read them. Only
// for callers that may read the table; nothing here checks that.
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
  std::size_t most_columns = 0;      // that the table may have
  std::size_t most_values = 0;       // of a column that are returned, all or none
  std::size_t most_value_bytes = 0;  // of each returned value; a longer text counts as no number
  std::int64_t time_ms = 0;          // for everything, including waiting for locks; at least 1
};

struct ColumnValues {
  struct Range {
    double least = 0, greatest = 0;
  };
  std::string name;
  std::string type;            // as SQL spells it
  std::uint64_t distinct = 0;  // distinct texts; NULL does not count
  std::uint64_t nulls = 0;
  std::optional<Range> numbers;  // set if there are texts and all are numbers without an exponent
  bool are_dates = false;        // there are texts, and all begin like 2024-02-29
  std::optional<std::vector<std::string>>
      values;                         // all except NULL, sorted by bytes; nullopt: too many or too long
  std::vector<std::uint64_t> counts;  // how many rows have each of the values; empty without them
};

struct TableValues {
  std::uint64_t rows = 0;
  std::vector<ColumnValues> columns;  // in the table's order; pgveil's own stored columns are left out
};

// Reads one REPEATABLE READ state of a plain or partitioned table, once per column. Only the values that are
// returned are held in memory. Errors: those of begin_reading; ErrorKind::limit: there are more columns, or
// it took longer; ErrorKind::connection, ::server.
[[nodiscard]] Result<TableValues> count_column_values(const Endpoint& endpoint,
                                                      const ColumnValuesQuery& query);

}  // namespace pgveil::db

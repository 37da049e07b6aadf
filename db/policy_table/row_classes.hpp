#pragma once
// Counts on the server the rows of a table that look alike in some columns. So memory grows with the number
// of distinct rows, not with all rows. Cells are compared as texts, so two that look different are never
// counted as one.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/progress.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::db {

struct TablePlace {
  std::string database, schema, table;
};

struct RowClass {
  std::span<const std::optional<std::string_view>> cells;  // of the requested columns; nullopt: NULL
  bool shows_more = false;                                 // some other column of the table is not NULL
  std::uint64_t rows = 0;
};

// Calls on_class for each distinct row of these columns, in no order; if it returns an Error, reading ends
// and the Error is returned. Texts in `cells` are valid only during the call. Errors: those of begin_reading
// and require_columns; ErrorKind::connection, ::server.
[[nodiscard]] Result<void> read_row_classes(const Endpoint& endpoint, const TablePlace& place,
                                            const std::vector<std::string>& columns,
                                            const std::function<Result<void>(const RowClass&)>& on_class,
                                            const Progress& progress = {});

// The largest number of columns that GROUPING() of the server can tell apart.
inline constexpr std::size_t kMostCountedColumns = 31;

struct ClassSizes {
  std::vector<std::string> table_columns;     // all columns of the table
  std::vector<engine::SizeHistogram> of_set;  // one per set, in the order of the sets
};

// Counts, in one reading of the table, how many rows look alike in each set of columns. sets: distinct,
// non-empty sets of positions in `columns`; at most 4,096. Errors: those of begin_reading and
// require_columns; more than kMostCountedColumns; ErrorKind::connection, ::server.
[[nodiscard]] Result<ClassSizes> count_class_sizes(const Endpoint& endpoint, const TablePlace& place,
                                                   const std::vector<std::string>& columns,
                                                   const std::vector<std::vector<std::size_t>>& sets);

}  // namespace pgveil::db

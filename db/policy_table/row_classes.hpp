#pragma once
// The rows of a table that look alike in some columns, counted by the server: what is held here grows with
// what differs, not with the rows. Cells are compared as texts, so that two that look different are never
// one.
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
  std::span<const std::optional<std::string_view>> cells;  // of the columns as asked for; nullopt: NULL
  bool shows_more = false;                                 // any other column of the table is not NULL
  std::uint64_t rows = 0;
};

// Calls on_class for each different row of these columns, in no order; an Error of it ends the reading and is
// returned. A text in `cells` is gone after the call. Errors: those of begin_reading and require_columns;
// ErrorKind::connection, ::server.
[[nodiscard]] Result<void> read_row_classes(const Endpoint& endpoint, const TablePlace& place,
                                            const std::vector<std::string>& columns,
                                            const std::function<Result<void>(const RowClass&)>& on_class,
                                            const Progress& progress = {});

// What GROUPING() of the server can tell apart.
inline constexpr std::size_t kMostCountedColumns = 31;

struct ClassSizes {
  std::vector<std::string> table_columns;     // all that the table has
  std::vector<engine::SizeHistogram> of_set;  // as the sets were asked for
};

// How many rows look alike in each set of columns, by one reading of the table. sets: positions in `columns`,
// different sets, none empty; at most 4,096. Errors: those of begin_reading and require_columns; more than
// kMostCountedColumns; ErrorKind::connection, ::server.
[[nodiscard]] Result<ClassSizes> count_class_sizes(const Endpoint& endpoint, const TablePlace& place,
                                                   const std::vector<std::string>& columns,
                                                   const std::vector<std::vector<std::size_t>>& sets);

}  // namespace pgveil::db

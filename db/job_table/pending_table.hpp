#pragma once
// The table that an anonymization job publishes: made, filled and counted again in one transaction, which
// waits for its commit. Without the commit there was nothing.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/progress.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::db {

class Connection;

struct TableTarget {
  std::string database, schema, table;
  bool replace = false;                      // an existing plain table may be dropped for it
  std::string input_schema, input_table;     // of the same database; empty: there is none
  std::map<std::string, std::string> types;  // of columns, as SQL spells them; others become text
  std::set<std::string> unchanged;           // columns whose values were read as this very type
};

using RowCells = std::vector<std::optional<std::string_view>>;  // nullopt: NULL

class PendingTable {
 public:
  // Columns and types only, no grants: a replaced table's go with it. Errors: ErrorKind::policy: the target
  // exists and may not be replaced, or can't be (it is the input, a partition, not a table, or something
  // depends on it); what check_export_target refuses; a value that does not fit its column's type; the
  // recount. ErrorKind::connection, ::server.
  [[nodiscard]] static Result<PendingTable> write(const Endpoint& endpoint, const TableTarget& target,
                                                  const engine::Publication& publication, std::uint64_t k,
                                                  engine::Outliers outliers, const Progress& progress = {});
  PendingTable(PendingTable&&) noexcept;
  PendingTable& operator=(PendingTable&&) noexcept;
  ~PendingTable();

  // Calls on_row with the texts of each row as it lies there, in no order, columns as they were given. What
  // it throws ends the reading.
  [[nodiscard]] Result<void> read_back(const std::function<void(const RowCells&)>& on_row);
  // ErrorKind::connection: whether it was committed is not known.
  [[nodiscard]] Result<void> commit();

 private:
  PendingTable(std::unique_ptr<Connection> connection, std::string rows_query);
  std::unique_ptr<Connection> connection_;
  std::string rows_query_;
};

}  // namespace pgveil::db

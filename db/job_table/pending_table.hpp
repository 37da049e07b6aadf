#pragma once
// The table that an anonymization job publishes. It is created, filled and recounted in one transaction,
// which then waits for commit(). Without the commit nothing remains of it.
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
  bool replace = false;                      // an existing plain table may be dropped and replaced
  std::string input_schema, input_table;     // in the same database; empty: there is no input table
  std::map<std::string, std::string> types;  // of columns, as SQL spells them; other columns become text
  std::set<std::string> unchanged;           // columns whose values were read with exactly this type
  std::string how_to_replace = "let output.replace be true";  // for the message about an existing table
};

using RowCells = std::vector<std::optional<std::string_view>>;  // nullopt: NULL

class PendingTable {
 public:
  // The new table has only columns and types; grants of a table that is replaced are lost with it. Errors:
  // ErrorKind::policy: the target exists and may not be replaced, or cannot be (it is the input, a partition
  // or not a table, or something depends on it); what check_export_target refuses; a value that does not fit
  // its column's type; a recount that fails. ErrorKind::connection, ::server.
  [[nodiscard]] static Result<PendingTable> write(const Endpoint& endpoint, const TableTarget& target,
                                                  const engine::Publication& publication, std::uint64_t k,
                                                  engine::SuppressedRecords suppressed_records,
                                                  const Progress& progress = {});
  PendingTable(PendingTable&&) noexcept;
  PendingTable& operator=(PendingTable&&) noexcept;
  ~PendingTable();

  // Calls on_row with the texts of each row as it is stored, in no order, with the columns as they were
  // given. If on_row throws, the reading ends.
  [[nodiscard]] Result<void> read_back(const std::function<void(const RowCells&)>& on_row);
  // Errors: ErrorKind::server: nothing was committed. ErrorKind::connection: pgveil is shutting down and did
  // not begin, or the connection was lost meanwhile. Then it is not known whether the table was published,
  // and the error says so.
  [[nodiscard]] Result<void> commit();

 private:
  PendingTable(std::unique_ptr<Connection> connection, std::string rows_query, std::string schema,
               std::string table);
  std::unique_ptr<Connection> connection_;
  std::string rows_query_;
  std::string schema_, table_;
};

}  // namespace pgveil::db

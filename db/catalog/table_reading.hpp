#pragma once
// One REPEATABLE READ transaction over one table. Shape, counts and (for exports) rows all come from the same
// state. The table is locked against DDL before the snapshot is taken, so the shape that is read is the shape
// of the counted table. Rows that were evaluated into a temporary table (staged_tables.hpp) are read in the
// same way; they can't change, so their reading may pause between transactions.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/progress.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/counts/counts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

class Connection;
enum class Access;

// Not thread-safe; one thread at a time. The transaction ends with the connection, which the readings of
// staged tables share: it is rolled back unless committed.
class TableReading {
 public:
  // lock_wait_ms: how long to wait for a table that somebody changes; 0: without limit. Errors:
  // ErrorKind::connection, ::server; ErrorKind::policy when the table does not exist or is no table.
  [[nodiscard]] static Result<TableReading> open(const Endpoint& endpoint, const policy::PolicySpec& spec,
                                                 std::int64_t lock_wait_ms = 0);
  [[nodiscard]] static Result<TableReading> open_for_writing(const Endpoint& endpoint,
                                                             const policy::PolicySpec& spec);
  // Reads staged rows. relation: the table or view that readers name. rows: the same columns under the name
  // of the temporary table. The reading begins paused.
  TableReading(std::shared_ptr<Connection> connection, policy::PolicySpec spec, rewriter::Relation relation,
               rewriter::Relation rows, std::uint64_t counts_bytes);
  TableReading(TableReading&&) noexcept;
  TableReading& operator=(TableReading&&) noexcept;
  ~TableReading();

  // What readers name. Its columns are those of the rows.
  [[nodiscard]] const rewriter::Relation& relation() const { return relation_; }
  // Where the rows are: the relation itself, or a temporary table.
  [[nodiscard]] const rewriter::Relation& rows() const { return rows_; }
  [[nodiscard]] bool is_staged() const { return is_staged_; }

  // Ends and begins the transaction of staged rows, so that none is open while a tree is computed. They do
  // nothing where the rows are not staged. Errors: ::connection, ::server.
  [[nodiscard]] Result<void> pause();
  [[nodiscard]] Result<void> resume();

  // The aggregate that the tree is built from, with the sensitive columns that the tree depends on (mode
  // refine). Errors: ErrorKind::policy for a missing column or a type that cannot be compared;
  // ErrorKind::limit if the combinations take more than the endpoint's counts_bytes; ErrorKind::connection,
  // ::server.
  [[nodiscard]] Result<policy::Counts> counts(const Progress& progress = {});

  // Each column with constraints, counted separately, for policy::check_constraints. Errors: as counts().
  [[nodiscard]] Result<std::vector<policy::ConstrainedColumn>> constrained_columns(
      const Progress& progress = {});

  // For db/ only.
  [[nodiscard]] Connection& connection() { return *connection_; }
  [[nodiscard]] const policy::PolicySpec& spec() const { return spec_; }

 private:
  [[nodiscard]] static Result<TableReading> open_with(const Endpoint& endpoint,
                                                      const policy::PolicySpec& spec, Access access,
                                                      std::int64_t lock_wait_ms);
  [[nodiscard]] Result<policy::Counts> counts_with(const std::vector<const policy::ColumnRule*>& sensitive,
                                                   const Progress& progress);
  std::shared_ptr<Connection> connection_;
  policy::PolicySpec spec_;
  rewriter::Relation relation_;
  rewriter::Relation rows_;
  bool is_staged_ = false;
  bool is_paused_ = false;
  std::uint64_t counts_bytes_;
};

}  // namespace pgveil::db

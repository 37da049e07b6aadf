#pragma once
// The guards of a masking sub-select as the verifier expects them. These texts are written independently of
// the code that makes the guards (masks.cpp, shape_guard.hpp); the verifier parses them and compares them
// with the actual guards. For rewriter/ only.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/table_guard.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// The guard for a database with the schema pgveil. columns: the numbers of the columns whose raw values the
// mask reads; stored: the column whose decisions it reads, or null.
[[nodiscard]] std::string expected_shape_guard(const Relation& relation, const std::set<int>& columns,
                                               const StoredColumn* stored);
// The same for a database without that schema, where each execution checks the shape.
[[nodiscard]] std::string expected_asking_shape_guard(const Relation& relation, const std::set<int>& columns);
[[nodiscard]] std::string expected_version_guard(std::string_view policy, std::uint64_t number);

// The guard of a statement that reads a mask that is a view. The view has its own guards besides.
[[nodiscard]] std::string expected_view_guard(std::string_view view);

// The guard of a table that is read as it is.
[[nodiscard]] std::string expected_table_guard(const Relation& relation, VersionGuard guard);
[[nodiscard]] bool is_table_guard(const pg::Node& made, const Relation& relation, VersionGuard guard);
// Fails if is_table_guard is false. Errors: ErrorKind::policy (a bug in the code that made the guard).
[[nodiscard]] Result<void> verify_table_guard(const TableGuard& made, const Relation& relation,
                                              VersionGuard guard);

// The tables that a statement reads as they are: each stands in the FROM of a select whose WHERE begins with
// the table's guard (table_guard.hpp).
struct GuardedTables {
  std::vector<const PgQuery__RangeVar*> tables;  // of the FROM clause itself, whose guard is there
  std::vector<const pg::Node*> guards;           // the guards' conditions, identical to the snapshot's own
};

[[nodiscard]] GuardedTables guarded_tables_of(const PgQuery__SelectStmt& select, const Snapshot& snapshot);

}  // namespace pgveil::rewriter

#pragma once
// Tables that a statement reads as they are, as the verifier sees them: each stands in the FROM of a select
// whose WHERE begins with the table's guard (table_guard.hpp).
#include <vector>

#include "pg/ast.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

struct GuardedTables {
  std::vector<const PgQuery__RangeVar*> tables;  // of the FROM clause itself, whose guard is there
  std::vector<const pg::Node*> guards;           // the guards' conditions, identical to the snapshot's own
};

[[nodiscard]] GuardedTables guarded_tables_of(const PgQuery__SelectStmt& select, const Snapshot& snapshot);

}  // namespace pgveil::rewriter

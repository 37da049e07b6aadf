#pragma once
// GROUP BY a primary key: PostgreSQL then lets the table's other columns be read ungrouped. A masking
// sub-select has no key, so the columns that the query reads are added to GROUP BY. They depend on the key,
// which is shown as it is: one key, one row, one masked value of each column; no group is split.
#include <string>
#include <vector>

#include "pg/build.hpp"
#include "rewriter/resolve/scope.hpp"

namespace pgveil::rewriter {

// A name that stands where only grouped columns may: x, t.x, t.* and *.
struct NameUse {
  std::string table;   // empty: none written
  std::string column;  // "*": all
};

// Names in the select list, HAVING, DISTINCT ON, WINDOW and ORDER BY, sub-queries and aggregates included:
// more than need be grouped, which changes no group. Empty without GROUP BY. To be asked before names are
// resolved.
[[nodiscard]] std::vector<NameUse> names_beside_groups(const PgQuery__SelectStmt& select);

// REQUIRES: the FROM, select list and GROUP BY of `select` are resolved in `scope`. Grouping sets are left
// alone.
void complete_groups(PgQuery__SelectStmt& select, const Scope& scope, const std::vector<NameUse>& uses,
                     pg::Builder& build);

}  // namespace pgveil::rewriter

#pragma once
// GROUP BY a primary key: PostgreSQL then allows reading the table's other columns ungrouped. A masking
// sub-select has no key, so the columns that the query reads are added to GROUP BY. This splits no group:
// they depend on the key, which is shown as it is, so one key means one row and one masked value per column.
#include <string>
#include <vector>

#include "pg/build.hpp"
#include "rewriter/resolve/scope.hpp"

namespace pgveil::rewriter {

// A name at a place where only grouped columns may stand: x, t.x, t.* and *.
struct NameUse {
  std::string table;   // empty: none written
  std::string column;  // "*": all
};

// Names in the select list, HAVING, DISTINCT ON, WINDOW and ORDER BY, including those in sub-queries and
// aggregates. These are more names than must be grouped, which changes no group. Empty without GROUP BY.
// REQUIRES: names are not yet resolved.
[[nodiscard]] std::vector<NameUse> names_beside_groups(const PgQuery__SelectStmt& select);

// REQUIRES: the FROM, select list and GROUP BY of `select` are resolved in `scope`. Grouping sets are left
// alone.
void complete_groups(PgQuery__SelectStmt& select, const Scope& scope, const std::vector<NameUse>& uses,
                     pg::Builder& build);

}  // namespace pgveil::rewriter

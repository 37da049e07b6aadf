#pragma once
// The decision for the row (policy/decision/row_decision.hpp) kept in the table: a generated column, which
// PostgreSQL computes for each row that is written, so that a query only looks at a bit per column
// (masks.hpp, the stored form).
//
//   ALTER TABLE public.people ADD COLUMN "pgveil shown 5d1e08b3a94c1f02" integer GENERATED ALWAYS AS (
//     CASE WHEN state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN 4 ELSE 0 END) STORED
//
// The name says which expression it is, by a hash of its text; that the column has this expression is told by
// what the server prints of it, whose hash BUILD took from the server as well
// (db/versions/stored_digest.hpp). pgveil never makes the column: its owner does.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/tree/tree.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

struct StoredExpression {
  std::string column;  // its name
  std::string text;    // over the table's columns by their bare names
};

[[nodiscard]] std::string stored_column_name(std::string_view expression);

// REQUIRES: at most policy::kMaxStoredAttributes. The same tree has the same expression, whatever its counts
// are. Errors: ErrorKind::policy when the relation has not the tree's columns.
[[nodiscard]] Result<StoredExpression> stored_expression(const policy::DisclosureTree& tree,
                                                         const Relation& relation);

// The relation's column that holds the version's decisions; null: there is none, or it has another
// expression.
[[nodiscard]] const StoredColumn* find_stored(const policy::PolicyVersion& version, const Relation& relation);

// Other policies over the same table.
struct Neighbours {
  std::vector<std::string> policies;
  std::vector<std::string> columns;  // that hold their versions' decisions
};

// What the owner runs, for psql: the version's column is added, those of no policy are dropped; comments say
// what it costs. It says so when there is nothing to do. REQUIRES: version.stored.
[[nodiscard]] Result<std::string> stored_column_sql(const policy::PolicyVersion& version,
                                                    const Relation& relation,
                                                    const Neighbours& neighbours = {});

}  // namespace pgveil::rewriter

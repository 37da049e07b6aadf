#pragma once
// The decision per row (policy/decision/row_decision.hpp), kept in the table. PostgreSQL computes the
// generated column for each row that is written, so a query only tests one bit per column (masks.hpp, the
// stored form).
//
//   ALTER TABLE public.people ADD COLUMN "pgveil shown 5d1e08b3a94c1f02" integer GENERATED ALWAYS AS (
//     CASE WHEN state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN 4 ELSE 0 END) STORED
//
// The name identifies the expression by a hash of its text. Whether the column really has this expression is
// told by the hash of what the server prints for it; BUILD took that hash from the server, too
// (db/versions/stored_digest.hpp). pgveil never creates the column: its owner does.
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

// The expression depends on the tree but not on its counts. REQUIRES: at most policy::kMaxStoredAttributes.
// Errors: ErrorKind::policy when the relation does not have the tree's columns.
[[nodiscard]] Result<StoredExpression> stored_expression(const policy::DisclosureTree& tree,
                                                         const Relation& relation);

// The relation's column that holds the version's decisions; null: there is none, or it has another
// expression.
[[nodiscard]] const StoredColumn* find_stored(const policy::PolicyVersion& version, const Relation& relation);

// Other policies over the same table.
struct Neighbours {
  std::vector<std::string> policies;
  std::vector<std::string> columns;  // the columns that hold their versions' decisions
};

// A script for psql that the owner runs. It adds the version's column and drops those that belong to no
// policy; comments state the cost. If nothing is to be done, it says so. REQUIRES: version.stored.
[[nodiscard]] Result<std::string> stored_column_sql(const policy::PolicyVersion& version,
                                                    const Relation& relation,
                                                    const Neighbours& neighbours = {});

}  // namespace pgveil::rewriter

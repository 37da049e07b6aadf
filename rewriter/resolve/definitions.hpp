#pragma once
// pg_get_constraintdef and pg_get_indexdef read the catalogs behind the masks: their text may quote constants of CHECK
// constraints and partial indexes. They are let through only where the object has none.
#include "rewriter/pg/build.hpp"

namespace pgveil::rewriter {

// f(x, …) → CASE WHEN x OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT … oids of harmless objects)) THEN f(x, …) END
// REQUIRES: funcname is pg_catalog.pg_get_constraintdef or pg_catalog.pg_get_indexdef, with at least one argument.
[[nodiscard]] pg::Node* wrap_definition(PgQuery__FuncCall& call, pg::Builder& build);

}  // namespace pgveil::rewriter

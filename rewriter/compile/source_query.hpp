#pragma once
// Turns a policy's source into the one SELECT that BUILD evaluates. The text goes through the rewriter like a
// client's, so what comes out calls listed functions only and reads tables only: no code of the database's
// users runs, whatever views the source names.
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

struct SourceQuery {
  // One SELECT with qualified names. It means the same only under search_path = pg_catalog.
  std::string sql;
  // The tables, materialized views and foreign tables that it reads: schema and name, ascending, no repeats.
  std::vector<std::pair<std::string, std::string>> tables;
  // The names of its columns, all different. Empty: they are known only when it runs.
  std::vector<std::string> columns;
};

// REQUIRES: spec.source. The catalog has definitions of the views that the source reads. Deep texts need
// stack, as rewrite() does (pipeline.hpp). Errors: ErrorKind::policy at the place of the policy: what the
// rewriter refuses in the text; a function whose result depends on more than rows; a relation whose rows are
// not all shown to query_role; columns without names of their own; a column of the policy that it lacks.
[[nodiscard]] Result<SourceQuery> source_query(const policy::PolicySpec& spec, const Catalog& catalog);

// The relations that the source names, without asking a database: schema, which is empty where the text has
// none, and name. Ascending, no repeats. Names of common table expressions are left out, and a text that does
// not parse names nothing. REQUIRES: spec.source.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> relations_named(
    const policy::PolicySpec& spec);

}  // namespace pgveil::rewriter

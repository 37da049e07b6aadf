#pragma once
// Refuses EXPLAIN of a statement that reads protected tables, because a plan shows estimates from raw values,
// counts and the masks. The refusal tells what the client may know of the statement: its policies and its
// columns.
#include <span>
#include <string>

#include "pg/ast.hpp"
#include "rewriter/resolve/scope.hpp"

namespace pgveil::rewriter {

struct PolicyRead {
  std::string policy;
  bool is_masked = false;  // false: the role is exempt
  bool operator==(const PolicyRead&) const = default;
};

// Throws Stop unless all options are allowed.
void check_explain_options(const PgQuery__ExplainStmt& explain);

// policies: in the order of the statement. columns: those of its answer; nullopt: not known before it runs.
[[noreturn]] void refuse_plan(std::span<const PolicyRead> policies, const ColumnNames& columns);

}  // namespace pgveil::rewriter

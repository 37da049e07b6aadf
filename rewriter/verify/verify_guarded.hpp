#pragma once
// Checks calls of functions that a client may call for some objects only (FunctionRule::constraint_def,
// index_def, description, relation_size). The function's argument must be a sub-query that can return nothing
// but the OID of such an object.
#include <string_view>

#include "pg/ast.hpp"
#include "rewriter/lists/functions.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

struct GuardedArgument {
  const pg::Node* guard = nullptr;  // the argument; equal to what it must be except for `asked`
  const pg::Node* asked = nullptr;  // what the client asks about: any expression, to be checked like others
};

// Empty: the call is none of these, or its guard differs.
[[nodiscard]] GuardedArgument guarded_argument_of(const PgQuery__FuncCall& call, FunctionRule rule,
                                                  std::string_view role, const Snapshot& snapshot);

}  // namespace pgveil::rewriter

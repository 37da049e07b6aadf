#pragma once
// Calls of functions that may be asked about some objects only (FunctionRule::constraint_def, index_def,
// description, relation_size), as the verifier lets them through: what the function gets must be a sub-query
// that can bring forth nothing but the OID of such an object.
#include <string_view>

#include "pg/ast.hpp"
#include "rewriter/lists/functions.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

struct GuardedArgument {
  const pg::Node* guard = nullptr;  // the argument: to the letter what it must be but for `asked`
  const pg::Node* asked =
      nullptr;  // what the client wants to know of: any expression, to be checked like others
};

// Empty: the call is none of these, or its guard is another.
[[nodiscard]] GuardedArgument guarded_argument_of(const PgQuery__FuncCall& call, FunctionRule rule,
                                                  std::string_view role, const Snapshot& snapshot);

}  // namespace pgveil::rewriter

#pragma once
// EXPLAIN of a statement that reads protected tables. A plan shows estimates from raw values, counts and the masks, so
// the statement is neither planned nor run: the answer is made of constants, in the shape that EXPLAIN's has.
#include <string>
#include <vector>

#include "rewriter/pg/build.hpp"
#include "rewriter/resolve/scope.hpp"

namespace pgveil::rewriter {

struct PolicyRead {
  std::string policy;
  bool is_masked = false;  // false: the role is exempt
  bool operator==(const PolicyRead&) const = default;
};

struct ExplainedStatement {
  std::vector<PolicyRead> policies;  // in the order of the statement
  ColumnNames columns;               // of its answer; nullopt: not known before it runs
  int parameters = 0;                // the highest $n
};

// The SELECT to send instead. It takes the statement's parameters and ignores them. Throws Stop: an option or format
// that PostgreSQL does not know.
[[nodiscard]] pg::Node* explain_answer(const PgQuery__ExplainStmt& explain,
                                       const ExplainedStatement& statement, pg::Builder& build);

// The highest $n below this node; 0: none.
[[nodiscard]] int highest_parameter(const ProtobufCMessage& message);

}  // namespace pgveil::rewriter

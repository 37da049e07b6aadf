#pragma once
// What a run of the passes did with the literals of a text: for finding out whether another text, which
// differs in literals only, would be rewritten in the same way (rewriter/shape).
#include <set>

#include "pg/ast.hpp"

namespace pgveil::rewriter {

struct LiteralTrace {
  // The byte offsets at which constants stand whose values chose a mask or the form of a condition. Constants
  // of a view are among them, with their place in its definition.
  std::set<int> read;

  // constant: an A_Const or a cast of one, or anything else, which has no value to read.
  void note_read(const pg::Node* constant) {
    if (pg::is_kind(constant, PG_QUERY__NODE__NODE_TYPE_CAST)) constant = constant->type_cast->arg;
    if (pg::is_kind(constant, PG_QUERY__NODE__NODE_A_CONST)) read.insert(constant->a_const->location);
  }
};

}  // namespace pgveil::rewriter

#pragma once
// The name that stands in a statement's tree where a mask's text will be put.
#include "pg/ast.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// A stand-in in a statement's tree.
struct StandIn {
  PgQuery__RangeVar* name = nullptr;
  const Mask* mask = nullptr;
  bool has_renamed_columns = false;  // AS p(a, b): then all columns count as used
};

}  // namespace pgveil::rewriter

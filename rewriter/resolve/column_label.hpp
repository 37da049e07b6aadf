#pragma once
// The name that PostgreSQL gives to an unnamed output column (its FigureColname), so that rewriting never
// changes it.
#include <string>

#include "pg/ast.hpp"

namespace pgveil::rewriter {

// "?column?" if the expression suggests no name.
[[nodiscard]] std::string column_label(const pg::Node* expression);

}  // namespace pgveil::rewriter

#pragma once
// Parse tree → SQL text. Ours rather than libpg_query's deparser: that one prints, for some trees, text that
// parses to another tree or not at all ((a AND b) IS TRUE, (ARRAY[1])[1], SHOW ALL; docs/rewriting.md has the
// list). This one knows only the node kinds the rewriter lets through, brackets every compound operand, names
// types and functions as they stand in the tree, and refuses to print anything else. The pipeline parses what
// it printed and compares.
#include <stdexcept>
#include <string>
#include <string_view>

#include "pg/ast.hpp"

namespace pgveil::pg {

// A tree holds something this printer does not know. The pipeline turns it into Refusal{unverified}.
class CannotPrint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One statement, without a semicolon. Throws CannotPrint.
[[nodiscard]] std::string print_statement(const Node& statement);
[[nodiscard]] std::string print_expression(const Node& expression);

// An identifier as SQL: quoted unless it is lower case, simple and no key word.
[[nodiscard]] std::string quote_identifier(std::string_view name);
}  // namespace pgveil::pg

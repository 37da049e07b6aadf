#pragma once
// Prints a parse tree as SQL text. pgveil has its own printer because libpg_query's deparser prints, for some
// trees, text that parses to another tree or not at all ((a AND b) IS TRUE, (ARRAY[1])[1], SHOW ALL;
// docs/rewriting.md has the list). This printer knows only the node kinds that the rewriter lets through,
// brackets every compound operand, names types and functions as they are in the tree, and refuses to print
// anything else. The pipeline parses what was printed and compares.
#include <stdexcept>
#include <string>
#include <string_view>

#include "pg/ast.hpp"

namespace pgveil::pg {

// The tree holds something that this printer does not know. The pipeline turns it into Refusal{unverified}.
class CannotPrint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One statement, without a semicolon. Throws CannotPrint.
[[nodiscard]] std::string print_statement(const Node& statement);
[[nodiscard]] std::string print_expression(const Node& expression);

// An identifier as SQL: quoted unless it is lower case, simple and not a key word.
[[nodiscard]] std::string quote_identifier(std::string_view name);
}  // namespace pgveil::pg

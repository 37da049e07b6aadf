#pragma once
// Statements that tests start from: the examples of docs/sql-support.md and of the golden rewrites, which
// together hold every kind of node that the parser can make.
#include <string>
#include <vector>

namespace pgveil::rewriter::test {

struct SupportRow {
  std::string what;
  std::string verdict;  // "masked", "allowed", "refused: clause", "error: 42601"
  std::string example;  // empty: the row's example is not one statement
};

[[nodiscard]] std::vector<SupportRow> sql_support_rows();
// Each once: those of the two, and a few more (corpus.cpp).
[[nodiscard]] std::vector<std::string> statement_corpus();

}  // namespace pgveil::rewriter::test

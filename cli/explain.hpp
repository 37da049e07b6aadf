#pragma once
// A verdict for people: the SQL that would be sent, or why nothing would be.
#include <string>
#include <string_view>

#include "proxy/admin/console.hpp"
#include "rewriter/pipeline.hpp"

namespace pgveil::cli {

// EXPLAIN POLICY's answer: one row per statement, or one row for the refusal.
[[nodiscard]] admin::Table explain_table(const rewriter::Verdict& verdict);

// For `pgveil rewrite`: statements with ";" each, or "refused (reason): message (hint)" with the line of the
// SQL and a caret under the position.
struct ExplainText {
  std::string text;
  bool is_answered = false;
};
[[nodiscard]] ExplainText explain_text(const rewriter::Verdict& verdict, std::string_view sql);

// The line that holds the 1-based character position, and a caret below it; empty for position 0.
[[nodiscard]] std::string caret_lines(std::string_view sql, int position);

}  // namespace pgveil::cli

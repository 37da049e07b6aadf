#pragma once
// What becomes of a text, for people: the SQL that would be sent, on lines and with each mask once below it, or why
// nothing would be sent, and where.
#include <string>
#include <string_view>
#include <vector>

#include "proxy/admin/console.hpp"
#include "rewriter/examine.hpp"

namespace pgveil::cli {

using Explanation = Result<std::vector<rewriter::Examined>>;

enum class Masks { named, in_place };

// EXPLAIN POLICY's answer: one row per statement and mask, one per objection.
[[nodiscard]] admin::Table explain_table(const Explanation& explanation, std::string_view sql, Masks masks);

// For `pgveil rewrite`: the statements, or all objections, each with its line of the SQL and a caret.
struct ExplainText {
  std::string text;
  bool is_answered = false;
};
[[nodiscard]] ExplainText explain_text(const Explanation& explanation, std::string_view sql, Masks masks);

}  // namespace pgveil::cli

#pragma once
// Explains to people what pgveil does with a text: the SQL that would be sent, laid out on lines and with
// each mask written once below it, or why nothing would be sent, and at which place.
#include <string>
#include <string_view>
#include <vector>

#include "console/console.hpp"
#include "rewriter/pipeline/examine.hpp"

namespace pgveil::app {

using Explanation = Result<std::vector<rewriter::Examined>>;

enum class Masks { named, in_place };

// EXPLAIN POLICY's answer: one row per statement and mask, one per objection.
[[nodiscard]] console::Table explain_table(const Explanation& explanation, std::string_view sql, Masks masks);

// For `pgveil rewrite`: the statements, or all objections, each with its line of the SQL and a caret.
struct ExplainText {
  std::string text;
  bool is_answered = false;
};
[[nodiscard]] ExplainText explain_text(const Explanation& explanation, std::string_view sql, Masks masks);

}  // namespace pgveil::app

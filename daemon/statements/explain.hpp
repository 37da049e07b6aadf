#pragma once
// Explains to people what pgveil does with a text: the SQL that would be sent, laid out on lines, with each
// mask written once below it, or why and at which place nothing would be sent.
#include <string>
#include <string_view>
#include <vector>

#include "console/console.hpp"
#include "rewriter/pipeline/examine.hpp"

namespace pgveil::app {

using Explanation = Result<std::vector<rewriter::Examined>>;

enum class Masks { named, in_place };

// The answer of EXPLAIN POLICY: one row per statement and mask, and one per objection.
[[nodiscard]] console::Table explain_table(const Explanation& explanation, std::string_view sql, Masks masks);

// For `pgveil rewrite`: the statements, or all objections, each with its line of the SQL and a caret.
struct ExplainText {
  std::string text;
  bool is_answered = false;
};
[[nodiscard]] ExplainText explain_text(const Explanation& explanation, std::string_view sql, Masks masks);

}  // namespace pgveil::app

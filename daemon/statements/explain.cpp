#include "daemon/statements/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/sql_position.hpp"
#include "pg/layout.hpp"

namespace pgveil::app {
namespace {

using rewriter::Examined;
using rewriter::NamedMask;
using rewriter::Objection;

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

struct Words {
  std::string verdict;  // "refused: clause", "error: 42703"
  std::string message;
  std::string detail;
  std::string hint;
  int position = 0;
};

struct InWords {
  Words operator()(const Refusal& refusal) const {
    return {fmt::format("refused: {}", reason_name(refusal.reason)), refusal.message, refusal.detail,
            refusal.hint, refusal.position};
  }
  Words operator()(const Error& error) const {
    return {fmt::format("error: {}", error.sqlstate), error.public_message, {}, error.hint, error.position};
  }
};

std::string sql_of(const Examined& statement, Masks masks) {
  return pg::laid_out(masks == Masks::named ? statement.short_sql : statement.statement.sql);
}

std::string origin_of(const NamedMask& mask) {
  if (mask.policy.empty()) return "a system catalog";
  return fmt::format("policy {}, version {}", mask.policy, mask.number);
}

std::string_view verdict_of(const rewriter::Statement& statement) {
  if (statement.is_masked) return "masked";
  return statement.is_protected ? "exempt" : "as is";
}

// Each objection of each statement, or the error of a text that cannot be read.
std::vector<Words> objections_of(const Explanation& explanation) {
  if (!explanation) return {InWords{}(explanation.error())};
  std::vector<Words> out;
  for (const Examined& statement : *explanation) {
    for (const Objection& objection : statement.objections) out.push_back(std::visit(InWords{}, objection));
  }
  return out;
}

// The masks of all statements, each once.
std::vector<NamedMask> masks_of(const std::vector<Examined>& statements) {
  std::vector<NamedMask> out;
  const auto is_same = [](const NamedMask& a, const NamedMask& b) {
    return a.name == b.name && a.sql == b.sql;
  };
  for (const Examined& statement : statements) {
    for (const NamedMask& mask : statement.masks) {
      if (std::ranges::none_of(out, [&](const NamedMask& known) { return is_same(known, mask); }))
        out.push_back(mask);
    }
  }
  return out;
}

std::string objection_text(const Words& words, std::string_view sql) {
  std::string out = words.verdict;
  if (words.position > 0) out += fmt::format(", {}", line_and_column(sql, words.position));
  out += fmt::format(": {}", words.message);
  if (!words.hint.empty()) out += fmt::format(" ({})", words.hint);
  out += '\n';
  if (!words.detail.empty()) out += fmt::format("  {}\n", words.detail);
  return out + caret_lines(sql, words.position);
}

}  // namespace

console::Table explain_table(const Explanation& explanation, std::string_view sql, Masks masks) {
  console::Table table{console::columns_of(console::ExplainPolicy{}), {}, "EXPLAIN POLICY", {}};
  for (const Words& words : objections_of(explanation)) {
    std::string place = line_and_column(sql, words.position);
    if (!place.empty()) place += '\n' + caret_lines(sql, words.position);
    if (!place.empty()) place.pop_back();
    table.rows.push_back({words.verdict, words.message, unless_empty(words.detail), unless_empty(words.hint),
                          words.position == 0 ? std::nullopt : std::optional(std::to_string(words.position)),
                          unless_empty(std::move(place))});
  }
  if (!explanation) return table;
  const auto add = [&](std::string verdict, std::string text, std::optional<std::string> detail) {
    table.rows.push_back({std::move(verdict), std::move(text), std::move(detail), {}, {}, {}});
  };
  for (const Examined& statement : *explanation) {
    if (!statement.objections.empty()) continue;
    add(std::string(verdict_of(statement.statement)), sql_of(statement, masks), std::nullopt);
  }
  if (masks == Masks::in_place) return table;
  for (const NamedMask& mask : masks_of(*explanation))
    add(mask.name, pg::laid_out(mask.sql), origin_of(mask));
  return table;
}

ExplainText explain_text(const Explanation& explanation, std::string_view sql, Masks masks) {
  const auto objections = objections_of(explanation);
  std::string text;
  for (const Words& words : objections) text += objection_text(words, sql);
  if (!objections.empty()) return {std::move(text), false};
  for (const Examined& statement : *explanation) text += sql_of(statement, masks) + ";\n";
  if (masks == Masks::in_place) return {std::move(text), true};
  for (const NamedMask& mask : masks_of(*explanation)) {
    text += fmt::format("\n\"{}\" ({}) is:\n{}\n", mask.name, origin_of(mask), pg::laid_out(mask.sql));
  }
  return {std::move(text), true};
}

}  // namespace pgveil::app

#include "cli/explain.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace pgveil::cli {
namespace {

using Row = std::vector<std::optional<std::string>>;

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<std::string> unless_zero(int position) {
  return position == 0 ? std::nullopt : std::optional(std::to_string(position));
}

struct Rows {
  std::vector<Row> operator()(const rewriter::Rewritten& rewritten) const {
    std::vector<Row> rows;
    for (const auto& statement : rewritten.statements) {
      rows.push_back({statement.is_masked ? "masked" : "as is", statement.sql, std::nullopt, std::nullopt});
    }
    return rows;
  }
  std::vector<Row> operator()(const Refusal& refusal) const {
    return {{fmt::format("refused: {}", reason_name(refusal.reason)), refusal.message,
             unless_empty(refusal.hint), unless_zero(refusal.position)}};
  }
  std::vector<Row> operator()(const Error& error) const {
    return {{fmt::format("error: {}", error.sqlstate), error.public_message, unless_empty(error.hint),
             unless_zero(error.position)}};
  }
};

std::string with_hint(std::string message, const std::string& hint) {
  return hint.empty() ? message : fmt::format("{} ({})", message, hint);
}

struct Texts {
  std::string_view sql;
  ExplainText operator()(const rewriter::Rewritten& rewritten) const {
    std::string text;
    for (const auto& statement : rewritten.statements) text += statement.sql + ";\n";
    return {std::move(text), true};
  }
  ExplainText operator()(const Refusal& refusal) const {
    return {with_hint(fmt::format("refused ({}): {}", reason_name(refusal.reason), refusal.message),
                      refusal.hint) +
                "\n" + caret_lines(sql, refusal.position),
            false};
  }
  ExplainText operator()(const Error& error) const {
    return {with_hint(fmt::format("error ({}): {}", error.sqlstate, error.public_message), error.hint) +
                "\n" + caret_lines(sql, error.position),
            false};
  }
};

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

admin::Table explain_table(const rewriter::Verdict& verdict) {
  return {admin::columns_of(admin::ExplainPolicy{}), std::visit(Rows{}, verdict), "EXPLAIN POLICY", {}};
}

ExplainText explain_text(const rewriter::Verdict& verdict, std::string_view sql) {
  return std::visit(Texts{sql}, verdict);
}

std::string caret_lines(std::string_view sql, int position) {
  if (position <= 0) return {};
  std::size_t line_start = 0;
  int column = 1;
  int character = 0;
  std::size_t at = 0;
  for (; at < sql.size(); ++at) {
    if (!is_continuation(sql[at]) && ++character == position) break;
    if (sql[at] == '\n') {
      line_start = at + 1;
      column = 1;
    } else if (!is_continuation(sql[at])) {
      ++column;
    }
  }
  const std::size_t line_end = std::min(sql.find('\n', line_start), sql.size());
  return fmt::format("  {}\n  {}^\n", sql.substr(line_start, line_end - line_start),
                     std::string(static_cast<std::size_t>(column - 1), ' '));
}

}  // namespace pgveil::cli

#include "common/csv.hpp"

namespace pgveil {
namespace {

bool is_formula_start(char c) {
  return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r';
}

void append_quoted(std::string& line, std::string_view value, bool is_formula) {
  line += '"';
  if (is_formula) line += '\'';
  for (const char c : value) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

void append_cell(std::string& line, std::optional<std::string_view> value, CellKind kind, char separator) {
  if (!value) return;
  const bool is_formula = kind == CellKind::text && !value->empty() && is_formula_start(value->front());
  const bool has_special = value->find(separator) != std::string_view::npos ||
                           value->find_first_of("\"\r\n") != std::string_view::npos;
  // A blank at either end is part of the value, but some readers trim unquoted cells.
  const bool has_outer_blank = !value->empty() && (value->front() == ' ' || value->back() == ' ');
  if (is_formula || has_special || has_outer_blank || value->empty()) {
    append_quoted(line, *value, is_formula);
  } else {
    line += *value;
  }
}

}  // namespace pgveil

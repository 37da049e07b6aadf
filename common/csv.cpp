#include "common/csv.hpp"

namespace pgveil {
namespace {

bool is_formula_start(char c) {
  return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r';
}

// A text that looks like one with a mark gets another, so that no two texts are written alike.
bool needs_mark(std::string_view text) {
  const auto first = text.find_first_not_of('\'');
  return first != std::string_view::npos && is_formula_start(text[first]);
}

void append_quoted(std::string& line, std::string_view value, bool is_marked) {
  line += '"';
  if (is_marked) line += '\'';
  for (const char c : value) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

void append_cell(std::string& line, std::optional<std::string_view> value, CellKind kind, char separator) {
  if (!value) return;
  const bool is_marked = kind == CellKind::text && needs_mark(*value);
  const bool has_special = value->find(separator) != std::string_view::npos ||
                           value->find_first_of("\"\r\n") != std::string_view::npos;
  // A blank at either end is part of the value, but some readers trim unquoted cells.
  const bool has_outer_blank = !value->empty() && (value->front() == ' ' || value->back() == ' ');
  if (is_marked || has_special || has_outer_blank || value->empty()) {
    append_quoted(line, *value, is_marked);
  } else {
    line += *value;
  }
}

std::string_view without_formula_mark(std::string_view cell) {
  return cell.starts_with('\'') && needs_mark(cell) ? cell.substr(1) : cell;
}

}  // namespace pgveil

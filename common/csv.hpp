#pragma once
// CSV as RFC 4180 writes it, with two additions (docs/console.md): NULL is an unquoted empty cell and the
// empty text is "", so they differ; a text cell that a spreadsheet would run as a formula (first character =
// + - @ tab CR) gets a leading ' and quotes. So does a text that has only ' before such a character: =x is
// written as '=x, and '=x as ''=x. Cells of number columns are left as they are.
#include <optional>
#include <string>
#include <string_view>

namespace pgveil {

enum class CellKind { text, number };

// Appends one cell, without a separator.
void append_cell(std::string& line, std::optional<std::string_view> value, CellKind kind,
                 char separator = ',');

// The value of a cell that append_cell wrote and a reader of RFC 4180 read: without the ' that it put before
// the value. Other cells are returned as they are. The result is a part of `cell`.
[[nodiscard]] std::string_view without_formula_mark(std::string_view cell);

}  // namespace pgveil

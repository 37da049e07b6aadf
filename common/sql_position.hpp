#pragma once
// Shows a position in a client's SQL as psql does.
#include <string>
#include <string_view>

namespace pgveil {

// "line 2, column 8" for a 1-based character position; empty for position 0.
[[nodiscard]] std::string line_and_column(std::string_view sql, int position);

// The line with the position, indented by two, and a caret below it; empty for position 0. Of a long line
// only the part around the position is shown.
[[nodiscard]] std::string caret_lines(std::string_view sql, int position);

}  // namespace pgveil

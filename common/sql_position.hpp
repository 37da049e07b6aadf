#pragma once
// Where in a client's SQL something is, shown as psql does.
#include <string>
#include <string_view>

namespace pgveil {

// "line 2, column 8" of the 1-based character position; empty for position 0.
[[nodiscard]] std::string line_and_column(std::string_view sql, int position);

// The line that holds it, two columns in, and a caret below; empty for position 0. Of a long line only what
// is around it.
[[nodiscard]] std::string caret_lines(std::string_view sql, int position);

}  // namespace pgveil

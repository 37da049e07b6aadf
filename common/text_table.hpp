#pragma once
// A console table as aligned text for a terminal.
#include <optional>
#include <string>
#include <vector>

namespace pgveil {

struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
};

// Pads columns to their widest cell (in characters), with two blanks in between; NULL is blank; with a header
// line.
[[nodiscard]] std::string text_of(const TextTable& table);

}  // namespace pgveil

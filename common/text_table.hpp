#pragma once
// A table as aligned text for a terminal: of the console, or of a report.
#include <cstdint>
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

// A table of a report, which text and HtmlPage::table show alike.
struct ReportTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] std::string text_of(const ReportTable& table);

// "12.50 %", or "-" if the whole is 0.
[[nodiscard]] std::string percent_of(std::uint64_t part, std::uint64_t whole);

}  // namespace pgveil

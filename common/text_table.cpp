#include "common/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pgveil {
namespace {

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void append_row(std::string& out, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += cells[i] + std::string(widths[i] - characters_of(cells[i]) + 2, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string text_of(const TextTable& table) {
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const auto& cell : row) line.push_back(cell.value_or(""));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], characters_of(line[i]));
  }
  std::string out;
  for (const auto& line : lines) append_row(out, line, widths);
  return out;
}

std::string text_of(const ReportTable& table) {
  TextTable shown{table.columns, {}};
  for (const auto& row : table.rows) shown.rows.emplace_back(row.begin(), row.end());
  return text_of(shown);
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string("-")
                    : fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace pgveil

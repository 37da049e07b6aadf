#include "cli/published_print.hpp"

#include <fmt/format.h>

#include <limits>

#include "common/files/whole_file.hpp"
#include "jobs/check/fingerprint.hpp"

namespace pgveil::app {

Result<std::string> read_text(const std::string& path) {
  auto text = read_whole(path, std::numeric_limits<std::size_t>::max());
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return error_of_kind(ErrorKind::configuration, fmt::format("there is no file {}", path), "check the path");
}

std::string print_of_table(const engine::Table& table, const std::optional<std::string>& null_text,
                           const std::string& key) {
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  TableFingerprint print(names, key);
  std::vector<std::optional<std::string_view>> cells(names.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& text = table.columns[i].values[table.columns[i].codes.at(row)];
      cells[i] = text == null_text ? std::nullopt : std::optional<std::string_view>(text);
    }
    print.add(cells);
  }
  return std::move(print).finish();
}

Result<PublishedPrint> print_of_published(const TableArguments& given, const engine::Table& table) {
  if (given.table) return PublishedPrint{std::nullopt, print_of_table(table, null_text_of(given), "")};
  const auto text = read_text(*given.file);
  if (!text) return text.error();
  return PublishedPrint{fingerprint_of(*text), std::nullopt};
}

}  // namespace pgveil::app

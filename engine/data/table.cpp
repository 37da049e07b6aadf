#include "engine/data/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/separated_text.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

Error table_error(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

Result<std::vector<ColumnEncoder>> read_header(const std::vector<std::string_view>& names) {
  std::vector<ColumnEncoder> encoders;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      return table_error(fmt::format("column {} of the header has no name", i + 1), "name every column");
    }
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return table_error(fmt::format("column {} of the header repeats a name", i + 1), "names must differ");
    }
    encoders.emplace_back(std::string(names[i]));
  }
  return encoders;
}

}  // namespace

const Column* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

Table rows_of(const Table& table, std::span<const std::size_t> rows) {
  Table made;
  for (const auto& column : table.columns) {
    auto& chosen = made.columns.emplace_back();
    chosen.name = column.name;
    chosen.values = column.values;
    for (const auto row : rows) chosen.codes.push_back(column.codes.at(row));
  }
  return made;
}

Result<Table> read_table(std::string_view bytes, char separator) {
  RecordReader reader(bytes, separator);
  std::vector<std::string_view> fields;
  auto more = reader.next(fields);
  if (more.has_error()) return more.error();
  if (!*more) return table_error("the file is empty", "the first record names the columns");
  auto encoders = read_header(fields);
  if (encoders.has_error()) return encoders.error();
  while (true) {
    more = reader.next(fields);
    if (more.has_error()) return more.error();
    if (!*more) break;
    if (fields.size() != encoders->size()) {
      return table_error(fmt::format("record {} has {} fields, the header has {}", reader.records_read(),
                                     fields.size(), encoders->size()),
                         "check the separator and the quotes");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) (*encoders)[i].add(fields[i]);
  }
  Table table;
  for (auto& encoder : *encoders) table.columns.push_back(std::move(encoder).finish());
  return table;
}

}  // namespace pgveil::engine
